//! Evaluates the shape of a script: which programs start, with which words, and from where.

mod value;
pub(super) mod vars;
pub(super) mod walk;
pub(super) mod plan;

mod braces;
mod builtins;
pub(crate) mod growth;
mod expand;
pub(crate) mod names;
mod parameter;
mod start;
mod text;
mod wrappers;
mod split;
mod tilde;
mod compound;
mod simple;
mod settings;
mod setters;
mod conditions;
mod values;
mod substitution;
mod output;
mod sums;
mod numbers;
