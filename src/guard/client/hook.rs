//! Hooks: a coding agent's client runs its tools itself; the guard judges and asks. The guard does nothing here, so
//! there is no warrant, and the decision is recorded as advice.

use guarda_core::action::{Action, Request, Way};
use guarda_core::gate::{Refusal, Runner};
use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Taint, Verdict};
use tokio_util::sync::CancellationToken;

use super::tickets::{ShellOfClient, only_the_shell};
use super::tool_files::Slot;
use crate::guard::admission::ApprovedAction;
use crate::guard::judging::Judged;
use crate::guard::scope::{PassEnd, PipelineEnd, Purpose, RequestScope};
use crate::guard::{DecidedBy, Fault, Guard, Outcome, Reply, RequestContext, Undoable};
use crate::hands::announced::Planned;
use crate::wording::{RefusalNote, ToolUse};
use guarda_journal::{Caller, Receipt, session_of};

/// The risk from which a question is never handed to a client: its answer could come from the agent.
const TOP_RISK: f32 = 0.9;

/// A hook's additions to the rules.
#[derive(Debug, Default)]
pub struct HookRules {
    /// Further reasons; they can only make the judgement stricter.
    pub findings: Vec<Finding>,
    /// Whether the client may ask the person itself.
    pub hand_over: bool,
    /// The marks that the session gets if the tool call is allowed, in addition to those of the judged command.
    pub brings: Taint,
    /// Who runs it: the guard, if the client accepts another command line in place of its own.
    pub by: Runner,
    /// The client's own tool, if it runs no command line.
    pub tool: Option<ToolUse>,
    /// The user's title for the conversation, if the client gives one.
    pub title: Option<String>,
    /// The changes to files that the tool has announced; empty if there are none.
    pub planned: Vec<Planned>,
    /// The shell in which the client runs a substituted line.
    pub shell: ShellOfClient,
    /// How long a question waits; `None`: as for every other question.
    pub wait: Option<std::time::Duration>,
}

/// The answer to a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookDecision {
    /// The client may run its tool.
    Granted,
    /// The client may run this command line instead of its own.
    Through(String),
    /// The client must not run its tool.
    Refused(Outcome),
    /// The client must ask the person itself.
    HandedOver,
}

/// The result of a hook's request.
#[derive(Debug)]
pub struct HookOutcome {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// The answer.
    pub decision: HookDecision,
    /// The verdict.
    pub verdict: Verdict,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// The reasons, strictest first.
    pub findings: Vec<Finding>,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// What a refusal says to the agent.
    pub refusal: Option<RefusalNote>,
    /// The entry in the record.
    pub receipt: Receipt,
    /// The session's marks now.
    pub taint: Taint,
    /// The session's name in the record.
    pub session: String,
    /// Whether the tool's changes to files can be undone; `None` if it changes none, or is refused.
    pub undo: Option<Undoable>,
}

impl Purpose {
    /// Who runs the action after a yes.
    pub(in crate::guard) fn runner(&self, action: &Action) -> Runner {
        match self {
            Self::Act | Self::Token(_) => Runner::Guard,
            Self::Hook { rules, .. } => rules.runner(action),
        }
    }
}

impl HookRules {
    /// Who runs the action. A line that only changes the client's own shell is left to that shell.
    fn runner(&self, action: &Action) -> Runner {
        match (self.by, action) {
            (Runner::Guard, Action::RunCommand { .. }) if !only_the_shell(action) => Runner::Guard,
            (Runner::Guard | Runner::Caller, _) => Runner::Caller,
            (Runner::Tool, _) => Runner::Tool,
        }
    }

    /// Whether the client asks its own user.
    pub(in crate::guard) fn leave_to_client(&self, judgement: &Judgement) -> bool {
        let verdict = self.runner(&judgement.subject().action).verdict(judgement);
        let asked = matches!(verdict, Verdict::Review | Verdict::Confirm);
        self.hand_over && asked && judgement.risk() < TOP_RISK
    }
}

