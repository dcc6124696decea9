//! The marks of sessions: set by their actions and callers, and cleared by a person.

pub mod sessions;

use std::collections::BTreeSet;
use std::sync::Arc;

use guarda_core::action::Way;
use guarda_core::gate::Approved;
use guarda_core::judge::Judgement;
use guarda_core::network::Host;
use guarda_core::output::traffic::HostTraffic;
use guarda_core::policy::{MarkCause, Situation, Taint};
use guarda_journal::{Caller, Open, session_of};

use super::scope::RequestScope;
use super::{Fault, Guard, SessionStore};

/// The marks of sessions, and whether those of one session apply to all of the day.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    pub(super) sessions: Arc<SessionStore>,
    shared: bool,
}

impl Marks {
    pub(super) fn new(sessions: SessionStore, shared: bool) -> Self {
        Self { sessions: Arc::new(sessions), shared }
    }

    /// See [`Guard::taint`].
    pub(super) fn taint(&self, session: Option<&str>) -> Taint {
        let named = session_of(session).map_or(Taint::BOTH, |session| self.sessions.taint(&session));
        match self.day(session) {
            Some(day) => named.joined(self.sessions.taint(&day)),
            None => named,
        }
    }

    /// The day's session, if its marks are shared with the named one.
    fn day(&self, session: Option<&str>) -> Option<String> {
        session.filter(|_| self.shared).and_then(|_| session_of(None).ok())
    }
}

impl Guard {
    /// The marks of a session; requests without a session have those of the day's session. An invalid name counts as
    /// marked.
    #[must_use]
    pub fn taint(&self, session: Option<&str>) -> Taint {
        self.marks.taint(session)
    }

    /// Sets marks of a session and records the new ones. Returns the resulting marks.
    pub async fn mark(&self, session: Option<&str>, taint: Taint, why: &MarkCause, caller: &Caller) -> Taint {
        let Ok(named) = session_of(session) else { return Taint::BOTH };
        for session in [Some(named), self.marks.day(session)].into_iter().flatten() {
            if self.marks.sessions.raise(&session, taint, why).any() {
                self.record_mark(&session, why, caller).await;
            }
        }
        self.taint(session)
    }

    /// Records a change of marks. It applies even if its line cannot be written; the journal reports that failure itself.
    async fn record_mark(&self, session: &str, why: &MarkCause, caller: &Caller) {
        let now = self.marks.sessions.taint(session);
        let written = self.journal.mark(session, now, why.clone(), caller).await;
        let _ = written.inspect_err(|_| self.unrecorded());
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
        let now = self.taint(subject.claims.session.as_deref());
        if !now.without(judgement.taint()).any() {
            return Ok(());
        }
        let situation = Situation { corrupted: now.corruption, secret: now.secret, ..situation.clone() };
        if scope.policy.weigh_taint(&subject.action, &situation, judgement.findings()).is_none() {
            return Ok(());
        }
        self.journal.granted(approved, scope.caller).await.inspect_err(|_| self.unrecorded())?;
        Err(Fault::Marked)
    }

    /// Marks the session of a run with the hosts from which it has received data.
    pub(super) async fn taint_from_traffic(&self, open: &Open, traffic: &[HostTraffic], caller: &Caller) {
        let from = traffic.iter().filter(|traffic| traffic.received > 0);
        let hosts: BTreeSet<&Host> = from.map(|traffic| &traffic.host).collect();
        let session = open.judgement().subject().claims.session.as_deref();
        let Ok(named) = session_of(session) else { return };
        let new = self.marks.sessions.heard(&named, hosts);
        if !new.is_empty() {
            let names: Vec<String> = new.iter().map(Host::to_string).collect();
            let why = MarkCause::Hosts { hosts: names.join(", ") };
            if self.taint(session).corruption {
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

impl RequestScope<'_> {
    /// The marks that this action sets if it is run in this way.
    pub(super) fn taint_of(&self, judgement: &Judgement, way: Way, situation: &Situation) -> Taint {
        self.policy.brings(&judgement.subject().action, way, situation, judgement.findings())
    }
}
