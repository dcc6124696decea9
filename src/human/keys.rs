//! The keys of the desktop as a channel: they show nothing, so they are watched only once the question is shown
//! elsewhere or has begun to be spoken.

use crate::devices::keys::{Keys, Seen, Watching};
use crate::devices::speech::Task;
use crate::devices::{Key, State};
use crate::human::channel::{Asked, Channel, Report};

/// The keys of the desktop.
#[derive(Debug)]
pub struct KeysChannel {
    keys: Keys,
}

impl KeysChannel {
    /// These keys.
    #[must_use]
    pub fn new(keys: Keys) -> Self {
        Self { keys }
    }
}

impl Channel for KeysChannel {
    fn name(&self) -> &'static str {
        "keys"
    }

    fn shows(&self) -> bool {
        false
    }

    fn state(&self) -> State {
        self.keys.state()
    }

    fn put(&self, asked: Asked) -> Task {
        Box::pin(put(self.keys.clone(), asked))
    }
}

async fn put(keys: Keys, mut asked: Asked) {
    if let Some(why) = keys.state().trouble() {
        asked.report(Report::Unable(why.to_owned()));
    }
    let mut perceived = asked.perceived.clone();
    let reporting = asked.clone();
    loop {
        tokio::select! {
            biased;
            () = asked.over() => return,
            known = perceived.wait_for(|known| *known) => if known.is_err() { return },
        }
        let mut watching = keys.watch(asked.arming_delay);
        tokio::select! {
            biased;
            () = asked.over() => {}
            _ = perceived.wait_for(|known| !*known) => {}
            () = read(&reporting, &mut watching) => {}
        }
        watching.end().await;
    }
}

/// Passes on reports until there are no more.
async fn read(asked: &Asked, watching: &mut Watching) {
    while let Some(seen) = watching.seen.recv().await {
        match seen {
            Seen::Listening => asked.report(Report::Listening),
            Seen::Busy(why) => asked.report(Report::Busy(why)),
            Seen::Unable(why) => asked.report(Report::Unable(why)),
            Seen::Ignored(why) => tracing::info!(channel = "keys", why, "a key press does not count"),
            // The keyboard is released, so that a command can be typed in the terminal or in the console.
            Seen::Pressed(Key::Letter('m' | 'M')) if asked.prompt.draft.is_some() => {
                asked.report(Report::Writing);
            }
            Seen::Pressed(key) => {
                if let Some(report) = asked.prompt.read(key) {
                    asked.report(report);
                }
            }
        }
    }
}
