//! What an action does, what a staged run changed, and what is known of the consequences, in sentences and lines.

pub mod recorded;
pub(super) mod names;
pub(super) mod command;
pub mod effect;
pub mod tool;
pub mod tree;
pub mod impact;
pub mod network;
pub mod staged;
pub mod host;
