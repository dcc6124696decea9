//! The main job from end to end: the real program, real HTTP, a real display, real speech, a real sound
//! server, real keys.
#![allow(clippy::restriction, clippy::disallowed_methods, missing_docs, dead_code, reason = "tests")]

#[path = "../common/mod.rs"]
mod common;

mod askpass;
mod breath;
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
mod spoken;
mod terminal;
mod wyoming;
