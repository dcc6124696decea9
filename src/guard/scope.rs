//! What holds for a request from its first step to its last in the [`pipeline`](super::pipeline), and what its steps hand on to
//! each other.

use std::sync::Arc;

use super::client::hook_rules::{HookOutcome, HookRules, Slot};
use super::grants::GrantAsker;
use super::marks::HOOK_DOOR;
use super::memory::Expected;
use super::{Fault, Reply, RequestContext};
use crate::hands::trust::Trustable;
use crate::registry::Bound;
use crate::wording::ToolUse;
use crate::wording::plain::audible;
use guarda_core::action::{Action, Proposal, Way};
use guarda_core::effects::Tried;
use guarda_core::gate::{Approved, Cause, NoAnswer, Pending, Refusal, Runner};
use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Policy, Situation, Taint, Verdict};
use guarda_journal::{Caller, session_of};

/// The consequence of a yes.
#[derive(Debug)]
pub(super) enum Purpose {
    /// The guard runs the action.
    Act,
    /// Like [`Purpose::Act`], but the caller does not wait for a person: a yes becomes a one-time token. Holds the
    /// token of an earlier yes.
    Token(Option<String>),
    /// An agent's client runs its tool, or the line that the guard substitutes for it.
    Hook {
        rules: Box<HookRules>,
        /// The changes that its tool would make, and the old versions that were kept.
        announced: Slot,
    },
}

/// What holds for one request from its first step to its last, also if the rules are reloaded meanwhile.
#[derive(Debug)]
pub(super) struct RequestScope<'a> {
    /// The request's id (UUIDv7).
    pub(super) id: uuid::Uuid,
    pub(super) purpose: Purpose,
    /// The rules.
    pub(super) policy: Arc<Policy>,
    pub(super) caller: &'a Caller,
    pub(super) context: &'a RequestContext,
}

impl RequestScope<'_> {
    /// The rules of a hook.
    pub(super) fn rules(&self) -> Option<&HookRules> {
        if let Purpose::Hook { rules, .. } = &self.purpose { Some(rules) } else { None }
    }

    /// Who asks, for a person: the client, and what the person calls the conversation.
    pub(super) fn asker(&self) -> String {
        let shown = self.caller.shown();
        match self.rules().and_then(|rules| rules.title.as_deref()) {
            Some(title) => {
                let title: String = audible(title).chars().take(80).collect();
                format!("{shown}: “{title}”")
            }
            None => shown.to_owned(),
        }
    }

    /// Whether a yes that comes after this refusal is kept: an agent's question to which nobody answered in time, or whose
    /// shell did not wait for the answer. The password of the system cannot be asked for later.
    pub(super) fn keeps_late(&self, refusal: &Refusal) -> bool {
        let shell = self.context.shell.is_some();
        let silent = match refusal.cause() {
            Cause::Silence => true,
            Cause::Withdrawn { why: NoAnswer::CalledOff } => shell,
            _ => false,
        };
        let agent = shell || self.rules().is_some() && self.caller.door == HOOK_DOOR;
        let command = matches!(refusal.judgement().subject().action, Action::RunCommand { .. });
        silent && agent && command && refusal.judgement().verdict() < Verdict::Password
    }

    /// Who asks, for grants.
    pub(super) fn grant_asker(&self, subject: &Proposal, situation: &Situation) -> GrantAsker {
        let Caller { door, container, .. } = self.caller;
        let named = container.as_deref().unwrap_or_default();
        let folder = situation.project.clone().unwrap_or_else(|| situation.cwd.clone().into());
        GrantAsker {
            caller: format!("{door} {} {named}", self.caller.shown()),
            session: session_of(subject.claims.session.as_deref()).unwrap_or_default(),
            turn: subject.claims.turn.clone(),
            folder,
        }
    }

    /// The client's own tool that a question is about.
    pub(super) fn tool(&self) -> Option<&ToolUse> {
        self.rules()?.tool.as_ref()
    }

    /// The marks that this action sets if it is run in this way.
    pub(super) fn taint_of(&self, judgement: &Judgement, way: Way, situation: &Situation) -> Taint {
        self.policy.brings(&judgement.subject().action, way, situation, judgement.findings())
    }
}

impl Purpose {
    /// Who runs the action after a yes.
    pub(super) fn runner(&self, action: &Action) -> Runner {
        match self {
            Self::Act | Self::Token(_) => Runner::Guard,
            Self::Hook { rules, .. } => rules.runner(action),
        }
    }
}

