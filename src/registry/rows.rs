//! The registry's answers: a command's entry for the judge, and rows for people.

use guarda_core::policy::history::{Learned, Override};
use guarda_journal::Grants;

/// The registry's knowledge of a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownCommand {
    /// The entry of exactly this command in this folder.
    pub here: Option<Here>,
    /// The strictest restriction on the same words in any folder.
    pub anywhere: Option<Override>,
}

/// The entry of exactly this command.
#[derive(Debug, Clone, PartialEq)]
pub struct Here {
    /// Its policy.
    pub learned: Learned,
    /// A person's override.
    pub user_override: Option<Override>,
    /// The number of runs.
    pub runs: u64,
    /// The number of successful runs.
    pub successes: u64,
    /// The time of the last run, in milliseconds since 1970; `None` if there was none.
    pub last_ms: Option<i64>,
    /// The interval within which it is a duplicate, in milliseconds; `None` if duplicates are ignored.
    pub duplicate_ms: Option<u64>,
}

/// Selects rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowQuery {
    /// The kind.
    pub which: Which,
    /// The greatest number of rows; 0 for all.
    pub most: u64,
}

/// Kinds of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// All, most frequent first.
    All,
    /// One, by its hash or a prefix of it.
    Hash(String),
    /// The same words in any folder.
    SameWords(String),
    /// Those with an override.
    Said,
    /// Those with this policy.
    Learned(Learned),
    /// Risk 0.7 or more, highest first (the view `high_risk_commands` of feature B1).
    HighRisk,
    /// Those that are close to promotion (the view `promotion_candidates` of feature B1).
    Candidates,
    /// More than ten runs, most frequent first.
    Frequent,
    /// Those whose text contains this.
    Containing(String),
}

/// A row of the registry, for display. It is read in the order of [`COLUMNS`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Row {
    /// SHA-256 in hexadecimal.
    pub command_hash: String,
    /// The command line, secrets hidden.
    pub command_text: String,
    /// Its folder.
    pub folder: String,
    /// Its profile.
    pub profile: String,
    /// SHA-256 over the files of its programs.
    pub program_digest: String,
    /// SHA-256 of its words alone.
    pub argv_hash: String,
    /// The first run, in Unix seconds.
    pub first_seen: i64,
    /// The last run, in Unix seconds.
    pub last_executed: Option<i64>,
    /// The number of runs.
    pub execution_count: u64,
    /// The number of successful runs.
    pub success_count: u64,
    /// The number of failed runs.
    pub failure_count: u64,
    /// The number of time-outs.
    pub timeout_count: u64,
    /// The number of runs that a signal ended.
    pub signal_count: u64,
    /// The mean duration in milliseconds.
    pub avg_duration_ms: f64,
    /// The shortest duration in milliseconds.
    pub min_duration_ms: Option<i64>,
    /// The longest duration in milliseconds.
    pub max_duration_ms: Option<i64>,
    /// `auto_approve`, `ask` or `ask_warning`.
    pub current_policy: String,
    /// Why the policy is this one.
    pub policy_reason: Option<String>,
    /// The last change of the policy, in Unix seconds.
    pub policy_last_updated: Option<i64>,
    /// The promotion, in Unix seconds.
    pub promoted_at: Option<i64>,
    /// The override: `always_allow`, `always_ask` or `never`.
    pub user_override: Option<String>,
    /// The reason of the override.
    pub user_override_reason: Option<String>,
    /// The time of the override, in Unix seconds.
    pub user_override_at: Option<i64>,
    /// Who set the override.
    pub user_override_by: Option<String>,
    /// The interval within which it is a duplicate, in milliseconds.
    pub duplicate_threshold_ms: i64,
    /// Whether duplicates are detected.
    #[serde(deserialize_with = "flag")]
    pub duplicate_check_enabled: bool,
    /// The tags, as a JSON array.
    pub tags: String,
    /// The risk, 0 to 1.
    pub risk_score: f64,
    /// The times of the last runs, in Unix seconds, separated by `;`.
    pub last_100_timestamps: Option<String>,
    /// A JSON map from exit status to count.
    pub typical_exit_codes: String,
    /// The most frequent errors, as a JSON array.
    pub common_errors: String,
    /// The runs since the last demotion that may earn a promotion.
    pub earned_runs: u64,
    /// The successful ones among them.
    pub earned_successes: u64,
    /// Why the last run earned nothing.
    pub held_back: Option<String>,
}

