//! The sandbox against programs that try to get out: the real supervisor, the real kernel, real targets
//! outside. If an attempt is harmless, it is also made without the sandbox, to show that it would work.
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
    dead_code,
    reason = "tests start real programs, may fail loudly, and use their part of what they share"
)]

mod built;
mod devices;
mod files;
mod hidden;
mod jail;
mod lacking;
mod lifetime;
mod listening;
mod look;
mod network;
mod networked;
mod notified;
mod processes;
mod programs;
mod relayed;
mod stage;
