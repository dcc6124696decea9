//! Why a device did not do what it was told.

use guarda_core::output::{Failure, FailureKind};

/// Why a device did not do what it was told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum DeviceFault {
    /// It is not there: what, and what would mend it.
    #[error("{0}")]
    Absent(Failure),
    /// It is there and did not do it: why.
    #[error("{0}")]
    Failed(Failure),
}

impl DeviceFault {
    /// Something is not there.
    #[must_use]
    pub fn absent(what: impl std::fmt::Display) -> Self {
        Self::Absent(what.to_string().into())
    }

    /// Something is not there that has words in every language.
    #[must_use]
    pub fn missing(kind: FailureKind, what: impl std::fmt::Display) -> Self {
        Self::Absent((kind, what.to_string()).into())
    }

    /// Something did not work.
    #[must_use]
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string().into())
    }

    /// Something did not work for a cause that has words in every language.
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

/// The kind of an error of the file system.
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
