//! The one line that every request takes, whatever its door and purpose: judge, gate, record, run, record.

use guarda_core::action::{Proposal, Request, Way};

use super::admission::{Admitted, Cleared};
use super::hook::HookRules;
use super::judging::Draft;
use super::tool_files::Slot;
use super::{Fault, Guard, HookOutcome, Progress, Reply, RequestContext, Undo};
use crate::hands::RunContext;
use crate::record::Caller;

/// What a yes leads to.
#[derive(Debug)]
pub(super) enum Purpose {
    /// The guard runs the action.
    Act,
    /// Like [`Purpose::Act`], but the caller does not wait for a person: a yes becomes a one-time token. Holds the
    /// token of an earlier yes.
    Token(Option<String>),
    /// An agent's client runs its tool, or the line that the guard substitutes for it.
    Hook {
        rules: HookRules,
        /// What its tool would change, and what was kept of it.
        announced: Slot,
    },
}

/// One request in the pipeline.
#[derive(Debug)]
pub(super) struct Job<'a> {
    /// The request's id (UUIDv7).
    pub(super) id: uuid::Uuid,
    pub(super) purpose: Purpose,
    pub(super) caller: &'a Caller,
    pub(super) context: &'a RequestContext,
}

/// The three ends of a request.
#[derive(Debug)]
pub(super) enum End {
    /// The action was done or refused.
    Replied(Box<Reply>),
    /// A person must be asked, and the caller does not wait for the answer.
    Unanswered(Box<super::execute::Unanswered>),
    /// A client's hook has its answer.
    Answered(Box<HookOutcome>),
}

/// The result of one pass through the line.
pub(super) enum Step {
    End(End),
    /// Another pass: a person wrote another command, or the command could not be run as planned.
    Again(Box<Draft>),
}

impl End {
    /// The reply, for a door that expects no other end.
    pub(super) fn reply(self) -> Result<Reply, Fault> {
        if let Self::Replied(reply) = self { Ok(*reply) } else { Err(Fault::Astray) }
    }
}

impl Guard {
    /// Takes a request through the line.
    pub(super) async fn pipeline(&self, request: Request, job: &Job<'_>) -> Result<End, Fault> {
        self.follow(Step::Again(Box::new(Draft::new(Proposal::parse(request)?, &job.purpose))), job).await
    }

    /// Repeats passes until the request has ended.
    pub(super) async fn follow(&self, mut step: Step, job: &Job<'_>) -> Result<End, Fault> {
        loop {
            step = match step {
                Step::End(end) => return Ok(end),
                Step::Again(draft) => self.once(*draft, job).await?,
            }
        }
    }

    /// One pass through the line: judge, gate, record, run, record.
    async fn once(&self, draft: Draft, job: &Job<'_>) -> Result<Step, Fault> {
        let (judged, rest) = self.judge(draft, job.caller).await?;
        let judged = self.prepare(judged, &rest, job).await?;
        if let Some(reply) = self.impossible(&judged, job).await? {
            return Ok(Step::End(End::Replied(Box::new(reply))));
        }
        match self.admit(judged, rest, job).await? {
            Admitted::Yes(cleared) => self.complete(*cleared, job).await,
            Admitted::No(refusal, left) => self.refused(*refusal, left, job).await,
            Admitted::Else(end) => Ok(Step::End(end)),
        }
    }

    /// Runs what was admitted, or lets the client run it.
    pub(super) async fn complete(&self, cleared: Cleared, job: &Job<'_>) -> Result<Step, Fault> {
        match &job.purpose {
            Purpose::Hook { rules, .. } => self.let_client(cleared, rules, job).await,
            Purpose::Act | Purpose::Token(_) if cleared.approved.way() == Way::Stage => {
                self.stage(cleared, job).await
            }
            Purpose::Act | Purpose::Token(_) => self.perform(cleared, job).await,
        }
    }

    /// Writes the intent, runs what was approved, and writes the outcome.
    async fn perform(&self, cleared: Cleared, job: &Job<'_>) -> Result<Step, Fault> {
        let Cleared { approved, situation, expected, .. } = cleared;
        let _turn = self.turn(&approved, job.context).await;
        let warrant = self.warrant(approved, &situation, job.caller).await?;
        let _hold = self.quiet_keys(warrant.judgement()).await;
        job.context.tell(Progress::Started);
        let run = self.run_plan(warrant.judgement(), &situation).await;
        let (policy, context) = (self.policy(), job.context);
        let outside = self.host_prompter(&warrant, &situation, context);
        let around =
            RunContext { volume: &context.volume, shell: context.shell.as_deref(), outside: Some(&outside) };
        let terms = (&situation, &policy);
        let (open, raw, undo) =
            self.hands.act(job.id, warrant, terms, context.cancel.cancelled(), around).await;
        let output = self.clean(raw, &open, job.caller).await;
        self.heard(&open, &output.hosts, job.caller).await;
        let effects = open.judgement().effects().filter(|_| matches!(undo, Some(Undo::Until(_)))).cloned();
        let reply = self.finish(job.id, open, output, expected).await?;
        Ok(Step::End(End::Replied(Box::new(Reply { run, effects, undo, ..reply }))))
    }
}
