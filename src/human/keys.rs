//! The keys of the desktop as a channel. The keys show nothing, so they are watched only once the question is shown
//! elsewhere or its speech has begun.

use crate::devices::gesture::{Gesture, Rule};
use crate::devices::keys::{DesktopKeys, KeyEvent, KeyWatch, Letters};
use crate::devices::speech::Task;
use crate::devices::{DeviceState, Key};
use crate::human::channel::{Asked, Channel, ChannelReport};
use crate::human::prompt::{ALWAYS, Prompt, SPELL, WRITE};

/// The keys of the desktop.
#[derive(Debug)]
pub struct KeysChannel {
    keys: DesktopKeys,
    gesture: Gesture,
}

impl KeysChannel {
    /// Uses these keys, and this gesture for a yes.
    #[must_use]
    pub fn new(keys: DesktopKeys, gesture: Gesture) -> Self {
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

    fn state(&self) -> DeviceState {
        self.keys.state()
    }

    fn put(&self, asked: Asked) -> Task {
        Box::pin(put(self.keys.clone(), self.gesture, asked))
    }
}

async fn put(keys: DesktopKeys, gesture: Gesture, mut asked: Asked) {
    if let Some(why) = keys.state().trouble() {
        asked.report(ChannelReport::Unable(why.detail.clone()));
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

/// The letters that answer from any window. S and O, which say yes in the terminal, are not among them.
fn letters(prompt: &Prompt, gesture: Gesture) -> Letters {
    let (yes, beside) = (prompt.digit.unwrap_or('Y'), gesture.rule_beside());
    let mut letters = vec![('N', Rule::Once), (yes, gesture.rule(yes)), (SPELL, beside)];
    // A yes to all hosts requires a channel that shows them.
    letters.extend((prompt.always && !prompt.is_for_hosts()).then_some((ALWAYS, beside)));
    letters.extend(prompt.draft.is_some().then_some((WRITE, beside)));
    letters
}

/// Passes on reports until there are no more.
async fn read(asked: &Asked, letters: &Letters, watching: &mut KeyWatch) {
    while let Some(seen) = watching.seen.recv().await {
        match seen {
            KeyEvent::Listening => asked.report(ChannelReport::Listening),
            KeyEvent::Busy(why) => asked.report(ChannelReport::Busy(why)),
            KeyEvent::Unable(why) => asked.report(ChannelReport::Unable(why)),
            KeyEvent::Ignored(why) => tracing::info!(channel = "keys", why, "a key press does not count"),
            KeyEvent::Pressed(Key::Letter(letter))
                if !letters.iter().any(|(other, _)| *other == letter.to_ascii_uppercase()) => {}
            // The keys are not watched while a person types a command in the terminal or in the console.
            KeyEvent::Pressed(Key::Letter(letter)) if letter.to_ascii_uppercase() == WRITE => {
                asked.report(ChannelReport::Writing);
            }
            KeyEvent::Pressed(key) => {
                if let Some(report) = asked.prompt.read(key) {
                    asked.report(report);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::letters;
    use crate::devices::Key;
    use crate::devices::gesture::tests::{SPEEDS, TEXTS, play, typed};
    use crate::devices::gesture::{Gesture, Rule};
    use crate::human::channel::ChannelReport;
    use crate::human::prompt::Prompt;
    use crate::human::tests::pending;
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
    fn nobody_types_a_yes() {
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
                let prompt = Prompt::new(&question, Language::ALL[nth % 3], digit).with_always(nth % 2 == 0);
                let draft = (nth % 3 == 0).then(|| line.to_owned());
                prompts.push(Prompt { draft, ..prompt });
            }
        }
        assert_eq!(prompts.len(), 200);
        let risks = |low: f32, high: f32| prompts.iter().any(|prompt| (low..high).contains(&prompt.risk));
        assert!(risks(0.3, 0.5) && risks(0.5, 0.6) && risks(0.6, 0.7) && risks(0.7, 1.0));
        assert!(prompts.iter().any(|prompt| prompt.verdict == Verdict::Password));
        let mut noes = 0;
        for text in TEXTS.lines() {
            for speed in SPEEDS {
                for (prompt, nth) in prompts.iter().zip(0_u64..) {
                    let events = typed(text, speed, 137 * nth);
                    let until = events.last().unwrap().0 + 10_000;
                    let letters = letters(prompt, Gesture::HoldOrTwice);
                    let rule = |key: char| match key {
                        '\u{1b}' => Some(Rule::Once),
                        _ => letters
                            .iter()
                            .find(|(l, _)| *l == key.to_ascii_uppercase())
                            .map(|(_, rule)| *rule),
                    };
                    for (at, key) in play(rule, &events, until) {
                        let read = prompt.read(Key::Letter(key));
                        let no = matches!(read, Some(ChannelReport::No));
                        assert!(no, "{text:.30} {speed:?} {}: {key} at {at}: {read:?}", prompt.object);
                        noes += 1;
                    }
                }
            }
        }
        assert!(noes > 0, "a no may be typed");
    }
}
