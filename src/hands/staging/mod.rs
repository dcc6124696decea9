//! What is held back until it is judged, what is kept for an undo, and the undo.

pub(in crate::hands) mod git_folders;
pub(in crate::hands) mod held_back;
pub(in crate::hands) mod keeping;
pub(in crate::hands) mod repository;
pub(in crate::hands) mod stage;
pub(in crate::hands) mod stageable;
mod told;
pub(in crate::hands) mod undo;
pub(in crate::hands) mod undoable;
