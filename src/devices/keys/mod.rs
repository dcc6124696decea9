//! Keys that answer a question: those of the desktop's display, and those of the trusted keyboard.

pub mod key;
pub mod gesture;
pub mod watch;
pub mod x11;
pub mod keyboard;
