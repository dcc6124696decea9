//! The prompter and the hands with real devices: speech, keys, terminals, windows, sound.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod desk;
mod hands;
