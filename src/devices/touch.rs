//! What an action would touch, as far as it can be told before it is done: plain data, gathered by the hands and shown
//! to a person.

use super::census::Census;

/// What becomes of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Fate {
    /// It is gone afterwards.
    Deleted,
    /// What it holds is replaced.
    Overwritten,
    /// It is changed: written to, or in a way that is not known.
    Changed,
    /// It gets other permissions, another owner or other times, and holds what it held.
    Attributes,
    /// It is moved.
    Moved,
    /// It comes to be.
    Made,
    /// It is read.
    Read,
    /// It is named; what becomes of it is the program's affair.
    Named,
}

impl Fate {
    /// The name on the wire and in the ids of words.
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
    /// Where it leads, for a link.
    pub leads: Option<String>,
    /// The files at the path.
    pub census: Census,
}

/// All the paths of one fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What becomes of them.
    pub fate: Fate,
    /// How many paths there are.
    pub paths: u64,
    /// The first of them.
    pub items: Vec<TouchedPath>,
    /// All of them together.
    pub census: Census,
}

/// What an action would touch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Preview {
    /// By what becomes of it, the gravest first.
    pub groups: Vec<Group>,
    /// Paths that are named and are not there: the first of them.
    pub missing: Vec<String>,
    /// More is touched, or may be, than can be told before it runs.
    pub open: bool,
}

impl Preview {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.missing.is_empty() && !self.open
    }
}