/// How often a person may replace the command of one request.
const CHANGES: usize = 8;

/// The input of one pass.
#[derive(Debug)]
pub(super) struct PassInput {
    pub(super) proposal: Proposal,
    /// Reasons in addition to those of the rules.
    pub(super) more: Vec<Finding>,
    /// What it wanted while its writes were held back, and was refused.
    pub(super) tried: Tried,
    /// Whether its writes may be held back.
    pub(super) stage: bool,
    pub(super) edits: Edits,
}

/// The replacement of a command by a person.
#[derive(Debug)]
pub(super) struct Edits {
    /// The question in which the person wrote the command that is judged now.
    pub(super) changed: Option<Refusal>,
    /// How many more replacements are allowed.
    pub(super) left: usize,
    /// Whether its asker is told first of what a cell refused.
    pub(super) told_first: bool,
}

/// A judged request.
pub(super) struct Judged {
    pub(super) judgement: Judgement,
    pub(super) situation: Situation,
    /// What the memory keeps if it runs.
    pub(super) expected: Option<Expected>,
    /// The folder that would have to be trusted for it to need no question.
    pub(super) trust: Option<Trustable>,
}

impl PassInput {
    /// The input of the first pass.
    pub(super) fn new(proposal: Proposal, purpose: &Purpose) -> Self {
        let (more, stage, left) = match purpose {
            Purpose::Act => (Vec::new(), true, CHANGES),
            Purpose::Token(_) => (Vec::new(), false, 0),
            Purpose::Hook { rules, .. } => (rules.findings.clone(), rules.by == Runner::Guard, 0),
        };
        Self {
            proposal,
            more,
            tried: Tried::default(),
            stage,
            edits: Edits { changed: None, left, told_first: false },
        }
    }
}

/// An approved action, and the facts with which it was judged.
#[derive(Debug)]
pub(super) struct ApprovedAction {
    pub(super) approved: Approved,
    pub(super) situation: Situation,
    pub(super) expected: Option<Expected>,
    pub(super) edits: Edits,
}

/// The result of the gate.
pub(super) enum Admitted {
    Yes(Box<ApprovedAction>),
    /// Refused. Also holds how many more times a person may replace the command.
    No(Box<Refusal>, usize),
    /// Neither: the caller asks its own user, or returns later.
    Ended(PipelineEnd),
}

impl Admitted {
    pub(super) fn of(
        settled: Result<Approved, Refusal>,
        situation: Situation,
        expected: Option<Expected>,
        edits: Edits,
    ) -> Self {
        match settled {
            Ok(approved) => Self::Yes(Box::new(ApprovedAction { approved, situation, expected, edits })),
            Err(refusal) => Self::No(Box::new(refusal), edits.left),
        }
    }
}

/// The context of a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuestionContext<'a> {
    /// What the memory keeps if the action runs.
    pub(super) expected: Option<&'a Expected>,
    /// The facts with which the action was judged.
    pub(super) situation: &'a Situation,
    /// Whether a person may replace the command.
    pub(super) changeable: bool,
    /// Whether its asker is told first of what a cell refused.
    pub(super) told_first: bool,
    /// Whether the guard itself runs the action after a yes.
    pub(super) ours: bool,
    /// The folder that *always* means: trusted, it would need no question.
    pub(super) trust: Option<&'a Trustable>,
}

/// A question whose caller does not wait.
#[derive(Debug)]
pub(super) struct Unanswered {
    pub(super) pending: Pending,
    pub(super) expected: Expected,
    pub(super) situation: Situation,
    /// The digest that a token would be bound to.
    pub(super) bound: Bound,
    /// Why the request's token was rejected.
    pub(super) rejected: Option<String>,
}

/// The three ends of a request.
#[derive(Debug)]
pub(super) enum PipelineEnd {
    /// The action was done or refused.
    Replied(Box<Reply>),
    /// A person must be asked, and the caller does not wait for the answer.
    Unanswered(Box<Unanswered>),
    /// A client's hook has its answer.
    Answered(Box<HookOutcome>),
}

/// The result of one pass through the pipeline.
pub(super) enum PassEnd {
    End(PipelineEnd),
    /// A person wrote another command, or the command could not be run as planned.
    NextPass(Box<PassInput>),
}

impl PipelineEnd {
    /// The reply, for a door that expects no other end.
    pub(super) fn reply(self) -> Result<Reply, Fault> {
        if let Self::Replied(reply) = self { Ok(*reply) } else { Err(Fault::Astray) }
    }
}
