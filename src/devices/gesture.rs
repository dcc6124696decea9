//! Which presses answer a question, wherever on the desktop they are made: pure, with the times passed in.
//!
//! A no is one press. Everything that leads to a yes is a gesture that nobody makes by typing: the key is held for a
//! second, or pressed twice within one. It begins only after two seconds without another key, and only once the question
//! has been known for as long. Nothing is kept from the window in focus to find out.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub use crate::config::section::Gesture;

/// How long the question must have been known, and no other key pressed, before a gesture can begin.
pub const ARMED: Duration = Duration::from_secs(2);
/// How long a key is held, and within which time it is pressed twice.
pub const SECOND: Duration = Duration::from_secs(1);
/// How long nothing may be pressed after a key was pressed twice: in `yyp` and in a word, something follows.
pub const AFTER: Duration = Duration::from_millis(400);
/// A press that follows its own release within this time is none: a bouncing contact, or a remote display that repeats a
/// held key by releases and presses.
const BOUNCE: Duration = Duration::from_millis(30);

impl Gesture {
    /// What the key that says yes must go through: `Y`, or the digit in its place.
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

    /// The same for the other keys that lead to a yes: *always*, *write*.
    #[must_use]
    pub fn rule_beside(self) -> Rule {
        if self == Self::Single { Rule::Single } else { Rule::Held }
    }
}

/// What a key must go through to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// One press, after the ordinary quiet: a no.
    Once,
    /// One press.
    Single,
    /// One press, with nothing after it for a while.
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
    /// Whether it must still be down.
    pub held: bool,
}

/// The presses while a question stands.
#[derive(Debug)]
pub struct Gestures<K> {
    /// The quiet before a no.
    quiet: Duration,
    /// Keys that are down: another press of them is a repetition.
    down: BTreeSet<K>,
    /// The key that was pressed last, and when.
    last: (Option<K>, Instant),
    /// When a key was pressed before that which is not the last one.
    other: Instant,
    trial: Option<Trial<K>>,
}

/// A gesture that may become one.
#[derive(Debug)]
struct Trial<K> {
    key: K,
    rule: Rule,
    presses: Vec<Instant>,
    up: Option<Instant>,
}

impl<K: Copy + Ord> Gestures<K> {
    /// From now on; `down` are the keys that are held already.
    pub fn new(quiet: Duration, now: Instant, down: BTreeSet<K>) -> Self {
        Self { quiet, down, last: (None, now), other: now, trial: None }
    }

    /// Keys of a further keyboard that are held already.
    pub fn held(&mut self, keys: impl IntoIterator<Item = K>) {
        self.down.extend(keys);
    }

    /// Something was missed: nothing of before counts, and the quiet begins again. Keeps these keys as held.
    pub fn disturb(&mut self, now: Instant, keep: impl Fn(&K) -> bool) {
        self.down.retain(keep);
        self.trial = None;
        (self.last, self.other) = ((None, now), now);
    }

    /// A key goes down. `rule` is `None` if it answers nothing, or its press does not count.
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

    /// The gesture that has been made by now. To be asked after every event, and at [`Gestures::deadline`].
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

    /// When to ask again, if nothing happens before.
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

    /// For how long the key of a gesture has been held.
    #[must_use]
    pub fn holding(&self, now: Instant) -> Option<Duration> {
        let trial = self.trial.as_ref().filter(|trial| trial.rule.held() && trial.up.is_none())?;
        Some(now.saturating_duration_since(*trial.presses.last()?))
    }

    /// The gesture that has begun does not count.
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
