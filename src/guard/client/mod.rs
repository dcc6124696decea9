//! What an agent's client runs itself: its hooks, the tickets of its shell, and the files that its tools write.

pub mod hook;
pub(super) mod tickets;
pub(super) mod tool_files;
