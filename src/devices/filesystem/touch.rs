//! The paths that an action would touch, as far as they are known in advance: plain data, gathered by the hands
//! and shown to a person.

use crate::devices::filesystem::census::Census;

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Fate {
    /// It is deleted.
    Deleted,
    /// Its content is replaced.
    Overwritten,
    /// It is changed: written to, or in an unknown way.
    Changed,
    /// It gets other permissions, another owner or other times, and keeps its content.
    Attributes,
    /// It is moved.
    Moved,
    /// It is created.
    Made,
    /// It is read.
    Read,
    /// It is named; the program decides what happens to it.
    Named,
}

impl Fate {
    /// The name on the wire and in message ids.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TouchedPath {
    /// The whole path.
    pub path: String,
    /// A link's target.
    pub leads: Option<String>,
    /// The files at the path.
    pub census: Census,
}

/// All paths with the same fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What happens to them.
    pub fate: Fate,
    /// How many paths there are.
    pub paths: u64,
    /// The first of them.
    pub items: Vec<TouchedPath>,
    /// All of them together.
    pub census: Census,
}

/// The paths that an action would touch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// Grouped by fate, the most serious first.
    pub groups: Vec<Group>,
    /// The first of the named paths that do not exist.
    pub missing: Vec<String>,
    /// True if more is, or may be, touched than can be known in advance.
    pub open: bool,
}

impl Preview {
    /// True if there is nothing to report.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.missing.is_empty() && !self.open
    }
}
