//! Faults and deaths: of the machine, the record's folder, the language model, and the guard itself. answers/faults.rs has
//! those of voice, sound, bus and display.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod crash;
mod machine;
mod model;
mod record_folder;
