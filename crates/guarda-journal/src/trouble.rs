//! Why the record cannot be written, by kind, so that a person knows what to fix.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::line::Gap;

/// The record cannot be written, so nothing may run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record cannot be written: {why}")]
pub struct RecordError {
    /// The cause.
    pub why: RecordFault,
}

/// Why the record cannot be written. The texts are English clauses, with the remedy; [`crate::wording::fault::record`] says the
/// same to a person.
#[derive(
    Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum RecordFault {
    /// The system refuses to write at this place.
    #[error("{place}: {error}; {}", .kind.advice())]
    System {
        /// A path, or a part of the journal.
        place: String,
        /// The kind of error.
        kind: SystemKind,
        /// The system's message.
        error: String,
    },
    /// The folder at this path holds other files, and others can read it.
    #[error("{0} is open to others and holds other files; name another folder, or chmod 700 it")]
    Open(String),
    /// This path is a link, or no folder.
    #[error("{0} is a link or no folder; name a real folder")]
    NoFolder(String),
    /// The file at this path is a link.
    #[error("{0} is a link; remove it")]
    Link(String),
    /// Another guard writes to the folder at this path.
    #[error("another guard keeps its record in {0}; name another folder")]
    Busy(String),
    /// The file at this path is no regular file, or has several names.
    #[error("{0} is no plain file with a single name; move it away")]
    NotPlain(String),
    /// The open file at this path was removed or replaced.
    #[error("{0} was removed or replaced; put it back, or restart the guard to begin a new record")]
    Replaced(String),
    /// The file or folder at this path belongs to another user.
    #[error("{place} belongs to user {uid}; name a folder of your own")]
    OfUser {
        /// The path.
        place: String,
        /// The user.
        uid: u32,
    },
    /// The name of a session cannot be part of a file name.
    #[error("a session's name is 1 to 64 letters, digits, '-', '_' or '.', not beginning with '.'")]
    SessionName,
    /// The file at this path holds no key.
    #[error("{0} is no key; move it away to make a new one")]
    NoKey(String),
    /// The system gave no random numbers for a key: its message.
    #[error("no random numbers for a key: {0}")]
    NoRandom(String),
    /// The secrets in a line could not be hidden: the reason.
    #[error("secrets in it could not be hidden: {0}")]
    Secrets(String),
    /// A line cannot be encoded: the encoder's message.
    #[error("{0}")]
    Encoding(String),
    /// The journal is closed.
    #[error("the journal is closed because the guard is shutting down")]
    Closed,
}

/// The errors of the system that have a remedy of their own.
#[derive(Debug, serde::Serialize, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum SystemKind {
    /// The disk, or this user's quota, is full.
    Full,
    /// A file has reached the greatest allowed size.
    FileSize,
    /// The file system is mounted read-only.
    ReadOnly,
    /// A file or folder is missing.
    Missing,
    /// This user may not do it.
    NotAllowed,
    /// Any other error.
    Other,
}

impl SystemKind {
    fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::FileTooLarge => Self::FileSize,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::NotAllowed,
            _ => Self::Other,
        }
    }

    /// What to do.
    fn advice(self) -> &'static str {
        match self {
            Self::Full => "free some space",
            Self::FileSize => "raise the limit on the size of files",
            Self::ReadOnly => "make it writable or name another folder",
            Self::Missing => "put it back, or restart the guard to begin a new record",
            Self::NotAllowed => "give the folder to the guard's user, mode 700",
            Self::Other => "mend it and try again",
        }
    }
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
    /// The kind of failure.
    #[must_use]
    pub fn trouble(&self) -> Trouble {
        match &self.why {
            RecordFault::System { kind: SystemKind::Full | SystemKind::FileSize, .. } => Trouble::Full,
            RecordFault::System { kind: SystemKind::ReadOnly, .. } => Trouble::ReadOnly,
            RecordFault::System { kind: SystemKind::Missing, .. } | RecordFault::Replaced(_) => Trouble::Gone,
            RecordFault::System { kind: SystemKind::NotAllowed, .. }
            | RecordFault::Open(_)
            | RecordFault::NoFolder(_)
            | RecordFault::Link(_)
            | RecordFault::NotPlain(_)
            | RecordFault::OfUser { .. } => Trouble::Foreign,
            RecordFault::Busy(_) => Trouble::Busy,
            RecordFault::NoKey(_) => Trouble::Damaged,
            RecordFault::SessionName => Trouble::Name,
            RecordFault::Closed => Trouble::Closed,
            RecordFault::System { kind: SystemKind::Other, .. }
            | RecordFault::NoRandom(_)
            | RecordFault::Secrets(_)
            | RecordFault::Encoding(_) => Trouble::System,
        }
    }

    /// Classifies a system error about `place`.
    pub(super) fn system(place: &str, error: &io::Error) -> Self {
        let (place, kind) = (place.to_owned(), SystemKind::of(error));
        RecordFault::System { place, kind, error: error.to_string() }.into()
    }

    /// A line that cannot be encoded.
    pub(super) fn encoding(error: &serde_json::Error) -> Self {
        RecordFault::Encoding(error.to_string()).into()
    }

    pub(super) fn closed() -> Self {
        RecordFault::Closed.into()
    }
}

impl From<RecordFault> for RecordError {
    fn from(why: RecordFault) -> Self {
        Self { why }
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
            let gap = Gap { interrupted: error.trouble().name().to_owned(), since: format!("{since:.6}") };
            (session.clone(), gap)
        };
        self.with(|troubles| troubles.iter().filter(|(session, _)| !session.is_empty()).map(gap).collect())
    }
}
