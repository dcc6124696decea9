//! The variables of a line, and their values as far as they are known.

pub(crate) mod value;
pub(crate) mod vars;
pub(crate) mod values;
mod sums;
