//! One check of `guarda doctor`.

/// The state of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum How {
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
pub(super) struct Check {
    pub(super) name: String,
    pub(super) how: How,
    pub(super) detail: String,
    /// The remedy; `None` if all is well.
    pub(super) fix: Option<String>,
}

impl Check {
    pub(super) fn good(name: &str, detail: impl ToString) -> Self {
        Self { name: name.to_owned(), how: How::Good, detail: detail.to_string(), fix: None }
    }

    pub(super) fn wary(name: &str, detail: impl ToString, mend: &str) -> Self {
        Self { how: How::Wary, fix: Some(mend.to_owned()), ..Self::good(name, detail) }
    }

    pub(super) fn bad(name: &str, detail: impl ToString, mend: &str) -> Self {
        Self { how: How::Bad, fix: Some(mend.to_owned()), ..Self::good(name, detail) }
    }

    pub(super) fn of(name: &str, found: Result<String, String>, mend: &str) -> Self {
        match found {
            Ok(detail) => Self::good(name, detail),
            Err(why) => Self::bad(name, why, mend),
        }
    }
}
