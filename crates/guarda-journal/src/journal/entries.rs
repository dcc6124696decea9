//! What the journal records: one method for each kind of entry.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use tokio::sync::oneshot;

use guarda_core::effects::Effects;
use guarda_core::gate::{Approved, Number, Pending, Refusal};
use guarda_core::judge::Judgement;
use guarda_core::network::Destination;
use guarda_core::output::Output;
use guarda_core::policy::{MarkCause, Verdict};

use super::facts;
use super::{Journal, session, session_of};
use crate::carried::{self, GrantStep};
use crate::chain::hex;
use crate::fate::HANDED;
use crate::files::folder::check;
use crate::files::log_file::Written;
use crate::files::writer::Write;
use crate::line::{Facts, KeptEnd, RecordEvent, audit_id};
use crate::proof::{Caller, Ending, HostStep, IntentPosition, Open, Receipt, RunLines, Warrant};
use crate::trouble::{RecordError, RecordFault};

/// Of this many lines without a waiting caller, one is waited for.
const WAITED: u64 = 64;

impl Journal {
    /// Records that a person is asked. The answer is recorded under the same number. If the guard ends before that,
    /// the next start records a denial.
    ///
    /// # Errors
    /// If it cannot be written. The question must then not be shown.
    pub async fn ask(&self, pending: &Pending, caller: &Caller) -> Result<(), RecordError> {
        let judgement = pending.judgement();
        let facts = facts::asked(self.judged(judgement, caller)?, pending).map_err(unclean)?;
        let (session, sequence) = match self.held(judgement) {
            Some((session, sequence)) => (session, Some(sequence)),
            None => (session(judgement)?, None),
        };
        let written = self.write(&session, RecordEvent::Asked, sequence, &facts, false).await?;
        self.questions().insert(pending.question().number, (session, written.sequence));
        Ok(())
    }

    /// Records a person's yes to a command whose caller will return with a token. The permission is kept elsewhere.
    ///
    /// # Errors
    /// If it cannot be written. The yes then does not count.
    pub async fn granted(&self, approved: &Approved, caller: &Caller) -> Result<Receipt, RecordError> {
        let facts = facts::approved(self.judged(approved.judgement(), caller)?, approved).map_err(unclean)?;
        let (session, sequence) = self.place(approved.question(), approved.judgement())?;
        let written = self.write(&session, RecordEvent::Advice, sequence, &facts, true).await?;
        Ok(receipt(&session, written))
    }

    /// Records a permission that was handed to a client's shell, or is kept for the next time. The guard runs the command then, as
    /// a request of its own.
    ///
    /// # Errors
    /// If it cannot be written. The permission then does not count.
    pub async fn handed(&self, approved: &Approved, caller: &Caller) -> Result<Receipt, RecordError> {
        let facts = facts::approved(self.judged(approved.judgement(), caller)?, approved).map_err(unclean)?;
        let facts = Facts { phase: Some(HANDED.to_owned()), ..facts };
        let (session, sequence) = self.place(approved.question(), approved.judgement())?;
        let written = self.write(&session, RecordEvent::Advice, sequence, &facts, true).await?;
        Ok(receipt(&session, written))
    }

