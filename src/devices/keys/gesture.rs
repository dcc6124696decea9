//! Decides which key presses anywhere on the desktop answer a question. Pure: times are passed in.
//!
//! Only what does not occur in typing answers: a key that is held for a second, or a chord of the person's choice. A
//! held key counts only if no other key was pressed in the two seconds before, and both only once the question has been
//! open that long. Watching withholds no key from the focused window.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub use crate::config::press::{Chord, Modifiers, Press, Presses};

/// How long the question must have been open, and no other key pressed, before a gesture can begin.
pub const ARMED: Duration = Duration::from_secs(2);
/// How long a key must be held.
pub const SECOND: Duration = Duration::from_secs(1);
/// A press this soon after the same key's release is not counted: a contact bounces, or a remote display
/// repeats a held key as releases and presses.
const BOUNCE: Duration = Duration::from_millis(30);

/// What a person's keys can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyAnswer {
    /// Yes.
    Yes,
    /// Yes, now and later.
    Always,
    /// Yes, for the rest of the session.
    Session,
    /// No.
    No,
    /// Another command will be written instead: the keyboard is released.
    Write,
    /// Read the command aloud. The trusted keyboard has no such key.
    Spell,
}

/// A key that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyGesture {
    /// Its letter or digit, in capitals. A chord has its own.
    pub key: char,
    /// How it is pressed.
    pub press: Press,
    /// What it says.
    pub says: KeyAnswer,
}

impl KeyGesture {
    /// The sign for this key: held, unless a chord replaces it.
    #[must_use]
    pub fn new(key: char, press: Press, says: KeyAnswer) -> Self {
        match press {
            Press::Hold => Self { key, press, says },
            Press::Chord(Chord { letter, .. }) => Self { key: letter, press, says },
        }
    }

    /// A key that is held.
    #[must_use]
    pub fn held(key: char, says: KeyAnswer) -> Self {
        Self::new(key, Press::Hold, says)
    }

    /// Whether this is the sign of that key while these modifiers are down.
    #[must_use]
    pub fn fits(&self, key: char, modifiers: Modifiers) -> bool {
        let expected = match self.press {
            Press::Hold => Modifiers::default(),
            Press::Chord(chord) => chord.modifiers,
        };
        self.key == key && expected == modifiers
    }
}

/// A gesture that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made<K> {
    /// The key.
    pub key: K,
    /// When it was pressed.
    pub at: Instant,
    /// True if it must still be down.
    pub held: bool,
}

/// The presses while a question is open.
#[derive(Debug)]
pub struct Gestures<K> {
    /// The quiet before a gesture.
    quiet: Duration,
    /// Since when the question has been open, without a gap in what was seen.
    begun: Instant,
    /// Keys that are down. Another press of one is a repetition.
    down: BTreeSet<K>,
    /// Those of them that are modifiers, and whose presses count.
    modifiers: BTreeMap<K, Modifiers>,
    /// The last pressed key and its time.
    last: (Option<K>, Instant),
    /// The time of the last press of any other key.
    other: Instant,
    trial: Option<Trial<K>>,
}

/// A possible gesture.
#[derive(Debug)]
struct Trial<K> {
    key: K,
    at: Instant,
    /// A chord counts when it is pressed.
    chord: bool,
    up: Option<Instant>,
}

impl<K: Copy + Ord> Gestures<K> {
    /// Starts now; `down` are the keys that are already held.
    pub fn new(quiet: Duration, now: Instant, down: BTreeSet<K>) -> Self {
        let modifiers = BTreeMap::new();
        Self {
            quiet: ARMED.max(quiet),
            begun: now,
            down,
            modifiers,
            last: (None, now),
            other: now,
            trial: None,
        }
    }

    /// Adds the held keys of another keyboard.
    pub fn held(&mut self, keys: impl IntoIterator<Item = K>) {
        self.down.extend(keys);
    }

