//! One check of `guarda doctor`.

/// The state of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Condition {
    /// It works.
    Good,
    /// It is missing, but the guard works without it.
    #[serde(rename = "warning")]
    Wary,
    /// The guard does not work as intended.
    #[serde(rename = "broken")]
    Bad,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(super) struct Checkup {
    pub(super) name: String,
    pub(super) how: Condition,
    pub(super) detail: String,
    /// The remedy; `None` if all is well.
    pub(super) fix: Option<String>,
}

impl Checkup {
    pub(super) fn good(name: &str, detail: impl ToString) -> Self {
        Self { name: name.to_owned(), how: Condition::Good, detail: detail.to_string(), fix: None }
    }

    pub(super) fn wary(name: &str, detail: impl ToString, mend: &str) -> Self {
        Self { how: Condition::Wary, fix: Some(mend.to_owned()), ..Self::good(name, detail) }
    }

    pub(super) fn bad(name: &str, detail: impl ToString, mend: &str) -> Self {
        Self { how: Condition::Bad, fix: Some(mend.to_owned()), ..Self::good(name, detail) }
    }
}
