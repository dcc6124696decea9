//! Decides which presses answer. Pure: times are passed in.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::layout::{ESCAPE, Layout};
use super::{KeyAnswer, KeyboardQuestion};
use crate::devices::gesture::{Gestures, Made, Rule};

/// A key of a keyboard; the keyboard is identified by a number.
type Place = (usize, u16);

/// The presses while a question is open.
#[derive(Debug)]
pub struct KeyboardPresses {
    words: Vec<(u16, KeyAnswer, Rule)>,
    gestures: Gestures<Place>,
}

impl KeyboardPresses {
    /// Starts with this question.
    #[must_use]
    pub fn new(ask: &KeyboardQuestion, layout: Layout, now: Instant) -> Self {
        let mut words = vec![(ESCAPE, KeyAnswer::No, Rule::Once)];
        words.extend(layout.key('N').map(|key| (key, KeyAnswer::No, Rule::Once)));
        let yes = Layout::digit(ask.yes).map_or_else(|| layout.key(ask.yes).into_iter().collect(), Vec::from);
        words.extend(yes.into_iter().map(|key| (key, KeyAnswer::Yes, ask.gesture.rule(ask.yes))));
        let beside = ask.gesture.rule_beside();
        if ask.always {
            words.extend(layout.key('A').map(|key| (key, KeyAnswer::Always, beside)));
        }
        if ask.write {
            words.extend(layout.key('M').map(|key| (key, KeyAnswer::Write, beside)));
        }
        let gestures = Gestures::new(Duration::from_millis(ask.quiet_ms), now, BTreeSet::new());
        Self { words, gestures }
    }

    /// A keyboard on which these keys are already held: they answer nothing before they are released.
    pub fn held(&mut self, keyboard: usize, keys: impl IntoIterator<Item = u16>) {
        self.gestures.held(keys.into_iter().map(|key| (keyboard, key)));
    }

    /// Events were lost, or a keyboard has gone: the quiet restarts, and nothing earlier counts.
    pub fn disturb(&mut self, keyboard: usize, now: Instant) {
        self.gestures.disturb(now, |(other, _)| *other != keyboard);
    }

    /// Handles a key event of the kernel: `value` is 0 for a release, 1 for a press, 2 for a
    /// repeat. `counts`: whether presses of this keyboard may answer.
    pub fn take(&mut self, (keyboard, key): Place, value: i32, counts: bool, at: Instant) {
        match value {
            0 => self.gestures.release((keyboard, key), at),
            1 => {
                let rule = self.words.iter().find(|(other, ..)| *other == key).map(|(.., rule)| *rule);
                self.gestures.press((keyboard, key), rule.filter(|_| counts), at);
            }
            _ => {}
        }
    }

    /// The answer so far. `down` tells whether a key is down at the moment.
    pub fn poll(&mut self, now: Instant, down: impl Fn(Place) -> bool) -> Option<KeyAnswer> {
        let Made { key, held, .. } = self.gestures.poll(now)?;
        if held && !down(key) {
            return None;
        }
        self.words.iter().find(|(other, ..)| *other == key.1).map(|(_, word, _)| *word)
    }

    /// When to check again, if nothing happens before.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.gestures.deadline()
    }
}
