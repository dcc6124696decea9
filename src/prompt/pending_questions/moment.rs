//! What listeners are told of questions, and what they want.

use std::time::SystemTime;

use crate::prompt::code::NotOpen;
use crate::prompt::code::spoken::NotHeard;
use guarda_core::gate::{Number, Says};

/// What is wanted to be said about an open question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// The code, because an answer from elsewhere came without it.
    Code,
    /// The words of a yes by voice, because others were said.
    Words,
    /// The question once more.
    Repeat,
    /// The command, character by character.
    Spell,
    /// How to answer.
    Help,
    /// Why it is asked.
    What,
}

/// What happens with a question, for those who listen. The words of a yes by voice are in none of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionEvent {
    /// The question's number.
    pub number: Number,
    /// What happened.
    pub moment: QuestionMoment,
}

/// A moment in the life of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionMoment {
    /// It is being put.
    Asked,
    /// The guard's sound has ended; a yes may begin from this time on.
    Listen(SystemTime),
    /// It is said again.
    Again,
    /// It is settled: `yes`, `no`, `modify`, `silence` or `withdrawn`.
    Settled(&'static str),
}

/// What came of words that were heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hearing {
    /// They are a yes.
    Yes,
    /// They are others; the guard says its own once more.
    Again,
    /// They are others for the second time, which is a no.
    No,
}

/// Why what was heard is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoHearing {
    /// The question takes no such answer.
    NotOpen(NotOpen),
    /// A yes to it is not taken by voice.
    NotByVoice,
    /// It was not a person who answered.
    NotHeard(NotHeard),
    /// There were too many wrong words or codes within the hour.
    Guessing,
}

/// How a question ended, in one word.
pub(super) fn ended(says: &Says) -> &'static str {
    match says {
        Says::Yes { .. } | Says::Lasting { .. } => "yes",
        Says::No { .. } | Says::WrongCodes { .. } => "no",
        Says::Change { .. } => "modify",
        Says::Silence => "silence",
        Says::Withdrawn { .. } | Says::Unasked { .. } => "withdrawn",
    }
}
