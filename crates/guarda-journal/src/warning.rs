//! What was found wrong with the record when it was opened.

use std::fmt;

/// What is wrong with the record, though it can be written. The texts are English clauses; [`crate::wording::fault::record`] says
/// the same to a person.
#[derive(
    Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum RecordWarning {
    /// The signed table of heads is missing.
    #[error("the signed table of heads is gone: what is there is taken as it is")]
    TableGone,
    /// The signed table of heads is not valid: why.
    #[error("the signed table of heads was put aside: {0}")]
    TableBroken(String),
    /// A session's file was changed, and archived as damaged.
    #[error("the record of session {session} was put aside: {damage}")]
    Damaged {
        /// The session.
        session: String,
        /// Where and why its chain breaks.
        damage: String,
    },
    /// The anchor names this folder instead of the present one.
    #[error("the record was kept in {0} until now")]
    Moved(String),
    /// The anchor beside the key knows more than the record.
    #[error("the record is behind its anchor, as an older copy would be: {}", Listed(.0))]
    Behind(Vec<LostPart>),
    /// The anchor at another place knows more than the record.
    #[error("the record is behind its anchor in {place}: {}", Listed(.lost))]
    BehindElsewhere {
        /// The place, such as the file of the registry.
        place: String,
        /// What is missing.
        lost: Vec<LostPart>,
    },
}

/// A part that the record has lost.
#[derive(
    Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum LostPart {
    /// The anchor beside the key is missing.
    #[error("the anchor beside the key is gone")]
    Anchor,
    /// There is a key, but no record and no anchor.
    #[error("there is a key and no record: it is gone, and so is its anchor")]
    Record,
    /// The anchor beside the key is not valid: why.
    #[error("the anchor beside the key is worth nothing: {0}")]
    BrokenAnchor(String),
    /// The anchor at another place is not valid: why.
    #[error("it is worth nothing: {0}")]
    BrokenCopy(String),
    /// A file of a session, by its number.
    #[error("part {part} of session {session} is gone")]
    Part {
        /// The number of the file.
        part: u32,
        /// The session.
        session: String,
    },
    /// The last lines of a session.
    #[error("{count} lines of session {session} are gone")]
    Lines {
        /// How many.
        count: u64,
        /// The session.
        session: String,
    },
    /// This session's lines differ from those that were anchored.
    #[error("session {0} was rewritten")]
    Rewritten(String),
}

impl LostPart {
    /// The session that it belongs to.
    pub(super) fn session(&self) -> Option<&str> {
        match self {
            Self::Part { session, .. } | Self::Lines { session, .. } | Self::Rewritten(session) => {
                Some(session)
            }
            Self::Anchor | Self::Record | Self::BrokenAnchor(_) | Self::BrokenCopy(_) => None,
        }
    }
}

struct Listed<'a>(&'a [LostPart]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        out.write_str(&each.join("; "))
    }
}
