//! What holds for a request from its first step to its last in the [`pipeline`](super::pipeline), and the ends of a pass and
//! of a request.

use std::sync::Arc;

use super::client::hook::HookRules;
use super::client::tool_files::Slot;
use super::judging::PassInput;
use super::{Fault, HOOK_DOOR, HookOutcome, Reply, RequestContext};
use crate::wording::ToolUse;
use crate::wording::plain::audible;
use guarda_core::action::Action;
use guarda_core::gate::{Cause, NoAnswer, Refusal};
use guarda_core::policy::{Policy, Verdict};
use guarda_journal::Caller;

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
    /// Who asks, for a person: the client, and what the person calls the conversation.
    pub(super) fn asker(&self) -> String {
        let shown = self.caller.shown();
        let title = match &self.purpose {
            Purpose::Hook { rules, .. } => rules.title.as_deref(),
            Purpose::Act | Purpose::Token(_) => None,
        };
        match title {
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
        let agent = shell || matches!(self.purpose, Purpose::Hook { .. }) && self.caller.door == HOOK_DOOR;
        let command = matches!(refusal.judgement().subject().action, Action::RunCommand { .. });
        silent && agent && command && refusal.judgement().verdict() < Verdict::Password
    }

    /// The client's own tool that a question is about.
    pub(super) fn tool(&self) -> Option<&ToolUse> {
        match &self.purpose {
            Purpose::Hook { rules, .. } => rules.tool.as_ref(),
            Purpose::Act | Purpose::Token(_) => None,
        }
    }
}

/// The three ends of a request.
#[derive(Debug)]
pub(super) enum PipelineEnd {
    /// The action was done or refused.
    Replied(Box<Reply>),
    /// A person must be asked, and the caller does not wait for the answer.
    Unanswered(Box<super::execute::Unanswered>),
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
