//! The hands on a real desktop: real players, a real sound server, real windows. Parts that cannot be real
//! here (the login manager, the radios) are doubles on a private bus, and are named so.
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

mod act;
#[path = "../support/machine.rs"]
mod machine;

mod applications;
mod commands;
mod doubles;
mod files;
mod looking;
mod running;
mod sound;
mod status;
mod wayland;
mod windows;
