//! The strict reading, which allows: a run passes only if a rule lists every word of it.

pub(crate) mod daemon;
pub(crate) mod check;
pub(crate) mod closed;
pub(crate) mod unasked;
mod local;
mod unknown;
