//! The guard: takes one request from first to last. `pipeline.rs` shows the whole pipeline; the other files are its
//! steps.

pub mod memory;
mod admission;
pub mod context;
mod client;
pub mod execute;
mod hosts;
mod judge;
mod late;
mod scope;
mod pipeline;
mod recorder;
pub mod reply;
mod runner;
mod staged;
pub mod grants;
pub mod permissions;
mod trust;
mod marks;

pub use client::hook_rules::{HookDecision, HookOutcome, HookRules};
pub use client::line::{LinePath, ShellOfClient, StandsIn};
pub use client::ticket::{NoTicket, Redeemed};
pub use context::{Progress, RequestContext};
pub use execute::{ExecuteResult, Order, Validation, WaitingCommand};
pub use marks::sessions::{self, SessionStore};
pub use marks::{HOOK_DOOR, MCP_DOOR};
pub use memory::{Memory, overrides, permanent};
pub use reply::{DecidedBy, Fault, Outcome, Reply, RunPlan, Undoable};

use std::sync::{Arc, PoisonError, RwLock};

use crate::advice::Advisor;
use crate::hands::Hands;
use crate::plugins::Plugins;
use crate::prompt::Prompter;
use guarda_core::action::Request;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Policy, Profile, Taint};
use guarda_journal::traffic::RunTraffic;
use guarda_journal::{Caller, Journal};
pub use judge::Judge;
pub use recorder::Recorder;
pub use runner::Runner;
use scope::{Judged, PassInput, Purpose, RequestScope};

/// Judges, asks, acts and records. Shared by all doors.
#[derive(Debug)]
pub struct Guard {
    policies: RwLock<Policies>,
    judge: Judge,
    recorder: Recorder,
    runner: Runner,
    advanced_mode: bool,
    /// The commands whose callers return with a token.
    validations: execute::validation::Validations,
    /// The permissions that wait for the clients' shells.
    tickets: client::ticket::Tickets,
}

/// The rules in force.
#[derive(Debug, Clone)]
struct Policies {
    /// For every door but hooks.
    own: Arc<Policy>,
    /// For the hooks of agents, which work in a project.
    hooks: Arc<Policy>,
}

/// The judgement of a request that is not run.
#[derive(Debug)]
pub struct Advice {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// The judgement.
    pub judgement: Judgement,
    /// What happens if the guard runs the command; `None` if it is not a command.
    pub run: Option<RunPlan>,
}

impl Guard {
    /// Creates a guard. `own`: the rules for every door but hooks, `hooks`: those for the hooks of agents.
    /// `advanced_mode`: whether actions that need a password are possible.
    #[must_use]
    pub fn new(
        own: Policy,
        hooks: Policy,
        judge: Judge,
        recorder: Recorder,
        runner: Runner,
        advanced_mode: bool,
    ) -> Self {
        let policies = RwLock::new(Policies { own: Arc::new(own), hooks: Arc::new(hooks) });
        let (validations, tickets) = Default::default();
        Self { policies, judge, recorder, runner, advanced_mode, validations, tickets }
    }

    /// Takes one request from parsing to receipt. `id` (UUIDv7) comes from the door, so that a caller can return for
    /// the reply. `context` cancels the request and receives its progress. Run this as its own task: if it were
    /// dropped half-way, an intent would stay without an outcome.
    ///
    /// # Errors
    /// [`Fault`]: nothing was done, except for [`Fault::Unrecorded`].
    pub async fn handle(
        &self,
        id: uuid::Uuid,
        request: Request,
        caller: Caller,
        context: RequestContext,
    ) -> Result<Reply, Fault> {
        let scope = self.scope(id, Purpose::Act, &caller, &context);
        self.pipeline(request, &scope).await?.reply()
    }

