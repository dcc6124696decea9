//! One request from first to last. Everything else in the program serves this file, and it is short on purpose.

mod anchor;
pub mod memory;
mod admission;
pub mod context;
pub mod hook;
pub mod execute;
mod judging;
mod outcome;
mod pipeline;
pub mod reply;
pub mod standing;
mod staged;
mod tell;
mod tickets;
pub mod sessions;
mod marks;
mod validation;

pub use context::{Progress, RequestContext};
pub use execute::{Execution, Order, Validation, Waiting};
pub use hook::{HookDecision, HookOutcome, HookRules};
pub use memory::Memory;
pub use reply::{DecidedBy, Fault, Outcome, Reply, RunPlan, Undo};
pub use sessions::Sessions;
pub use tickets::{NoTicket, Redeemed};

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::hands::Hands;
use crate::human::Prompter;
use crate::record::{Caller, Journal};
use guarda_core::action::{Proposal, Request};
use guarda_core::judge::Judgement;
use guarda_core::policy::Policy;
use judging::{Draft, Judged};
use pipeline::{Job, Purpose};
use validation::Validations;

/// The guard: judges, asks, acts, writes down. Shared by all doors.
#[derive(Debug)]
pub struct Guard {
    policy: RwLock<Arc<Policy>>,
    hands: Hands,
    prompter: Prompter,
    journal: Journal,
    memory: Option<Memory>,
    sessions: Sessions,
    shared_marks: bool,
    plugins: Option<crate::plugins::Plugins>,
    advisor: Option<crate::advice::Advisor>,
    anonymiser: Option<guarda_core::output::Anonymiser>,
    advanced_mode: bool,
    /// Commands that a person approved run one after the other, in the order of the answers.
    turns: tokio::sync::Mutex<()>,
    /// It was said aloud that the record cannot be written.
    told: AtomicBool,
    /// The commands whose callers come back with a token.
    validations: Validations,
    /// The permissions that wait for the shells of clients.
    tickets: tickets::Tickets,
}

/// What the guard would do with a request, and nothing done.
#[derive(Debug)]
pub struct Advice {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// The judgement.
    pub judgement: Judgement,
    /// What becomes of a command if the guard runs it.
    pub run: Option<RunPlan>,
}

impl Guard {
    /// Puts the guard together. `advanced_mode` says whether what needs a password can be done at all.
    #[must_use]
    pub fn new(
        policy: Policy,
        hands: Hands,
        prompter: Prompter,
        journal: Journal,
        advanced_mode: bool,
    ) -> Self {
        let (policy, turns) = (RwLock::new(Arc::new(policy)), tokio::sync::Mutex::default());
        let told = AtomicBool::new(false);
        let validations = Validations::default();
        Self {
            policy,
            hands,
            prompter,
            journal,
            memory: None,
            sessions: Sessions::default(),
            shared_marks: false,
            plugins: None,
            advisor: None,
            anonymiser: None,
            advanced_mode,
            turns,
            told,
            validations,
            tickets: tickets::Tickets::default(),
        }
    }

    /// Lets it hide the network in what it shows and records; the stand-ins hold as long as the guard does.
    #[must_use]
    pub fn with_anonymiser(self, anonymiser: guarda_core::output::Anonymiser) -> Self {
        Self { anonymiser: Some(anonymiser), ..self }
    }

    /// Lets it remember commands.
    #[must_use]
    pub fn with_memory(self, memory: Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Lets it keep the marks of sessions in this store; otherwise they are gone when the guard is. `shared`: what one
    /// session has seen counts for every session of the day.
    #[must_use]
    pub fn with_sessions(self, sessions: Sessions, shared: bool) -> Self {
        Self { sessions, shared_marks: shared, ..self }
    }

    /// Lets it ask the user's own checks about every action.
    #[must_use]
    pub fn with_plugins(self, plugins: crate::plugins::Plugins) -> Self {
        Self { plugins: Some(plugins), ..self }
    }

    /// Lets it hear a second opinion on commands.
    #[must_use]
    pub fn with_advisor(self, advisor: crate::advice::Advisor) -> Self {
        Self { advisor: Some(advisor), ..self }
    }

    /// Does one request, from parsing to receipt. `id` (UUIDv7) is the door's, so that a caller can come back for the
    /// reply. `context` calls it off, and is told what happens on the way. Run it as a task of its own: dropped half-way,
    /// it would leave an intent without an outcome.
    ///
    /// # Errors
    /// [`Fault`]: nothing was done, but for [`Fault::Unrecorded`].
    pub async fn handle(
        &self,
        id: uuid::Uuid,
        request: Request,
        caller: Caller,
        context: RequestContext,
    ) -> Result<Reply, Fault> {
        let job = Job { id, purpose: Purpose::Act, caller: &caller, context: &context };
        self.pipeline(request, &job).await?.reply()
    }

    /// Says aloud that the record cannot be written: once, until it can again.
    fn unrecorded(&self) {
        if self.told.swap(true, Ordering::Relaxed) {
            return;
        }
        self.prompter.tell(&crate::human::Message::Unrecorded, self.prompter.language(None));
    }

    /// Judges only: nothing is asked, nothing is done. That the advice cannot be recorded does not stop it.
    ///
    /// # Errors
    /// [`Fault`], if the request cannot be understood.
    pub async fn advise(&self, request: Request, caller: &Caller) -> Result<Advice, Fault> {
        let draft = Draft::new(Proposal::parse(request)?, &Purpose::Act);
        let (Judged { judgement, situation, .. }, _) = self.judge(draft, caller).await?;
        let run = self.run_plan(&judgement, &situation).await;
        // The journal has logged why, and the status shows it.
        let _ = self.journal.advise_soon(&judgement, caller).await.inspect_err(|_| self.unrecorded());
        Ok(Advice { id: uuid::Uuid::now_v7(), judgement, run })
    }

    /// Takes other rules from now on.
    pub fn set_policy(&self, policy: Policy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// The rules in force.
    fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The profile whose rules are in force.
    #[must_use]
    pub fn profile(&self) -> guarda_core::policy::Profile {
        self.policy().profile()
    }

    /// The desk: its questions, its answers, its state.
    #[must_use]
    pub fn prompter(&self) -> &Prompter {
        &self.prompter
    }

    /// The hands: their back-ends.
    #[must_use]
    pub fn hands(&self) -> &Hands {
        &self.hands
    }

    /// What is remembered of commands; `None` where nothing is.
    #[must_use]
    pub fn memory(&self) -> Option<&Memory> {
        self.memory.as_ref()
    }

    /// The user's own checks; `None` where they are switched off.
    #[must_use]
    pub fn plugins(&self) -> Option<&crate::plugins::Plugins> {
        self.plugins.as_ref()
    }

    /// The sessions and their marks.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Who gives a second opinion; `None` where nobody does.
    #[must_use]
    pub fn advisor(&self) -> Option<&crate::advice::Advisor> {
        self.advisor.as_ref()
    }

    /// The journal: whether it can be written.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Ends the service: withdraws the open questions, which are then written down as denied.
    pub fn close(&self) {
        self.prompter.close("the guard is shutting down");
        self.sessions.save();
    }
}
