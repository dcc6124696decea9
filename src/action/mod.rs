//! What can be asked for: requests, the closed set of actions, and what a command line means. No files, no clocks.

pub mod script;
pub mod shell;
