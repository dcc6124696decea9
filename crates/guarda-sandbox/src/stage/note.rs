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
    /// The message of the person that it followed from; empty if its caller does not say.
    pub turn: String,
    /// The request that undid it together with others.
    pub group: Option<Uuid>,
}

/// The notes of versions before 0.2.
#[derive(Deserialize)]
struct FirstNote {
    session: String,
    audit_id: String,
    what: String,
}

impl From<FirstNote> for Note {
    fn from(first: FirstNote) -> Self {
        let FirstNote { session, audit_id, what } = first;
        Self { session, audit_id, what, ..Self::default() }
    }
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
    let place = place(config, run, id);
    frame::read(&place).or_else(|| frame::read::<FirstNote>(&place).map(Note::from))
}
