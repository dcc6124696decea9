//! Asks a person and takes the answer: one queue, one prompt at a time, several channels, three languages. This room
//! describes actions and does not judge them. Only an explicit yes is a yes.

pub mod plain;
pub mod words;
mod localize;

pub mod known;
pub mod verdict;
pub mod tag;
pub mod remembered;
pub mod recorded;
pub mod mark;
mod deed;
pub mod effect;
pub mod tool;
pub mod reason;
pub mod refusal;
pub mod tree;
pub mod impact;
pub mod network;
pub mod staged;
pub mod refused;
mod next_step;
pub mod message;
pub mod misread;
pub mod misconfigured;
pub mod file;
pub mod record;
pub mod evidence;
pub mod unusable;
pub mod host;
pub mod spell;
pub mod how;
pub mod prompt;
pub mod code;
mod login;
pub mod card;
pub mod channel;
pub mod rank;
pub mod terminal;
pub mod keys;
pub mod keyboard;
pub mod notification;
pub mod pending_questions;
mod calm;
pub mod voice;
pub mod quiet;
pub mod attend;
pub mod setup;
pub mod prompter;
mod remote;

pub use code::{Admission, Elsewhere, Given, NoProof, Proof, Remote};
pub use deed::runs_here;
pub use impact::{Impact, Keeping, TaintMark};
pub use known::Known;
pub use message::{Left, Message};
pub use next_step::sentence as next_step;
pub use pending_questions::{NotOpen, OpenQuestion};
pub use prompter::{Options, Prompter, PrompterStatus};
pub use rank::{Rank, Ranks};
pub use refused::RefusalNote;
pub use setup::PrompterConfig;
pub use tool::{ToolUse, ToolWork};
pub use words::{Words, words};

#[cfg(test)]
pub(crate) mod tests;
