//! What was run with its writes held back (feature N4): its effects are judged in place of its words, a person is asked where
//! they have to be, and they are let count or thrown away. Nothing is run twice.

use std::sync::Arc;

use crate::action::Way;
use crate::devices::stage::Committed;
use crate::gate::{Cause, Refusal};
use crate::hands::{NotKept, NotStaged, StageEnd};
use crate::output::{Ended, Output};
use crate::policy::{Finding, Verdict};
use crate::record::{Caller, Open};

use super::clear::{Cleared, Next};
use super::{Asking, Fault, Guard, Progress, Reply, RequestContext, Undo, memory, tell};

/// Where one staged run leads.
enum Lead {
    /// To the end of the request.
    End(Reply),
    /// To another judgement: a person wrote another command, or this one cannot be staged.
    Again(Next),
}

impl Guard {
    /// Does what was cleared: at once, or staged first.
    pub(super) async fn carry_out(
        &self,
        id: uuid::Uuid,
        mut cleared: Cleared,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<Reply, Fault> {
        loop {
            if cleared.approved.way() != Way::Stage {
                let Cleared { approved, situation, expected, .. } = cleared;
                return self.perform(id, approved, &situation, expected, caller, context).await;
            }
            let next = match self.stage(id, cleared, caller, context).await? {
                Lead::End(reply) => return Ok(reply),
                Lead::Again(next) => next,
            };
            cleared = match self.clear(next, caller, context).await? {
                Ok(cleared) => cleared,
                Err(refusal) => return self.refuse(id, &refusal, caller).await,
            };
        }
    }

    async fn stage(
        &self,
        id: uuid::Uuid,
        cleared: Cleared,
        caller: &Caller,
        context: &RequestContext,
    ) -> Result<Lead, Fault> {
        let Cleared { approved, situation, expected, changed, left } = cleared;
        self.still(&approved, &situation, caller).await?;
        let warrant = self.journal.intend(approved, caller).await.inspect_err(|_| self.unrecorded())?;
        let brings = self.brought(warrant.judgement(), &situation);
        self.see(warrant.judgement(), brings, caller).await;
        context.tell(Progress::Started);
        let terms = (&situation, &self.policy());
        let watch = (&context.volume, context.shell.as_deref());
        let (open, raw, end) = self.hands.stage(id, warrant, terms, context.cancel.cancelled(), watch).await;
        let output = self.clean(raw, &open, caller).await;
        let subject = Arc::clone(open.judgement().subject());
        let run = match end {
            StageEnd::Ran(run) => run,
            StageEnd::Over => return self.closed(id, open, output, None).await.map(Lead::End),
            StageEnd::Not(why) => {
                self.journal.close(open, &output).await.map_err(Fault::Unrecorded)?;
                let next = Next {
                    more: vec![not_staged(&why)],
                    stage: false,
                    changed,
                    ..Next::new((*subject).clone())
                };
                return Ok(Lead::Again(Next { left, ..next }));
            }
        };
        let judgement = crate::judge::judge_effects(
            &self.policy(),
            open.judgement(),
            Arc::clone(&run.effects),
            &situation,
        );
        if run.effects.is_empty() && judgement.verdict() == Verdict::Allow {
            self.hands.release(*run).await;
            return self.closed(id, open, output, expected).await.map(Lead::End);
        }
        // What it said is held back as long as what it did.
        self.journal.close(open, &withheld(&output)).await.map_err(Fault::Unrecorded)?;
        let (of, changeable) = (expected.as_ref(), left > 0);
        let asking = Asking { expected: of, situation: &situation, changeable, ours: true };
        match self.admit(judgement, changed, asking, caller, context).await {
            Ok(approved) => {
                let warrant = match self.journal.intend(approved, caller).await {
                    Ok(warrant) => warrant,
                    Err(error) => {
                        self.unrecorded();
                        self.hands.discard(*run).await;
                        return Err(error.into());
                    }
                };
                let (open, done) = self.hands.commit(warrant, *run).await;
                let undo = done.as_ref().ok().map(|committed| self.undo_of(committed));
                let output = committed(output, done);
                let reply = self.closed(id, open, output, expected).await?;
                Ok(Lead::End(Reply { undo, ..reply }))
            }
            Err(refusal) => {
                self.hands.discard(*run).await;
                self.rejected(id, refusal, left, caller).await
            }
        }
    }

    /// Whether what was committed can be undone.
    fn undo_of(&self, committed: &Committed) -> Undo {
        match &committed.final_because {
            Some(why) => Undo::Not(why.clone()),
            None => Undo::Until(self.hands.kept_until()),
        }
    }

    /// A no ends the request; another command in its place goes the whole way.
    async fn rejected(
        &self,
        id: uuid::Uuid,
        refusal: Refusal,
        left: usize,
        caller: &Caller,
    ) -> Result<Lead, Fault> {
        let Cause::Changed { text, .. } = refusal.cause() else {
            return self.refuse(id, &refusal, caller).await.map(Lead::End);
        };
        let proposal = refusal.judgement().subject().with_command(text)?;
        self.journal.refuse(&refusal, caller).await.inspect_err(|_| self.unrecorded())?;
        let next = Next { changed: Some(refusal), left: left.saturating_sub(1), ..Next::new(proposal) };
        Ok(Lead::Again(next))
    }

    /// Writes the outcome, and replies.
    async fn closed(
        &self,
        id: uuid::Uuid,
        open: Open,
        output: Output,
        expected: Option<memory::Expected>,
    ) -> Result<Reply, Fault> {
        let session = open.judgement().subject().claims.session.clone();
        let reply = tell::done(&self.prompter, id, &open, &output);
        if let Some((memory, expected)) = self.memory.as_ref().zip(expected) {
            memory.note(expected.within(self.taint(session.as_deref())), &output).await;
        }
        let effects = open.judgement().effects().cloned();
        let receipt = self.journal.close(open, &output).await;
        let receipt = receipt.inspect_err(|_| self.unrecorded()).map_err(Fault::Unrecorded)?;
        let (sandbox, taint) = (output.sandbox.clone(), self.taint(session.as_deref()));
        Ok(Reply { output: Some(output), receipt: Some(receipt), sandbox, taint, effects, ..reply })
    }
}

/// Why a line that could have been staged is asked about by its words.
fn not_staged(why: &NotStaged) -> Finding {
    Finding {
        rule: "not-staged".to_owned(),
        layer: "hands".to_owned(),
        verdict: Verdict::Confirm,
        span: None,
        why: why.to_string(),
        instead: None,
        risk: 0.4,
        tags: Vec::new(),
        contained: false,
    }
}

/// The end of a run without what it said.
fn withheld(output: &Output) -> Output {
    Output { stdout: String::new(), stderr: String::new(), ..output.clone() }
}

/// What the caller gets after a commit; what was not committed says nothing.
fn committed(output: Output, done: Result<Committed, NotKept>) -> Output {
    let ended = match done {
        Ok(_) => return output,
        Err(NotKept::Changed(what)) => Ended::Changed(what),
        Err(NotKept::Failed(why)) => Ended::Failed(why),
    };
    Output { ended, exit_code: None, ..withheld(&output) }
}