    /// Events were missed: earlier ones no longer count, the quiet restarts, and these keys are held.
    pub fn disturb(&mut self, now: Instant, keep: impl Fn(&K) -> bool) {
        self.down.retain(keep);
        self.modifiers.clear();
        self.trial = None;
        (self.begun, self.last, self.other) = (now, (None, now), now);
    }

    /// A modifier goes down, and its press counts.
    pub fn modify(&mut self, key: K, modifier: Modifiers, at: Instant) {
        if !self.down.contains(&key) {
            self.modifiers.insert(key, modifier);
        }
        self.press(key, None, at);
    }

    /// The modifiers that are down; `None` if anything else is.
    #[must_use]
    pub fn modifiers(&self) -> Option<Modifiers> {
        let mut down = self.down.iter().map(|key| self.modifiers.get(key));
        down.try_fold(Modifiers::default(), |all, one| one.map(|one| all.and(*one)))
    }

    /// A key goes down. `press` is `None` if the key answers nothing or its press does not count; a chord is the
    /// caller's to recognise, by the keys that are down.
    pub fn press(&mut self, key: K, press: Option<Press>, at: Instant) {
        if !self.down.insert(key) {
            return;
        }
        if self.last.0 != Some(key) {
            self.other = self.last.1;
        }
        self.last = (Some(key), at);
        let quiet = |since: Instant| at.saturating_duration_since(since) >= self.quiet;
        self.trial = match (press, self.trial.take()) {
            (Some(Press::Chord(_)), _) => {
                quiet(self.begun).then_some(Trial { key, at, chord: true, up: None })
            }
            (Some(Press::Hold), _) if self.down.len() > 1 => None,
            (Some(Press::Hold), Some(trial)) if trial.key == key && trial.bounced(at) => {
                Some(Trial { up: None, ..trial })
            }
            (Some(Press::Hold), _) => quiet(self.other).then_some(Trial { key, at, chord: false, up: None }),
            (None, _) => None,
        };
        if press.is_none() || self.down.len() > 1 {
            self.other = at;
        }
    }

    /// A key comes up.
    pub fn release(&mut self, key: K, at: Instant) {
        self.modifiers.remove(&key);
        if self.down.remove(&key)
            && let Some(trial) = self.trial.as_mut().filter(|trial| trial.key == key)
        {
            trial.up = Some(at);
        }
    }

    /// The gesture completed by now. Call after every event and at [`Gestures::deadline`].
    pub fn poll(&mut self, now: Instant) -> Option<Made<K>> {
        let due = self.deadline().is_some_and(|deadline| now >= deadline);
        let Trial { key, at, chord, up } = self.trial.take_if(|_| due)?;
        (chord || up.is_none()).then_some(Made { key, at, held: !chord })
    }

    /// When to poll again if no event comes first.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let Trial { at, chord, up, .. } = *self.trial.as_ref()?;
        Some(match up {
            _ if chord => at,
            None => at + SECOND,
            Some(up) => (at + SECOND).max(up + BOUNCE),
        })
    }

    /// How long the key of a gesture has been held.
    #[must_use]
    pub fn holding(&self, now: Instant) -> Option<Duration> {
        let trial = self.trial.as_ref().filter(|trial| trial.up.is_none() && !trial.chord)?;
        Some(now.saturating_duration_since(trial.at))
    }

    /// Cancels the current gesture.
    pub fn forget(&mut self) {
        self.trial = None;
    }

    /// Whether this key is down.
    #[must_use]
    pub fn is_down(&self, key: K) -> bool {
        self.down.contains(&key)
    }
}

impl<K> Trial<K> {
    /// Whether a press of the same key at this time is part of this one.
    fn bounced(&self, at: Instant) -> bool {
        self.up.is_some_and(|up| at.saturating_duration_since(up) < BOUNCE)
    }
}

#[cfg(test)]
pub(crate) mod tests;
