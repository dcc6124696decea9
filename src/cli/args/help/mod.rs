//! The help and the errors of the command line, in the person's language.

pub(super) mod groups;
pub(super) mod misused;
pub(super) mod offered;
pub(super) mod translated;
mod usage;
