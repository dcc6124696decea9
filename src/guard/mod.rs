//! One request from first to last. Everything else in the program serves this file, and it is short on purpose.

pub mod reply;
mod tell;

pub use reply::{DecidedBy, Fault, Outcome, Reply};

use std::sync::{Arc, PoisonError, RwLock};

use tokio_util::sync::CancellationToken;

use crate::action::{Action, Proposal, Request};
use crate::gate::{Approved, Number, Passage, Refusal, Says};
use crate::hands::Hands;
use crate::human::{Desk, Options};
use crate::judge::Judgement;
use crate::policy::{Policy, Situation};
use crate::record::{Caller, Journal};

/// The guard: judges, asks, acts, writes down. Shared by all doors.
#[derive(Debug)]
pub struct Guard {
    policy: RwLock<Arc<Policy>>,
    hands: Hands,
    desk: Desk,
    journal: Journal,
    advanced_mode: bool,
}

/// What the guard would do with a request, and nothing done.
#[derive(Debug)]
pub struct Advice {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// The judgement.
    pub judgement: Judgement,
}

impl Guard {
    /// Puts the guard together. `advanced_mode` says whether what needs a password can be done at all.
    #[must_use]
    pub fn new(policy: Policy, hands: Hands, desk: Desk, journal: Journal, advanced_mode: bool) -> Self {
        Self { policy: RwLock::new(Arc::new(policy)), hands, desk, journal, advanced_mode }
    }

    /// Does one request, from parsing to receipt. `id` (UUIDv7) is the door's, so that a caller can come back for the
    /// reply. When `withdraw` is cancelled, the question is taken back; a deed that was begun goes on to its end. Run it
    /// as a task of its own: dropped half-way, it would leave an intent without an outcome.
    ///
    /// # Errors
    /// [`Fault`]: nothing was done, but for [`Fault::Unrecorded`].
    pub async fn handle(
        &self,
        id: uuid::Uuid,
        request: Request,
        caller: Caller,
        withdraw: CancellationToken,
    ) -> Result<Reply, Fault> {
        let (judgement, situation) = self.judge(request)?;
        let approved = match self.admit(judgement, &withdraw).await {
            Ok(approved) => approved,
            Err(refusal) => return self.refuse(id, &refusal, &caller).await,
        };
        let warrant = self.journal.intend(approved, &caller).await.inspect_err(|_| self.unrecorded())?;
        let _hold = if presses_keys(warrant.judgement()) { Some(self.desk.hold().await) } else { None };
        let (open, raw) = self.hands.act(warrant, &situation, std::future::pending()).await;
        let output = crate::output::clean(raw);
        let reply = tell::done(&self.desk, id, &open, &output);
        let receipt = self.journal.close(open, &output).await.map_err(Fault::Unrecorded)?;
        Ok(Reply { output: Some(output), receipt: Some(receipt), ..reply })
    }

    fn judge(&self, request: Request) -> Result<(Judgement, Situation), Fault> {
        let proposal = Proposal::parse(request)?;
        let situation = self.hands.look(&proposal, self.desk.question_open())?;
        let policy = Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner));
        Ok((crate::judge::judge(&policy, proposal, &situation), situation))
    }

    /// Through the gate, asking a person where it must be asked.
    async fn admit(&self, judgement: Judgement, withdraw: &CancellationToken) -> Result<Approved, Refusal> {
        let number = Number(*uuid::Uuid::new_v4().as_bytes());
        let pending = match crate::gate::enter(judgement, number, self.advanced_mode) {
            Passage::Clear(approved) => return Ok(approved),
            Passage::Shut(refusal) => return Err(refusal),
            Passage::Ask(pending) => pending,
        };
        let question = pending.question();
        let answer = if matches!(question.subject.action, Action::Unknown { .. }) {
            // After a yes there would be nothing to do: nobody is disturbed for it.
            question.answer(Says::Unasked { why: "the action is not in the vocabulary".to_owned() })
        } else {
            let withdrawn = async {
                withdraw.cancelled().await;
                "the caller went away".to_owned()
            };
            self.desk.ask(&question, Options::default(), withdrawn).await
        };
        pending.settle(answer)
    }

    async fn refuse(&self, id: uuid::Uuid, refusal: &Refusal, caller: &Caller) -> Result<Reply, Fault> {
        let receipt = self.journal.refuse(refusal, caller).await.inspect_err(|_| self.unrecorded())?;
        Ok(tell::refused(&self.desk, id, refusal, receipt))
    }

    fn unrecorded(&self) {
        self.desk.tell(&crate::human::Message::Unrecorded, self.desk.language(None));
    }

    /// Judges only: nothing is asked, nothing is done.
    ///
    /// # Errors
    /// [`Fault`], if the request cannot be understood or the record cannot be written.
    pub async fn advise(&self, request: Request, caller: &Caller) -> Result<Advice, Fault> {
        let (judgement, _) = self.judge(request)?;
        self.journal.advise(&judgement, caller).await?;
        Ok(Advice { id: uuid::Uuid::now_v7(), judgement })
    }

    /// Takes other rules from now on.
    pub fn set_policy(&self, policy: Policy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// The profile whose rules are in force.
    #[must_use]
    pub fn profile(&self) -> crate::policy::Profile {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).profile()
    }

    /// The desk: its questions, its answers, its state.
    #[must_use]
    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// The hands: their back-ends.
    #[must_use]
    pub fn hands(&self) -> &Hands {
        &self.hands
    }

    /// The journal: whether it can be written.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Ends the service: withdraws the open questions, which are then written down as denied.
    pub fn close(&self) {
        self.desk.close("the guard is shutting down");
    }
}

/// Whether a deed could press a key: then no question may stand while it runs, or it could answer it.
fn presses_keys(judgement: &Judgement) -> bool {
    matches!(judgement.subject().action, Action::KeyPress { .. })
        || judgement.findings().iter().any(|finding| finding.tags.iter().any(|tag| tag == "keys"))
}
