//! Keys as channels: those of the desktop and the trusted keyboard. They show nothing, so they are watched only once the
//! question is shown elsewhere or its speech has begun.

use crate::devices::DeviceState;
use crate::devices::keys::gesture::{KeyAnswer, KeyGesture, Presses};
use crate::devices::keys::keyboard::{Keyboard, KeyboardQuestion, LONGEST};
use crate::devices::keys::watch::{KeyEvent, KeyWatch};
use crate::devices::keys::x11::DesktopKeys;
use crate::devices::sound::speech::Task;
use crate::prompt::channels::{Asked, Channel, ChannelReport};
use crate::prompt::question::{ALWAYS, Prompt, SESSION, SPELL, WRITE};
use crate::wording::offer::Lasting;
use guarda_core::gate::Span;

/// The channel of the desktop's keys.
pub const DESKTOP: &str = "keys";
/// The channel of the trusted keyboard.
pub const TRUSTED: &str = "keyboard";

/// Whether this channel takes keys that are pressed in any window.
#[must_use]
pub fn everywhere(channel: &str) -> bool {
    matches!(channel, DESKTOP | TRUSTED)
}

/// What watches the keys.
#[derive(Debug, Clone)]
pub enum Keys {
    /// The display.
    Desktop(DesktopKeys),
    /// The helper `guarda-keys`. It reports answers, never keys.
    Trusted(Keyboard),
}

impl Keys {
    fn state(&self) -> DeviceState {
        match self {
            Self::Desktop(keys) => keys.state(),
            Self::Trusted(keyboard) => keyboard.state(),
        }
    }

    fn watch(&self, asked: &Asked, presses: Presses) -> KeyWatch {
        let mut signs = signs(&asked.prompt, presses);
        match self {
            Self::Desktop(keys) => {
                signs.push(KeyGesture::held(SPELL, KeyAnswer::Spell));
                keys.watch(asked.arming_delay, signs)
            }
            Self::Trusted(keyboard) => {
                let left = asked.deadline.borrow().saturating_duration_since(tokio::time::Instant::now());
                keyboard.watch(KeyboardQuestion {
                    question: asked.prompt.number.to_string(),
                    signs,
                    quiet_ms: u64::try_from(asked.arming_delay.as_millis()).unwrap_or(u64::MAX),
                    wait_s: left.as_secs().clamp(1, LONGEST),
                })
            }
        }
    }
}

/// Keys that answer from any window.
#[derive(Debug)]
pub struct KeysChannel {
    keys: Keys,
    presses: Presses,
}

impl KeysChannel {
    /// Uses these keys, pressed so for a yes and for a no.
    #[must_use]
    pub fn new(keys: Keys, presses: Presses) -> Self {
        Self { keys, presses }
    }
}

impl Channel for KeysChannel {
    fn name(&self) -> &'static str {
        match self.keys {
            Keys::Desktop(_) => DESKTOP,
            Keys::Trusted(_) => TRUSTED,
        }
    }

    fn shows(&self) -> bool {
        false
    }

    fn state(&self) -> DeviceState {
        self.keys.state()
    }

    fn put(&self, asked: Asked) -> Task {
        Box::pin(put(self.keys.clone(), self.presses, asked))
    }
}

async fn put(keys: Keys, presses: Presses, mut asked: Asked) {
    match (&keys, keys.state()) {
        (Keys::Trusted(_), DeviceState::Absent { why }) => {
            asked.report(ChannelReport::Unable(why.detail));
            return asked.over().await;
        }
        (Keys::Desktop(_), DeviceState::Absent { why } | DeviceState::Failed { why }) => {
            asked.report(ChannelReport::Unable(why.detail));
        }
        (Keys::Desktop(_) | Keys::Trusted(_), _) => {}
    }
    let mut perceived = asked.perceived.clone();
    let reporting = asked.clone();
    loop {
        tokio::select! {
            biased;
            () = asked.over() => return,
            known = perceived.wait_for(|known| *known) => if known.is_err() { return },
        }
        let mut watching = keys.watch(&reporting, presses);
        tokio::select! {
            biased;
            () = asked.over() => {}
            _ = perceived.wait_for(|known| !*known) => {}
            () = read(&reporting, &mut watching) => {}
        }
        watching.end().await;
    }
}

