//! Values beside a name: `password = "x"`, `--secret x`.

pub(crate) mod name;
pub(crate) mod beside;
pub(crate) mod assign;
