//! Sound: the default output, tones and the voice.

pub mod tone;
pub mod sink;
#[cfg(feature = "desktop")]
pub mod pulse;
pub mod output;
pub mod speech;
