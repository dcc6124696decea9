//! Runs what a warrant permits: at once, or with its changes held back.

use std::sync::Arc;

use guarda_core::action::{Action, Way};
use guarda_core::gate::Approved;
use guarda_core::output::{Anonymiser, Limits, Options, Output, RawOutput, clean_with};
use guarda_core::policy::Situation;
use guarda_sandbox::relay::Outside;

use super::hosts::HostPrompter;
use super::hosts::live::LiveRuns;
use super::late::LateAnswers;
use super::recorder::Recorder;
use super::scope::RequestScope;
use super::{RequestContext, Undoable};
use crate::hands::{Hands, RunContext, StageEnd};
use guarda_journal::{Open, Warrant};

/// Runs approved actions.
#[derive(Debug)]
pub struct Runner {
    pub(super) hands: Arc<Hands>,
    /// The runs that have a network of their own.
    pub(super) live: Arc<LiveRuns>,
    /// Answers that came after the run or the request that wanted them.
    pub(super) late: Arc<LateAnswers>,
    anonymiser: Option<Anonymiser>,
    /// Serialises commands that a person approved, in the order of the answers.
    turns: tokio::sync::Mutex<()>,
}

impl Runner {
    /// A runner with these hands. `anonymiser` replaces network names in shown and recorded output.
    #[must_use]
    pub fn new(hands: Arc<Hands>, anonymiser: Option<Anonymiser>) -> Self {
        let (live, late, turns) = Default::default();
        Self { hands, live, late, anonymiser, turns }
    }

    /// Waits for its turn. Commands that the rules allow run concurrently; commands that a person approved run in the
    /// order of the answers. Commands of a client's shell do not wait.
    pub(super) async fn turn(
        &self,
        approved: &Approved,
        context: &RequestContext,
    ) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        let waits = context.shell.is_none()
            && matches!(approved.judgement().subject().action, Action::RunCommand { .. })
            && approved.by().is_person();
        if waits { Some(self.turns.lock().await) } else { None }
    }

    /// Runs the action of a warrant. Returns its redacted output, and whether it can be undone.
    pub(super) async fn act(
        &self,
        warrant: Warrant,
        situation: &Situation,
        scope: &RequestScope<'_>,
        recorder: &Recorder,
    ) -> (Open, Output, Option<Undoable>) {
        let outside = self.host_prompter(&warrant, situation, scope, recorder);
        let (context, terms) = (scope.context, (situation, &scope.policy));
        let around =
            RunContext { volume: &context.volume, shell: context.shell.as_deref(), outside: Some(&outside) };
        let run = self.hands.act(scope.id, warrant, terms, context.cancel.cancelled(), around);
        let (open, raw, undo) = run.await;
        let output = self.clean(raw, &open);
        (open, output, undo)
    }

    /// Runs the command of a warrant with its changes held back.
    pub(super) async fn stage(
        &self,
        warrant: Warrant,
        situation: &Situation,
        scope: &RequestScope<'_>,
        recorder: &Recorder,
    ) -> (Open, Output, StageEnd) {
        let outside = self.host_prompter(&warrant, situation, scope, recorder);
        let (context, terms) = (scope.context, (situation, &scope.policy));
        let around =
            RunContext { volume: &context.volume, shell: context.shell.as_deref(), outside: Some(&outside) };
        let run = self.hands.stage(scope.id, warrant, terms, context.cancel.cancelled(), around);
        let (open, raw, end) = run.await;
        let output = self.clean(raw, &open);
        (open, output, end)
    }

    /// The host prompter for the run of a warrant.
    fn host_prompter(
        &self,
        warrant: &Warrant,
        situation: &Situation,
        scope: &RequestScope<'_>,
        recorder: &Recorder,
    ) -> Arc<dyn Outside> {
        let judgement = warrant.judgement();
        let secret = judgement.taint().secret || scope.taint_of(judgement, Way::Act, situation).secret;
        let secrets_known = secret && warrant.by().is_person();
        let live = LiveRuns::enter(&self.live, &warrant.lines());
        let network = self.hands.network().clone();
        let about = (warrant, situation);
        Arc::new(HostPrompter::new(about, secrets_known, scope, live, network, &self.late, recorder))
    }

    /// The output of a deed, redacted.
    fn clean(&self, raw: RawOutput, open: &Open) -> Output {
        let whole = open.judgement().subject().claims.whole_output;
        let limits = if whole { Limits::whole() } else { Limits::default() };
        clean_with(raw, &Options { limits, anonymiser: self.anonymiser.as_ref() })
    }
}
