//! The commands whose callers do not wait for a person: what each has come to so far. Kept for a while, and few of them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::record::registry::Bound;

use super::execute::Validation;

/// Most commands that wait for a person at a time.
const MOST_WAITING: usize = 32;
/// Most that are remembered.
const MOST: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Validations {
    entries: Mutex<VecDeque<Entry>>,
}

#[derive(Debug)]
struct Entry {
    id: uuid::Uuid,
    bound: Bound,
    state: Validation,
}

/// Where the question for a command stands.
pub(super) enum Place {
    /// It is put already, or its yes was not used yet.
    Known(uuid::Uuid),
    /// It is to be put.
    New(uuid::Uuid),
    /// Too many wait.
    Full,
}

impl Validations {
    fn entries(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question for this: the same one if it is asked again.
    pub fn enter(&self, bound: &Bound, question: guarda_core::gate::Number, now: jiff::Timestamp) -> Place {
        let mut entries = self.entries();
        let stands = |entry: &&Entry| match &entry.state {
            Validation::Waiting { .. } => true,
            Validation::Granted { until, .. } => *until > now,
            Validation::Refused { .. } => false,
        };
        if let Some(entry) = entries.iter().filter(stands).find(|entry| entry.bound == *bound) {
            return Place::Known(entry.id);
        }
        if entries.iter().filter(|entry| matches!(entry.state, Validation::Waiting { .. })).count()
            >= MOST_WAITING
        {
            return Place::Full;
        }
        if entries.len() >= MOST
            && let Some(oldest) =
                entries.iter().position(|entry| !matches!(entry.state, Validation::Waiting { .. }))
        {
            entries.remove(oldest);
        }
        let id = uuid::Uuid::now_v7();
        entries.push_back(Entry { id, bound: bound.clone(), state: Validation::Waiting { question } });
        Place::New(id)
    }

    /// Writes down what it has come to.
    pub fn settle(&self, id: uuid::Uuid, state: Validation) {
        if let Some(entry) = self.entries().iter_mut().find(|entry| entry.id == id) {
            entry.state = state;
        }
    }

    /// Forgets the yes that was used up.
    pub fn used(&self, bound: &Bound) {
        self.entries()
            .retain(|entry| entry.bound != *bound || matches!(entry.state, Validation::Waiting { .. }));
    }

    /// What it has come to.
    pub fn find(&self, id: uuid::Uuid) -> Option<Validation> {
        self.entries().iter().find(|entry| entry.id == id).map(|entry| entry.state.clone())
    }
}
