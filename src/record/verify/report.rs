//! What the check of a record found.

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// How many files were read.
    pub files: usize,
    /// How many lines were read.
    pub lines: u64,
    /// Deeds whose end is not written: they are being done, or the guard was ended by force.
    pub open: usize,
    /// When the heads were last signed; `None` where they are not.
    pub sealed: Option<String>,
    /// Lines behind the last signed head: their chain holds, but a cut among them would not be noticed.
    pub unsealed: u64,
    /// What is wrong, in the order of the files. Empty where nothing is.
    pub faults: Vec<Fault>,
    /// What is worth knowing and not wrong.
    pub notes: Vec<String>,
}

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// The file, below the folder of the record.
    pub file: String,
    /// The line, from 1; `None` where it is about the whole file.
    pub line: Option<u64>,
    /// What was done to it.
    pub what: What,
    /// The same in words.
    pub why: String,
}

/// What can be done to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A line is not the one that was written.
    Changed,
    /// A line was taken out.
    Removed,
    /// A line was put in.
    Inserted,
    /// Lines stand in another order.
    Reordered,
    /// Lines at the end are gone.
    Cut,
    /// A file is gone.
    Missing,
    /// A file does not follow the one before it, or does not belong here.
    Misplaced,
    /// It cannot be read.
    Unreadable,
    /// The heads are not signed, or not by the key of this record.
    Unsigned,
    /// The guard itself found it damaged and put it aside.
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

impl std::fmt::Display for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}, line {line}: {}", self.file, self.why),
            None => write!(out, "{}: {}", self.file, self.why),
        }
    }
}

impl Report {
    /// Nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn fault(&mut self, file: &str, line: Option<u64>, what: What, why: impl Into<String>) {
        self.faults.push(Fault { file: file.to_owned(), line, what, why: why.into() });
    }
}
