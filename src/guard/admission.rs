//! Takes a judgement through the gate: by the rules, by a person's answer, or by the token of an earlier answer.

use std::sync::Arc;
use std::time::Instant;

use guarda_core::action::{Action, FileOperation, Way};
use guarda_core::gate::{
    Approved, Cause, Decider, NoAnswer, Number, Passage, Pending, Refusal, Runner, Says,
};
use guarda_core::judge::Judgement;
use guarda_core::output::Network;
use guarda_core::policy::{Situation, Tag};

use super::judging::{Edits, Judged};
use super::late::{self, CommandKey, LateAbout, LateAnswers, LateApproval, LateYes};
use super::scope::{PipelineEnd, Purpose, RequestScope};
use super::{Fault, Guard, Progress, memory};
use crate::prompt::Options;
use crate::wording::{Impact, TaintMark};

/// An approved action, and the facts with which it was judged.
#[derive(Debug)]
pub(super) struct ApprovedAction {
    pub(super) approved: Approved,
    pub(super) situation: Situation,
    pub(super) expected: Option<memory::Expected>,
    pub(super) edits: Edits,
}

/// The result of the gate.
pub(super) enum Admitted {
    Yes(Box<ApprovedAction>),
    /// Refused. Also holds how many more times a person may replace the command.
    No(Box<Refusal>, usize),
    /// Neither: the caller asks its own user, or returns later.
    Ended(PipelineEnd),
}

impl Admitted {
    pub(super) fn of(
        settled: Result<Approved, Refusal>,
        situation: Situation,
        expected: Option<memory::Expected>,
        edits: Edits,
    ) -> Self {
        match settled {
            Ok(approved) => Self::Yes(Box::new(ApprovedAction { approved, situation, expected, edits })),
            Err(refusal) => Self::No(Box::new(refusal), edits.left),
        }
    }
}

/// The context of a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuestionContext<'a> {
    /// What the memory keeps if the action runs.
    pub(super) expected: Option<&'a memory::Expected>,
    /// The facts with which the action was judged.
    pub(super) situation: &'a Situation,
    /// Whether a person may replace the command.
    pub(super) changeable: bool,
    /// Whether the guard itself runs the action after a yes.
    pub(super) ours: bool,
}

impl Guard {
    /// Takes a judged request through the gate.
    pub(super) async fn admit(
        &self,
        judged: Judged,
        mut edits: Edits,
        scope: &RequestScope<'_>,
    ) -> Result<Admitted, Fault> {
        if let Purpose::Hook { rules, .. } = &scope.purpose
            && rules.leave_to_client(&judged.judgement)
        {
            return self.leave_to_client(rules, &judged, scope).await.map(Admitted::Ended);
        }
        let Judged { judgement, situation, expected } = judged;
        // A staged command is asked about afterwards, by its effects.
        let written = if judgement.run().way == Some(Way::Stage) { None } else { edits.changed.take() };
        let runner = scope.purpose.runner(&judgement.subject().action);
        let passage = match (self.enter(judgement, written, runner), &scope.purpose) {
            (Passage::Ask(pending), Purpose::Token(token)) => {
                return self.admit_by_token(pending, token.as_deref(), expected, situation, edits).await;
            }
            (passage, _) => passage,
        };
        let (changeable, ours) = (edits.left > 0, runner == Runner::Guard);
        let asking = QuestionContext { expected: expected.as_ref(), situation: &situation, changeable, ours };
        let settled = self.settle(passage, asking, scope).await;
        Ok(Admitted::of(settled, situation, expected, edits))
    }

    /// The end of a passage: asks a person if the gate says so.
    pub(super) async fn settle(
        &self,
        passage: Passage,
        asking: QuestionContext<'_>,
        scope: &RequestScope<'_>,
    ) -> Result<Approved, Refusal> {
        match passage {
            Passage::Clear(approved) => Ok(approved),
            Passage::Shut(refusal) => Err(refusal),
            Passage::Ask(pending) => self.ask(pending, asking, scope).await,
        }
    }

    /// Enters the gate. `changed` is the refusal of the question in which a person wrote the judged command.
    pub(super) fn enter(&self, judgement: Judgement, changed: Option<Refusal>, runner: Runner) -> Passage {
        let number = Number(*uuid::Uuid::new_v4().as_bytes());
        match changed {
            None => guarda_core::gate::enter(judgement, runner, number, self.advanced_mode),
            Some(changed) => guarda_core::gate::enter_changed(changed, judgement, number, self.advanced_mode),
        }
    }

    /// Asks a person, and reports the question and the answer to the caller.
    pub(super) async fn ask(
        &self,
        pending: Pending,
        asking: QuestionContext<'_>,
        scope: &RequestScope<'_>,
    ) -> Result<Approved, Refusal> {
        let settled = self.present(pending, asking, scope).await;
        let answer = match &settled {
            Ok(_) => "yes",
            Err(refusal) if matches!(refusal.cause(), Cause::Changed { .. }) => "modify",
            Err(_) => "no",
        };
        scope.context.tell(Progress::Answered { answer });
        settled
    }

