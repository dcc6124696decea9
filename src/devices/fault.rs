//! Why a device did not do what it was told.

/// Why a device did not do what it was told. The texts are English and lower case, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum Fault {
    /// It is not there: what, and what would mend it.
    #[error("{0}")]
    Absent(String),
    /// It is there and did not do it: why.
    #[error("{0}")]
    Failed(String),
}

impl Fault {
    /// Something is not there.
    #[must_use]
    pub fn absent(what: impl std::fmt::Display) -> Self {
        Self::Absent(what.to_string())
    }

    /// Something did not work.
    #[must_use]
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string())
    }
}
