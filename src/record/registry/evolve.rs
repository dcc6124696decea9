//! What runs make of a command's policy (feature B6). Pure: a record and the latest run in, a policy and its reason out.

use guarda_core::policy::history::Learned;

/// The thresholds: `[registry]` of the configuration.
pub use crate::config::Registry as Thresholds;

/// What is known of a command after a run was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The policy before this run.
    pub learned: Learned,
    /// All runs, this one included.
    pub runs: u64,
    /// All that ended well.
    pub successes: u64,
    /// Runs that may earn a promotion, since the last time one was lost.
    pub earned_runs: u64,
    /// Those of them that ended well.
    pub earned_successes: u64,
    /// The risk that the rules saw in this run.
    pub risk: f64,
    /// Seconds between the run before and this one; `None` for the first.
    pub gap_seconds: Option<f64>,
    /// Mean interval in seconds over the last hundred runs; `None` for the first.
    pub mean_interval: Option<f64>,
    /// Whether this run ended well.
    pub ended_well: bool,
    /// Whether the rules let it earn a promotion: nothing in it is destructive, privileged, unknown before it runs …
    pub may_earn: bool,
    /// Whether the session was tainted: such a run earns nothing.
    pub tainted: bool,
    /// Whether the rules let it through by themselves; then a bad record is no reason to ask.
    pub allowed: bool,
    /// Whether a person's standing word is in force; then nothing is promoted meanwhile.
    pub word: bool,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The policy from now on.
    pub learned: Learned,
    /// Why, where it is another one than before.
    pub reason: Option<Reason>,
    /// Whether what was earned is lost.
    pub starts_over: bool,
    /// Milliseconds within which the next run is a duplicate; `None`: not looked at (monitoring).
    pub duplicate_ms: Option<u64>,
}

/// Why a policy changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It ran well often enough.
    Promoted,
    /// It failed after it was promoted.
    Failed,
    /// It was not used for too long.
    Unused,
    /// The rules no longer let it earn a promotion.
    HeldBack,
    /// The rules see a high risk in it.
    HighRisk,
    /// It failed too often.
    BadRecord,
    /// Neither holds any more.
    Recovered,
}

impl Reason {
    /// The reason in the database.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Promoted => "promoted: it ran well often enough",
            Self::Failed => "fell back: it failed after it was promoted",
            Self::Unused => "fell back: it was not used for too long",
            Self::HeldBack => "fell back: the rules no longer let it be promoted",
            Self::HighRisk => "warned of: high risk",
            Self::BadRecord => "warned of: it failed too often",
            Self::Recovered => "no longer warned of",
        }
    }
}

/// Applies the rules to a record.
#[must_use]
pub fn evolve(record: &Record, thresholds: &Thresholds) -> Change {
    let (learned, reason) = policy(record, thresholds);
    let starts_over = record.learned == Learned::AutoApprove && learned != Learned::AutoApprove;
    let reason = reason.filter(|_| learned != record.learned);
    Change { learned, reason, starts_over, duplicate_ms: duplicate(record, thresholds) }
}

fn policy(record: &Record, thresholds: &Thresholds) -> (Learned, Option<Reason>) {
    let promoted = record.learned == Learned::AutoApprove;
    if promoted && !record.ended_well {
        return (Learned::Ask, Some(Reason::Failed));
    }
    if record.risk >= thresholds.warning_risk {
        return (Learned::AskWarning, Some(Reason::HighRisk));
    }
    let bad = record.runs >= thresholds.warning_runs
        && rate(record.successes, record.runs) < thresholds.warning_success_rate;
    if bad && !record.allowed {
        return (Learned::AskWarning, Some(Reason::BadRecord));
    }
    match record.learned {
        Learned::AskWarning => (Learned::Ask, Some(Reason::Recovered)),
        Learned::AutoApprove if record.gap_seconds.is_some_and(|gap| is_unused(gap, thresholds)) => {
            (Learned::Ask, Some(Reason::Unused))
        }
        Learned::AutoApprove if !record.may_earn || record.risk >= thresholds.promote_risk => {
            (Learned::Ask, Some(Reason::HeldBack))
        }
        Learned::AutoApprove => (Learned::AutoApprove, None),
        Learned::Ask if earned(record, thresholds) => (Learned::AutoApprove, Some(Reason::Promoted)),
        Learned::Ask => (Learned::Ask, None),
    }
}

fn earned(record: &Record, thresholds: &Thresholds) -> bool {
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

/// Whether a promotion is lost by not having been used for so many seconds.
#[must_use]
pub fn is_unused(seconds: f64, thresholds: &Thresholds) -> bool {
    seconds > self::seconds(thresholds.unused_days.saturating_mul(86_400))
}

fn duplicate(record: &Record, thresholds: &Thresholds) -> Option<u64> {
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

/// The share of successes, 0 to 1; 0 where nothing ran.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
pub fn rate(successes: u64, runs: u64) -> f64 {
    if runs == 0 { 0.0 } else { successes as f64 / runs as f64 }
}

/// The times in `last_100_timestamps`, in seconds; what is no number is left out.
#[must_use]
pub fn stamps(text: &str) -> Vec<i64> {
    text.split(';').filter_map(|stamp| stamp.trim().parse().ok()).collect()
}

/// The mean interval in seconds over such times; `None` for fewer than two.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "seconds since 1970 stay far below 2^52")]
pub fn mean_interval(stamps: &[i64]) -> Option<f64> {
    let (first, last) = (stamps.first()?, stamps.last()?);
    let gaps = stamps.len().checked_sub(1).filter(|gaps| *gaps > 0)?;
    Some((last.saturating_sub(*first).max(0)) as f64 / gaps as f64)
}

#[cfg(test)]
mod tests;
