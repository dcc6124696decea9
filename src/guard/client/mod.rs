//! What an agent's client runs itself: its hooks, the tickets of its shell, and the files that its tools write.

pub(super) mod hook;
pub(super) mod hook_rules;
pub(super) mod line;
pub(super) mod ticket;
pub(super) mod tool_files;
