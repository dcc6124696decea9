//! Why something cannot be done: one file for the errors of each room.

pub mod misread;
pub mod misconfigured;
pub mod file;
pub mod record;
pub mod evidence;
pub mod unusable;
