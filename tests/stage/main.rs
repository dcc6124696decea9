//! Staged runs, for real: an ordinary user mounts overlays in namespaces, scripts run in them, and the result
//! is compared with the same scripts without a stage.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod disks;
mod full;
mod generated;
mod git;
mod ground;
mod held;
mod kills;
mod operations;
mod owners;
mod replayed;
mod session_cell;
mod session_faults;
mod session_sockets;
mod staged;
mod steps;
mod granted;
mod trusted;
mod tracked_secrets;
mod undo;
