//! Why a device did not carry out an order.

use guarda_core::output::{Failure, FailureKind};

/// Why a device did not carry out an order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum DeviceFault {
    /// The device is missing: what is missing, and how to get it.
    #[error("{0}")]
    Absent(Failure),
    /// The device failed: the reason.
    #[error("{0}")]
    Failed(Failure),
}

impl DeviceFault {
    /// Something is missing.
    #[must_use]
    pub fn absent(what: impl std::fmt::Display) -> Self {
        Self::Absent(what.to_string().into())
    }

    /// A device is missing, and the cause has a message in every language.
    #[must_use]
    pub fn missing(kind: FailureKind, what: impl std::fmt::Display) -> Self {
        Self::Absent((kind, what.to_string()).into())
    }

    /// Something did not work.
    #[must_use]
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string().into())
    }

    /// A device failed, and the cause has a message in every language.
    #[must_use]
    pub fn broken(kind: FailureKind, why: impl std::fmt::Display) -> Self {
        Self::Failed((kind, why.to_string()).into())
    }

    /// The cause.
    #[must_use]
    pub fn failure(&self) -> &Failure {
        match self {
            Self::Absent(failure) | Self::Failed(failure) => failure,
        }
    }
}

/// The failure kind of a file system error.
#[must_use]
pub fn kind(error: std::io::ErrorKind) -> FailureKind {
    use std::io::ErrorKind;
    match error {
        ErrorKind::PermissionDenied => FailureKind::NotAllowed,
        ErrorKind::AlreadyExists => FailureKind::Exists,
        ErrorKind::NotADirectory => FailureKind::NotFolder,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FailureKind::NoSpace,
        ErrorKind::ReadOnlyFilesystem => FailureKind::ReadOnly,
        _ => FailureKind::Other,
    }
}
