//! What is judged, and how: the same through every door, with what a session has seen, by plugins and by second opinions.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod advice;
mod doors;
mod plugins;
mod sessions;
