//! What a check has found.

use crate::trouble::RecordFault;

/// What shows that a part of the record was changed. The texts are English clauses; [`crate::wording::fault::evidence`] says the
/// same to a person.
#[derive(
    Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Evidence {
    /// There is a key, but no folder of the record.
    #[error("there is a key, and the folder of the record is gone")]
    NoFolder,
    /// There is a key, but no line that it signed.
    #[error("there is a key, and no record that it signed")]
    NoRecord,
    /// The signed table of heads is missing.
    #[error("the signed table of heads is gone: a cut tail would not be noticed")]
    NoTable,
    /// The signed table of heads is not valid: why.
    #[error("the table of heads is worth nothing: {0}")]
    BrokenTable(String),
    /// A note that the guard left at its start.
    #[error("something was missing or broken when the guard started; remove this file once you know why")]
    Noted,
    /// A file that the guard archived as damaged.
    #[error("the guard found it damaged and put it aside")]
    Damaged,
    /// The anchor is missing.
    #[error("the anchor of the record is gone")]
    NoAnchor,
    /// The anchor is not valid: why.
    #[error("the anchor is worth nothing: {0}")]
    BrokenAnchor(String),
    /// A file that the signed table lists is missing.
    #[error("part {part} of session {session} with its {lines} lines is gone")]
    NoPart {
        /// The number of the file.
        part: u32,
        /// The session.
        session: String,
        /// The number of its lines.
        lines: u64,
    },
    /// A file that an anchor has seen is missing.
    #[error("part {part} of session {session} with its {lines} lines is gone: the anchor knows of it")]
    NoAnchoredPart {
        /// The number of the file.
        part: u32,
        /// The session.
        session: String,
        /// The number of its lines.
        lines: u64,
    },
    /// The file ends before the line that an anchor has seen.
    #[error("{gone} lines are gone: the anchor knows of {lines}")]
    BehindAnchor {
        /// The number of missing lines.
        gone: u64,
        /// The number of lines that the anchor has seen.
        lines: u64,
    },
    /// A line is another than the one that an anchor has seen.
    #[error("this line differs from the anchor: it and earlier lines were rewritten")]
    UnlikeAnchor,
    /// The file cannot be opened.
    #[error("{0}")]
    NotOpened(RecordFault),
    /// The file cannot be read to its end: the system's message.
    #[error("it cannot be read: {0}")]
    NotRead(String),
    /// A part of a line follows the last line of a finished file.
    #[error("an unfinished line was put behind the last one")]
    HalfLine,
    /// The signed table does not list the file.
    #[error("no such file was ever sealed")]
    NeverSealed,
    /// The first line does not carry the hash of the file before.
    #[error("it does not follow the file before it")]
    OtherFile,
    /// The file ends before its sealed end.
    #[error("{gone} lines are cut off: {lines} were sealed")]
    CutOff {
        /// The number of missing lines.
        gone: u64,
        /// The number of sealed lines.
        lines: u64,
    },
    /// The line at the sealed end is another one.
    #[error("this line differs from the signed head: it was changed, or it and earlier lines were rewritten")]
    UnlikeHead,
    /// A line follows the sealed end of a finished file.
    #[error("it was added after the file was sealed at its end")]
    AddedLater,
    /// There is no such line.
    #[error("it is not there")]
    NoLine,
    /// The line that belongs here is another one, at this number.
    #[error("another line stands here; the one that belongs here is line {0}")]
    Moved(u64),
    /// The line that belongs here follows.
    #[error("it was put in: the line that belongs here stands behind it")]
    PutIn,
    /// It follows the last sealed line and is no line of the record.
    #[error("it was put behind the last line that was sealed")]
    PutBehind,
    /// It is no line of the record.
    #[error("it cannot be read as a line of the record")]
    Garbled,
    /// So many lines are missing before it.
    #[error("{0} lines were taken out before it")]
    TakenOut(u64),
    /// It carries the number of this earlier line.
    #[error("it carries the number of line {0}")]
    NumberOf(u64),
    /// The line after it carries the hash of another one.
    #[error("the line behind it carries another hash")]
    OtherHash,
    /// It does not carry the hash of the line before.
    #[error("it does not follow the line before it")]
    OtherLine,
}

/// A remark of a check that is no fault. The texts are English clauses.
#[derive(
    Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Remark {
    /// The signatures were checked by the key in the table itself.
    #[error("checked by the key that the table of heads names itself, {0}: compare it with yours")]
    OwnKey(String),
    /// An anchor is of another record.
    #[error("{place} speaks of the record in {other}, and not of this one")]
    OtherRecord {
        /// Where the anchor is kept.
        place: String,
        /// The folder of the other record.
        other: String,
    },
    /// There is no anchor at this place yet.
    #[error("{0} is not there yet: a record that is too old would not be noticed")]
    NoAnchorYet(String),
    /// This place holds no anchor.
    #[error("{0} holds no anchor of this record")]
    NoAnchorThere(String),
    /// An anchor cannot be read.
    #[error("the anchor in {place} cannot be read: {why}")]
    UnreadAnchor {
        /// Where it is kept.
        place: String,
        /// The message of the store.
        why: String,
    },
    /// A file was deleted as the configuration says.
    #[error("part {part} of session {session} was deleted when its time was over")]
    Expired {
        /// The number of the file.
        part: u32,
        /// The session.
        session: String,
    },
    /// A file ends within a line.
    #[error("{0}: it ends in the middle of a line: it is being written, or the machine stopped")]
    HalfWritten(String),
    /// A file begins with a note of damage.
    #[error("{place} begins with a note of damage: {damage}")]
    AfterDamage {
        /// The file.
        place: String,
        /// The note.
        damage: String,
    },
}
