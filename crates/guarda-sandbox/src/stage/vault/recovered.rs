//! How an interrupted run ended.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::stage::fault::{Fault, NotCommitted, NotUndone};
use crate::stage::note::Note;

/// The result of recovering an interrupted run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recovered {
    /// It was not committed yet, and was removed.
    Removed(Uuid),
    /// Its commit was completed.
    Committed(Uuid),
    /// Its commit was rolled back, for this reason.
    TakenBack(Uuid, NotCommitted),
    /// An undo was completed; the id is that of the undo.
    Undone(Uuid),
    /// An undo was rolled back, for this reason; the id is that of the deed, which is held as before.
    Held(Uuid, NotUndone),
    /// The result of an unstaged deed was noted.
    Kept(Uuid),
    /// It could be neither completed nor rolled back completely: the rest is held like a deed.
    Stuck(Uuid, Fault),
}

/// One recovery, with the deed's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The result.
    pub what: Recovered,
    /// The deed's note; `None` for a run that was interrupted before its commit began.
    pub whose: Option<Note>,
}
