//! The record from outside: it is complete, survives crashes, and shows every change.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod anchoring;
mod arbitrary;
mod bench;
mod keeping;
mod reading;
mod shelf;
mod verifying;
mod writing;
