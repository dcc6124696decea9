//! The learned policy of a command (feature B6). Pure: a record and the latest run in, a policy and its reason out.

use guarda_core::policy::history::Learned;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The thresholds: `[registry]` of the configuration.
pub use crate::config::RegistrySection as Thresholds;

/// A command's record after a run was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandRecord {
    /// The policy before this run.
    pub learned: Learned,
    /// All runs, including this one.
    pub runs: u64,
    /// All successful runs.
    pub successes: u64,
    /// Runs since the last demotion that may earn a promotion.
    pub earned_runs: u64,
    /// The successful ones among them.
    pub earned_successes: u64,
    /// The risk of this run by the rules.
    pub risk: f64,
    /// Seconds since the previous run; `None` for the first.
    pub gap_seconds: Option<f64>,
    /// Mean interval in seconds over the last hundred runs; `None` for the first.
    pub mean_interval: Option<f64>,
    /// Whether this run was a success.
    pub ended_well: bool,
    /// Whether the rules let it earn a promotion: nothing in it is destructive, privileged, unknown before run time …
    pub may_earn: bool,
    /// Whether the session was tainted: such a run earns nothing.
    pub tainted: bool,
    /// Whether the rules alone allowed it; then a bad record is no reason to ask.
    pub allowed: bool,
    /// Whether an override applies; then nothing is promoted.
    pub word: bool,
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyChange {
    /// The new policy.
    pub learned: Learned,
    /// The reason, if the policy changed.
    pub reason: Option<ChangeReason>,
    /// Whether the earned runs are lost.
    pub starts_over: bool,
    /// The interval within which the next run is a duplicate, in milliseconds; `None` if duplicates are ignored
    /// (monitoring).
    pub duplicate_ms: Option<u64>,
}

/// Why a policy changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeReason {
    /// It succeeded often enough.
    #[strum(serialize = "promoted: it ran well often enough")]
    Promoted,
    /// It failed after its promotion.
    #[strum(serialize = "fell back: it failed after it was promoted")]
    Failed,
    /// It was not used for too long.
    #[strum(serialize = "fell back: it was not used for too long")]
    Unused,
    /// The rules no longer let it earn a promotion.
    #[strum(serialize = "fell back: the rules no longer let it be promoted")]
    HeldBack,
    /// The rules see a high risk in it.
    #[strum(serialize = "warned of: high risk")]
    HighRisk,
    /// It failed too often.
    #[strum(serialize = "warned of: it failed too often")]
    BadRecord,
    /// Neither applies any more.
    #[strum(serialize = "no longer warned of")]
    Recovered,
}

impl ChangeReason {
    /// The reason in the database.
    #[must_use]
    pub fn text(self) -> &'static str {
        self.into()
    }
}

/// Applies the rules to a record.
#[must_use]
pub fn evolve(record: &CommandRecord, thresholds: &Thresholds) -> PolicyChange {
    let (learned, reason) = policy(record, thresholds);
    let starts_over = record.learned == Learned::AutoApprove && learned != Learned::AutoApprove;
    let reason = reason.filter(|_| learned != record.learned);
    PolicyChange { learned, reason, starts_over, duplicate_ms: duplicate(record, thresholds) }
}

fn policy(record: &CommandRecord, thresholds: &Thresholds) -> (Learned, Option<ChangeReason>) {
    let promoted = record.learned == Learned::AutoApprove;
    if promoted && !record.ended_well {
        return (Learned::Ask, Some(ChangeReason::Failed));
    }
    if record.risk >= thresholds.warning_risk {
        return (Learned::AskWarning, Some(ChangeReason::HighRisk));
    }
    let bad = record.runs >= thresholds.warning_runs
        && rate(record.successes, record.runs) < thresholds.warning_success_rate;
    if bad && !record.allowed {
        return (Learned::AskWarning, Some(ChangeReason::BadRecord));
    }
    match record.learned {
        Learned::AskWarning => (Learned::Ask, Some(ChangeReason::Recovered)),
        Learned::AutoApprove if record.gap_seconds.is_some_and(|gap| is_unused(gap, thresholds)) => {
            (Learned::Ask, Some(ChangeReason::Unused))
        }
        Learned::AutoApprove if !record.may_earn || record.risk >= thresholds.promote_risk => {
            (Learned::Ask, Some(ChangeReason::HeldBack))
        }
        Learned::AutoApprove => (Learned::AutoApprove, None),
        Learned::Ask if earned(record, thresholds) => (Learned::AutoApprove, Some(ChangeReason::Promoted)),
        Learned::Ask => (Learned::Ask, None),
    }
}

fn earned(record: &CommandRecord, thresholds: &Thresholds) -> bool {
    let enough = |runs: u64, successes: u64| {
        runs >= thresholds.promote_runs && rate(successes, runs) >= thresholds.promote_success_rate
    };
    record.may_earn
        && !record.tainted
        && record.ended_well
        && !record.word
        && record.risk < thresholds.promote_risk
        && enough(record.runs, record.successes)
        && enough(record.earned_runs, record.earned_successes)
}

/// Whether a promotion is lost after this many seconds without a run.
#[must_use]
pub fn is_unused(seconds: f64, thresholds: &Thresholds) -> bool {
    seconds > self::seconds(thresholds.unused_days.saturating_mul(86_400))
}

fn duplicate(record: &CommandRecord, thresholds: &Thresholds) -> Option<u64> {
    match record.mean_interval {
        Some(mean)
            if record.runs > thresholds.monitoring_runs
                && mean < seconds(thresholds.monitoring_interval_seconds) =>
        {
            None
        }
        Some(mean) if mean > seconds(thresholds.rare_interval_seconds) => {
            Some(thresholds.rare_duplicate_threshold_ms)
        }
        _ => Some(thresholds.duplicate_threshold_ms),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a configured number of seconds is small")]
fn seconds(whole: u64) -> f64 {
    whole as f64
}

/// The share of successes, 0 to 1; 0 if nothing ran.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
pub fn rate(successes: u64, runs: u64) -> f64 {
    if runs == 0 { 0.0 } else { successes as f64 / runs as f64 }
}

/// The times in `last_100_timestamps`, in seconds; invalid ones are left out.
#[must_use]
pub fn stamps(text: &str) -> Vec<i64> {
    text.split(';').filter_map(|stamp| stamp.trim().parse().ok()).collect()
}

/// The mean interval between the times, in seconds; `None` for fewer than two.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "seconds since 1970 stay far below 2^52")]
pub fn mean_interval(stamps: &[i64]) -> Option<f64> {
    let (first, last) = (stamps.first()?, stamps.last()?);
    let gaps = stamps.len().checked_sub(1).filter(|gaps| *gaps > 0)?;
    Some((last.saturating_sub(*first).max(0)) as f64 / gaps as f64)
}

#[cfg(test)]
mod tests;