    /// Judges a request without asking or acting. A failure to record the advice does not stop it.
    ///
    /// # Errors
    /// [`Fault`], if the request cannot be understood.
    pub async fn advise(&self, request: Request, caller: &Caller) -> Result<Advice, Fault> {
        let context = RequestContext::default();
        let scope = self.scope(uuid::Uuid::now_v7(), Purpose::Act, caller, &context);
        let draft = PassInput::new(self.recorder.proposal(request, scope.caller)?, &scope.purpose);
        let (Judged { judgement, situation, .. }, _) =
            self.judge.judge(draft, &scope, &self.recorder).await?;
        let run = self.judge.run_plan(&judgement, &situation, &scope.policy).await;
        // The journal has logged the cause, and the status shows it.
        let _ = self.recorder.watch(self.recorder.journal.advise_soon(&judgement, caller)).await;
        Ok(Advice { id: scope.id, judgement, run })
    }

    /// The session that a caller means by a name.
    ///
    /// # Errors
    /// [`Fault::ForeignSession`]
    pub fn own_session(&self, caller: &Caller, named: Option<&str>) -> Result<Option<String>, Fault> {
        Ok(self.recorder.marks.own(caller, named)?)
    }

    /// Replaces the rules, and those for hooks.
    pub fn set_policies(&self, own: Policy, hooks: Policy) {
        *self.policies.write().unwrap_or_else(PoisonError::into_inner) =
            Policies { own: Arc::new(own), hooks: Arc::new(hooks) };
    }

    fn policies(&self) -> Policies {
        self.policies.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The scope of a request that begins now, with the rules for its caller.
    fn scope<'a>(
        &self,
        id: uuid::Uuid,
        purpose: Purpose,
        caller: &'a Caller,
        context: &'a RequestContext,
    ) -> RequestScope<'a> {
        let Policies { own, hooks } = self.policies();
        let policy = if caller.door == HOOK_DOOR { hooks } else { own };
        RequestScope { id, purpose, policy, caller, context }
    }

    /// The profile whose rules are in force.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.policies().own.profile()
    }

    /// The profile whose rules are in force for hooks.
    #[must_use]
    pub fn hook_profile(&self) -> Profile {
        self.policies().hooks.profile()
    }

    /// The prompter: its questions, answers and state.
    #[must_use]
    pub fn prompter(&self) -> &Prompter {
        &self.recorder.prompter
    }

    /// The hands and their back-ends.
    #[must_use]
    pub fn hands(&self) -> &Hands {
        &self.runner.hands
    }

    /// The memory of commands, if it is enabled.
    #[must_use]
    pub fn memory(&self) -> Option<&Memory> {
        self.judge.memory.as_ref()
    }

    /// The user's own checks, if they are enabled.
    #[must_use]
    pub fn plugins(&self) -> Option<&Plugins> {
        self.judge.plugins.as_ref()
    }

    /// The sessions and their marks.
    #[must_use]
    pub fn sessions(&self) -> &SessionStore {
        &self.recorder.marks.sessions
    }

    /// What goes on running in the sessions.
    #[must_use]
    pub fn running(&self) -> &crate::hands::KeptSessions {
        self.runner.hands.sessions()
    }

    /// The marks of a session; requests without a session have those of the day's session. An invalid name counts as
    /// marked.
    #[must_use]
    pub fn taint(&self, session: Option<&str>) -> Taint {
        self.recorder.marks.taint(session)
    }

    /// The recorder, which sets marks.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The running commands that have a network of their own, and their traffic, oldest first.
    #[must_use]
    pub fn live(&self) -> Vec<RunTraffic> {
        self.runner.live.now()
    }

    /// The source of second opinions, if it is enabled.
    #[must_use]
    pub fn advisor(&self) -> Option<&Advisor> {
        self.judge.advisor.as_ref()
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.recorder.journal
    }

    /// Ends the service: withdraws the open questions, which are then recorded as denied.
    pub fn close(&self) {
        self.prompter().close(guarda_core::gate::NoAnswer::Closing);
        self.recorder.marks.sessions.save();
    }
}
