//! What a channel reports of its question.

use guarda_core::gate::Span;

/// A report from a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelReport {
    /// The question is shown here.
    Shown,
    /// The question has been shown here to its last line.
    Whole,
    /// This channel can never answer the question, for this reason.
    Unable(String),
    /// This channel cannot answer at the moment, for this reason. It tries again.
    Busy(String),
    /// This channel can answer, perhaps after an interruption.
    Listening,
    /// Yes.
    Yes,
    /// Yes, and what it allows needs no question for this long.
    Lasting(Span),
    /// No.
    No,
    /// No, with the reason in the person's words.
    NoBecause(String),
    /// A person is writing a replacement and gets more time. Until the channel's next report, the keys of the desktop
    /// are not answers, because the person is typing.
    Writing,
    /// Spell the command aloud.
    Spell,
    /// Replace the command by this one.
    Change(String),
}
