//! Whether a deed can be undone, and whose it was.

use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, PoisonError};

use guarda_core::effects::Tried;
use guarda_journal::Open;
use guarda_sandbox::stage::{Note, Stages};

/// The final reports of the sandboxes of a line.
#[derive(Debug, Default)]
pub(in crate::hands) struct Tally {
    pub(in crate::hands) strays: AtomicU32,
    tried: Mutex<Tried>,
    /// Whether the changes of an unstaged deed can be undone.
    undo: Mutex<Option<Undoable>>,
}

impl Tally {
    /// Adds what a sandbox of the line wanted and was refused.
    pub(in crate::hands) fn add_tried(&self, tried: Tried) {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).add(tried);
    }

    /// What the line wanted and was refused.
    pub(super) fn tried(&self) -> Tried {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets whether the changes can be undone.
    pub(in crate::hands) fn set_undo(&self, undo: Option<Undoable>) {
        *self.undo.lock().unwrap_or_else(PoisonError::into_inner) = undo;
    }

    pub(in crate::hands) fn into_undo(self) -> Option<Undoable> {
        self.undo.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a deed can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undoable {
    /// Yes, until this time.
    Until(jiff::Timestamp),
    /// No; holds the reason as an English clause.
    Not(String),
}

impl Undoable {
    /// The time until which versions that are stored now can be restored.
    pub(in crate::hands) fn held(by: &Stages) -> Self {
        Self::Until(jiff::Timestamp::now().checked_add(by.kept_for()).unwrap_or(jiff::Timestamp::MAX))
    }
}

/// Removes old versions that have expired or exceed the limit.
pub(in crate::hands) fn sweep(stages: &Stages) {
    let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or(0);
    if let Err(error) = stages.sweep(now) {
        tracing::warn!(%error, "old versions could not be removed");
    }
}

/// Stores the deed's note. If that fails, the deed can still be undone.
pub(in crate::hands) fn keep_note(stages: &Stages, id: uuid::Uuid, note: &Note) {
    if let Err(error) = stages.note(id, note) {
        tracing::warn!(%error, "whose deed it was could not be noted");
    }
}

/// The deed's owner and description, for the list of what can be undone.
pub(in crate::hands) fn note(words: &crate::wording::Words, open: &Open) -> Note {
    let subject = open.judgement().subject();
    let what = match &subject.action {
        guarda_core::action::Action::RunCommand { text, .. } => text.clone(),
        other => crate::wording::describe::effect::effect(words, other),
    };
    Note {
        turn: subject.claims.turn.clone().unwrap_or_default(),
        group: None,
        session: guarda_journal::session_of(subject.claims.session.as_deref()).unwrap_or_default(),
        audit_id: open.audit_id(),
        what: guarda_core::output::redact(&what).map(|clean| clean.text).unwrap_or_default(),
    }
}
