//! The sandbox against programs that try to get out: the real supervisor, the real kernel, real targets
//! outside. If an attempt is harmless, it is also made without the sandbox, to show that it would work.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod built;
mod devices;
mod files;
mod hidden;
mod jail;
mod lacking;
mod lifetime;
mod limits;
mod listening;
mod look;
mod network;
mod networked;
mod notified;
mod pieces;
mod processes;
mod programs;
mod relayed;
mod stage;
mod toctou;
