//! `[registry]`: what the registry of commands goes by.

use serde::{Deserialize, Serialize};

use super::field;

/// `[registry]`: where commands are remembered, and what their runs make of them. The defaults are those of feature B6.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Registry {
    /// Whether commands are remembered at all. What a person said of them is not heeded either where they are not.
    pub enabled: bool,
    /// A PostgreSQL that several hosts share, as `postgres://user@host/database`; where nothing is written, the file
    /// `command_security.db` in the state folder.
    #[serde(deserialize_with = "field::postgres")]
    pub url: Option<String>,
    /// Runs that a promotion takes.
    #[serde(deserialize_with = "field::between::<_, 1, 1_000_000>")]
    pub promote_runs: u64,
    /// Share of successes that a promotion takes.
    #[serde(deserialize_with = "field::share")]
    pub promote_success_rate: f64,
    /// The risk from which on nothing is promoted.
    #[serde(deserialize_with = "field::share")]
    pub promote_risk: f64,
    /// Days without a run after which a promotion is lost.
    #[serde(deserialize_with = "field::between::<_, 1, 36_500>")]
    pub unused_days: u64,
    /// The risk from which on a question carries a warning.
    #[serde(deserialize_with = "field::share")]
    pub warning_risk: f64,
    /// Runs from which on a bad record counts.
    #[serde(deserialize_with = "field::between::<_, 1, 1_000_000>")]
    pub warning_runs: u64,
    /// Share of successes below which a record is bad.
    #[serde(deserialize_with = "field::share")]
    pub warning_success_rate: f64,
    /// More runs than this are monitoring, if they come quickly enough.
    #[serde(deserialize_with = "field::between::<_, 1, 1_000_000>")]
    pub monitoring_runs: u64,
    /// Mean interval in seconds below which they do.
    #[serde(deserialize_with = "field::between::<_, 0, 86_400>")]
    pub monitoring_interval_seconds: u64,
    /// Mean interval in seconds above which a command is rare.
    #[serde(deserialize_with = "field::between::<_, 1, 31_536_000>")]
    pub rare_interval_seconds: u64,
    /// Milliseconds within which the same command is a duplicate.
    #[serde(deserialize_with = "field::between::<_, 0, 86_400_000>")]
    pub duplicate_threshold_ms: u64,
    /// The same for a rare command.
    #[serde(deserialize_with = "field::between::<_, 0, 86_400_000>")]
    pub rare_duplicate_threshold_ms: u64,
    /// Seconds for which a token stands that lets an approved command be run once.
    #[serde(deserialize_with = "field::between::<_, 1, 86_400>")]
    pub token_seconds: u64,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            enabled: true,
            url: None,
            promote_runs: 20,
            promote_success_rate: 0.95,
            promote_risk: 0.7,
            unused_days: 30,
            warning_risk: 0.7,
            warning_runs: 5,
            warning_success_rate: 0.5,
            monitoring_runs: 50,
            monitoring_interval_seconds: 5,
            rare_interval_seconds: 3600,
            duplicate_threshold_ms: 10_000,
            rare_duplicate_threshold_ms: 30_000,
            token_seconds: 300,
        }
    }
}
