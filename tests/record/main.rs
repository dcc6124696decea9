//! The record from outside: it is complete, survives crashes, and shows every change.
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

mod anchoring;
mod arbitrary;
mod bench;
mod keeping;
mod reading;
mod shelf;
mod verifying;
mod writing;
