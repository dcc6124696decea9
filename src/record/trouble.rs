//! Why the record cannot be written, told apart so that a person knows what to mend.

use std::io;

/// The record cannot be written; nothing is done then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record cannot be written: {why}")]
pub struct RecordError {
    /// What kind of trouble it is.
    pub trouble: Trouble,
    /// Why, in words, and what to do about it.
    pub why: String,
}

/// The kinds of trouble with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// The disk, or the share of it that this user may fill, is full.
    Full,
    /// The file system is mounted read-only.
    ReadOnly,
    /// The folder or a file in it was removed or replaced while it was in use.
    Gone,
    /// The folder or a file in it belongs to somebody else, is a link, or is open to others.
    Foreign,
    /// Another guard writes to this folder.
    Busy,
    /// What stands in the record is not what was written there.
    Damaged,
    /// The name of a session cannot be part of a file's name.
    Name,
    /// The journal is closed.
    Closed,
    /// Anything else that the system reports.
    System,
}

impl Trouble {
    /// The name on the wire and in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "disk_full",
            Self::ReadOnly => "read_only",
            Self::Gone => "gone",
            Self::Foreign => "foreign",
            Self::Busy => "busy",
            Self::Damaged => "damaged",
            Self::Name => "name",
            Self::Closed => "closed",
            Self::System => "system",
        }
    }
}

impl RecordError {
    pub(super) fn new(trouble: Trouble, why: impl Into<String>) -> Self {
        Self { trouble, why: why.into() }
    }

    /// Reads what the system said about `place`.
    pub(super) fn system(place: &str, error: &io::Error) -> Self {
        let (trouble, advice) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (Trouble::Full, "free some space"),
            io::ErrorKind::FileTooLarge => (Trouble::Full, "raise the limit on the size of files"),
            io::ErrorKind::ReadOnlyFilesystem => {
                (Trouble::ReadOnly, "make it writable or name another folder")
            }
            io::ErrorKind::NotFound => (Trouble::Gone, "restart the guard to begin a new record"),
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
