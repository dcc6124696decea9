//! Asks a person and takes the answer: one queue, one prompt at a time, several channels. Only an explicit yes is a yes.

pub mod how;
pub mod question;
pub mod code;
pub mod card;
pub mod rank;
pub mod channels;
pub mod pending_questions;
mod rate_limit;
pub mod voice;
pub mod quiet;
pub mod setup;
mod inner;
pub mod session;
pub mod prompter;
mod remote;

pub use code::spoken;
pub use code::{Admission, Elsewhere, Given, NoProof, NotOpen, Proof, Remote};
pub use pending_questions::{Hearing, NoHearing, OpenQuestion, QuestionEvent, QuestionMoment, Wish};
pub use prompter::{Options, Prompter, PrompterStatus};
pub use rank::{Rank, Ranks};
pub use remote::SPOKEN;
pub use setup::PrompterConfig;

#[cfg(test)]
pub(crate) mod tests;
