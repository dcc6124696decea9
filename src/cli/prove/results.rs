//! What came of the deeds, guard by guard.

use serde::Serialize;

/// What came of a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TrialOutcome {
    /// It happened.
    Done,
    /// It happened, and the guard took it back: content, modes and times.
    Undone,
    /// The guard asked a person, and nothing happened without an answer.
    Asked,
    /// The guard refused.
    Refused,
    /// The line ran and could not do it.
    Stopped,
    /// The guard did not come to an end.
    Late,
}

/// One guard's results.
#[derive(Debug, Serialize)]
pub(super) struct GuardResult {
    pub(super) name: String,
    pub(super) version: Option<String>,
    /// What came of each deed, in the order of the table; `None`: it cannot be tried on this machine.
    pub(super) outcomes: Vec<Option<TrialOutcome>>,
    /// The time of the deed that only looks, in milliseconds, the least and the median of the rounds.
    pub(super) least_ms: Option<f64>,
    pub(super) median_ms: Option<f64>,
}

/// All results.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// The deeds, in the order of the outcomes.
    pub(super) deeds: Vec<DeedName>,
    pub(super) guards: Vec<GuardResult>,
    pub(super) rounds: u32,
}

#[derive(Debug, Serialize)]
pub(super) struct DeedName {
    pub(super) id: String,
    pub(super) harm: bool,
}
