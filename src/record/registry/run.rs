//! One run of a command, as it is told to the registry.

use std::time::Duration;

use guarda_core::output::{Ended, Output};
use guarda_core::policy::{Finding, Verdict};

use super::identity::Identity;

/// A run that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Which command it was.
    pub identity: Identity,
    /// When it ended.
    pub at: jiff::Timestamp,
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub duration: Duration,
    /// The risk that the rules saw in it, 0 to 1.
    pub risk: f64,
    /// The tags of the reasons.
    pub tags: Vec<String>,
    /// Whether the rules let it through by themselves.
    pub allowed: bool,
    /// Why the rules let such a run earn no promotion; `None` where they do.
    pub held_back: Option<String>,
    /// Whether the session had taken in text from outside, or secrets: then the run earns nothing.
    pub tainted: bool,
}

/// How a run ended. Only an exit status of zero is a success (defect of the seed's project: a time-out counted as one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit status.
    Exit(i32),
    /// It took too long and was ended.
    TimedOut,
    /// A signal ended it.
    Signal(i32),
    /// It could not be started.
    NotStarted,
}

impl End {
    /// How an output says that it ended; `None` where nothing ran, or where it was called off.
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

    /// Whether it ended well.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Exit(0)
    }

    /// The key under which it is counted in `typical_exit_codes`.
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

/// What the rules alone say of it: the risk, the tags, and whether they let it through. What callers claim and what the
/// registry itself adds is left out, so that no run makes the next one look worse or better.
#[must_use]
pub fn seen_by_rules(findings: &[Finding]) -> (f64, Vec<String>, bool) {
    let rules = || findings.iter().filter(|finding| !matches!(finding.layer.as_str(), "caller" | "registry"));
    let risk = rules().map(|finding| finding.risk).fold(0.0, f32::max).clamp(0.0, 1.0);
    let mut tags: Vec<String> = rules().flat_map(|finding| finding.tags.iter().cloned()).collect();
    tags.sort_unstable();
    tags.dedup();
    let settled = findings.iter().any(|finding| {
        finding.layer == "registry" && matches!(finding.rule.as_str(), "always-allow" | "auto-approve")
    });
    let allowed = !settled && rules().count() > 0 && rules().all(|finding| finding.verdict == Verdict::Allow);
    // As f64 the risk 0.7 of the rules would be a little less than the 0.7 of the thresholds.
    ((f64::from(risk) * 1e6).round() / 1e6, tags, allowed)
}
