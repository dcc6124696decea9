//! The one pipeline that every request takes, whatever its door and purpose: judge, gate, record, run, record.

use guarda_core::action::{Proposal, Request, Way};

use super::admission::{Admitted, ApprovedAction};
use super::job::{PassEnd, PipelineEnd, PipelineJob, Purpose};
use super::judging::PassInput;
use super::{Fault, Guard, Progress, Reply, Undoable};
use crate::hands::RunContext;

impl Guard {
    /// Takes a request through the pipeline.
    pub(super) async fn pipeline(
        &self,
        request: Request,
        job: &PipelineJob<'_>,
    ) -> Result<PipelineEnd, Fault> {
        self.follow(PassEnd::Again(Box::new(PassInput::new(Proposal::parse(request)?, &job.purpose))), job)
            .await
    }

    /// Repeats passes until the request has ended.
    pub(super) async fn follow(
        &self,
        mut step: PassEnd,
        job: &PipelineJob<'_>,
    ) -> Result<PipelineEnd, Fault> {
        loop {
            step = match step {
                PassEnd::End(end) => return Ok(end),
                PassEnd::Again(draft) => self.once(*draft, job).await?,
            }
        }
    }

    /// One pass through the pipeline: judge, gate, record, run, record.
    async fn once(&self, draft: PassInput, job: &PipelineJob<'_>) -> Result<PassEnd, Fault> {
        let (judged, rest) = self.judge(draft, job.caller).await?;
        let judged = self.prepare(judged, &rest, job).await?;
        if let Some(reply) = self.impossible(&judged, job).await? {
            return Ok(PassEnd::End(PipelineEnd::Replied(Box::new(reply))));
        }
        match self.admit(judged, rest, job).await? {
            Admitted::Yes(cleared) => self.complete(*cleared, job).await,
            Admitted::No(refusal, left) => self.refused(*refusal, left, job).await,
            Admitted::Else(end) => Ok(PassEnd::End(end)),
        }
    }

    /// Runs the admitted action, or lets the client run it.
    pub(super) async fn complete(
        &self,
        cleared: ApprovedAction,
        job: &PipelineJob<'_>,
    ) -> Result<PassEnd, Fault> {
        match &job.purpose {
            Purpose::Hook { rules, .. } => self.let_client(cleared, rules, job).await,
            Purpose::Act | Purpose::Token(_) if cleared.approved.way() == Way::Stage => {
                self.stage(cleared, job).await
            }
            Purpose::Act | Purpose::Token(_) => self.perform(cleared, job).await,
        }
    }

    /// Writes the intent, runs the approved action, and writes the outcome.
    async fn perform(&self, cleared: ApprovedAction, job: &PipelineJob<'_>) -> Result<PassEnd, Fault> {
        let ApprovedAction { approved, situation, expected, .. } = cleared;
        let _turn = self.turn(&approved, job.context).await;
        let warrant = self.warrant(approved, &situation, job.caller).await?;
        let _hold = self.quiet_keys(warrant.judgement()).await;
        job.context.tell(Progress::Started);
        let (policy, context) = (self.policy(job.caller), job.context);
        let run = self.run_plan(warrant.judgement(), &situation, &policy).await;
        let outside = self.host_prompter(&warrant, &situation, (job.caller, context));
        let around =
            RunContext { volume: &context.volume, shell: context.shell.as_deref(), outside: Some(&outside) };
        let terms = (&situation, &policy);
        let (open, raw, undo) =
            self.hands.act(job.id, warrant, terms, context.cancel.cancelled(), around).await;
        let output = self.clean(raw, &open, job.caller).await;
        self.heard(&open, &output.hosts, job.caller).await;
        let effects =
            open.judgement().effects().filter(|_| matches!(undo, Some(Undoable::Until(_)))).cloned();
        let reply = self.finish(job, open, output, expected).await?;
        Ok(PassEnd::End(PipelineEnd::Replied(Box::new(Reply { run, effects, undo, ..reply }))))
    }
}
