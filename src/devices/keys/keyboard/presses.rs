//! Decides which presses answer. Pure: times are passed in.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::KeyboardQuestion;
use super::layout::{Layout, modifier};
use crate::devices::keys::gesture::{Gestures, KeyAnswer, KeyGesture, Made};

/// A key of a keyboard; the keyboard is identified by a number.
type Place = (usize, u16);

/// The presses while a question is open.
#[derive(Debug)]
pub struct KeyboardPresses {
    layout: Layout,
    signs: Vec<KeyGesture>,
    /// The key that was pressed last, if it may answer.
    candidate: Option<(Place, KeyAnswer)>,
    gestures: Gestures<Place>,
}

impl KeyboardPresses {
    /// Starts with this question.
    #[must_use]
    pub fn new(ask: &KeyboardQuestion, layout: Layout, now: Instant) -> Self {
        let gestures = Gestures::new(Duration::from_millis(ask.quiet_ms), now, BTreeSet::new());
        Self { layout, signs: ask.signs.clone(), candidate: None, gestures }
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
            1 => match modifier(key).filter(|_| counts) {
                Some(modifier) => self.gestures.modify((keyboard, key), modifier, at),
                None => {
                    let sign = self.sign(key).filter(|_| counts);
                    self.candidate = sign.as_ref().map(|sign| ((keyboard, key), sign.says));
                    self.gestures.press((keyboard, key), sign.map(|sign| sign.press), at);
                }
            },
            _ => {}
        }
    }

    /// What a key that goes down may answer.
    fn sign(&self, key: u16) -> Option<KeyGesture> {
        let letter = self.layout.letter(key)?;
        let modifiers = self.gestures.modifiers()?;
        self.signs.iter().find(|sign| sign.fits(letter, modifiers)).cloned()
    }

    /// The answer so far. `down` tells whether a key is down at the moment.
    pub fn poll(&mut self, now: Instant, down: impl Fn(Place) -> bool) -> Option<KeyAnswer> {
        let Made { key, held, .. } = self.gestures.poll(now)?;
        if held && !down(key) {
            return None;
        }
        self.candidate.filter(|(other, _)| *other == key).map(|(_, says)| says)
    }

    /// When to check again, if nothing happens before.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.gestures.deadline()
    }
}
