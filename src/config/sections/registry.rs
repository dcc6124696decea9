//! `[registry]`: the thresholds of the registry of commands.

use serde::{Deserialize, Serialize};

use crate::config::field;

/// `[registry]`: where commands are remembered, and what their runs lead to. The defaults are those of feature B6.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegistrySection {
    /// Whether commands are remembered. If not, overrides do not apply either.
    pub enabled: bool,
    /// A PostgreSQL database that several hosts share, as `postgres://user@host/database`; default: the file
    /// `command_security.db` in the state folder.
    #[serde(deserialize_with = "field::postgres")]
    pub url: Option<String>,
    /// How many runs a promotion requires.
    #[serde(deserialize_with = "field::between::<_, 1, 1_000_000>")]
    pub promote_runs: u64,
    /// The share of successful runs that a promotion requires.
    #[serde(deserialize_with = "field::share")]
    pub promote_success_rate: f64,
    /// The risk from which nothing is promoted.
    #[serde(deserialize_with = "field::share")]
    pub promote_risk: f64,
    /// Days without a run after which a promotion is lost.
    #[serde(deserialize_with = "field::between::<_, 1, 36_500>")]
    pub unused_days: u64,
    /// The risk from which a question carries a warning.
    #[serde(deserialize_with = "field::share")]
    pub warning_risk: f64,
    /// The number of runs from which a bad record counts.
    #[serde(deserialize_with = "field::between::<_, 1, 1_000_000>")]
    pub warning_runs: u64,
    /// The share of successful runs below which a record is bad.
    #[serde(deserialize_with = "field::share")]
    pub warning_success_rate: f64,
    /// A command with more runs than this may count as monitoring.
    #[serde(deserialize_with = "field::between::<_, 1, 1_000_000>")]
    pub monitoring_runs: u64,
    /// The mean interval below which it counts as monitoring, in seconds.
    #[serde(deserialize_with = "field::between::<_, 0, 86_400>")]
    pub monitoring_interval_seconds: u64,
    /// The mean interval above which a command is rare, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 31_536_000>")]
    pub rare_interval_seconds: u64,
    /// The interval within which the same command is a duplicate, in milliseconds.
    #[serde(deserialize_with = "field::between::<_, 0, 86_400_000>")]
    pub duplicate_threshold_ms: u64,
    /// The same for a rare command.
    #[serde(deserialize_with = "field::between::<_, 0, 86_400_000>")]
    pub rare_duplicate_threshold_ms: u64,
    /// How long a one-time token for an approved command is valid, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 86_400>")]
    pub token_seconds: u64,
}

impl Default for RegistrySection {
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
