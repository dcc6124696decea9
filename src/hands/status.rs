//! Which parts of the desktop are there, told truly: for `/v1/status`, `guarda status` and the banner.

/// A part of the machine that deeds need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backend {
    /// Its name: `display`, `session-bus`, `sound` …
    pub name: &'static str,
    /// How it is.
    pub state: State,
    /// What was found, or why not and what would mend it; one English line.
    pub detail: String,
}

/// How a part of the machine is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It works.
    Present,
    /// It works in part.
    Degraded,
    /// It is not there.
    Absent,
}

impl State {
    /// The word for it: `present`, `degraded`, `absent`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Degraded => "degraded",
            Self::Absent => "absent",
        }
    }
}
