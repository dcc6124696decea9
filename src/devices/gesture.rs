//! Decides which key presses anywhere on the desktop answer a question. Pure: times are passed in.
//!
//! A no is one press. A yes requires a gesture that does not occur in typing: the key is held for a second, or
//! pressed twice within one. It can begin only after two seconds without another key, and once the question has
//! been open that long. Watching withholds no key from the focused window.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub use crate::config::section::Gesture;

/// How long the question must have been open, and no other key pressed, before a gesture can begin.
pub const ARMED: Duration = Duration::from_secs(2);
/// How long a key must be held, and the time limit for two presses.
pub const SECOND: Duration = Duration::from_secs(1);
/// How long nothing may be pressed after two presses: in `yyp` and in a word, another key follows.
pub const AFTER: Duration = Duration::from_millis(400);
/// A press this soon after the same key's release is not counted: a contact bounces, or a remote display
/// repeats a held key as releases and presses.
const BOUNCE: Duration = Duration::from_millis(30);

impl Gesture {
    /// The rule for the key that says yes: `Y`, or the digit in its place.
    #[must_use]
    pub fn rule(self, key: char) -> Rule {
        match self {
            // Numbers are typed after a pause, and some of them are 77.
            Self::HoldOrTwice if key.is_ascii_digit() => Rule::Held,
            Self::HoldOrTwice => Rule::HeldOrTwice,
            Self::Hold => Rule::Held,
            Self::Twice => Rule::Twice,
            Self::Digit => Rule::Lone,
            Self::Single => Rule::Single,
        }
    }

    /// The rule for the other keys that lead to a yes: *always*, *write*.
    #[must_use]
    pub fn rule_beside(self) -> Rule {
        if self == Self::Single { Rule::Single } else { Rule::Held }
    }
}

/// The presses that a key requires to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// One press after the usual quiet: a no.
    Once,
    /// One press.
    Single,
    /// One press with no key after it for a while.
    Lone,
    /// Held for a second.
    Held,
    /// Pressed twice within a second.
    Twice,
    /// Either of the two.
    HeldOrTwice,
}

impl Rule {
    fn held(self) -> bool {
        matches!(self, Self::Held | Self::HeldOrTwice)
    }

    fn twice(self) -> bool {
        matches!(self, Self::Twice | Self::HeldOrTwice)
    }
}

/// A gesture that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made<K> {
    /// The key.
    pub key: K,
    /// When it was pressed: once or twice.
    pub presses: Vec<Instant>,
    /// True if it must still be down.
    pub held: bool,
}

/// The presses while a question is open.
#[derive(Debug)]
pub struct Gestures<K> {
    /// The quiet before a no.
    quiet: Duration,
    /// Keys that are down. Another press of one is a repetition.
    down: BTreeSet<K>,
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
    rule: Rule,
    presses: Vec<Instant>,
    up: Option<Instant>,
}

impl<K: Copy + Ord> Gestures<K> {
    /// Starts now; `down` are the keys that are already held.
    pub fn new(quiet: Duration, now: Instant, down: BTreeSet<K>) -> Self {
        Self { quiet, down, last: (None, now), other: now, trial: None }
    }

    /// Adds the held keys of another keyboard.
    pub fn held(&mut self, keys: impl IntoIterator<Item = K>) {
        self.down.extend(keys);
    }

    /// Events were missed: earlier ones no longer count, the quiet restarts, and these keys are held.
    pub fn disturb(&mut self, now: Instant, keep: impl Fn(&K) -> bool) {
        self.down.retain(keep);
        self.trial = None;
        (self.last, self.other) = ((None, now), now);
    }

    /// A key goes down. `rule` is `None` if the key answers nothing or its press does not count.
    pub fn press(&mut self, key: K, rule: Option<Rule>, at: Instant) {
        if !self.down.insert(key) {
            return;
        }
        if self.last.0 != Some(key) {
            self.other = self.last.1;
        }
        self.last = (Some(key), at);
        let trial = self.trial.take();
        let Some(rule) = rule.filter(|_| self.down.len() == 1) else {
            self.other = at;
            return;
        };
        self.trial = match trial {
            Some(trial) if trial.key == key && trial.rule == rule => {
                let again = trial.again(at);
                if again.is_none() {
                    self.other = at;
                }
                again
            }
            Some(_) | None => {
                let quiet = if rule == Rule::Once { self.quiet } else { ARMED.max(self.quiet) };
                let armed = at.saturating_duration_since(self.other) >= quiet;
                armed.then(|| Trial { key, rule, presses: vec![at], up: None })
            }
        };
    }

    /// A key comes up.
    pub fn release(&mut self, key: K, at: Instant) {
        if self.down.remove(&key)
            && let Some(trial) = self.trial.as_mut().filter(|trial| trial.key == key)
        {
            trial.up = Some(at);
        }
    }

    /// The gesture completed by now. Call after every event and at [`Gestures::deadline`].
    pub fn poll(&mut self, now: Instant) -> Option<Made<K>> {
        let trial = self.trial.as_ref()?;
        let due = self.deadline().is_some_and(|deadline| now >= deadline);
        let made = match (trial.rule, trial.presses.len()) {
            (Rule::Once | Rule::Single, _) => trial.up.is_some(),
            (Rule::Lone, _) | (_, 2) => due,
            (rule, _) => due && rule.held() && trial.up.is_none(),
        };
        let over = self.trial.take_if(|_| made || due)?;
        let Trial { key, presses, up, .. } = over;
        made.then(|| Made { key, held: up.is_none() && presses.len() == 1, presses })
    }

    /// When to poll again if no event comes first.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let Trial { rule, presses, up, .. } = self.trial.as_ref()?;
        let (first, last) = (*presses.first()?, *presses.last()?);
        match (rule, presses.len(), up) {
            (Rule::Once | Rule::Single, ..) | (Rule::Lone, _, None) => None,
            (Rule::Lone, ..) | (_, 2, _) => Some(last + AFTER),
            (.., None) => Some(first + SECOND),
            (.., Some(up)) => Some((first + SECOND).max(*up + BOUNCE)),
        }
    }

    /// How long the key of a gesture has been held.
    #[must_use]
    pub fn holding(&self, now: Instant) -> Option<Duration> {
        let trial = self.trial.as_ref().filter(|trial| trial.rule.held() && trial.up.is_none())?;
        Some(now.saturating_duration_since(*trial.presses.last()?))
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
    /// The same key goes down again.
    fn again(mut self, at: Instant) -> Option<Self> {
        let first = *self.presses.first()?;
        let up = self.up.take()?;
        if at.saturating_duration_since(up) < BOUNCE {
            return Some(self);
        }
        let second = self.presses.len() == 1 && at.saturating_duration_since(first) <= SECOND;
        (second && self.rule.twice()).then(|| {
            self.presses.push(at);
            self
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
