//! The record of requests and the marks of sessions. If the record cannot be written, the user is told once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use guarda_core::action::{Proposal, Request};
use guarda_core::gate::{Approved, Refusal};
use guarda_core::judge::Judgement;
use guarda_core::network::Host;
use guarda_core::output::Output;
use guarda_core::policy::{MarkCause, Situation, Taint};

use super::Fault;
use super::grants::GrantStore;
use super::marks::Marks;
use super::marks::sessions::SessionStore;
use super::scope::RequestScope;
use crate::prompt::Prompter;
use crate::wording::Message;
use guarda_journal::{Caller, Journal, Open, Receipt, RecordError, Warrant, session_of};

/// Writes to the journal, and sets the marks of sessions.
#[derive(Debug)]
pub struct Recorder {
    pub(super) journal: Journal,
    pub(super) prompter: Prompter,
    pub(super) marks: Marks,
    /// What a person granted beforehand.
    pub(super) grants: Arc<GrantStore>,
    /// Set once the user has been told that the record cannot be written.
    outage_announced: AtomicBool,
}

impl Recorder {
    /// Keeps the marks of sessions in this store. `shared`: those of one session apply to every session of the day.
    #[must_use]
    pub fn new(journal: Journal, prompter: Prompter, sessions: SessionStore, shared: bool) -> Self {
        let marks = Marks::new(sessions, shared);
        let grants = Arc::new(GrantStore::carried(&journal.carried().terms));
        Self { journal, prompter, marks, grants, outage_announced: AtomicBool::new(false) }
    }

    /// Parses a request of this caller. A session that it names must be its own.
    ///
    /// # Errors
    /// [`Fault`]: the request must be changed.
    pub(super) fn proposal(&self, request: Request, caller: &Caller) -> Result<Proposal, Fault> {
        let session = self.marks.own(caller, request.session.as_deref())?;
        Ok(Proposal::parse(Request { session, ..request })?)
    }

    /// Awaits a write, and announces that the record cannot be written: once, until writing works again.
    pub(super) async fn watch<T>(
        &self,
        write: impl Future<Output = Result<T, RecordError>>,
    ) -> Result<T, RecordError> {
        write.await.inspect_err(|_| {
            if !self.outage_announced.swap(true, Ordering::Relaxed) {
                self.prompter.tell(&Message::Unrecorded, self.prompter.language(None));
            }
        })
    }

    /// Checks that the record of this judgement could be written.
    pub(super) async fn ready(&self, judgement: &Judgement) -> Result<(), RecordError> {
        self.watch(self.journal.ready(judgement)).await?;
        self.outage_announced.store(false, Ordering::Relaxed);
        Ok(())
    }

    pub(super) async fn advise(
        &self,
        judgement: &Judgement,
        caller: &Caller,
    ) -> Result<Receipt, RecordError> {
        self.watch(self.journal.advise(judgement, caller)).await
    }

    pub(super) async fn granted(&self, approved: &Approved, caller: &Caller) -> Result<Receipt, RecordError> {
        self.watch(self.journal.granted(approved, caller)).await
    }

    pub(super) async fn refuse(&self, refusal: &Refusal, caller: &Caller) -> Result<Receipt, RecordError> {
        self.watch(self.journal.refuse(refusal, caller)).await
    }

    pub(super) async fn intend(&self, approved: Approved, caller: &Caller) -> Result<Warrant, RecordError> {
        self.watch(self.journal.intend(approved, caller)).await
    }

    /// Records the intent of an approved action, unless its session got a relevant mark since the judgement.
    pub(super) async fn warrant(
        &self,
        approved: Approved,
        situation: &Situation,
        scope: &RequestScope<'_>,
    ) -> Result<Warrant, Fault> {
        self.recheck_taint(&approved, situation, scope).await?;
        let way = approved.way();
        let warrant = self.intend(approved, scope.caller).await?;
        // The marks are set before the run, so that a crash loses none.
        let brings = scope.taint_of(warrant.judgement(), way, situation);
        self.apply_taint(warrant.judgement(), brings, scope.caller).await;
        Ok(warrant)
    }

