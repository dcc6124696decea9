//! The hands on the desktop: applications, sound, screen, power and keys.

pub(in crate::hands) mod apps;
pub(in crate::hands) mod dispatch;
pub(in crate::hands) mod keys;
pub(in crate::hands) mod machine;
pub(in crate::hands) mod names;
pub(in crate::hands) mod open;
pub(in crate::hands) mod playing;
pub(in crate::hands) mod screen;
pub(in crate::hands) mod sound;
pub(in crate::hands) mod status;
