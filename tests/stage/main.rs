//! Staged runs, for real: an ordinary user mounts overlays in namespaces, scripts run in them, and the result
//! is compared with the same scripts without a stage.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

mod disks;
mod full;
mod generated;
mod git;
mod ground;
mod held;
mod kills;
mod operations;
mod owners;
#[path = "../running/mod.rs"]
mod running;
mod steps;
