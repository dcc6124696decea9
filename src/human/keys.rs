//! The keys of the desktop as a channel: they show nothing, so they are watched only once the question is shown
//! elsewhere or has begun to be spoken.

use crate::devices::gesture::{Gesture, Rule};
use crate::devices::keys::{Keys, Letters, Seen, Watching};
use crate::devices::speech::Task;
use crate::devices::{Key, State};
use crate::human::channel::{Asked, Channel, Report};
use crate::human::prompt::{ALWAYS, Prompt, SPELL, WRITE};

/// The keys of the desktop.
#[derive(Debug)]
pub struct KeysChannel {
    keys: Keys,
    gesture: Gesture,
}

impl KeysChannel {
    /// These keys, and what a yes takes.
    #[must_use]
    pub fn new(keys: Keys, gesture: Gesture) -> Self {
        Self { keys, gesture }
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
        Box::pin(put(self.keys.clone(), self.gesture, asked))
    }
}

async fn put(keys: Keys, gesture: Gesture, mut asked: Asked) {
    if let Some(why) = keys.state().trouble() {
        asked.report(Report::Unable(why.detail.clone()));
    }
    let mut perceived = asked.perceived.clone();
    let (reporting, letters) = (asked.clone(), letters(&asked.prompt, gesture));
    loop {
        tokio::select! {
            biased;
            () = asked.over() => return,
            known = perceived.wait_for(|known| *known) => if known.is_err() { return },
        }
        let mut watching = keys.watch(asked.arming_delay, letters.clone());
        tokio::select! {
            biased;
            () = asked.over() => {}
            _ = perceived.wait_for(|known| !*known) => {}
            () = read(&reporting, &letters, &mut watching) => {}
        }
        watching.end().await;
    }
}

/// The letters that answer anywhere on the desktop. S and O, which say yes in the terminal, are not among them.
fn letters(prompt: &Prompt, gesture: Gesture) -> Letters {
    let (yes, beside) = (prompt.digit.unwrap_or('Y'), gesture.rule_beside());
    let mut letters = vec![('N', Rule::Once), (yes, gesture.rule(yes)), (SPELL, beside)];
    // A yes to all hosts takes a channel that shows them.
    letters.extend((prompt.always && !prompt.is_for_hosts()).then_some((ALWAYS, beside)));
    letters.extend(prompt.draft.is_some().then_some((WRITE, beside)));
    letters
}

/// Passes on reports until there are no more.
async fn read(asked: &Asked, letters: &Letters, watching: &mut Watching) {
    while let Some(seen) = watching.seen.recv().await {
        match seen {
            Seen::Listening => asked.report(Report::Listening),
            Seen::Busy(why) => asked.report(Report::Busy(why)),
            Seen::Unable(why) => asked.report(Report::Unable(why)),
            Seen::Ignored(why) => tracing::info!(channel = "keys", why, "a key press does not count"),
            Seen::Pressed(Key::Letter(letter))
                if !letters.iter().any(|(other, _)| *other == letter.to_ascii_uppercase()) => {}
            // The keys are not watched while a command is typed in the terminal or in the console.
            Seen::Pressed(Key::Letter(letter)) if letter.to_ascii_uppercase() == WRITE => {
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
