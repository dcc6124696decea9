//! Why the record cannot be written, by kind, so that a person knows what to fix.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::line::Gap;

/// The record cannot be written, so nothing may run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record cannot be written: {why}")]
pub struct RecordError {
    /// The kind of failure.
    pub trouble: Trouble,
    /// The cause in words, and the remedy.
    pub why: String,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Trouble {
    /// The disk, or this user's quota, is full.
    #[strum(serialize = "disk_full")]
    Full,
    /// The file system is mounted read-only.
    ReadOnly,
    /// The folder or a file in it was removed or replaced while it was in use.
    Gone,
    /// The folder or a file in it belongs to another user, is a link, or is open to others.
    Foreign,
    /// Another guard writes to this folder.
    Busy,
    /// The record's content differs from what was written.
    Damaged,
    /// The name of a session cannot be part of a file name.
    Name,
    /// The journal is closed.
    Closed,
    /// Any other error of the system.
    System,
}

impl Trouble {
    /// The name on the wire and in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl RecordError {
    pub(super) fn new(trouble: Trouble, why: impl Into<String>) -> Self {
        Self { trouble, why: why.into() }
    }

    /// Classifies a system error about `place`.
    pub(super) fn system(place: &str, error: &io::Error) -> Self {
        let (trouble, advice) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (Trouble::Full, "free some space"),
            io::ErrorKind::FileTooLarge => (Trouble::Full, "raise the limit on the size of files"),
            io::ErrorKind::ReadOnlyFilesystem => {
                (Trouble::ReadOnly, "make it writable or name another folder")
            }
            io::ErrorKind::NotFound => {
                (Trouble::Gone, "put it back, or restart the guard to begin a new record")
            }
            io::ErrorKind::PermissionDenied => {
                (Trouble::Foreign, "give the folder to the guard's user, mode 700")
            }
            _ => (Trouble::System, "mend it and try again"),
        };
        Self { trouble, why: format!("{place}: {error}; {advice}") }
    }

    pub(super) fn closed() -> Self {
        Self::new(Trouble::Closed, "the journal is closed because the guard is shutting down")
    }
}

/// The failures as seen from outside: by session, with their start. The empty name is the record itself.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordHealth {
    troubles: Arc<Mutex<BTreeMap<String, (jiff::Timestamp, RecordError)>>>,
}

impl RecordHealth {
    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<String, (jiff::Timestamp, RecordError)>) -> T) -> T {
        work(&mut self.troubles.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a session cannot be written.
    pub fn fail(&self, session: &str, error: &RecordError) {
        let new = self.with(|troubles| {
            let entry = troubles.entry(session.to_owned());
            let new = matches!(entry, std::collections::btree_map::Entry::Vacant(_));
            entry.or_insert_with(|| (jiff::Timestamp::now(), error.clone())).1 = error.clone();
            new
        });
        if new {
            tracing::error!(session, %error, "the record is in trouble: nothing is done until it can be written");
        }
    }

    /// Notes that a session can be written again.
    pub fn mend(&self, session: &str) {
        if self.with(|troubles| troubles.remove(session)).is_some() {
            tracing::warn!(session, "the record can be written again");
        }
    }

    /// Whether there is no failure.
    pub fn is_good(&self) -> bool {
        self.with(|troubles| troubles.is_empty())
    }

    /// The failure of a session, or of the whole record.
    pub fn of(&self, session: &str) -> Option<RecordError> {
        self.with(|troubles| {
            troubles.get("").or_else(|| troubles.get(session)).map(|(_, error)| error.clone())
        })
    }

    /// Any failure.
    pub fn any(&self) -> Option<RecordError> {
        self.with(|troubles| troubles.values().next().map(|(_, error)| error.clone()))
    }

    /// The failed sessions, and what to note in each once writing works again.
    pub fn gaps(&self) -> Vec<(String, Gap)> {
        let gap = |(session, (since, error)): (&String, &(jiff::Timestamp, RecordError))| {
            let gap = Gap { interrupted: error.trouble.name().to_owned(), since: format!("{since:.6}") };
            (session.clone(), gap)
        };
        self.with(|troubles| troubles.iter().filter(|(session, _)| !session.is_empty()).map(gap).collect())
    }
}
