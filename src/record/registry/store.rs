//! Where the registry is kept: one trait, a file of SQLite or a shared PostgreSQL behind it.

use guarda_core::policy::history::{Learned, Standing, Word};

use super::evolve::{Change, Thresholds};
use super::identity::Identity;
use super::run::Run;

/// A place in which commands and their runs are kept. Its methods wait for the place; they are called on one thread.
pub trait Store: Send {
    /// What is known of a command.
    ///
    /// # Errors
    /// [`StoreError`]
    fn look(&mut self, identity: &Identity) -> Result<Known, StoreError>;

    /// Counts a run and lets the policy evolve, in one transaction. What it returns is on disk.
    ///
    /// # Errors
    /// [`StoreError`]: then nothing was counted.
    fn note(&mut self, run: &Run, thresholds: &Thresholds) -> Result<Change, StoreError>;

    /// Stores a person's standing word about a command, or takes it back; the command need not have run.
    ///
    /// # Errors
    /// [`StoreError`]: then nothing was stored.
    fn say(
        &mut self,
        identity: &Identity,
        word: Option<&Word>,
        at: jiff::Timestamp,
    ) -> Result<(), StoreError>;

    /// The same about a command of the registry, by its hash. False: there is none.
    ///
    /// # Errors
    /// [`StoreError`]: then nothing was stored.
    fn say_of(&mut self, hash: &str, word: Option<&Word>, at: jiff::Timestamp) -> Result<bool, StoreError>;

    /// Forgets what was learned of a command and what was said of it. False: there is none.
    ///
    /// # Errors
    /// [`StoreError`]: then nothing was forgotten.
    fn forget(&mut self, hash: &str) -> Result<bool, StoreError>;

    /// Rows for people, in the order and number asked for.
    ///
    /// # Errors
    /// [`StoreError`]
    fn list(&mut self, wanted: &Wanted) -> Result<Vec<Row>, StoreError>;

    /// Hands every row to `take`, in the order of the hashes. `take` says whether to go on.
    ///
    /// # Errors
    /// [`StoreError`]
    fn each(&mut self, take: &mut dyn FnMut(Row) -> bool) -> Result<(), StoreError>;

    /// Sums over everything.
    ///
    /// # Errors
    /// [`StoreError`]
    fn totals(&mut self) -> Result<Totals, StoreError>;

    /// Stores a one-time token by its hash, and forgets those that have expired.
    ///
    /// # Errors
    /// [`StoreError`]: then there is no token.
    fn keep_token(&mut self, token: &TokenRow, now: jiff::Timestamp) -> Result<(), StoreError>;

    /// Uses a token up, for exactly one caller, and only before it expires: who said yes.
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
    /// What is there is damaged.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// It can be read and not written.
    #[error("it cannot be written: {0}")]
    ReadOnly(String),
    /// It is not there, or not any more.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// It was made by a newer version.
    #[error(
        "it was made by a newer version of guarda (schema {found}, this one knows {known}); update guarda"
    )]
    Newer {
        /// The version found.
        found: i64,
        /// The newest version known.
        known: i64,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

/// What a look-up finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// This very command, here.
    pub here: Option<Here>,
    /// The strictest restriction on the same words anywhere.
    pub anywhere: Option<Word>,
}

/// What a look-up finds of this very command.
#[derive(Debug, Clone, PartialEq)]
pub struct Here {
    /// Its policy.
    pub learned: Learned,
    /// A person's standing word.
    pub word: Option<Word>,
    /// Its runs.
    pub runs: u64,
    /// Those that ended well.
    pub successes: u64,
    /// When it ran last, in milliseconds since 1970; `None`: not yet.
    pub last_ms: Option<i64>,
    /// Milliseconds within which it is a duplicate; `None`: not looked at.
    pub duplicate_ms: Option<u64>,
}

/// Which rows are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Which kind.
    pub which: Which,
    /// The most rows; 0 for all of them.
    pub most: u64,
}

