//! Notes of the guard about a held deed. None of them is needed to undo it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::fault::Fault;
use super::run::{StagesConfig, find};
use crate::stage::{Stage, Stages, entries::frame};

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

impl Stage {
    /// Stores the deed's note before the commit, so that a recovery can read it.
    ///
    /// # Errors
    /// If it cannot be written. The run can still be committed.
    pub fn note(&self, note: &Note) -> Result<(), Fault> {
        frame::write(&place(&self.config, self.run.id, self.run.id), note)
    }
}

impl Stages {
    /// Stores the deed's note.
    ///
    /// # Errors
    /// If it cannot be written. The deed is still held.
    pub fn note(&self, id: Uuid, note: &Note) -> Result<(), Fault> {
        match find(&self.config, id) {
            Some((run, _)) => frame::write(&place(&self.config, run.id, id), note),
            None => Ok(()),
        }
    }

    /// The note of a held deed.
    #[must_use]
    pub fn noted(&self, id: Uuid) -> Option<Note> {
        let (run, _) = find(&self.config, id)?;
        read(&self.config, run.id, id)
    }
}

/// The file of the note in the run's folder.
fn place(config: &StagesConfig, run: Uuid, id: Uuid) -> PathBuf {
    config.run(run).join(format!("note-{id}"))
}

/// Stores the note of the deed that a run holds.
pub(super) fn write(config: &StagesConfig, run: Uuid, note: &Note) -> Result<(), Fault> {
    frame::write(&place(config, run, run), note)
}

/// The note of a deed on the files of this run.
pub(super) fn read(config: &StagesConfig, run: Uuid, id: Uuid) -> Option<Note> {
    frame::read(&place(config, run, id))
}
