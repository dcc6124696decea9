//! The trusted keyboard as a channel. Like the keys of the desktop, it shows nothing, and is read only once the
//! question has been shown or spoken elsewhere. It reports answers, never keys.

use crate::devices::DeviceState;
use crate::devices::keys::gesture::Presses;
use crate::devices::keys::keyboard::{Keyboard, KeyboardEvent, KeyboardQuestion, KeyboardWatch, LONGEST};
use crate::devices::sound::speech::Task;
use crate::prompt::channels::keys::{report, signs};
use crate::prompt::channels::{Asked, Channel, ChannelReport};

/// The name of the channel.
pub const NAME: &str = "keyboard";

/// The keyboards that `guarda-keys` reads.
#[derive(Debug)]
pub struct KeyboardChannel {
    keyboard: Keyboard,
    presses: Presses,
}

impl KeyboardChannel {
    /// Uses this helper, and keys pressed so for a yes and for a no.
    #[must_use]
    pub fn new(keyboard: Keyboard, presses: Presses) -> Self {
        Self { keyboard, presses }
    }
}

impl Channel for KeyboardChannel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn shows(&self) -> bool {
        false
    }

    fn state(&self) -> DeviceState {
        self.keyboard.state()
    }

    fn put(&self, asked: Asked) -> Task {
        Box::pin(put(self.keyboard.clone(), self.presses, asked))
    }
}

async fn put(keyboard: Keyboard, presses: Presses, mut asked: Asked) {
    if let DeviceState::Absent { why } = keyboard.state() {
        asked.report(ChannelReport::Unable(why.detail));
        return asked.over().await;
    }
    let mut perceived = asked.perceived.clone();
    let reporting = asked.clone();
    loop {
        tokio::select! {
            biased;
            () = asked.over() => return,
            known = perceived.wait_for(|known| *known) => if known.is_err() { return },
        }
        let mut watching = keyboard.watch(ask(&reporting, presses));
        tokio::select! {
            biased;
            () = asked.over() => {}
            _ = perceived.wait_for(|known| !*known) => {}
            () = read(&reporting, &mut watching) => {}
        }
        watching.end().await;
    }
}

/// Builds the question for the helper.
fn ask(asked: &Asked, presses: Presses) -> KeyboardQuestion {
    let left = asked.deadline.borrow().saturating_duration_since(tokio::time::Instant::now());
    KeyboardQuestion {
        question: asked.prompt.number.to_string(),
        signs: signs(&asked.prompt, presses),
        quiet_ms: u64::try_from(asked.arming_delay.as_millis()).unwrap_or(u64::MAX),
        wait_s: left.as_secs().clamp(1, LONGEST),
    }
}

/// Passes on reports until there are no more.
async fn read(asked: &Asked, watching: &mut KeyboardWatch) {
    while let Some(seen) = watching.seen.recv().await {
        asked.report(match seen {
            KeyboardEvent::Listening => ChannelReport::Listening,
            KeyboardEvent::Busy(why) => ChannelReport::Busy(why),
            KeyboardEvent::Unable(why) => ChannelReport::Unable(why),
            KeyboardEvent::Answer(says) => report(says),
        });
    }
}
