//! The JSON of a staged run's changes.

use serde::Serialize;
use utoipa::ToSchema;

use crate::guard::Undoable as Held;
use guarda_core::effects::{Change, Entry};

/// The greatest number of listed changes.
const MOST: usize = 1000;

/// The changes of a staged run, or those that a yes would make.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changes {
    /// The changes by path; at most 1000.
    changes: Vec<ChangeMade>,
    /// The number of further changes.
    more: usize,
    /// What the run tried to reach and could not, at most 32 entries: names that it looked up, and addresses with
    /// their ports.
    tried: Vec<String>,
}

/// One change.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangeMade {
    /// The path.
    #[schema(example = "/home/ana/notes.txt")]
    path: String,
    /// `created`, `deleted`, `renamed`, `changed`, `attributes` or `replaced`.
    #[schema(example = "deleted")]
    change: &'static str,
    /// The previous path of a moved file.
    from: Option<String>,
    /// The state before; null if there was nothing.
    was: Option<ChangedEntry>,
    /// The state after the change, or after a yes; null if nothing is left.
    is: Option<ChangedEntry>,
}

/// A file, folder or link.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedEntry {
    /// `file`, `folder`, `link`, `fifo`, `socket` or `device`.
    #[schema(example = "file")]
    kind: &'static str,
    /// The size in bytes. For a folder that was created or deleted as a whole, the size of all files in it.
    bytes: u64,
    /// The number of files in a folder that was created or deleted as a whole.
    files: u64,
    /// Permission bits in octal.
    #[schema(example = "644")]
    mode: String,
}

/// Whether it can be undone: exactly one of the two fields is set.
#[derive(Debug, Serialize, ToSchema)]
pub struct Undo {
    /// The end of the time for an undo: RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// Why it cannot be undone, as an English clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

impl From<&guarda_core::effects::Effects> for Changes {
    fn from(effects: &guarda_core::effects::Effects) -> Self {
        let changes = effects.changes.iter().take(MOST).map(ChangeMade::from).collect();
        let tried = effects.tried.sought.iter().map(ToString::to_string).collect();
        Self { changes, more: effects.changes.len().saturating_sub(MOST), tried }
    }
}

impl From<&Change> for ChangeMade {
    fn from(change: &Change) -> Self {
        Self {
            path: change.path.to_string_lossy().into_owned(),
            change: change.kind().name(),
            from: change.from.as_ref().map(|from| from.to_string_lossy().into_owned()),
            was: change.was.as_ref().map(ChangedEntry::from),
            is: change.is.as_ref().map(ChangedEntry::from),
        }
    }
}

impl From<&Entry> for ChangedEntry {
    fn from(entry: &Entry) -> Self {
        let files = if entry.is_folder() { entry.files() } else { 0 };
        Self { kind: (&entry.kind).into(), bytes: entry.bytes(), files, mode: format!("{:o}", entry.mode) }
    }
}

impl From<&Held> for Undo {
    fn from(held: &Held) -> Self {
        match held {
            Held::Until(until) => Self { until: Some(until.to_string()), why_not: None },
            Held::Not(why) => Self { until: None, why_not: Some(why.clone()) },
        }
    }
}