impl Guard {
    /// Judges an action that its caller wants to run itself, asks a person if necessary, and records the decision.
    /// `withdraw` is cancelled when the caller goes away.
    ///
    /// # Errors
    /// [`Fault`]: the caller must not run it.
    pub async fn permit(
        &self,
        request: Request,
        rules: HookRules,
        caller: &Caller,
        withdraw: &CancellationToken,
    ) -> Result<HookOutcome, Fault> {
        let context =
            RequestContext { withdraw: withdraw.clone(), patience: rules.wait, ..RequestContext::default() };
        let purpose = Purpose::Hook { rules: Box::new(rules), announced: Slot::default() };
        let scope = self.scope(uuid::Uuid::now_v7(), purpose, caller, &context);
        let outcome = match self.pipeline(request, &scope).await {
            Ok(PipelineEnd::Answered(outcome)) => Ok(*outcome),
            Ok(PipelineEnd::Replied(_) | PipelineEnd::Unanswered(_)) => Err(Fault::Astray),
            Err(fault) => Err(fault),
        };
        match scope.purpose {
            Purpose::Hook { rules, announced } => announced.settle(&rules, outcome).await,
            Purpose::Act | Purpose::Token(_) => outcome,
        }
    }

    /// Leaves the question to the client, which asks its own user.
    pub(in crate::guard) async fn leave_to_client(
        &self,
        rules: &HookRules,
        judged: &Judged,
        scope: &RequestScope<'_>,
    ) -> Result<PipelineEnd, Fault> {
        let Judged { judgement, situation, .. } = judged;
        let receipt =
            self.journal.advise(judgement, scope.caller).await.inspect_err(|_| self.unrecorded())?;
        let brings = scope.taint_of(judgement, Way::None, situation).joined(rules.brings);
        self.apply_taint(judgement, brings, scope.caller).await;
        let outcome = self.hook_outcome(rules, judgement, scope.id);
        let (decision, decided_by) = (HookDecision::HandedOver, DecidedBy::Caller);
        Ok(PipelineEnd::Answered(Box::new(HookOutcome { decision, decided_by, receipt, ..outcome })))
    }

    /// Lets the client run its own tool, or the line that the guard substitutes.
    pub(in crate::guard) async fn let_client(
        &self,
        cleared: ApprovedAction,
        rules: &HookRules,
        scope: &RequestScope<'_>,
    ) -> Result<PassEnd, Fault> {
        let ApprovedAction { approved, situation, .. } = &cleared;
        self.recheck_taint(approved, situation, scope).await?;
        let judgement = approved.judgement();
        let decided_by = DecidedBy::from(approved.by());
        if let (true, Purpose::Hook { announced, .. }) = (decided_by.is_person(), &scope.purpose) {
            self.renew(rules, approved, situation, announced, scope).await?;
        }
        let ours = rules.runner(&judgement.subject().action) == Runner::Guard;
        // A command that the guard runs marks the session when it runs.
        let brings = if ours { Taint::NONE } else { scope.taint_of(judgement, Way::None, situation) };
        self.apply_taint(judgement, brings.joined(rules.brings), scope.caller).await;
        let outcome = self.hook_outcome(rules, judgement, scope.id);
        let (decision, receipt) = if ours {
            let (command, receipt) = self.approve_with_ticket(cleared, scope, rules.shell).await?;
            (HookDecision::Through(command), receipt)
        } else {
            let receipt = self.journal.permit(cleared.approved, scope.caller).await;
            (HookDecision::Granted, receipt.inspect_err(|_| self.unrecorded())?)
        };
        let outcome = HookOutcome { decision, decided_by, receipt, ..outcome };
        Ok(PassEnd::End(PipelineEnd::Answered(Box::new(outcome))))
    }

    /// The client's answer for a refusal, which is recorded.
    pub(in crate::guard) fn hook_refused(
        &self,
        rules: &HookRules,
        refusal: &Refusal,
        reply: Reply,
    ) -> HookOutcome {
        HookOutcome {
            decision: HookDecision::Refused(reply.outcome),
            decided_by: reply.decided_by,
            refusal: reply.refusal,
            receipt: reply.receipt.unwrap_or_default(),
            ..self.hook_outcome(rules, refusal.judgement(), reply.id)
        }
    }

    /// The fields that all answers share; the decision is a denial until it is set.
    fn hook_outcome(&self, rules: &HookRules, judgement: &Judgement, id: uuid::Uuid) -> HookOutcome {
        let subject = judgement.subject();
        HookOutcome {
            id,
            decision: HookDecision::Refused(Outcome::Denied),
            verdict: rules.runner(&subject.action).verdict(judgement),
            decided_by: DecidedBy::Guard,
            findings: judgement.findings().to_vec(),
            risk: judgement.risk(),
            refusal: None,
            receipt: Receipt::default(),
            taint: self.taint(subject.claims.session.as_deref()),
            session: session_of(subject.claims.session.as_deref()).unwrap_or_default(),
            undo: None,
        }
    }
}
