//! The main job from end to end: the real program, real HTTP, a real display, real speech, a real sound
//! server, real keys.
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

#[path = "../support/fingers.rs"]
mod fingers;
#[path = "../support/machine.rs"]
mod machine;
#[path = "../running/mod.rs"]
mod running;
#[path = "../support/voice.rs"]
mod voice;

mod codes;
mod desktop;
mod ends;
mod faults;
mod keys;
mod notification;
mod password;
mod record;
mod serving;
mod speech;
mod terminal;
