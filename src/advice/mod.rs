//! Second opinions: a language model assesses a command that the rules have judged. It can make the judgement
//! stricter. If the configuration allows it, it can settle what the rules left open. Without a usable answer, a
//! person is asked.
//!
//! A model's answer is reduced to one of three words: clear, flagged, unclear.

mod opinion;
mod unusable;
mod signs;
mod prompt;
mod choice;
mod schema;
mod guardian;
mod circuit;
mod cache;
mod advisor;
pub mod bench;

pub use advisor::Advisor;
pub use opinion::Opinion;
pub use prompt::{Matter, VERSION};
pub use unusable::Unusable;
