//! Secrets by their own form, or by a literal next to them.

pub(crate) mod literal;
pub(crate) mod block;
pub(crate) mod manifest;
pub(crate) mod runs;
pub(crate) mod number;
