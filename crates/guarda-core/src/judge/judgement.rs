//! The verdict about an action, and its reasons.

use std::sync::Arc;

use super::cells::Cells;
use crate::action::{Action, Proposal};
use crate::effects::Effects;
use crate::hosts::NetworkPlan;
use crate::policy::{Finding, History, Tag, Taint, Verdict};

/// A verdict and its reasons about one exact action, which it owns. Only [`super::judge`] makes one.
#[derive(Debug, Clone)]
#[must_use]
pub struct Judgement {
    pub(super) subject: Arc<Proposal>,
    pub(super) findings: Vec<Finding>,
    pub(super) history: Option<History>,
    pub(super) taint: Taint,
    pub(super) cells: Cells,
    pub(super) network: Arc<NetworkPlan>,
    /// The changes of its staged run, or of an `UNDO`.
    pub(super) effects: Option<Arc<Effects>>,
}

impl Judgement {
    /// The joint verdict: the strictest finding; no finding means that a person is asked.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Confirm)
    }

    /// The verdict of the findings that do not depend on what a shell or a program could make of the words, for a
    /// caller that only names files.
    #[must_use]
    pub fn held(&self) -> Verdict {
        let held = self.findings.iter().filter(|finding| !finding.contained);
        let none = if self.findings.is_empty() { Verdict::Confirm } else { Verdict::Allow };
        held.map(|finding| finding.verdict).max().unwrap_or(none)
    }

    /// The verdict for a caller's tool, which opens files itself: as [`Self::held`], but no cell hides secrets from it.
    #[must_use]
    pub fn of_tool(&self) -> Verdict {
        let secrets = self.findings.iter().filter(|finding| finding.is_about(&Tag::Secrets));
        secrets.map(|finding| finding.verdict).fold(self.held(), Verdict::max)
    }

    /// Attaches the changes of an `UNDO`, to which a yes is then bound. The reasons stay as they are.
    pub fn undoing(mut self, effects: Option<Effects>) -> Self {
        if let Action::Undo { .. } = self.subject.action {
            self.effects = effects.map(Arc::new);
        }
        self
    }

    /// The changes of a staged run or of an `UNDO`.
    #[must_use]
    pub fn effects(&self) -> Option<&Arc<Effects>> {
        self.effects.as_ref()
    }

    /// The judged proposal.
    #[must_use]
    pub fn subject(&self) -> &Arc<Proposal> {
        &self.subject
    }

    /// The reasons, strictest first.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The registry's entry for the command.
    #[must_use]
    pub fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    /// The marks that the session had.
    #[must_use]
    pub fn taint(&self) -> Taint {
        self.taint
    }

    /// The hosts that a command line reaches by its words and its tools. Empty for other actions.
    #[must_use]
    pub fn network(&self) -> &Arc<NetworkPlan> {
        &self.network
    }

    /// The joint risk: the greatest of the findings, from 0 to 1.
    #[must_use]
    pub fn risk(&self) -> f32 {
        self.findings.iter().map(|finding| finding.risk).fold(0.0, f32::max)
    }

    /// Adds a reason, the riskiest of a verdict first. It can make the verdict stricter, never milder: findings are only added.
    pub fn raise(mut self, finding: Finding) -> Self {
        let rank = |finding: &Finding| (finding.verdict, finding.risk);
        let place = self.findings.partition_point(|other| rank(other) >= rank(&finding));
        self.findings.insert(place, finding);
        self
    }

    /// Allows an action that the rules left open, for the reason in `finding`. This settles only [`Verdict::Review`].
    /// An action that any other finding asks about or forbids stays as it is, and so does one without findings.
    pub fn settle(mut self, finding: Finding) -> Self {
        if self.findings.is_empty() || self.verdict() != Verdict::Review {
            return self;
        }
        for open in self.findings.iter_mut().filter(|open| open.verdict == Verdict::Review) {
            open.verdict = Verdict::Allow;
        }
        self.raise(Finding { verdict: Verdict::Allow, ..finding })
    }
}
