//! Which presses answer: pure, with the times passed in.
//!
//! A press answers when it came alone, after a time of quiet on every keyboard, and was let go of again. So a letter out
//! of a word that is being typed, a chord, a key that was held already and two keyboards at once answer nothing.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::layout::{ESCAPE, Layout};
use super::{Ask, Word};

/// The presses while a question stands. A keyboard is known by a number.
#[derive(Debug)]
pub struct Presses {
    words: Vec<(u16, Word)>,
    quiet: Duration,
    quiet_since: Instant,
    /// Keys that are down.
    down: BTreeSet<(usize, u16)>,
    /// A press that answers once it is let go of.
    alone: Option<(usize, u16, Word)>,
}

impl Presses {
    /// For this question, from now on.
    #[must_use]
    pub fn new(ask: &Ask, layout: Layout, now: Instant) -> Self {
        let mut words = vec![(ESCAPE, Word::No)];
        words.extend(layout.key('N').map(|key| (key, Word::No)));
        words.extend(ask.yes.iter().filter_map(|letter| Some((layout.key(*letter)?, Word::Yes))));
        words.extend(ask.digit.and_then(Layout::digit).into_iter().flatten().map(|key| (key, Word::Yes)));
        if ask.always {
            words.extend(layout.key('A').map(|key| (key, Word::Always)));
        }
        if ask.write {
            words.extend(layout.key('M').map(|key| (key, Word::Write)));
        }
        let quiet = Duration::from_millis(ask.quiet_ms);
        Self { words, quiet, quiet_since: now, down: BTreeSet::new(), alone: None }
    }

    /// A keyboard on which these keys are held already: they answer nothing before they were let go of.
    pub fn held(&mut self, keyboard: usize, keys: impl IntoIterator<Item = u16>) {
        self.down.extend(keys.into_iter().map(|key| (keyboard, key)));
    }

    /// Something was missed, or a keyboard has gone: the quiet begins again, and nothing of before counts.
    pub fn disturb(&mut self, keyboard: usize, now: Instant) {
        self.down.retain(|(other, _)| *other != keyboard);
        self.alone = None;
        self.quiet_since = now;
    }

    /// Takes in what the kernel tells of a key: `value` is 0 where it is let go of, 1 where it is pressed, 2 where it
    /// repeats itself.
    pub fn take(&mut self, keyboard: usize, key: u16, value: i32, now: Instant) -> Option<Word> {
        match value {
            0 => {
                let was_down = self.down.remove(&(keyboard, key));
                let (from, which, word) = self.alone.take()?;
                (was_down && (from, which) == (keyboard, key)).then_some(word)
            }
            1 => {
                let fresh = self.down.insert((keyboard, key)) && self.down.len() == 1;
                let quiet = now.saturating_duration_since(self.quiet_since) >= self.quiet;
                self.quiet_since = now;
                let word = self.words.iter().find(|(other, _)| *other == key).map(|(_, word)| *word);
                self.alone = word.filter(|_| fresh && quiet).map(|word| (keyboard, key, word));
                None
            }
            _ => None,
        }
    }

    /// True while a key is held.
    #[must_use]
    pub fn any_down(&self) -> bool {
        !self.down.is_empty()
    }
}