/// The keys that answer from any window. S and O, which say yes in the terminal, are not among them, nor is Escape.
fn signs(prompt: &Prompt, presses: Presses) -> Vec<KeyGesture> {
    let yes = match prompt.digit {
        Some(digit) => KeyGesture::held(digit, KeyAnswer::Yes),
        None => KeyGesture::new('Y', presses.yes, KeyAnswer::Yes),
    };
    let mut signs = vec![KeyGesture::new('N', presses.no, KeyAnswer::No), yes];
    // What lasts requires a channel that shows it, unless it is what the question says.
    let told = |span| match prompt.offers.of(span)? {
        Lasting::Folder(_) | Lasting::Command => Some(()),
        Lasting::Shape(_, hosts) => hosts.is_empty().then_some(()),
        Lasting::Hosts | Lasting::AllHosts => None,
    };
    signs.extend(told(Span::Always).map(|()| KeyGesture::held(ALWAYS, KeyAnswer::Always)));
    signs.extend(told(Span::Session).map(|()| KeyGesture::held(SESSION, KeyAnswer::Session)));
    signs.extend(prompt.draft.is_some().then(|| KeyGesture::held(WRITE, KeyAnswer::Write)));
    signs
}

/// Passes on reports until there are no more.
async fn read(asked: &Asked, watching: &mut KeyWatch) {
    while let Some(seen) = watching.seen.recv().await {
        asked.report(match seen {
            KeyEvent::Listening => ChannelReport::Listening,
            KeyEvent::Busy(why) => ChannelReport::Busy(why),
            KeyEvent::Unable(why) => ChannelReport::Unable(why),
            KeyEvent::Ignored(why) => {
                tracing::info!(channel = asked.channel, why, "a key press does not count");
                continue;
            }
            KeyEvent::Pressed(KeyAnswer::Yes) => ChannelReport::Yes,
            KeyEvent::Pressed(KeyAnswer::Always) => ChannelReport::Lasting(Span::Always),
            KeyEvent::Pressed(KeyAnswer::Session) => ChannelReport::Lasting(Span::Session),
            KeyEvent::Pressed(KeyAnswer::No) => ChannelReport::No,
            // The keys are not watched while a person types a command in the terminal or in the console.
            KeyEvent::Pressed(KeyAnswer::Write) => ChannelReport::Writing,
            KeyEvent::Pressed(KeyAnswer::Spell) => ChannelReport::Spell,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Lasting, Presses, Span, signs};
    use crate::devices::keys::gesture::tests::{SPEEDS, TEXTS, play, typed};
    use crate::prompt::question::Prompt;
    use crate::prompt::tests::pending;
    use crate::wording::offer::Offers;
    use guarda_core::action::Language;
    use guarda_core::policy::Verdict;

    /// Command lines that are asked about, from nearly harmless ones to ones that need a password.
    const LINES: [&str; 20] = [
        "mkdir a",
        "touch a",
        "cp a b",
        "truncate -s 0 a",
        "make",
        "tar xf a.tar",
        "python3 a.py",
        "frobnicate",
        "npm install left-pad",
        "pip install x",
        "curl https://example.org",
        "ssh host ls",
        "nc -l 80",
        "pkill firefox",
        "docker rm -f x",
        "git push --force",
        "git reset --hard",
        "chown root a",
        "crontab -e",
        "sudo ls",
    ];

    /// Two hundred questions in three languages, with a letter or a digit for yes, with and without the other keys,
    /// each shown at another moment of the typing.
    #[test]
    fn nobody_types_an_answer() {
        let digits = [
            None,
            Some('2'),
            Some('3'),
            Some('4'),
            Some('5'),
            Some('6'),
            Some('7'),
            Some('8'),
            Some('9'),
            None,
        ];
        let mut prompts = Vec::new();
        for (line, number) in LINES.into_iter().zip(0_u8..) {
            let question = pending(line, number).question();
            for (digit, nth) in digits.into_iter().zip(0_usize..) {
                let prompt = Prompt::new(&question, Language::ALL[nth % 3], digit, "");
                let shape = Lasting::Shape(line.to_owned(), Vec::new());
                let offers = vec![(Span::Session, shape), (Span::Always, Lasting::Command)];
                let prompt = if nth % 2 == 0 { prompt.with_offers(Offers::new(offers)) } else { prompt };
                let draft = (nth % 3 == 0).then(|| line.to_owned());
                prompts.push(Prompt { draft, ..prompt });
            }
        }
        assert_eq!(prompts.len(), 200);
        let risks = |low: f32, high: f32| prompts.iter().any(|prompt| (low..high).contains(&prompt.risk));
        assert!(risks(0.3, 0.5) && risks(0.5, 0.6) && risks(0.6, 0.7) && risks(0.7, 1.0));
        assert!(prompts.iter().any(|prompt| prompt.verdict == Verdict::Password));
        let chords = Presses { yes: "super+y".parse().unwrap(), no: "ctrl+alt+n".parse().unwrap() };
        for text in TEXTS.lines() {
            for speed in SPEEDS {
                for (prompt, nth) in prompts.iter().zip(0_u64..) {
                    let events = typed(text, speed, 137 * nth);
                    let until = events.last().unwrap().0 + 10_000;
                    for presses in [Presses::default(), chords] {
                        let answers = play(&signs(prompt, presses), &events, until);
                        assert_eq!(answers, [], "{text:.30} {speed:?} {}", prompt.object);
                    }
                }
            }
        }
    }
}
