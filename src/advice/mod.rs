//! Second opinions: a language model looks at a command that the rules have judged. It can make the judgement stricter; what
//! the rules themselves left open it may settle, where the configuration says so. What it cannot answer is asked.
//!
//! Nothing that a model says is taken for more than one of three words: clear, flagged, unclear.

mod opinion;
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
pub use choice::text as answer_text;
pub use opinion::Opinion;
pub use prompt::{Matter, VERSION};
