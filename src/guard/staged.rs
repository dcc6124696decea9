//! Staged runs (feature N4): a command ran with its writes held back. Its effects are judged instead of its words, a
//! person is asked if necessary, and the effects are committed or discarded. Nothing runs twice.

use std::sync::Arc;

use crate::hands::{NotKept, NotStaged, StageEnd};
use guarda_core::effects::Tried;
use guarda_core::gate::{Decider, Runner};
use guarda_core::output::{Ended, Output};
use guarda_core::policy::{Finding, Situation, Tag, Verdict};
use guarda_journal::Open;

use super::admission::fresh_number;
use super::scope::{ApprovedAction, Edits, PassEnd, PassInput, PipelineEnd, QuestionContext, RequestScope};
use super::{Fault, Guard, Progress, Reply};

impl Guard {
    /// Runs the command in an overlay, judges its effects, and commits or discards them.
    pub(super) async fn stage(
        &self,
        cleared: ApprovedAction,
        scope: &RequestScope<'_>,
    ) -> Result<PassEnd, Fault> {
        let ApprovedAction { approved, mut situation, expected, edits } = cleared;
        let RequestScope { caller, ref policy, .. } = *scope;
        // What was granted beforehand was never seen by anybody: its changes are judged as if nobody had said anything.
        let granted = matches!(approved.by(), Decider::Grant { .. });
        situation.approved = approved.judgement().is_held_back() && !granted;
        let consent = approved.consent();
        let turn = self.runner.turn(&approved, scope.context).await;
        let warrant = self.recorder.warrant(approved, &situation, scope).await?;
        scope.context.report(Progress::Started);
        let (open, output, end) = self.runner.stage(warrant, &situation, scope, &self.recorder).await;
        drop(turn);
        self.recorder.taint_from_run(&open, &output, caller).await;
        let run = match end {
            StageEnd::Ran(run) => run,
            StageEnd::Over => return self.finish(scope, open, output, None).await.map(replied),
            StageEnd::Not(why, tried) => {
                let told_first = scope.context.told_first && why.iter().all(NotStaged::is_refusal);
                return self.by_words(open, &output, &why, (tried, Edits { told_first, ..edits })).await;
            }
        };
        let effects = Arc::clone(&run.effects);
        let judged = |situation: &Situation| {
            guarda_core::judge::judge_effects(policy, open.judgement(), Arc::clone(&effects), situation)
        };
        let judgement = judged(&situation);
        if effects.is_empty() && judgement.verdict() == Verdict::Allow {
            self.runner.hands.release(*run).await;
            return self.finish(scope, open, output, expected).await.map(replied);
        }
        let trusting = |situation: &Situation| judged(situation).verdict();
        let trust = self.judge.trust_suffices(policy, &situation, trusting);
        // The output is held back as long as the effects.
        let withheld_output = withheld(&output);
        let hold = self.recorder.journal.hold(open, &withheld_output, &effects);
        if let Err(error) = self.recorder.watch(hold).await {
            self.runner.hands.discard(*run).await;
            return Err(Fault::Unrecorded(error));
        }
        let Edits { changed, left, .. } = edits;
        let (of, changeable, trust) = (expected.as_ref(), left > 0, trust.as_ref());
        let asking = QuestionContext {
            expected: of,
            situation: &situation,
            changeable,
            told_first: false,
            ours: true,
            trust,
        };
        let passage = match changed {
            None => guarda_core::gate::enter_changes(consent, judgement, fresh_number(), self.advanced_mode),
            changed => self.enter(judgement, changed, Runner::Guard),
        };
        let approved = match self.settle(passage, asking, scope).await {
            Ok(approved) => approved,
            Err(refusal) => {
                self.runner.hands.discard(*run).await;
                return self.refused(refusal, left, scope).await;
            }
        };
        let warrant = match self.recorder.intend(approved, caller).await {
            Ok(warrant) => warrant,
            Err(error) => {
                self.runner.hands.discard(*run).await;
                return Err(error.into());
            }
        };
        let (open, done) = self.runner.hands.commit(warrant, *run).await;
        let (output, undo) = match done {
            Ok(undo) => (output, Some(undo)),
            Err(why) => (not_committed(&output, why), None),
        };
        let effects = undo.is_some().then_some(effects);
        let reply = self.finish(scope, open, output, expected).await?;
        Ok(replied(Reply { effects, undo, ..reply }))
    }
}

impl Guard {
    /// The next pass of a line whose changes could not be held back: a person is asked about its words.
    async fn by_words(
        &self,
        open: Open,
        output: &Output,
        why: &[NotStaged],
        (tried, edits): (Tried, Edits),
    ) -> Result<PassEnd, Fault> {
        let proposal = (**open.judgement().subject()).clone();
        let told: Vec<String> = why.iter().map(ToString::to_string).collect();
        let recorded = self.recorder.journal.not_staged(open, output, &told.join("; ")).await;
        recorded.map_err(Fault::Unrecorded)?;
        let more = why.iter().map(not_staged).collect();
        Ok(PassEnd::NextPass(Box::new(PassInput { proposal, more, tried, stage: false, edits })))
    }
}

/// Why a person is asked about the words of a line that could not be staged.
fn not_staged(why: &NotStaged) -> Finding {
    let of_hands = |rule| super::judge::of_hands(rule, why.to_string(), 0.4);
    match why {
        NotStaged::Hidden(names) => {
            Finding { names: names.clone(), tags: vec![Tag::Secrets], ..of_hands("wants-hidden") }
        }
        NotStaged::Serves(ports) => {
            Finding { names: vec![ports.clone()], tags: vec![Tag::Network], ..of_hands("wants-port") }
        }
        NotStaged::GoesOn => of_hands("goes-on"),
        _ => of_hands("not-staged"),
    }
}

fn replied(reply: Reply) -> PassEnd {
    PassEnd::End(PipelineEnd::Replied(Box::new(reply)))
}

/// The output of a run without its text.
fn withheld(output: &Output) -> Output {
    Output { stdout: String::new(), stderr: String::new(), ..output.clone() }
}

/// The output for the caller if nothing was committed.
fn not_committed(output: &Output, why: NotKept) -> Output {
    let ended = match why {
        NotKept::Changed(what) => Ended::Changed(what),
        NotKept::Failed(why) => Ended::Failed(why.into()),
    };
    Output { ended, exit_code: None, ..withheld(output) }
}
