//! Marking sessions: by what is done in them, by their callers, and the taking away by a person.

use std::sync::{Arc, PoisonError};

use crate::record::{Caller, session_of};
use guarda_core::gate::Approved;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Situation, Taint};

use super::{Fault, Guard};

impl Guard {
    /// The marks of a session; of the day's own for requests that name none. A name that is none counts as marked.
    #[must_use]
    pub fn taint(&self, session: Option<&str>) -> Taint {
        let named = session_of(session).map_or(Taint::BOTH, |session| self.sessions.taint(&session));
        match self.day(session) {
            Some(day) => named.joined(self.sessions.taint(&day)),
            None => named,
        }
    }

    /// The day's session, where it shares the marks of the one that is named.
    fn day(&self, session: Option<&str>) -> Option<String> {
        session.filter(|_| self.shared_marks).and_then(|_| session_of(None).ok())
    }

    /// Sets marks of a session, and writes down those that are new. What it has now.
    pub async fn mark(&self, session: Option<&str>, taint: Taint, why: &str, caller: &Caller) -> Taint {
        let Ok(named) = session_of(session) else { return Taint::BOTH };
        for session in [Some(named), self.day(session)].into_iter().flatten() {
            if self.sessions.raise(&session, taint, why).any() {
                let now = self.sessions.taint(&session);
                // The mark holds whether or not its line can be written; the journal says itself that it cannot.
                let _ =
                    self.journal.mark(&session, now, why, caller).await.inspect_err(|_| self.unrecorded());
            }
        }
        self.taint(session)
    }

    /// Takes the marks of a session away: for a person only. `None` where no such session is known.
    pub async fn unmark(&self, session: &str, caller: &Caller) -> Option<Taint> {
        let had = self.sessions.clear(session)?;
        if had.any() {
            let now = self.sessions.taint(session);
            let why = "a person took the marks away";
            let _ = self.journal.mark(session, now, why, caller).await.inspect_err(|_| self.unrecorded());
        }
        Some(had)
    }

    /// The same for all sessions; how many had marks.
    pub async fn unmark_all(&self, caller: &Caller) -> usize {
        let marked = self.sessions.list().into_iter().filter(|(_, known)| known.taint().any());
        let marked: Vec<String> = marked.map(|(name, _)| name).collect();
        let count = self.sessions.clear_all();
        for session in &marked {
            let why = "a person took the marks of all sessions away";
            let now = self.sessions.taint(session);
            let _ = self.journal.mark(session, now, why, caller).await.inspect_err(|_| self.unrecorded());
        }
        count
    }

    /// Whether what was judged still stands: the session may have got a mark while a person was asked, or between two of its
    /// requests that came at once.
    ///
    /// # Errors
    /// [`Fault::Marked`], where the new marks are a reason to ask; the request is written down as not done.
    pub(super) async fn still(
        &self,
        approved: &Approved,
        situation: &Situation,
        caller: &Caller,
    ) -> Result<(), Fault> {
        let judgement = approved.judgement();
        let subject = judgement.subject();
        let now = self.taint(subject.claims.session.as_deref());
        if !now.without(judgement.taint()).any() {
            return Ok(());
        }
        let situation = Situation { corrupted: now.corruption, secret: now.secret, ..situation.clone() };
        let policy = Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner));
        if policy.weigh_taint(&subject.action, &situation, judgement.findings()).is_none() {
            return Ok(());
        }
        self.journal.granted(approved, caller).await.inspect_err(|_| self.unrecorded())?;
        Err(Fault::Marked)
    }

    /// The marks that a session gets by doing this.
    pub(super) fn brought(&self, judgement: &Judgement, situation: &Situation) -> Taint {
        let policy = Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner));
        policy.brings(&judgement.subject().action, situation, judgement.findings())
    }

    /// Marks the session with what it sees by what was judged.
    pub(super) async fn see(&self, judgement: &Judgement, brings: Taint, caller: &Caller) {
        let subject = judgement.subject();
        if brings.without(judgement.taint()).any() {
            let why = why(brings, judgement);
            self.mark(subject.claims.session.as_deref(), brings, &why, caller).await;
        }
    }
}

/// By what the marks come, in an English clause.
fn why(brings: Taint, judgement: &Judgement) -> String {
    let subject = judgement.subject();
    let name = subject.action.kind().name();
    let seen: Vec<&str> = [
        brings.corruption.then_some("it read from the network"),
        brings.secret.then_some("it read what may be secret"),
    ]
    .into_iter()
    .flatten()
    .collect();
    // The command itself may hold a secret, and stands in the record.
    format!("{} ({name})", seen.join(", and "))
}