/// Kinds of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// All, the most frequent first.
    All,
    /// One, by its hash or the beginning of it.
    Hash(String),
    /// The same words, wherever they run.
    SameWords(String),
    /// Those about which a person gave a standing word.
    Said,
    /// Those of this policy.
    Learned(Learned),
    /// Risk 0.7 or more, the riskiest first (the seed's view `high_risk_commands`).
    HighRisk,
    /// Those that the seed's conditions would promote (its view `promotion_candidates`).
    Candidates,
    /// More than ten runs (the seed's query), the most frequent first.
    Frequent,
    /// Those whose text contains this.
    Containing(String),
}

/// A row of the registry, for people.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Row {
    /// SHA-256 in hexadecimal.
    pub command_hash: String,
    /// The command line, secrets hidden.
    pub command_text: String,
    /// Where it runs.
    pub folder: String,
    /// Under which profile.
    pub profile: String,
    /// SHA-256 over the programs' files.
    pub program_digest: String,
    /// SHA-256 of the words alone.
    pub argv_hash: String,
    /// Unix seconds.
    pub first_seen: i64,
    /// Unix seconds.
    pub last_executed: Option<i64>,
    /// Runs.
    pub execution_count: u64,
    /// Those that ended well.
    pub success_count: u64,
    /// Those that did not.
    pub failure_count: u64,
    /// Failures by time-out.
    pub timeout_count: u64,
    /// Failures by a signal.
    pub signal_count: u64,
    /// Mean duration.
    pub avg_duration_ms: f64,
    /// Shortest duration.
    pub min_duration_ms: Option<i64>,
    /// Longest duration.
    pub max_duration_ms: Option<i64>,
    /// `auto_approve`, `ask` or `ask_warning`.
    pub current_policy: String,
    /// Why.
    pub policy_reason: Option<String>,
    /// Unix seconds.
    pub policy_last_updated: Option<i64>,
    /// Unix seconds.
    pub promoted_at: Option<i64>,
    /// `always_allow`, `always_ask` or `never`.
    pub user_override: Option<String>,
    /// Why.
    pub user_override_reason: Option<String>,
    /// Unix seconds.
    pub user_override_at: Option<i64>,
    /// Who.
    pub user_override_by: Option<String>,
    /// Milliseconds.
    pub duplicate_threshold_ms: i64,
    /// Whether duplicates are looked for.
    pub duplicate_check_enabled: bool,
    /// A JSON array.
    pub tags: String,
    /// 0 to 1.
    pub risk_score: f64,
    /// Unix seconds, `;` between them.
    pub last_100_timestamps: Option<String>,
    /// A JSON map: exit status → how often.
    pub typical_exit_codes: String,
    /// A JSON array.
    pub common_errors: String,
    /// Runs that may earn a promotion, since one was lost.
    pub earned_runs: u64,
    /// Those that ended well.
    pub earned_successes: u64,
    /// Why the last run earned nothing.
    pub held_back: Option<String>,
}

/// Sums over the registry.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Totals {
    /// Commands.
    pub commands: u64,
    /// Runs.
    pub runs: u64,
    /// Runs that ended well.
    pub successes: u64,
    /// Commands that are not asked any more.
    pub auto_approve: u64,
    /// Commands that are asked.
    pub ask: u64,
    /// Commands that are asked with a warning.
    pub ask_warning: u64,
    /// Commands with the word `always_allow`.
    pub always_allow: u64,
    /// Commands with the word `always_ask`.
    pub always_ask: u64,
    /// Commands with the word `never`.
    pub never: u64,
    /// Commands of risk 0.7 or more.
    pub high_risk: u64,
}

/// A one-time token as it is stored: by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// SHA-256 of the token in hexadecimal.
    pub token_hash: String,
    /// What it is for, as [`super::Bound`] says it.
    pub command_hash: String,
    /// Who said yes.
    pub by: String,
    /// When.
    pub at: jiff::Timestamp,
    /// Until when.
    pub until: jiff::Timestamp,
}

/// The stricter of two words.
#[must_use]
pub fn stricter(one: Option<Word>, other: Option<Word>) -> Option<Word> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.standing > one.standing { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// A standing word of the database's columns.
#[must_use]
pub(super) fn word(standing: Option<String>, reason: Option<String>, by: Option<String>) -> Option<Word> {
    Some(Word { standing: Standing::named(&standing?), reason, by })
}

/// Under which key of the table `schema_metadata` an anchor stands.
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
