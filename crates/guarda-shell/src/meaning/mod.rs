//! Evaluates the shape of a script: which programs start, with which words, and from where.

pub(super) mod variables;
mod words;
pub(crate) mod growth;
pub(super) mod evaluator;
mod text;
mod wrappers;
pub(super) mod commands;
mod walk;
pub(super) mod plan;
