//! One run of a command, as reported to the registry.

use guarda_core::policy::Origin;
use std::time::Duration;

use guarda_core::output::{Ended, Output};
use guarda_core::policy::{Finding, Hindrance, Verdict};

use super::identity::Identity;

/// A run that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedRun {
    /// The identity of the command.
    pub identity: Identity,
    /// When it ended.
    pub at: jiff::Timestamp,
    /// How it ended.
    pub end: RunEnd,
    /// The duration.
    pub duration: Duration,
    /// The risk by the rules alone, 0 to 1.
    pub risk: f64,
    /// The tags of the reasons.
    pub tags: Vec<String>,
    /// Whether the rules alone allowed it.
    pub allowed: bool,
    /// Why the rules permit no promotion from such a run; `None` if they do.
    pub held_back: Option<Hindrance>,
    /// Whether the session was tainted: then the run earns nothing.
    pub tainted: bool,
}

/// How a run ended. Only an exit status of zero is a success; a time-out is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// By itself, with this exit status.
    Exit(i32),
    /// It took too long and was ended.
    TimedOut,
    /// A signal ended it.
    Signal(i32),
    /// It could not be started.
    NotStarted,
}

impl RunEnd {
    /// The end that an output reports; `None` if nothing ran, or it was cancelled.
    #[must_use]
    pub fn of(output: &Output) -> Option<Self> {
        match &output.ended {
            Ended::Finished => output.exit_code.map(Self::Exit),
            Ended::NotFound(_) => Some(Self::Exit(127)),
            Ended::TimedOut => Some(Self::TimedOut),
            Ended::Signalled(number) => Some(Self::Signal(*number)),
            Ended::Failed(_) => Some(Self::NotStarted),
            Ended::Cancelled | Ended::NoPlayer | Ended::Unavailable(_) | Ended::Changed(_) => None,
        }
    }

    /// Whether it was a success.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Exit(0)
    }

    /// The key in `typical_exit_codes`.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Exit(status) => status.to_string(),
            Self::TimedOut => "timeout".to_owned(),
            Self::Signal(number) => format!("signal {number}"),
            Self::NotStarted => "not started".to_owned(),
        }
    }
}

/// The view of the rules alone: the risk, the tags, and whether they allow it. Claims of callers and findings of the
/// registry are left out, so that no run influences the next one.
#[must_use]
pub fn seen_by_rules(findings: &[Finding]) -> (f64, Vec<String>, bool) {
    let rules =
        || findings.iter().filter(|finding| !matches!(finding.origin, Origin::Caller | Origin::Registry));
    let risk = rules().map(|finding| finding.risk).fold(0.0, f32::max).clamp(0.0, 1.0);
    let mut tags: Vec<String> =
        rules().flat_map(|finding| finding.tags.iter().map(|tag| tag.name().to_owned())).collect();
    tags.sort_unstable();
    tags.dedup();
    let settled = findings.iter().any(|finding| {
        finding.origin == Origin::Registry && matches!(finding.rule.as_str(), "always-allow" | "auto-approve")
    });
    let allowed = !settled && rules().count() > 0 && rules().all(|finding| finding.verdict == Verdict::Allow);
    // Converted to f64, the rules' risk of 0.7 would be slightly below the threshold of 0.7.
    ((f64::from(risk) * 1e6).round() / 1e6, tags, allowed)
}
