//! The guard: takes one request from first to last. `pipeline.rs` shows the whole pipeline; the other files are its
//! steps.

pub mod memory;
mod admission;
pub mod context;
mod client;
pub mod execute;
mod hosts;
mod judging;
mod late;
mod outcome;
mod scope;
mod pipeline;
pub mod reply;
mod staged;
mod marks;

pub use client::hook::{HookDecision, HookOutcome, HookRules};
pub use client::tickets::{LinePath, NoTicket, Redeemed, ShellOfClient, StandsIn};
pub use context::{Progress, RequestContext};
pub use execute::{ExecuteResult, Order, Validation, WaitingCommand};
pub use marks::sessions::{self, SessionStore};
pub use memory::{Memory, grants, overrides};
pub use reply::{DecidedBy, Fault, Outcome, Reply, RunPlan, Undoable};

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::hands::Hands;
use crate::prompt::Prompter;
use guarda_core::action::{Proposal, Request};
use guarda_core::judge::Judgement;
use guarda_core::policy::Policy;
use guarda_journal::{Caller, Journal};
use judging::{Judged, PassInput};
use scope::{Purpose, RequestScope};

/// Judges, asks, acts and records. Shared by all doors.
#[derive(Debug)]
pub struct Guard {
    policies: RwLock<Policies>,
    hands: Hands,
    prompter: Prompter,
    journal: Journal,
    memory: Option<Memory>,
    marks: marks::Marks,
    /// The runs that have a network of their own.
    live: Arc<hosts::live::LiveRuns>,
    /// Answers about hosts that came after the run that wanted them.
    late: Arc<late::LateAnswers>,
    plugins: Option<crate::plugins::Plugins>,
    advisor: Option<crate::advice::Advisor>,
    anonymiser: Option<guarda_core::output::Anonymiser>,
    advanced_mode: bool,
    /// Serialises commands that a person approved, in the order of the answers.
    turns: tokio::sync::Mutex<()>,
    /// Set once the user has been told that the record cannot be written.
    outage_announced: AtomicBool,
    /// The commands whose callers return with a token.
    validations: execute::validation::Validations,
    /// The permissions that wait for the clients' shells.
    tickets: client::tickets::Tickets,
}

/// The rules in force.
#[derive(Debug, Clone)]
struct Policies {
    /// For every door but hooks.
    own: Arc<Policy>,
    /// For the hooks of agents, which work in a project.
    hooks: Arc<Policy>,
}

/// The door of hooks, in the record.
pub const HOOK_DOOR: &str = "hook";

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
    /// Creates a guard. `advanced_mode`: whether actions that need a password are possible.
    #[must_use]
    pub fn new(
        policy: Policy,
        hands: Hands,
        prompter: Prompter,
        journal: Journal,
        advanced_mode: bool,
    ) -> Self {
        let own = Arc::new(policy);
        let policies = RwLock::new(Policies { hooks: Arc::clone(&own), own });
        Self {
            policies,
            hands,
            prompter,
            journal,
            memory: None,
            marks: marks::Marks::default(),
            live: Arc::default(),
            late: Arc::default(),
            plugins: None,
            advisor: None,
            anonymiser: None,
            advanced_mode,
            turns: tokio::sync::Mutex::default(),
            outage_announced: AtomicBool::new(false),
            validations: execute::validation::Validations::default(),
            tickets: client::tickets::Tickets::default(),
        }
    }

    /// Replaces network names in shown and recorded output; the pseudonyms last as long as the guard.
    #[must_use]
    pub fn with_anonymiser(self, anonymiser: guarda_core::output::Anonymiser) -> Self {
        Self { anonymiser: Some(anonymiser), ..self }
    }

    /// Judges what hooks ask by these rules.
    #[must_use]
    pub fn with_hooks(self, policy: Policy) -> Self {
        self.policies.write().unwrap_or_else(PoisonError::into_inner).hooks = Arc::new(policy);
        self
    }

    /// Remembers commands in this memory.
    #[must_use]
    pub fn with_memory(self, memory: Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Keeps the marks of sessions in this store; without it, they are lost when the guard ends. `shared`: the marks
    /// of one session apply to every session of the day.
    #[must_use]
    pub fn with_sessions(self, sessions: SessionStore, shared: bool) -> Self {
        Self { marks: marks::Marks::new(sessions, shared), ..self }
    }

    /// Runs the user's own checks on every action.
    #[must_use]
    pub fn with_plugins(self, plugins: crate::plugins::Plugins) -> Self {
        Self { plugins: Some(plugins), ..self }
    }

    /// Gets a second opinion on commands.
    #[must_use]
    pub fn with_advisor(self, advisor: crate::advice::Advisor) -> Self {
        Self { advisor: Some(advisor), ..self }
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

    /// Announces that the record cannot be written: once, until writing works again.
    fn unrecorded(&self) {
        if self.outage_announced.swap(true, Ordering::Relaxed) {
            return;
        }
        self.prompter.tell(&crate::wording::Message::Unrecorded, self.prompter.language(None));
    }

    /// Judges a request without asking or acting. A failure to record the advice does not stop it.
    ///
    /// # Errors
    /// [`Fault`], if the request cannot be understood.
    pub async fn advise(&self, request: Request, caller: &Caller) -> Result<Advice, Fault> {
        let context = RequestContext::default();
        let scope = self.scope(uuid::Uuid::now_v7(), Purpose::Act, caller, &context);
        let draft = PassInput::new(Proposal::parse(request)?, &scope.purpose);
        let (Judged { judgement, situation, .. }, _) = self.judge(draft, &scope).await?;
        let run = self.run_plan(&judgement, &situation, &scope.policy).await;
        // The journal has logged the cause, and the status shows it.
        let _ = self.journal.advise_soon(&judgement, caller).await.inspect_err(|_| self.unrecorded());
        Ok(Advice { id: scope.id, judgement, run })
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
    pub fn profile(&self) -> guarda_core::policy::Profile {
        self.policies().own.profile()
    }

    /// The profile whose rules are in force for hooks.
    #[must_use]
    pub fn hook_profile(&self) -> guarda_core::policy::Profile {
        self.policies().hooks.profile()
    }

    /// The prompter: its questions, answers and state.
    #[must_use]
    pub fn prompter(&self) -> &Prompter {
        &self.prompter
    }

    /// The hands and their back-ends.
    #[must_use]
    pub fn hands(&self) -> &Hands {
        &self.hands
    }

    /// The memory of commands, if it is enabled.
    #[must_use]
    pub fn memory(&self) -> Option<&Memory> {
        self.memory.as_ref()
    }

    /// The user's own checks, if they are enabled.
    #[must_use]
    pub fn plugins(&self) -> Option<&crate::plugins::Plugins> {
        self.plugins.as_ref()
    }

    /// The sessions and their marks.
    #[must_use]
    pub fn sessions(&self) -> &SessionStore {
        &self.marks.sessions
    }

    /// The running commands that have a network of their own, and their traffic, oldest first.
    #[must_use]
    pub fn live(&self) -> Vec<guarda_journal::traffic::RunTraffic> {
        self.live.now()
    }

    /// The source of second opinions, if it is enabled.
    #[must_use]
    pub fn advisor(&self) -> Option<&crate::advice::Advisor> {
        self.advisor.as_ref()
    }

    /// The journal.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Ends the service: withdraws the open questions, which are then recorded as denied.
    pub fn close(&self) {
        self.prompter.close(guarda_core::gate::NoAnswer::Closing);
        self.marks.sessions.save();
    }
}
