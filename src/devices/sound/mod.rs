//! Sound: the default output, tones and the voice.

pub mod tone;
pub mod pulse;
pub mod output;
pub mod speech;
