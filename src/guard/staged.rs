//! What was run with its writes held back (feature N4): its effects are judged in place of its words, a person is asked where
//! they have to be, and they are let count or thrown away. Nothing is run twice.

use std::sync::Arc;

use crate::hands::{NotKept, StageEnd};
use crate::record::Caller;
use guarda_core::action::Way;
use guarda_core::output::{Ended, Output};
use guarda_core::policy::Verdict;

use super::clear::{Cleared, Next};
use super::{Asking, Fault, Guard, Progress, Reply, RequestContext};

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
        let warrant = self.warrant(approved, &situation, caller).await?;
        context.tell(Progress::Started);
        let terms = (&situation, &self.policy());
        let watch = (&context.volume, context.shell.as_deref());
        let (open, raw, end) = self.hands.stage(id, warrant, terms, context.cancel.cancelled(), watch).await;
        let output = self.clean(raw, &open, caller).await;
        let run = match end {
            StageEnd::Ran(run) => run,
            StageEnd::Over => return self.finish(id, open, output, None).await.map(Lead::End),
            StageEnd::Not(why) => {
                let proposal = (**open.judgement().subject()).clone();
                self.journal.close(open, &output).await.map_err(Fault::Unrecorded)?;
                let more = vec![super::of_hands("not-staged", why.to_string(), 0.4)];
                return Ok(Lead::Again(Next { proposal, more, stage: false, changed, left }));
            }
        };
        let effects = Arc::clone(&run.effects);
        let judgement = guarda_core::judge::judge_effects(
            &self.policy(),
            open.judgement(),
            Arc::clone(&effects),
            &situation,
        );
        if effects.is_empty() && judgement.verdict() == Verdict::Allow {
            self.hands.release(*run).await;
            return self.finish(id, open, output, expected).await.map(Lead::End);
        }
        // What it said is held back as long as what it did.
        if let Err(error) = self.journal.close(open, &withheld(&output)).await {
            self.unrecorded();
            self.hands.discard(*run).await;
            return Err(Fault::Unrecorded(error));
        }
        let (of, changeable) = (expected.as_ref(), left > 0);
        let asking = Asking { expected: of, situation: &situation, changeable, ours: true };
        let approved = match self.admit(judgement, changed, asking, caller, context).await {
            Ok(approved) => approved,
            Err(refusal) => {
                self.hands.discard(*run).await;
                return match self.rewritten(refusal, left, caller).await? {
                    Ok(next) => Ok(Lead::Again(next)),
                    Err(refusal) => self.refuse(id, &refusal, caller).await.map(Lead::End),
                };
            }
        };
        let warrant = match self.journal.intend(approved, caller).await {
            Ok(warrant) => warrant,
            Err(error) => {
                self.unrecorded();
                self.hands.discard(*run).await;
                return Err(error.into());
            }
        };
        let (open, done) = self.hands.commit(warrant, *run).await;
        let (output, undo) = match done {
            Ok(undo) => (output, Some(undo)),
            Err(why) => (not_committed(&output, why), None),
        };
        let effects = undo.is_some().then_some(effects);
        let reply = self.finish(id, open, output, expected).await?;
        Ok(Lead::End(Reply { effects, undo, ..reply }))
    }
}

/// The end of a run without what it said.
fn withheld(output: &Output) -> Output {
    Output { stdout: String::new(), stderr: String::new(), ..output.clone() }
}

/// What the caller gets where nothing was committed.
fn not_committed(output: &Output, why: NotKept) -> Output {
    let ended = match why {
        NotKept::Changed(what) => Ended::Changed(what),
        NotKept::Failed(why) => Ended::Failed(why),
    };
    Output { ended, exit_code: None, ..withheld(output) }
}