    fn questions(&self) -> std::sync::MutexGuard<'_, HashMap<Number, (String, u64)>> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session and number of the staged run whose effects are judged.
    fn held(&self, judgement: &Judgement) -> Option<(String, u64)> {
        let effects = judgement.effects()?;
        let held = self.shared.held.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held.iter().find(|(of, ..)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(effects)));
        found.map(|(_, session, sequence)| (session.clone(), *sequence))
    }

    /// The position of the next line about a request: its number, if it has one from a question or a staged run.
    fn place(
        &self,
        question: Option<Number>,
        judgement: &Judgement,
    ) -> Result<(String, Option<u64>), RecordError> {
        let asked = question.and_then(|number| self.questions().remove(&number));
        asked.or_else(|| self.held(judgement)).map_or_else(
            || Ok((session(judgement)?, None)),
            |(session, sequence)| Ok((session, Some(sequence))),
        )
    }

    /// Records the intent and returns the warrant. The line is then on disk; for an allowed action of the safe list
    /// it is only written, and with `log_all_commands` off it is left out.
    ///
    /// # Errors
    /// If it cannot be written. The action must then not run.
    pub async fn intend(&self, approved: Approved, caller: &Caller) -> Result<Warrant, RecordError> {
        let judgement = approved.judgement();
        let facts = facts::approved(self.judged(judgement, caller)?, &approved).map_err(unclean)?;
        let (session, number) = self.place(approved.question(), judgement)?;
        // An action that a person was asked about is always recorded.
        let safe = is_safe(judgement) && number.is_none();
        let mut entry =
            IntentPosition { session, sequence: 0, facts, durable: !safe, begun: false, shared: None };
        if self.shared.all || !safe {
            let written =
                self.write(&entry.session, RecordEvent::Intent, number, &entry.facts, !safe).await?;
            entry.sequence = written.sequence;
            entry.shared = Some(self.shared.queue.clone());
        }
        Ok(Warrant { approved, entry })
    }

    /// Records the outcome of a deed.
    ///
    /// # Errors
    /// If it cannot be written. The deed was done nevertheless.
    pub async fn close(&self, open: Open, output: &Output) -> Result<Receipt, RecordError> {
        let facts = facts::done(open.entry.facts.clone(), output).map_err(unclean)?;
        self.end(open, facts).await
    }

    /// Records that a staged run is over and its effects wait to be judged. Their outcome has the same number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn hold(
        &self,
        open: Open,
        output: &Output,
        effects: &Arc<Effects>,
    ) -> Result<Receipt, RecordError> {
        let facts = facts::held(open.entry.facts.clone(), output).map_err(unclean)?;
        let entry = &open.entry;
        if entry.shared.is_some() {
            let mut held = self.shared.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.retain(|(effects, ..)| effects.strong_count() > 0);
            held.push((Arc::downgrade(effects), entry.session.clone(), entry.sequence));
        }
        self.end(open, facts).await
    }

    /// Records that a command could not be run with its changes held back, and why. It had no effect.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn not_staged(&self, open: Open, output: &Output, why: &str) -> Result<Receipt, RecordError> {
        let facts = facts::not_staged(open.entry.facts.clone(), output, why).map_err(unclean)?;
        self.end(open, facts).await
    }

    async fn end(&self, open: Open, facts: Facts) -> Result<Receipt, RecordError> {
        let Open { approved: _, mut entry } = open;
        if entry.shared.is_none() {
            return Ok(Receipt { audit_id: audit_id(&entry.session, entry.sequence), hash: String::new() });
        }
        let (session, sequence) = (entry.session.clone(), entry.sequence);
        let waiting = self.send(&session, RecordEvent::Outcome, Some(sequence), &facts, entry.durable)?;
        entry.shared = None;
        let written = waiting.await.map_err(|_| RecordError::closed())??;
        Ok(receipt(&session, written))
    }

    /// Records that an action was not done, and why.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn refuse(&self, refusal: &Refusal, caller: &Caller) -> Result<Receipt, RecordError> {
        let judgement = refusal.judgement();
        let facts = facts::refused(self.judged(judgement, caller)?, refusal).map_err(unclean)?;
        let (session, number) = self.place(refusal.question(), judgement)?;
        let written = self.write(&session, RecordEvent::Refusal, number, &facts, true).await?;
        Ok(receipt(&session, written))
    }

    /// Records that advice was given and nothing was run (`/v1/judge`, hooks).
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn advise(&self, judgement: &Judgement, caller: &Caller) -> Result<Receipt, RecordError> {
        let session = session(judgement)?;
        let safe = is_safe(judgement);
        if safe && !self.shared.all {
            return Ok(Receipt { audit_id: String::new(), hash: String::new() });
        }
        let facts = self.judged(judgement, caller)?;
        let written = self.write(&session, RecordEvent::Advice, None, &facts, !safe).await?;
        Ok(receipt(&session, written))
    }

    /// Like [`Journal::advise`], but usually without waiting; it waits now and then, to bound the number of waiting
    /// lines. For advice that nothing depends on: after a power cut, the lines of the last second may be missing.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub async fn advise_soon(&self, judgement: &Judgement, caller: &Caller) -> Result<(), RecordError> {
        let turn = self.shared.soon.fetch_add(1, Ordering::Relaxed);
        if turn.is_multiple_of(WAITED) || !self.shared.health.is_good() {
            return self.advise(judgement, caller).await.map(drop);
        }
        if is_safe(judgement) && !self.shared.all {
            return Ok(());
        }
        let facts = serde_json::to_string(&self.judged(judgement, caller)?)
            .map_err(|error| RecordError::encoding(&error))?;
        let (session, event) = (session(judgement)?, RecordEvent::Advice);
        let write = Write { session, event, sequence: None, facts, durable: false, reply: None };
        self.shared.queue.write(write)
    }

    /// Records that a session got marks, or that a person cleared them; `now` is the new state.
    ///
    /// # Errors
    /// If it cannot be written. The marks change nevertheless.
    pub async fn mark(
        &self,
        session: &str,
        now: guarda_core::policy::Taint,
        why: MarkCause,
        caller: &Caller,
    ) -> Result<Receipt, RecordError> {
        check(session)?;
        let facts = facts::marked(now, why, caller).map_err(unclean)?;
        let written = self.write(session, RecordEvent::Marked, None, &facts, true).await?;
        Ok(receipt(session, written))
    }

    /// Records that a line which a session kept running has ended. Does not wait until it is written.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub fn kept_ended(&self, session: &str, line: &str, how: KeptEnd) -> Result<(), RecordError> {
        check(session)?;
        let facts = facts::kept_ended(line, how).map_err(unclean)?;
        self.send(session, RecordEvent::Ended, None, &facts, true).map(drop)
    }

    /// Records that a command is allowed for good, or no longer is.
    ///
    /// # Errors
    /// If it cannot be written. The permission then does not count.
    pub async fn grant(&self, step: &GrantStep<'_>) -> Result<(), RecordError> {
        let facts = facts::granted(step).map_err(unclean)?;
        self.write(carried::SESSION, RecordEvent::Granted, None, &facts, true).await.map(drop)
    }

    /// Like [`Journal::grant`], but without waiting: for what is withdrawn, which no longer counts in any case.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub fn grant_soon(&self, step: &GrantStep<'_>) -> Result<(), RecordError> {
        let facts = facts::granted(step).map_err(unclean)?;
        self.send(carried::SESSION, RecordEvent::Granted, None, &facts, false).map(drop)
    }

    /// Withdraws the permissions whose lines nobody signed, so that signing the file now does not make them count later.
    pub(super) fn withdraw_loose(&self) -> Result<(), RecordError> {
        for (command_hash, grant) in &self.shared.carried.loose {
            self.grant_soon(&GrantStep {
                command_hash,
                command: "",
                folder: "",
                grant: *grant,
                given: false,
                channel: None,
                reason: None,
                terms: None,
            })?;
        }
        Ok(())
    }

    /// Records that a wrong code was given. Does not wait.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub fn guessed(&self, channel: &str) -> Result<(), RecordError> {
        let facts = facts::guessed(channel);
        self.send(carried::SESSION, RecordEvent::Guessed, None, &facts, false).map(drop)
    }

    /// Records that the rules were changed while the service ran, and writes the new rules into later lines. Does not wait.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub fn reloaded(&self, sections: &str, policy: &str) -> Result<(), RecordError> {
        self.set_policy(policy);
        let facts = facts::reloaded(sections, policy);
        self.send(carried::SESSION, RecordEvent::Reloaded, None, &facts, false).map(drop)
    }

    /// Records a step about hosts that a run wants, or wanted. An answer is on disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written. The question must then not be shown, and no connection made.
    pub async fn host(
        &self,
        run: &RunLines,
        wanted: &[Destination],
        step: HostStep<'_>,
    ) -> Result<(), RecordError> {
        let durable = matches!(step, HostStep::Answered(..) | HostStep::Kept(..));
        let facts = facts::wanted(&run.facts, wanted, step).map_err(unclean)?;
        self.write(&run.session, RecordEvent::Host, run.sequence, &facts, durable).await.map(drop)
    }

    /// Records how the start ended an interrupted commit or undo. Does not wait: the changes are made already.
    ///
    /// # Errors
    /// If writing is known to fail.
    pub fn ended_at_start(&self, ending: &Ending<'_>) -> Result<(), RecordError> {
        let facts = facts::ended_at_start(ending).map_err(unclean)?;
        // An invalid session name is no reason to lose the line.
        let session = session_of(ending.session).or_else(|_| session_of(None))?;
        self.send(&session, RecordEvent::Recovered, Some(0), &facts, true).map(drop)
    }

    /// Records that the caller may run the action itself. This consumes the permission: the guard runs nothing.
    ///
    /// # Errors
    /// If it cannot be written. The caller may then not run it.
    pub async fn permit(&self, approved: Approved, caller: &Caller) -> Result<Receipt, RecordError> {
        let judgement = approved.judgement();
        let (session, number) = self.place(approved.question(), judgement)?;
        let safe = is_safe(judgement) && number.is_none();
        if safe && !self.shared.all {
            return Ok(Receipt { audit_id: String::new(), hash: String::new() });
        }
        let facts = facts::approved(self.judged(judgement, caller)?, &approved).map_err(unclean)?;
        let written = self.write(&session, RecordEvent::Advice, number, &facts, !safe).await?;
        Ok(receipt(&session, written))
    }

    fn judged(&self, judgement: &Judgement, caller: &Caller) -> Result<Facts, RecordError> {
        let policy = self.shared.policy.lock().unwrap_or_else(PoisonError::into_inner).clone();
        facts::judged(judgement, caller, policy.as_deref()).map_err(unclean)
    }

    async fn write(
        &self,
        session: &str,
        event: RecordEvent,
        sequence: Option<u64>,
        facts: &Facts,
        durable: bool,
    ) -> Result<Written, RecordError> {
        let waiting = self.send(session, event, sequence, facts, durable)?;
        waiting.await.map_err(|_| RecordError::closed())?
    }

    fn send(
        &self,
        session: &str,
        event: RecordEvent,
        sequence: Option<u64>,
        facts: &Facts,
        durable: bool,
    ) -> Result<oneshot::Receiver<Result<Written, RecordError>>, RecordError> {
        let facts = serde_json::to_string(facts).map_err(|error| RecordError::encoding(&error))?;
        let (reply, waiting) = oneshot::channel();
        let session = session.to_owned();
        let write = Write { session, event, sequence, facts, durable, reply: Some(reply) };
        self.shared.queue.write(write)?;
        Ok(waiting)
    }
}

/// Whether the action is on the vocabulary's safe list and no finding requires more.
fn is_safe(judgement: &Judgement) -> bool {
    judgement.verdict() == Verdict::Allow && judgement.subject().action.kind().entry().is_safe()
}

fn receipt(session: &str, written: Written) -> Receipt {
    Receipt { audit_id: audit_id(session, written.sequence), hash: hex(&written.hash) }
}

fn unclean(failure: guarda_core::output::RedactionFailure) -> RecordError {
    RecordFault::Secrets(failure.to_string()).into()
}
