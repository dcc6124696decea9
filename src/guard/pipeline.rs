//! The one pipeline that every request takes, whatever its door and purpose: judge, gate, record, run, record.

use std::sync::Arc;

use guarda_core::action::{Action, Request, Way};
use guarda_core::gate::Refusal;
use guarda_core::judge::Judgement;
use guarda_core::output::Output;
use guarda_core::policy::Tag;

use super::permissions::Permission;
use super::reply::tell;
use super::scope::{Admitted, ApprovedAction, PassEnd, PassInput, PipelineEnd, Purpose, RequestScope};
use super::{Fault, Guard, Progress, Reply, Undoable, memory};
use guarda_journal::Open;

impl Guard {
    /// Takes a request through the pipeline.
    pub(super) async fn pipeline(
        &self,
        request: Request,
        scope: &RequestScope<'_>,
    ) -> Result<PipelineEnd, Fault> {
        let proposal = self.recorder.proposal(request, scope.caller)?;
        self.run_until_done(PassEnd::NextPass(Box::new(PassInput::new(proposal, &scope.purpose))), scope)
            .await
    }

    /// Repeats passes until the request has ended.
    pub(super) async fn run_until_done(
        &self,
        mut step: PassEnd,
        scope: &RequestScope<'_>,
    ) -> Result<PipelineEnd, Fault> {
        loop {
            step = match step {
                PassEnd::End(end) => return Ok(end),
                PassEnd::NextPass(draft) => self.run_pass(*draft, scope).await?,
            }
        }
    }

    /// One pass through the pipeline: judge, gate, record, run, record.
    async fn run_pass(&self, draft: PassInput, scope: &RequestScope<'_>) -> Result<PassEnd, Fault> {
        let (judged, rest) = self.judge.judge(draft, scope, &self.recorder).await?;
        let judged = self.prepare(judged, &rest, scope).await?;
        if let Some(reply) = self.impossible(&judged, scope).await? {
            return Ok(PassEnd::End(PipelineEnd::Replied(Box::new(reply))));
        }
        match self.admit(judged, rest, scope).await? {
            Admitted::Yes(cleared) => self.complete(*cleared, scope).await,
            Admitted::No(refusal, left) => self.refused(*refusal, left, scope).await,
            Admitted::Ended(end) => Ok(PassEnd::End(end)),
        }
    }

    /// Runs the admitted action, or lets the client run it.
    pub(super) async fn complete(
        &self,
        cleared: ApprovedAction,
        scope: &RequestScope<'_>,
    ) -> Result<PassEnd, Fault> {
        match &scope.purpose {
            Purpose::Hook { rules, .. } => self.let_client(cleared, rules, scope).await,
            Purpose::Act | Purpose::Token(_)
                if cleared.approved.way() == Way::Stage || cleared.approved.judgement().is_held_back() =>
            {
                self.stage(cleared, scope).await
            }
            Purpose::Act | Purpose::Token(_) => self.perform(cleared, scope).await,
        }
    }

    /// Writes the intent, runs the approved action, and writes the outcome.
    async fn perform(&self, cleared: ApprovedAction, scope: &RequestScope<'_>) -> Result<PassEnd, Fault> {
        let ApprovedAction { approved, situation, expected, .. } = cleared;
        let _turn = self.runner.turn(&approved, scope.context).await;
        let warrant = self.recorder.warrant(approved, &situation, scope).await?;
        let _hold = self.quiet_keys(warrant.judgement()).await;
        scope.context.report(Progress::Started);
        if matches!(warrant.judgement().subject().action, Action::EndGrants) {
            self.revoke(Permission::is_grant).await;
        }
        let run = self.judge.run_plan(warrant.judgement(), &situation, &scope.policy).await;
        let (open, output, undo) = self.runner.act(warrant, &situation, scope, &self.recorder).await;
        self.recorder.taint_from_run(&open, &output, scope.caller).await;
        let effects =
            open.judgement().effects().filter(|_| matches!(undo, Some(Undoable::Until(_)))).cloned();
        let reply = self.finish(scope, open, output, expected).await?;
        Ok(PassEnd::End(PipelineEnd::Replied(Box::new(Reply { run, effects, undo, ..reply }))))
    }

    /// Holds back questions while an action runs that could press a key, because it could answer them.
    pub(super) async fn quiet_keys(&self, judgement: &Judgement) -> Option<tokio::sync::OwnedMutexGuard<()>> {
        let presses = matches!(judgement.subject().action, Action::KeyPress { .. })
            || judgement.findings().iter().any(|finding| finding.is_about(&Tag::Keys));
        if presses { Some(self.prompter().hold().await) } else { None }
    }

    /// The teller for this request.
    pub(super) fn teller(&self, scope: &RequestScope<'_>) -> tell::Teller<'_> {
        tell::Teller { prompter: self.prompter(), id: scope.id, reader: scope.context.reader }
    }

    /// Records the outcome of a deed, updates the memory, and builds the reply.
    pub(super) async fn finish(
        &self,
        scope: &RequestScope<'_>,
        open: Open,
        output: Output,
        expected: Option<memory::Expected>,
    ) -> Result<Reply, Fault> {
        let subject = Arc::clone(open.judgement().subject());
        let session = subject.claims.session.as_deref();
        let reply = tell::done(self.teller(scope), &open, &output);
        if let Some((memory, expected)) = self.memory().zip(expected) {
            memory.note(expected.within(self.taint(session)), &output, open.by_person()).await;
        }
        let close = self.recorder.journal.close(open, &output);
        let receipt = self.recorder.watch(close).await.map_err(Fault::Unrecorded)?;
        let (sandbox, taint) = (output.sandbox.clone(), self.taint(session));
        Ok(Reply { output: Some(output), receipt: Some(receipt), sandbox, taint, ..reply })
    }

    /// Records a refusal and builds the reply.
    pub(super) async fn refuse(&self, refusal: &Refusal, scope: &RequestScope<'_>) -> Result<Reply, Fault> {
        let receipt = self.recorder.refuse(refusal, scope.caller).await?;
        Ok(tell::refused(self.teller(scope), refusal, (scope.keeps_late(refusal), scope.tool()), receipt))
    }

    /// Returns a command that a person wrote instead, or granted meanwhile, to the pipeline; any other refusal ends the request.
    pub(super) async fn refused(
        &self,
        refusal: Refusal,
        left: usize,
        scope: &RequestScope<'_>,
    ) -> Result<PassEnd, Fault> {
        let refusal = match self.rewritten(refusal, left, scope).await? {
            Ok(draft) => return Ok(PassEnd::NextPass(Box::new(draft))),
            Err(refusal) => refusal,
        };
        let reply = self.refuse(&refusal, scope).await?;
        Ok(PassEnd::End(match scope.rules() {
            Some(rules) => PipelineEnd::Answered(Box::new(self.hook_refused(rules, &refusal, reply))),
            None => PipelineEnd::Replied(Box::new(reply)),
        }))
    }
}
