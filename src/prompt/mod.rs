//! Asks a person and takes the answer: one queue, one prompt at a time, several channels. Only an explicit yes is a yes.

pub mod how;
pub mod question;
pub mod code;
mod login;
pub mod card;
pub mod rank;
pub mod channels;
pub mod pending_questions;
mod rate_limit;
pub mod voice;
pub mod quiet;
pub mod session;
pub mod setup;
pub mod prompter;
mod remote;

pub use code::{Admission, Elsewhere, Given, NoProof, Proof, Remote};
pub use pending_questions::{NotOpen, OpenQuestion};
pub use prompter::{Options, Prompter, PrompterStatus};
pub use rank::{Rank, Ranks};
pub use setup::PrompterConfig;

#[cfg(test)]
pub(crate) mod tests;
