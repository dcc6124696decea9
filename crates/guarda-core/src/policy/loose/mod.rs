//! The loose reading, which asks or blocks: a rule is met however a command is spelt.

pub(crate) mod own;
pub(crate) mod open;
pub(crate) mod lists;
mod listed;
mod data;
mod find;
mod given;
mod mounted;
