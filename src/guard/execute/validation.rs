//! The commands whose callers do not wait for a person, and their state so far. A bounded number, kept for a while.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::registry::{Bound, Token};

/// The greatest number of commands that wait for a person at a time: of everybody with the token, and of each container.
const MOST_WAITING: usize = 32;
const MOST_OF_CONTAINER: usize = 8;
/// The greatest number of commands that are remembered.
const MOST: usize = 256;

/// A person's answer to a waiting command.
#[derive(Debug, Clone)]
pub enum Validation {
    /// No answer yet.
    Waiting {
        /// The question's number.
        question: guarda_core::gate::Number,
    },
    /// Yes, with a token that is valid once, until the given time.
    Granted {
        /// The token.
        token: Token,
        /// The expiry of the token.
        until: jiff::Timestamp,
    },
    /// A person said no, nobody answered, or the yes could not be stored.
    Refused {
        /// `denied`, `expired`, `withdrawn` …
        outcome: &'static str,
        /// What happened, in one sentence.
        message: String,
        /// The reason, in the person's words.
        reason: Option<String>,
    },
}

#[derive(Debug, Default)]
pub(in crate::guard) struct Validations {
    entries: Mutex<VecDeque<Entry>>,
}

#[derive(Debug)]
struct Entry {
    id: uuid::Uuid,
    bound: Bound,
    container: Option<String>,
    state: Validation,
}

/// The state of a command's question.
pub(in crate::guard) enum ValidationSlot {
    /// The question is open, or its yes was not used yet.
    Known(uuid::Uuid),
    /// The question must be put.
    New(uuid::Uuid),
    /// Too many commands wait.
    Full,
}

impl Validations {
    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of the question for this command; a repeated request gets the same one.
    pub fn enter(
        &self,
        bound: &Bound,
        question: guarda_core::gate::Number,
        container: Option<&str>,
        now: jiff::Timestamp,
    ) -> ValidationSlot {
        let mut entries = self.entries();
        let stands = |entry: &&Entry| match &entry.state {
            Validation::Waiting { .. } => true,
            Validation::Granted { until, .. } => *until > now,
            Validation::Refused { .. } => false,
        };
        let same = |entry: &&Entry| entry.bound == *bound && entry.container.as_deref() == container;
        if let Some(entry) = entries.iter().filter(stands).find(same) {
            return ValidationSlot::Known(entry.id);
        }
        let waits = |entry: &&Entry| {
            matches!(entry.state, Validation::Waiting { .. }) && entry.container.as_deref() == container
        };
        let most = if container.is_some() { MOST_OF_CONTAINER } else { MOST_WAITING };
        if entries.iter().filter(waits).count() >= most {
            return ValidationSlot::Full;
        }
        if entries.len() >= MOST
            && let Some(oldest) =
                entries.iter().position(|entry| !matches!(entry.state, Validation::Waiting { .. }))
        {
            entries.remove(oldest);
        }
        let id = uuid::Uuid::now_v7();
        let (bound, container) = (bound.clone(), container.map(str::to_owned));
        entries.push_back(Entry { id, bound, container, state: Validation::Waiting { question } });
        ValidationSlot::New(id)
    }

    /// Sets the state of a command.
    pub fn settle(&self, id: uuid::Uuid, state: Validation) {
        if let Some(entry) = self.entries().iter_mut().find(|entry| entry.id == id) {
            entry.state = state;
        }
    }

    /// Forgets a yes that was used.
    pub fn used(&self, bound: &Bound) {
        self.entries()
            .retain(|entry| entry.bound != *bound || matches!(entry.state, Validation::Waiting { .. }));
    }

    /// The state of a command.
    pub fn find(&self, id: uuid::Uuid) -> Option<Validation> {
        self.entries().iter().find(|entry| entry.id == id).map(|entry| entry.state.clone())
    }
}
