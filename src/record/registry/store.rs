//! The store of the registry: one trait, implemented for SQLite and a shared PostgreSQL.

use guarda_core::policy::history::{Learned, Override, OverrideKind};

use super::evolve::{Change, Thresholds};
use super::identity::Identity;
use super::run::Run;

/// A store of commands and their runs. Its methods block; they are called on one thread.
pub trait Store: Send {
    /// What is known of a command.
    ///
    /// # Errors
    /// [`StoreError`]
    fn look(&mut self, identity: &Identity) -> Result<Known, StoreError>;

    /// Counts a run and updates the policy, in one transaction. The returned change is on disk.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was counted.
    fn note(&mut self, run: &Run, thresholds: &Thresholds) -> Result<Change, StoreError>;

    /// Sets or removes a person's override; the command need not have run.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was stored.
    fn say(
        &mut self,
        identity: &Identity,
        word: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<(), StoreError>;

    /// The same for a command of the registry, by its hash. False if there is none.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was stored.
    fn say_of(
        &mut self,
        hash: &str,
        word: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<bool, StoreError>;

    /// Forgets a command's override and what was learned. False if there is none.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was forgotten.
    fn forget(&mut self, hash: &str) -> Result<bool, StoreError>;

    /// Rows for display, in the requested order and number.
    ///
    /// # Errors
    /// [`StoreError`]
    fn list(&mut self, wanted: &Wanted) -> Result<Vec<Row>, StoreError>;

    /// Passes every row to `take`, in the order of the hashes. `take` returns whether to continue.
    ///
    /// # Errors
    /// [`StoreError`]
    fn each(&mut self, take: &mut dyn FnMut(Row) -> bool) -> Result<(), StoreError>;

    /// Totals over everything.
    ///
    /// # Errors
    /// [`StoreError`]
    fn totals(&mut self) -> Result<Totals, StoreError>;

    /// Stores a one-time token by its hash, and deletes expired ones.
    ///
    /// # Errors
    /// [`StoreError`]: there is no token.
    fn keep_token(&mut self, token: &TokenRow, now: jiff::Timestamp) -> Result<(), StoreError>;

    /// Uses a token up, for exactly one caller, before its expiry. Returns who said yes.
    ///
    /// # Errors
    /// [`StoreError`]: then it was not used.
    fn spend_token(
        &mut self,
        token_hash: &str,
        command_hash: &str,
        now: jiff::Timestamp,
    ) -> Result<Option<String>, StoreError>;

    /// Takes promotions back that were not used for too long. Returns how many.
    ///
    /// # Errors
    /// [`StoreError`]
    fn tidy(&mut self, now: jiff::Timestamp, thresholds: &Thresholds) -> Result<u64, StoreError>;

    /// The anchor of the record that this key signs; `None` where there is none.
    ///
    /// # Errors
    /// [`StoreError`]
    fn anchor(&mut self, key: &str) -> Result<Option<String>, StoreError>;

    /// Stores the anchor of the record that this key signs.
    ///
    /// # Errors
    /// [`StoreError`]: then the one before stands.
    fn keep_anchor(&mut self, key: &str, anchor: &str) -> Result<(), StoreError>;

    /// Removes every command, every word and every token; the anchor of the record stays. Returns how many commands there were.
    ///
    /// # Errors
    /// [`StoreError`]
    fn clear(&mut self) -> Result<u64, StoreError>;
}

/// Why the place did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else held it for too long.
    #[error("it is locked by another program; end that program, or wait")]
    Locked,
    /// The content is damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// It can be read but not written.
    #[error("it cannot be written: {0}")]
    ReadOnly(String),
    /// It is missing.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// A newer version created it.
    #[error(
        "it was made by a newer version of guarda (schema {found}, this one knows {known}); update guarda"
    )]
    Newer {
        /// Its version.
        found: i64,
        /// The newest known version.
        known: i64,
    },
    /// Another error.
    #[error("{0}")]
    Other(String),
}

