//! How to answer a question at this computer, as a sentence that is spoken and shown.

use crate::devices::keys::gesture::{Press, Presses};
use crate::wording::words::Words;

/// The available ways to answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct How {
    /// The keys of the desktop or the trusted keyboard, with what is pressed.
    pub anywhere: Option<Presses>,
    /// The terminal of the service.
    pub terminal: bool,
    /// A notification that has a button for yes.
    pub notification: bool,
    /// More would be lost than the sentence names, so the list must be read first.
    pub list: bool,
    /// A voice, which can spell the command.
    pub voice: bool,
    /// The person has answered before, so that few words are enough.
    pub brief: bool,
}

impl How {
    /// The sentence. `key` is Y, or the digit that replaces it.
    #[must_use]
    pub fn sentence(self, words: &Words, key: char) -> String {
        let length = if self.brief { "-brief" } else { "" };
        let said = |id| words.say(&format!("{id}{length}"), &[("key", key.to_string().into())]);
        let keys = match self.anywhere {
            Some(presses) if self.brief => brief(words, presses, key),
            Some(presses) => keys(words, presses, key),
            None if self.terminal && self.notification && !self.brief => {
                format!("{} {}", said("how-terminal"), words.say("how-notification-too", &[]))
            }
            None if self.terminal => said("how-terminal"),
            None if self.notification => said("how-notification"),
            None if self.list => return said("how-list-elsewhere"),
            None => said("how-elsewhere"),
        };
        if self.list && self.terminal { format!("{} {keys}", said("how-list")) } else { keys }
    }

    /// How to answer in any window, for the card; `None` if no keys are watched.
    #[must_use]
    pub fn in_any_window(self, words: &Words, key: char) -> Option<String> {
        let how = keys(words, self.anywhere?, key);
        Some(words.say("card-anywhere", &[("how", how.into())]))
    }
}

/// How to say yes and no in any window.
fn keys(words: &Words, presses: Presses, key: char) -> String {
    let yes = press(presses, key);
    if yes == Press::Hold && presses.no == Press::Hold {
        return words.say("how-hold", &[("key", key.to_string().into())]);
    }
    let (yes, no) = (pressed(words, yes, key), pressed(words, presses.no, 'N'));
    words.say("how-keys", &[("yes", yes.into()), ("no", no.into())])
}

/// How to say yes in any window, for somebody who has done it before.
fn brief(words: &Words, presses: Presses, key: char) -> String {
    let yes = press(presses, key);
    match yes.chord() {
        None => words.say("how-brief", &[("key", key.to_string().into())]),
        Some(_) => words.say("how-keys-brief", &[("yes", pressed(words, yes, key).into())]),
    }
}

/// How yes is pressed: a digit is held.
fn press(presses: Presses, key: char) -> Press {
    if key.is_ascii_digit() { Press::Hold } else { presses.yes }
}

/// What is to be pressed, as part of a sentence.
#[must_use]
pub fn pressed(words: &Words, press: Press, key: char) -> String {
    match press.chord() {
        None => words.say("press-hold", &[("key", key.to_string().into())]),
        Some(chord) => words.say("press-chord", &[("key", chord.into())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Language;

    /// A key that counts in one window alone is not asked for as if it counted everywhere.
    #[test]
    fn the_sentence_names_the_ways_that_exist() {
        let words = crate::wording::words(Language::English);
        let here = How { terminal: true, ..How::default() };
        let both = How { notification: true, ..here };
        let anywhere = How { anywhere: Some(Presses::default()), ..both };
        assert!(here.sentence(words, 'Y').starts_with("In the terminal of guarda-costas, confirm with Y"));
        assert!(both.sentence(words, 'Y').ends_with("Or answer with the buttons of the notification."));
        assert!(!anywhere.sentence(words, 'Y').contains("terminal"));
        assert!(here.in_any_window(words, 'Y').is_none());
        assert!(anywhere.in_any_window(words, 'Y').unwrap().ends_with("This works in any window."));
    }
}