    /// Puts the question, and stores the answer if it is meant to last.
    async fn present(
        &self,
        pending: Pending,
        asking: QuestionContext<'_>,
        scope: &RequestScope<'_>,
    ) -> Result<Approved, Refusal> {
        let impact = Impact { tool: scope.tool().cloned(), ..self.impact(&pending, &asking, scope).await };
        scope.context.tell(Progress::Asked { number: pending.question().number });
        let question = pending.question();
        let QuestionContext { expected, changeable, .. } = asking;
        // A client can run its own tool after a yes, whatever it is.
        let tool = question.findings.iter().any(|finding| finding.is_about(&Tag::Tool));
        let answer = if scope.context.withdraw.is_cancelled() {
            question.answer(Says::Withdrawn { why: NoAnswer::Gone })
        } else if matches!(question.subject.action, Action::Unknown { .. }) && !tool {
            // A yes would do nothing, so nobody is asked.
            question.answer(Says::Unasked { why: NoAnswer::UnknownAction })
        } else if let Err(error) = self.journal.ask(&pending, scope.caller).await {
            self.unrecorded();
            question.answer(Says::Unasked { why: NoAnswer::Unrecorded { error: error.to_string() } })
        } else if let Some(channel) = self.late.answer(&question, Instant::now()) {
            question.answer(Says::Yes { channel })
        } else {
            let always = expected.is_some_and(|expected| expected.always);
            let impact = Arc::new(impact.clone());
            let asker = Some(scope.asker());
            let time = scope.context.patience;
            let options = Options { time, always, changeable, impact, asker, ..Options::default() };
            self.prompter.ask(&question, options, scope.context.taken_back()).await
        };
        let always = answer.always().map(str::to_owned);
        let approved = pending.settle(answer).inspect_err(|refusal| {
            if scope.keeps_late(refusal) {
                self.ask_late(refusal, impact, scope);
            }
        })?;
        if let (Some(memory), Some(expected), Some(channel)) = (&self.memory, expected, always) {
            let said = memory.allow(&expected.identity, &channel).await;
            self.prompter.tell(&said, self.prompter.language(question.subject.claims.language.as_deref()));
        }
        Ok(approved)
    }

    /// Keeps an agent's question open for a late answer, after the agent was told that nobody answered.
    fn ask_late(&self, refused: &Refusal, impact: Impact, scope: &RequestScope<'_>) {
        let judgement = refused.judgement().clone();
        let Passage::Ask(pending) = self.enter(judgement, None, Runner::Caller) else { return };
        let question = pending.question();
        let of = CommandKey::of(&question.subject);
        let about = LateAbout::Action(question.digest);
        let Some(place) = LateAnswers::place(&self.late, of.clone(), about) else { return };
        let impact = Arc::new(Impact { late: true, ..impact });
        let options = Options { impact, asker: Some(scope.asker()), ..Options::default() };
        let (prompter, journal, late) = (self.prompter.clone(), self.journal.clone(), Arc::clone(&self.late));
        let caller = scope.caller.clone();
        tokio::spawn(async move {
            let _place = place;
            journal.ask(&pending, &caller).await?;
            let answer = prompter.ask_late(&question, options, late::LIFE).await;
            match pending.settle(answer) {
                Ok(approved) => {
                    journal.handed(&approved, &caller).await?;
                    if let Decider::Person { channel } = approved.by() {
                        let yes = LateYes::Action(LateApproval::of(&question, channel));
                        late.keep(of, question.number, yes, Instant::now());
                    }
                }
                Err(refusal) => {
                    journal.refuse(&refusal, &caller).await?;
                }
            }
            Ok::<(), guarda_journal::RecordError>(())
        });
    }

    /// Information for the person beside the judgement.
    async fn impact(
        &self,
        pending: &Pending,
        asking: &QuestionContext<'_>,
        scope: &RequestScope<'_>,
    ) -> Impact {
        let (question, situation) = (pending.question(), asking.situation);
        let subject = &question.subject;
        let effects = pending.judgement().effects().map(Arc::clone);
        let run = match asking.ours {
            true => self.run_plan(pending.judgement(), situation, &scope.policy).await,
            false => None,
        };
        let (way, sandbox) = run.map(|run| (run.decision.way, run.sandbox)).unwrap_or_default();
        let keeping = match way {
            Some(Way::Act | Way::None) if effects.is_none() => self.hands.keeping(subject, situation).await,
            _ => None,
        };
        // A sandbox without a network reaches none of the hosts that its line names.
        let cut_off = sandbox.as_ref().is_some_and(|held| held.open_network() == Network::None);
        let network = if cut_off { Arc::default() } else { Arc::clone(pending.judgement().network()) };
        let marks = [(situation.corrupted, TaintMark::Outside), (situation.secret, TaintMark::Secret)];
        Impact {
            // With known effects, no preview is needed.
            preview: match &effects {
                Some(_) => crate::devices::filesystem::touch::Preview::default(),
                None => self.hands.preview(subject, situation).await,
            },
            undo_days: match (&effects, keeping, &subject.action) {
                (Some(_), _, _) | (None, Some(_), _) => Some(self.hands.kept_days()),
                // What is deleted is kept first, or else not deleted.
                (None, None, Action::File(FileOperation::Delete(_))) => {
                    self.hands.stages().map(|_| self.hands.kept_days())
                }
                (None, None, _) => None,
            },
            keeping,
            effects,
            network,
            host: None,
            late: false,
            tool: None,
            way,
            partly: situation.frozen.as_ref().is_some_and(|frozen| frozen.partly),
            sandbox,
            marks: marks.into_iter().filter_map(|(there, mark)| there.then_some(mark)).collect(),
            now: jiff::Timestamp::now().as_second(),
            home: situation.home.clone(),
            cwd: situation.cwd.clone(),
        }
    }
}
