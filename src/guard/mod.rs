//! One request from first to last. Everything else in the program serves this file, and it is short on purpose.

mod anchor;
pub mod memory;
mod clear;
pub mod context;
pub mod hook;
pub mod execute;
mod perform;
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
use crate::human::{Impact, Mark, Options, Prompter};
use crate::record::{Caller, Journal};
use guarda_core::action::{Action, Proposal, Request};
use guarda_core::gate::{Approved, Number, Passage, Pending, Refusal, Says};
use guarda_core::judge::Judgement;
use guarda_core::output::Protection;
use guarda_core::policy::{Finding, Policy, Situation, Verdict};
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

/// How a request is to be judged.
#[derive(Debug)]
struct Judging {
    /// Reasons besides those of the rules.
    more: Vec<Finding>,
    /// Whether its writes may be held back.
    stage: bool,
}

/// A request that was judged.
struct Judged {
    judgement: Judgement,
    situation: Situation,
    /// What is to be remembered of it should it run.
    expected: Option<memory::Expected>,
}

/// What a question is put with.
#[derive(Debug, Clone, Copy)]
struct Asking<'a> {
    /// What is to be remembered of it.
    expected: Option<&'a memory::Expected>,
    /// What was true when it was judged.
    situation: &'a Situation,
    /// Whether a person may write another command in its place.
    changeable: bool,
    /// Whether the guard itself does it after a yes.
    ours: bool,
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
        let next = clear::Next::new(Proposal::parse(request)?);
        match self.clear(next, &caller, &context).await? {
            Ok(cleared) => self.carry_out(id, cleared, &caller, &context).await,
            Err(refusal) => self.refuse(id, &refusal, &caller).await,
        }
    }

    /// Judges what is to be done, and sees to it that it can be kept in as it must be.
    async fn prepare(
        &self,
        proposal: Proposal,
        judging: Judging,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<Judged, Fault> {
        let Judged { judgement, situation, expected } = self.judge(proposal, judging, caller).await?;
        // Nobody is asked for what could not be done after a yes.
        self.journal.ready(&judgement).await.inspect_err(|_| self.unrecorded())?;
        self.told.store(false, Ordering::Relaxed);
        let judgement = asked_without_cells(judgement);
        let run = self.run_plan(&judgement, &situation).await;
        self.require(&judgement, run.as_ref().and_then(|run| run.sandbox.as_ref()), caller).await?;
        context.tell(Progress::Judged {
            verdict: judgement.run().verdict,
            risk: judgement.risk(),
            findings: judgement.findings().to_vec(),
            run,
        });
        Ok(Judged { judgement, situation, expected })
    }

    /// Refuses what this machine cannot keep in as it is required; nobody is asked what could not be done.
    async fn require(
        &self,
        judgement: &Judgement,
        sandbox: Option<&Protection>,
        caller: &Caller,
    ) -> Result<(), Fault> {
        let lacking = sandbox.filter(|sandbox| self.hands.requires_sandbox() && !sandbox.is_whole());
        let Some(lacking) = lacking.filter(|_| judgement.run().verdict != Verdict::Block) else {
            return Ok(());
        };
        self.journal.advise(judgement, caller).await.inspect_err(|_| self.unrecorded())?;
        Err(Fault::Unkept(lacking.lacks()))
    }

    /// Looks and judges.
    async fn judge(&self, proposal: Proposal, judging: Judging, caller: &Caller) -> Result<Judged, Fault> {
        let Judging { more, stage } = judging;
        let mut situation = self.hands.look(&proposal, self.prompter.question_open())?;
        let taint = self.taint(proposal.claims.session.as_deref());
        (situation.corrupted, situation.secret) = (taint.corruption, taint.secret);
        situation.cells = self.hands.can_look().await;
        let policy = self.policy();
        self.hands.weigh(&policy, &proposal, &mut situation, stage);
        let mut identity = None;
        if let Some(memory) = &self.memory {
            identity = memory.identify(&proposal, &situation, policy.profile()).await;
            if let Some(identity) = &identity {
                situation.history = Some(memory.recall(identity).await);
                if let Some(progress) = memory.progress() {
                    self.prompter.tell(&progress, self.prompter.language(None));
                }
            }
        }
        let judgement = guarda_core::judge::judge(&policy, proposal, &situation);
        let judgement = judgement.undoing(self.hands.undoing(&situation).await);
        let mut judgement = more.into_iter().fold(judgement, Judgement::raise);
        if let Some(plugins) = &self.plugins {
            judgement = plugins.weigh(judgement, &situation, policy.profile(), &caller.door).await;
        }
        if let Some(advisor) = &self.advisor {
            judgement = advisor.consider(judgement, &policy, &situation).await;
        }
        let most_risk = self.memory.as_ref().map_or(0.0, Memory::most_risk);
        let expected = identity
            .map(|identity| memory::Expected::new(identity, &judgement, &situation, &policy, most_risk));
        Ok(Judged { judgement, situation, expected })
    }

    fn enter(&self, judgement: Judgement) -> Passage {
        let number = Number(*uuid::Uuid::new_v4().as_bytes());
        guarda_core::gate::enter(judgement, guarda_core::gate::Runner::Guard, number, self.advanced_mode)
    }

    /// How a command is run if the guard runs it; `None` for what is no command.
    async fn run_plan(&self, judgement: &Judgement, situation: &Situation) -> Option<RunPlan> {
        if !matches!(judgement.subject().action, Action::RunCommand { .. }) {
            return None;
        }
        let decision = judgement.run();
        let sandbox = match decision.way {
            Some(way) => {
                let terms = (situation, &*self.policy());
                self.hands.foresee(judgement.subject(), terms, way).await
            }
            None => None,
        };
        Some(RunPlan { decision, sandbox })
    }

    /// Puts the question, and keeps it in mind where the answer is to hold from now on.
    async fn ask(
        &self,
        pending: Pending,
        asking: Asking<'_>,
        impact: Impact,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<Approved, Refusal> {
        let question = pending.question();
        let Asking { expected, changeable, .. } = asking;
        // What a client does itself it can do after a yes, whatever it is.
        let tool = question.findings.iter().any(|finding| finding.tags.iter().any(|tag| tag == "tool"));
        let answer = if matches!(question.subject.action, Action::Unknown { .. }) && !tool {
            // After a yes there would be nothing to do: nobody is disturbed for it.
            question.answer(Says::Unasked { why: "the action is not in the vocabulary".to_owned() })
        } else if let Err(error) = self.journal.ask(&pending, caller).await {
            self.unrecorded();
            question.answer(Says::Unasked { why: format!("the question could not be recorded: {error}") })
        } else {
            let always = expected.is_some_and(|expected| expected.always);
            let impact = Arc::new(impact);
            let options = Options { always, changeable, impact, ..Options::default() };
            self.prompter.ask(&question, options, context.taken_back()).await
        };
        let always = answer.always().map(str::to_owned);
        let approved = pending.settle(answer)?;
        if let (Some(memory), Some(expected), Some(channel)) = (&self.memory, expected, always) {
            let said = memory.allow(&expected.identity, &channel).await;
            self.prompter.tell(&said, self.prompter.language(question.subject.claims.language.as_deref()));
        }
        Ok(approved)
    }

    /// What a person may want to know beside the judgement.
    async fn impact(&self, pending: &Pending, asking: &Asking<'_>) -> Impact {
        let (question, situation) = (pending.question(), asking.situation);
        let subject = &question.subject;
        let effects = pending.judgement().effects().map(Arc::clone);
        let run = if asking.ours { self.run_plan(pending.judgement(), situation).await } else { None };
        let (way, sandbox) = run.map(|run| (run.decision.way, run.sandbox)).unwrap_or_default();
        let marks = [(situation.corrupted, Mark::Outside), (situation.secret, Mark::Secret)];
        Impact {
            // What is known need not be guessed.
            preview: match &effects {
                Some(_) => crate::devices::touch::Preview::default(),
                None => self.hands.preview(subject, situation).await,
            },
            undo_days: effects.as_ref().map(|_| self.hands.kept_days()),
            effects,
            way,
            partly: situation.frozen.as_ref().is_some_and(|frozen| frozen.partly),
            sandbox,
            marks: marks.into_iter().filter_map(|(there, mark)| there.then_some(mark)).collect(),
            now: jiff::Timestamp::now().as_second(),
            home: situation.home.clone(),
            cwd: situation.cwd.clone(),
        }
    }

    async fn refuse(&self, id: uuid::Uuid, refusal: &Refusal, caller: &Caller) -> Result<Reply, Fault> {
        let receipt = self.journal.refuse(refusal, caller).await.inspect_err(|_| self.unrecorded())?;
        Ok(tell::refused(&self.prompter, id, refusal, receipt))
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
        let Judged { judgement, situation, .. } =
            self.judge(Proposal::parse(request)?, Judging { more: Vec::new(), stage: true }, caller).await?;
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

/// Where this machine can make no cell, policy alone lets nothing run, and the person who is asked is told why.
fn asked_without_cells(judgement: Judgement) -> Judgement {
    if judgement.held() > Verdict::Allow || judgement.run().verdict != Verdict::Confirm {
        return judgement;
    }
    judgement.raise(of_hands(
        "no-cell",
        "this machine cannot run it where it could do no harm".to_owned(),
        0.3,
    ))
}

/// A reason to ask that lies in how a command can be run here, not in what it says.
fn of_hands(rule: &str, why: String, risk: f32) -> Finding {
    Finding {
        rule: rule.to_owned(),
        layer: "hands".to_owned(),
        verdict: Verdict::Confirm,
        span: None,
        why,
        instead: None,
        risk,
        tags: Vec::new(),
        contained: false,
    }
}
