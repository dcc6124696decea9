//! The record around a deed: its intent, its outcome, and the reply.

use std::sync::Arc;

use guarda_core::action::Action;
use guarda_core::gate::{Approved, Refusal};
use guarda_core::judge::Judgement;
use guarda_core::output::{Limits, Output};
use guarda_core::policy::{MarkCause, Situation, Tag, Taint};

use super::reply::tell;
use super::scope::{PassEnd, PipelineEnd, Purpose, RequestScope};
use super::{Fault, Guard, Reply, RequestContext, memory};
use guarda_journal::{Caller, Open, Warrant};

impl Guard {
    /// Waits for its turn. Commands that the rules allow run concurrently; commands that a person approved run in the
    /// order of the answers. Commands of a client's shell do not wait.
    pub(super) async fn turn(
        &self,
        approved: &Approved,
        context: &RequestContext,
    ) -> Option<tokio::sync::MutexGuard<'_, ()>> {
        let waits = context.shell.is_none()
            && matches!(approved.judgement().subject().action, Action::RunCommand { .. })
            && approved.by().is_person();
        if waits { Some(self.turns.lock().await) } else { None }
    }

    /// Holds back questions while an action runs that could press a key, because it could answer them.
    pub(super) async fn quiet_keys(&self, judgement: &Judgement) -> Option<tokio::sync::OwnedMutexGuard<()>> {
        let presses = matches!(judgement.subject().action, Action::KeyPress { .. })
            || judgement.findings().iter().any(|finding| finding.is_about(&Tag::Keys));
        if presses { Some(self.prompter.hold().await) } else { None }
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
        let warrant = self.journal.intend(approved, scope.caller).await.inspect_err(|_| self.unrecorded())?;
        // The marks are set before the run, so that a crash loses none.
        let brings = scope.taint_of(warrant.judgement(), way, situation);
        self.apply_taint(warrant.judgement(), brings, scope.caller).await;
        Ok(warrant)
    }

    /// The teller for this request.
    pub(super) fn teller(&self, scope: &RequestScope<'_>) -> tell::Teller<'_> {
        tell::Teller { prompter: &self.prompter, id: scope.id, reader: scope.context.reader }
    }

    /// Records the outcome of a deed, updates the memory, and builds the reply.
    pub(super) async fn finish(
        &self,
        scope: &RequestScope<'_>,
        open: Open,
        output: Output,
        expected: Option<memory::Expected>,
    ) -> Result<Reply, Fault> {
        let subject = Arc::clone(open.judgement().subject());
        let session = subject.claims.session.as_deref();
        let reply = tell::done(self.teller(scope), &open, &output);
        if let Some((memory, expected)) = self.memory.as_ref().zip(expected) {
            memory.note(expected.within(self.taint(session)), &output, open.by_person()).await;
        }
        let receipt = self.journal.close(open, &output).await;
        let receipt = receipt.inspect_err(|_| self.unrecorded()).map_err(Fault::Unrecorded)?;
        let (sandbox, taint) = (output.sandbox.clone(), self.taint(session));
        Ok(Reply { output: Some(output), receipt: Some(receipt), sandbox, taint, ..reply })
    }

    /// Redacts the output of a deed. If it contained a secret, the session is marked.
    pub(super) async fn clean(
        &self,
        raw: guarda_core::output::RawOutput,
        open: &Open,
        caller: &Caller,
    ) -> Output {
        let whole = open.judgement().subject().claims.whole_output;
        let options = guarda_core::output::Options {
            limits: if whole { Limits::whole() } else { Limits::default() },
            anonymiser: self.anonymiser.as_ref(),
        };
        let output = guarda_core::output::clean_with(raw, &options);
        if output.metadata.redactions_applied || output.withheld {
            let session = open.judgement().subject().claims.session.as_deref();
            let why = MarkCause::Cleaned { secrets: output.metadata.redaction_categories.join(", ") };
            self.mark(session, Taint { secret: true, ..Default::default() }, &why, caller).await;
        }
        output
    }

    /// Records a refusal and builds the reply.
    pub(super) async fn refuse(&self, refusal: &Refusal, scope: &RequestScope<'_>) -> Result<Reply, Fault> {
        let receipt = self.journal.refuse(refusal, scope.caller).await.inspect_err(|_| self.unrecorded())?;
        Ok(tell::refused(self.teller(scope), refusal, (scope.keeps_late(refusal), scope.tool()), receipt))
    }

    /// Returns a command that a person wrote instead to the pipeline; any other refusal ends the request.
    pub(super) async fn refused(
        &self,
        refusal: Refusal,
        left: usize,
        scope: &RequestScope<'_>,
    ) -> Result<PassEnd, Fault> {
        let refusal = match self.rewritten(refusal, left, scope.caller).await? {
            Ok(draft) => return Ok(PassEnd::NextPass(Box::new(draft))),
            Err(refusal) => refusal,
        };
        let reply = self.refuse(&refusal, scope).await?;
        Ok(PassEnd::End(match &scope.purpose {
            Purpose::Hook { rules, .. } => {
                PipelineEnd::Answered(Box::new(self.hook_refused(rules, &refusal, reply)))
            }
            Purpose::Act | Purpose::Token(_) => PipelineEnd::Replied(Box::new(reply)),
        }))
    }
}