    /// Sets marks of a session and records the new ones. Returns the resulting marks.
    pub async fn mark(&self, session: Option<&str>, taint: Taint, why: &MarkCause, caller: &Caller) -> Taint {
        let Ok(named) = session_of(session) else { return Taint::BOTH };
        for session in [Some(named), self.marks.day(session)].into_iter().flatten() {
            if self.marks.sessions.raise(&session, taint, why).any() {
                self.record_mark(&session, why, caller).await;
            }
        }
        self.marks.taint(session)
    }

    /// Records a change of marks. It applies even if its line cannot be written; the journal reports that failure itself.
    async fn record_mark(&self, session: &str, why: &MarkCause, caller: &Caller) {
        let now = self.marks.sessions.taint(session);
        let _ = self.watch(self.journal.mark(session, now, why.clone(), caller)).await;
    }

    /// Clears the marks of a session. Only for a person. `None` if the session is unknown.
    pub async fn unmark(&self, session: &str, caller: &Caller) -> Option<Taint> {
        let had = self.marks.sessions.clear(session)?;
        if had.any() {
            self.record_mark(session, &MarkCause::Removed, caller).await;
        }
        Some(had)
    }

    /// Clears the marks of all sessions and returns how many had one. Only for a person.
    pub async fn unmark_all(&self, caller: &Caller) -> usize {
        let marked = self.marks.sessions.list().into_iter().filter(|(_, known)| known.taint().any());
        let marked: Vec<String> = marked.map(|(name, _)| name).collect();
        let count = self.marks.sessions.clear_all();
        for session in &marked {
            self.record_mark(session, &MarkCause::AllRemoved, caller).await;
        }
        count
    }

    /// Checks before a run that the judgement still holds: the session may have got a mark while a person was asked,
    /// or from a concurrent request. Not repeated before a commit, because the rules for effects do not depend on
    /// marks.
    ///
    /// # Errors
    /// [`Fault::Marked`], if the new marks are a reason to ask; the request is recorded as not done.
    pub(super) async fn recheck_taint(
        &self,
        approved: &Approved,
        situation: &Situation,
        scope: &RequestScope<'_>,
    ) -> Result<(), Fault> {
        let judgement = approved.judgement();
        let subject = judgement.subject();
        let now = self.marks.taint(subject.claims.session.as_deref());
        if !now.without(judgement.taint()).any() {
            return Ok(());
        }
        let situation = Situation { corrupted: now.corruption, secret: now.secret, ..situation.clone() };
        if scope.policy.weigh_taint(&subject.action, &situation, judgement.findings()).is_none() {
            return Ok(());
        }
        self.granted(approved, scope.caller).await?;
        Err(Fault::Marked)
    }

    /// Marks the session of a run for the secrets in its output and the hosts from which it has received data.
    pub(super) async fn taint_from_run(&self, open: &Open, output: &Output, caller: &Caller) {
        let session = open.judgement().subject().claims.session.as_deref();
        if output.metadata.redactions_applied || output.withheld {
            let why = MarkCause::Cleaned { secrets: output.metadata.redaction_categories.join(", ") };
            self.mark(session, Taint { secret: true, ..Taint::NONE }, &why, caller).await;
        }
        let from = output.hosts.iter().filter(|traffic| traffic.received > 0);
        let hosts: BTreeSet<&Host> = from.map(|traffic| &traffic.host).collect();
        let Ok(named) = session_of(session) else { return };
        let new = self.marks.sessions.add_hosts(&named, hosts);
        if !new.is_empty() {
            let names: Vec<String> = new.iter().map(Host::to_string).collect();
            let why = MarkCause::Hosts { hosts: names.join(", ") };
            if self.marks.taint(session).corruption {
                self.record_mark(&named, &why, caller).await;
            } else {
                self.mark(session, Taint { corruption: true, ..Taint::NONE }, &why, caller).await;
            }
        }
    }

    /// Sets the marks of a judged action.
    pub(super) async fn apply_taint(&self, judgement: &Judgement, brings: Taint, caller: &Caller) {
        let subject = judgement.subject();
        if brings.without(judgement.taint()).any() {
            let action = subject.action.kind().name().to_owned();
            // The record contains this, and the command itself may hold a secret.
            let why = MarkCause::Action { network: brings.corruption, secret: brings.secret, action };
            self.mark(subject.claims.session.as_deref(), brings, &why, caller).await;
        }
    }
}
