//! The one pipeline that every request takes, whatever its door and purpose: judge, gate, record, run, record.

use guarda_core::action::{Proposal, Request, Way};

use super::admission::{Admitted, ApprovedAction};
use super::judging::PassInput;
use super::scope::{PassEnd, PipelineEnd, Purpose, RequestScope};
use super::{Fault, Guard, Progress, Reply, Undoable};
use crate::hands::RunContext;

impl Guard {
    /// Takes a request through the pipeline.
    pub(super) async fn pipeline(
        &self,
        request: Request,
        scope: &RequestScope<'_>,
    ) -> Result<PipelineEnd, Fault> {
        self.run_until_done(
            PassEnd::NextPass(Box::new(PassInput::new(Proposal::parse(request)?, &scope.purpose))),
            scope,
        )
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
        let (judged, rest) = self.judge(draft, scope).await?;
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
            Purpose::Act | Purpose::Token(_) if cleared.approved.way() == Way::Stage => {
                self.stage(cleared, scope).await
            }
            Purpose::Act | Purpose::Token(_) => self.perform(cleared, scope).await,
        }
    }

    /// Writes the intent, runs the approved action, and writes the outcome.
    async fn perform(&self, cleared: ApprovedAction, scope: &RequestScope<'_>) -> Result<PassEnd, Fault> {
        let ApprovedAction { approved, situation, expected, .. } = cleared;
        let _turn = self.turn(&approved, scope.context).await;
        let warrant = self.warrant(approved, &situation, scope).await?;
        let _hold = self.quiet_keys(warrant.judgement()).await;
        scope.context.tell(Progress::Started);
        let context = scope.context;
        let run = self.run_plan(warrant.judgement(), &situation, &scope.policy).await;
        let outside = self.host_prompter(&warrant, &situation, scope);
        let around =
            RunContext { volume: &context.volume, shell: context.shell.as_deref(), outside: Some(&outside) };
        let terms = (&situation, &scope.policy);
        let (open, raw, undo) =
            self.hands.act(scope.id, warrant, terms, context.cancel.cancelled(), around).await;
        let output = self.clean(raw, &open, scope.caller).await;
        self.taint_from_traffic(&open, &output.hosts, scope.caller).await;
        let effects =
            open.judgement().effects().filter(|_| matches!(undo, Some(Undoable::Until(_)))).cloned();
        let reply = self.finish(scope, open, output, expected).await?;
        Ok(PassEnd::End(PipelineEnd::Replied(Box::new(Reply { run, effects, undo, ..reply }))))
    }
}
