//! The state of a device, in words for status pages and banners.

use crate::devices::fault::DeviceFault;
use guarda_core::output::{Failure, FailureKind};

/// The state of a device. Only `Ready` devices work; the other states give the reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum DeviceState {
    /// It is starting.
    Starting,
    /// It works.
    Ready {
        /// What was found: a program, a display, a voice.
        detail: String,
    },
    /// It should work but does not; it is retried.
    Failed {
        /// The cause and, if known, the remedy.
        why: Failure,
    },
    /// It is missing, or switched off.
    Absent {
        /// What is missing, and what to install or set.
        why: Failure,
    },
}

impl DeviceState {
    /// Whether the device works.
    #[must_use]
    pub fn ready(&self) -> bool {
        matches!(self, Self::Ready { .. })
    }

    /// Why it does not work; `None` if it works or is still starting.
    #[must_use]
    pub fn trouble(&self) -> Option<&Failure> {
        match self {
            Self::Starting | Self::Ready { .. } => None,
            Self::Failed { why } | Self::Absent { why } => Some(why),
        }
    }

    /// The same state with this failure kind if the cause has none of its own.
    #[must_use]
    pub fn of_kind(mut self, kind: FailureKind) -> Self {
        if let Self::Failed { why } | Self::Absent { why } = &mut self
            && why.kind == FailureKind::Other
        {
            why.kind = kind;
        }
        self
    }
}

impl From<DeviceFault> for DeviceState {
    fn from(fault: DeviceFault) -> Self {
        match fault {
            DeviceFault::Absent(why) => Self::Absent { why },
            DeviceFault::Failed(why) => Self::Failed { why },
        }
    }
}

impl std::fmt::Display for DeviceState {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Starting => out.write_str("starting"),
            Self::Ready { detail } => write!(out, "ready: {detail}"),
            Self::Failed { why } => write!(out, "failed: {why}"),
            Self::Absent { why } => write!(out, "absent: {why}"),
        }
    }
}
