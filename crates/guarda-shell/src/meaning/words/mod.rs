//! From words as written to words as a program gets them.

pub(crate) mod field;
mod braces;
mod split;
mod tilde;
pub(crate) mod numbers;
mod parameter;
mod substitution;
mod expand;
