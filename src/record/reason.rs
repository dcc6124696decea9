//! Why a line of the record ended as it did, read back from its text.

use guarda_core::gate::{HostRefusal, NoAnswer};

use super::line::Facts;

/// The reason of a yes to a host that came too late for an earlier run of the command.
pub(super) const KEPT: &str = "answered after an earlier run of the command had been refused it";

/// The reason in a line of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineReason {
    /// A person's own words.
    Said(String),
    /// A person's yes to a host came too late for an earlier run of the command, and holds for this one.
    Kept,
    /// A host was refused without a question.
    Host(HostRefusal),
    /// A question was withdrawn, or was never put.
    NoAnswer(NoAnswer),
}

impl LineReason {
    /// The reason in these facts; `None` if they have none.
    #[must_use]
    pub fn of(facts: &Facts) -> Option<Self> {
        let text = facts.reason.as_deref()?;
        Some(match facts.answered_by.as_deref() {
            Some("person") if text == KEPT => Self::Kept,
            Some("person") => Self::Said(text.to_owned()),
            Some("policy") => Self::Host(HostRefusal::read(text)),
            _ => Self::NoAnswer(NoAnswer::read(text)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A person may write any words, also those of the guard.
    #[test]
    fn who_answered_says_how_a_reason_is_read() {
        let called_off = "it was called off";
        for (by, text, expected) in [
            ("person", called_off, LineReason::Said(called_off.to_owned())),
            ("person", KEPT, LineReason::Kept),
            ("nobody", called_off, LineReason::NoAnswer(NoAnswer::CalledOff)),
            ("policy", "the configuration denies it", LineReason::Host(HostRefusal::Denied)),
        ] {
            let facts =
                Facts { answered_by: Some(by.to_owned()), reason: Some(text.to_owned()), ..Facts::default() };
            assert_eq!(LineReason::of(&facts), Some(expected), "{by} {text}");
        }
        assert_eq!(LineReason::of(&Facts::default()), None);
    }
}
