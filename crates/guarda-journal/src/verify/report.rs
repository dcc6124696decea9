//! The report of a check.

use super::evidence::{Evidence, Remark};

/// The findings of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct VerifyReport {
    /// The number of files read.
    pub files: usize,
    /// The number of lines read.
    pub lines: u64,
    /// Intents without an outcome: they are running, or the guard was killed.
    pub open: usize,
    /// When the last checkpoint was signed; `None` if there is none.
    pub sealed: Option<String>,
    /// Lines after the last signed checkpoint. Their chain holds, but the removal of the last ones would go unnoticed.
    pub unsealed: u64,
    /// The faults, in the order of the files.
    pub faults: Vec<Tampering>,
    /// Remarks that are not faults.
    #[serde(serialize_with = "texts")]
    pub notes: Vec<Remark>,
}

/// A part of the record that was changed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Tampering {
    /// The file, relative to the folder of the record.
    pub file: String,
    /// The line, from 1; `None` for the whole file.
    pub line: Option<u64>,
    /// The kind of change.
    pub what: What,
    /// What shows it.
    #[serde(serialize_with = "text")]
    pub why: Evidence,
}

/// Evidence is a text in JSON.
fn text<S: serde::Serializer>(why: &Evidence, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(why)
}

/// So are remarks.
fn texts<S: serde::Serializer>(notes: &[Remark], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(notes.iter().map(ToString::to_string))
}

/// The kinds of changes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, strum::IntoStaticStr, strum::EnumIter,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A line was changed.
    Changed,
    /// A line was removed.
    Removed,
    /// A line was inserted.
    Inserted,
    /// Lines were reordered.
    Reordered,
    /// Lines at the end are missing.
    Cut,
    /// A file is missing.
    Missing,
    /// A file does not follow the one before it, or does not belong here.
    Misplaced,
    /// It cannot be read.
    Unreadable,
    /// The checkpoints are unsigned, or signed by another key.
    Unsigned,
    /// The guard itself found it damaged and archived it.
    #[strum(serialize = "put aside")]
    PutAside,
}

impl What {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl std::fmt::Display for Tampering {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}, line {line}: {}", self.file, self.why),
            None => write!(out, "{}: {}", self.file, self.why),
        }
    }
}

impl VerifyReport {
    /// Nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn fault(&mut self, file: &str, line: Option<u64>, what: What, why: Evidence) {
        self.faults.push(Tampering { file: file.to_owned(), line, what, why });
    }
}
