//! Everything that is said or shown to a person, in three languages (`words/*.ftl`). This room describes what is judged,
//! done and recorded elsewhere, and asks nothing.

pub mod plain;
pub mod words;
mod localize;

pub mod known;
pub mod offer;
pub mod verdict;
pub mod tag;
pub mod remembered;
pub mod mark;
pub mod reason;
pub mod refusal;
pub mod describe;
pub mod refused;
mod next_step;
pub mod message;
pub mod fault;
pub mod spell;

pub use describe::command::runs_here;
pub use describe::impact::{Impact, Keeping, TaintMark};
pub use describe::tool::{ToolUse, ToolWork};
pub use known::Known;
pub use message::{FoundText, Left, Message};
pub use next_step::sentence as next_step;
pub use refused::RefusalNote;
pub use words::{Words, words};
