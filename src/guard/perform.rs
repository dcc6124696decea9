//! What was approved is done: its intent is written, then it is begun, then what came of it is written.

use std::sync::Arc;

use crate::record::{Caller, Open, Warrant};
use guarda_core::action::Action;
use guarda_core::gate::Approved;
use guarda_core::judge::Judgement;
use guarda_core::output::Output;
use guarda_core::policy::Situation;

use super::{Fault, Guard, Progress, Reply, RequestContext, Undo, memory, tell};

impl Guard {
    /// Writes the intent, does what was approved, and writes what came of it.
    pub(super) async fn perform(
        &self,
        id: uuid::Uuid,
        approved: Approved,
        situation: &Situation,
        expected: Option<memory::Expected>,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<Reply, Fault> {
        let _turn = if waits_its_turn(&approved, context) { Some(self.turns.lock().await) } else { None };
        let warrant = self.warrant(approved, situation, caller).await?;
        let _hold = if presses_keys(warrant.judgement()) { Some(self.prompter.hold().await) } else { None };
        context.tell(Progress::Started);
        let called_off = context.cancel.cancelled();
        let run = self.run_plan(warrant.judgement(), situation).await;
        let policy = self.policy();
        let terms = (situation, &policy);
        let (open, raw, undo) =
            self.hands.act(id, warrant, terms, called_off, (&context.volume, context.shell.as_deref())).await;
        let output = self.clean(raw, &open, caller).await;
        let effects = open.judgement().effects().filter(|_| matches!(undo, Some(Undo::Until(_)))).cloned();
        let reply = self.finish(id, open, output, expected).await?;
        Ok(Reply { run, effects, undo, ..reply })
    }

    /// Writes the intent of what was approved, unless its session has seen more since.
    pub(super) async fn warrant(
        &self,
        approved: Approved,
        situation: &Situation,
        caller: &Caller,
    ) -> Result<Warrant, Fault> {
        self.still(&approved, situation, caller).await?;
        let warrant = self.journal.intend(approved, caller).await.inspect_err(|_| self.unrecorded())?;
        // What is about to be seen counts before it is: a crash on the way loses no mark.
        let brings = self.brought(warrant.judgement(), situation);
        self.see(warrant.judgement(), brings, caller).await;
        Ok(warrant)
    }

    /// Writes the outcome of a deed, keeps in mind what came of it, and replies.
    pub(super) async fn finish(
        &self,
        id: uuid::Uuid,
        open: Open,
        output: Output,
        expected: Option<memory::Expected>,
    ) -> Result<Reply, Fault> {
        let subject = Arc::clone(open.judgement().subject());
        let session = subject.claims.session.as_deref();
        let reply = tell::done(&self.prompter, id, &open, &output);
        if let Some((memory, expected)) = self.memory.as_ref().zip(expected) {
            memory.note(expected.within(self.taint(session)), &output).await;
        }
        let receipt = self.journal.close(open, &output).await;
        let receipt = receipt.inspect_err(|_| self.unrecorded()).map_err(Fault::Unrecorded)?;
        let (sandbox, taint) = (output.sandbox.clone(), self.taint(session));
        Ok(Reply { output: Some(output), receipt: Some(receipt), sandbox, taint, ..reply })
    }

    /// Hides secrets in what a deed left behind. A session that would have seen one is marked.
    pub(super) async fn clean(
        &self,
        raw: guarda_core::output::RawOutput,
        open: &Open,
        caller: &Caller,
    ) -> Output {
        let options = guarda_core::output::Options {
            anonymiser: self.anonymiser.as_ref(),
            ..guarda_core::output::Options::default()
        };
        let output = guarda_core::output::clean_with(raw, &options);
        if !output.redactions.is_empty() || output.withheld {
            let session = open.judgement().subject().claims.session.as_deref();
            let why = format!("its output had to be cleaned: {}", output.redactions.join(", "));
            self.mark(
                session,
                guarda_core::policy::Taint { secret: true, ..Default::default() },
                &why,
                caller,
            )
            .await;
        }
        output
    }
}

/// What the rules let through runs side by side; what a person approved runs in the order of the answers. A client's shell
/// runs what it runs when it runs it.
fn waits_its_turn(approved: &Approved, context: &RequestContext) -> bool {
    context.shell.is_none()
        && matches!(approved.judgement().subject().action, Action::RunCommand { .. })
        && matches!(approved.by(), guarda_core::gate::Decider::Person { .. })
}

/// Whether a deed could press a key: then no question may stand while it runs, or it could answer it.
fn presses_keys(judgement: &Judgement) -> bool {
    matches!(judgement.subject().action, Action::KeyPress { .. })
        || judgement.findings().iter().any(|finding| finding.tags.iter().any(|tag| tag == "keys"))
}
