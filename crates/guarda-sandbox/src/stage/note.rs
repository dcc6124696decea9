//! Notes of the guard about a held deed. None of them is needed to undo it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::fault::Fault;
use super::run::StagesConfig;
use crate::stage::entries::frame;

/// The owner and description of a deed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The session.
    pub session: String,
    /// The number in the record.
    pub audit_id: String,
    /// The deed, secrets hidden.
    pub what: String,
}

/// The file of the note in the run's folder.
fn place(config: &StagesConfig, run: Uuid, id: Uuid) -> PathBuf {
    config.run(run).join(format!("note-{id}"))
}

/// Stores the note of a deed that a run holds.
pub(super) fn write(config: &StagesConfig, run: Uuid, id: Uuid, note: &Note) -> Result<(), Fault> {
    frame::write(&place(config, run, id), note)
}

/// The note of a deed on the files of this run.
pub(super) fn read(config: &StagesConfig, run: Uuid, id: Uuid) -> Option<Note> {
    frame::read(&place(config, run, id))
}
