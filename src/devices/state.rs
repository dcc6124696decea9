//! How a device is doing, in words for status pages and banners.

/// The state of a device. What is not `Ready` does not work now, and says why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// It is being looked for.
    Starting,
    /// It works.
    Ready {
        /// What was found: a program, a display, a voice.
        detail: String,
    },
    /// It ought to work and does not; it is tried again.
    Failed {
        /// What happened, and where known what to do.
        why: String,
    },
    /// It is not there, or is switched off.
    Absent {
        /// What is missing, and what to install or to set.
        why: String,
    },
}

impl State {
    /// True where the device works.
    #[must_use]
    pub fn ready(&self) -> bool {
        matches!(self, Self::Ready { .. })
    }

    /// Why it does not work; `None` where it does or is still being looked for.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        match self {
            Self::Starting | Self::Ready { .. } => None,
            Self::Failed { why } | Self::Absent { why } => Some(why),
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Starting => out.write_str("starting"),
            Self::Ready { detail } => write!(out, "ready: {detail}"),
            Self::Failed { why } => write!(out, "failed: {why}"),
            Self::Absent { why } => write!(out, "absent: {why}"),
        }
    }
}