impl Row {
    /// The permissions that the entry claims.
    #[must_use]
    pub fn claims(&self) -> Grants {
        let stored = [self.user_override.as_deref(), Some(&self.current_policy)];
        let named = stored.into_iter().flatten().filter_map(|name| name.parse().ok());
        named.map(|grant| (self.command_hash.clone(), grant)).collect()
    }

    /// Whether the record has every permission that the entry claims.
    #[must_use]
    pub fn counts(&self, grants: &Grants) -> bool {
        self.claims().is_subset(grants)
    }
}

/// Totals over the registry, in the order of `totals.sql`.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Totals {
    /// The number of commands.
    pub commands: u64,
    /// The number of runs.
    pub runs: u64,
    /// The number of successful runs.
    pub successes: u64,
    /// Commands that need no question.
    pub auto_approve: u64,
    /// Commands with a question.
    pub ask: u64,
    /// Commands with a question and a warning.
    pub ask_warning: u64,
    /// Commands with the override `always_allow`.
    pub always_allow: u64,
    /// Commands with the override `always_ask`.
    pub always_ask: u64,
    /// Commands with the override `never`.
    pub never: u64,
    /// Commands of risk 0.7 or more.
    pub high_risk: u64,
}

/// The columns of a [`Row`], in its order.
pub(super) const COLUMNS: &str = "command_hash, command_text, folder, profile, program_digest, argv_hash, first_seen, \
    last_executed, execution_count, success_count, failure_count, timeout_count, signal_count, avg_duration_ms, \
    min_duration_ms, max_duration_ms, current_policy, policy_reason, policy_last_updated, promoted_at, user_override, \
    user_override_reason, user_override_at, user_override_by, duplicate_threshold_ms, duplicate_check_enabled, tags, \
    risk_score, last_100_timestamps, typical_exit_codes, common_errors, earned_runs, earned_successes, held_back";

impl Which {
    /// Condition, its value as `?1`, and order.
    pub(super) fn sql(&self) -> (&'static str, Option<String>, &'static str) {
        const FREQUENT: &str = "execution_count DESC, command_hash";
        match self {
            Self::All => ("1 = 1", None, FREQUENT),
            Self::Hash(hash) => (
                "command_hash >= ?1 AND command_hash < ?1 || 'g'",
                Some(hash.to_ascii_lowercase()),
                "command_hash",
            ),
            Self::SameWords(hash) => ("argv_hash = ?1", Some(hash.clone()), FREQUENT),
            Self::Said => ("user_override IS NOT NULL", None, "user_override_at DESC, command_hash"),
            Self::Learned(learned) => ("current_policy = ?1", Some(learned.name().to_owned()), FREQUENT),
            Self::HighRisk => {
                ("risk_score >= 0.7", None, "risk_score DESC, execution_count DESC, command_hash")
            }
            Self::Candidates => {
                ("command_hash IN (SELECT command_hash FROM promotion_candidates)", None, FREQUENT)
            }
            Self::Frequent => ("execution_count > 10", None, FREQUENT),
            Self::Containing(text) => {
                ("REPLACE(command_text, ?1, '') <> command_text", Some(text.clone()), FREQUENT)
            }
        }
    }
}

/// A column that is 1 or 0.
fn flag<'de, D: serde::Deserializer<'de>>(column: D) -> Result<bool, D::Error> {
    serde::Deserialize::deserialize(column).map(|number: i64| number != 0)
}