/// The result of a look-up.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// Exactly this command, in this folder.
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
pub struct Wanted {
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

/// A row of the registry, for display.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
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

/// Totals over the registry.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
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

/// A one-time token as stored: by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// SHA-256 of the token in hexadecimal.
    pub token_hash: String,
    /// What it is bound to, as [`super::Bound`] says.
    pub command_hash: String,
    /// Who said yes.
    pub by: String,
    /// The time of issue.
    pub at: jiff::Timestamp,
    /// The expiry.
    pub until: jiff::Timestamp,
}

/// The stricter of two overrides.
#[must_use]
pub fn stricter(one: Option<Override>, other: Option<Override>) -> Option<Override> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.kind > one.kind { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// An override from the database's columns.
#[must_use]
pub(super) fn word(standing: Option<String>, reason: Option<String>, by: Option<String>) -> Option<Override> {
    Some(Override { kind: OverrideKind::named(&standing?), reason, by })
}

/// The key of an anchor in the table `schema_metadata`.
pub(super) fn anchor_key(key: &str) -> String {
    format!("anchor:{key}")
}

/// The columns of a [`Row`], in its order.
pub(super) const COLUMNS: &str = "command_hash, command_text, folder, profile, program_digest, argv_hash, first_seen, \
    last_executed, execution_count, success_count, failure_count, timeout_count, signal_count, avg_duration_ms, \
    min_duration_ms, max_duration_ms, current_policy, policy_reason, policy_last_updated, promoted_at, user_override, \
    user_override_reason, user_override_at, user_override_by, duplicate_threshold_ms, duplicate_check_enabled, tags, \
    risk_score, last_100_timestamps, typical_exit_codes, common_errors, earned_runs, earned_successes, held_back";

/// The query of [`Totals`], in its order.
pub(super) const TOTALS: &str = "SELECT COUNT(*), CAST(COALESCE(SUM(execution_count), 0) AS BIGINT), \
    CAST(COALESCE(SUM(success_count), 0) AS BIGINT), \
    COUNT(CASE WHEN current_policy = 'auto_approve' THEN 1 END), COUNT(CASE WHEN current_policy = 'ask' THEN 1 END), \
    COUNT(CASE WHEN current_policy = 'ask_warning' THEN 1 END), \
    COUNT(CASE WHEN user_override = 'always_allow' THEN 1 END), \
    COUNT(CASE WHEN user_override = 'always_ask' THEN 1 END), COUNT(CASE WHEN user_override = 'never' THEN 1 END), \
    COUNT(CASE WHEN risk_score >= 0.7 THEN 1 END) FROM commands_registry";

impl Which {
    /// Condition, its value as `$1`, and order; the same in both backends.
    pub(super) fn sql(&self) -> (&'static str, Option<String>, &'static str) {
        const FREQUENT: &str = "execution_count DESC, command_hash";
        match self {
            Self::All => ("1 = 1", None, FREQUENT),
            Self::Hash(hash) => (
                "command_hash >= $1 AND command_hash < $1 || 'g'",
                Some(hash.to_ascii_lowercase()),
                "command_hash",
            ),
            Self::SameWords(hash) => ("argv_hash = $1", Some(hash.clone()), FREQUENT),
            Self::Said => ("user_override IS NOT NULL", None, "user_override_at DESC, command_hash"),
            Self::Learned(learned) => ("current_policy = $1", Some(learned.name().to_owned()), FREQUENT),
            Self::HighRisk => {
                ("risk_score >= 0.7", None, "risk_score DESC, execution_count DESC, command_hash")
            }
            Self::Candidates => {
                ("command_hash IN (SELECT command_hash FROM promotion_candidates)", None, FREQUENT)
            }
            Self::Frequent => ("execution_count > 10", None, FREQUENT),
            Self::Containing(text) => {
                ("REPLACE(command_text, $1, '') <> command_text", Some(text.clone()), FREQUENT)
            }
        }
    }
}
