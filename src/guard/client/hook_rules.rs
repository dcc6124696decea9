//! What a hook adds to the rules, and the answer that its client gets.

use std::sync::{Mutex, PoisonError};

use guarda_core::action::Action;
use guarda_core::gate::Runner;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Taint, Verdict};

use super::line::{ShellOfClient, only_the_shell};
use crate::guard::{DecidedBy, Fault, Outcome, Undoable};
use crate::hands::announced::{Announced, Planned, summary};
use crate::wording::{RefusalNote, ToolUse};
use guarda_journal::Receipt;
use guarda_sandbox::stage::Note;

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
    /// The message of the person that it followed from; empty if its client does not say.
    pub turn: String,
    /// Whether the tool's changes to files can be undone; `None` if it changes none, or is refused.
    pub undo: Option<Undoable>,
}

impl HookRules {
    /// Who runs the action. A line that only changes the client's own shell is left to that shell.
    pub(in crate::guard) fn runner(&self, action: &Action) -> Runner {
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

/// The changes that a tool would make and the old versions that were kept, during its request.
#[derive(Debug, Default)]
pub(in crate::guard) struct Slot(Mutex<Option<Announced>>);

impl Slot {
    pub(super) fn set(&self, announced: Announced) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(announced);
    }

    pub(super) fn take(&self) -> Option<Announced> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Holds the old versions if the client may go on, and drops them if it may not.
    pub(in crate::guard) async fn settle(
        self,
        rules: &HookRules,
        outcome: Result<HookOutcome, Fault>,
    ) -> Result<HookOutcome, Fault> {
        let Some(announced) = self.take() else { return outcome };
        match outcome {
            Ok(mut outcome)
                if matches!(outcome.decision, HookDecision::Granted | HookDecision::HandedOver) =>
            {
                let tool = rules.tool.as_ref();
                let what = tool.map(|tool| summary(&tool.name, &rules.planned)).unwrap_or_default();
                let asked = matches!(outcome.decided_by, DecidedBy::Person(_));
                let (session, turn) = (outcome.session.clone(), outcome.turn.clone());
                let audit_id = outcome.receipt.audit_id.clone();
                outcome.undo =
                    announced.hold(Note { session, audit_id, what, turn, group: None }, asked).await;
                Ok(outcome)
            }
            refused => {
                announced.withdraw().await;
                refused
            }
        }
    }
}
