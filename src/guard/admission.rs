//! Checks that an action could be done after a yes, and takes its judgement through the gate: by the rules, by a person's answer, or by the token of an earlier answer.

use std::sync::Arc;
use std::time::Instant;

use guarda_core::action::{Action, FileOperation, Proposal, Way};
use guarda_core::gate::{
    Approved, Cause, Decider, NoAnswer, Number, Passage, Pending, Refusal, Runner, Says, Span,
};
use guarda_core::judge::Judgement;
use guarda_core::output::{Network, Protection};
use guarda_core::policy::{CommandShape, Situation, Tag, Verdict};

use super::grants::Granted;
use super::judge::of_hands;
use super::late::{self, CommandKey, LateAbout, LateAnswers, LateApproval, LateYes};
use super::recorder::Recorder;
use super::scope::{Admitted, Edits, Judged, PassInput, Purpose, QuestionContext, RequestScope};
use super::{Fault, Guard, Progress, Reply};
use crate::prompt::Options;
use crate::wording::describe::tool::below;
use crate::wording::offer::{Lasting, Offers};
use crate::wording::{Impact, Keeping, TaintMark};
use guarda_journal::Caller;

impl Guard {
    /// Checks the conditions for entering the gate: the record can be written, this machine can confine the command
    /// as required, and the facts behind the judgement are frozen. Otherwise a person would be asked about an action
    /// that could not be done after a yes.
    pub(super) async fn prepare(
        &self,
        judged: Judged,
        edits: &Edits,
        scope: &RequestScope<'_>,
    ) -> Result<Judged, Fault> {
        let Judged { judgement, situation, expected, trust } = self.announce(judged, scope).await;
        self.recorder.ready(&judgement).await?;
        if scope.purpose.runner(&judgement.subject().action) != Runner::Guard {
            return Ok(Judged { judgement, situation, expected, trust });
        }
        let judgement = asked_without_cells(judgement);
        let run = self.judge.run_plan(&judgement, &situation, &scope.policy).await;
        self.require(&judgement, run.as_ref().and_then(|run| run.sandbox.as_ref()), scope.caller).await?;
        scope.context.report(Progress::Judged {
            verdict: judgement.run().verdict,
            risk: judgement.risk(),
            findings: judgement.findings().to_vec(),
            run,
        });
        // A person's replacement is always asked about: by its words, or later by its effects.
        let written = edits.changed.is_some() && judgement.run().way != Some(Way::Stage);
        let verdict = judgement.run().verdict;
        let asked = verdict < Verdict::Block && (written || verdict > Verdict::Allow);
        let situation =
            if asked { self.judge.hands.freeze(judgement.subject(), situation).await? } else { situation };
        Ok(Judged { judgement, situation, expected, trust })
    }

    /// The reply for an action that cannot be done here, whatever a person would answer.
    pub(super) async fn impossible(
        &self,
        judged: &Judged,
        scope: &RequestScope<'_>,
    ) -> Result<Option<Reply>, Fault> {
        let Judged { judgement, situation, .. } = judged;
        let asked = matches!(judgement.run().verdict, Verdict::Review | Verdict::Confirm | Verdict::Password);
        let ours = scope.purpose.runner(&judgement.subject().action) == Runner::Guard;
        if !(asked && ours) {
            return Ok(None);
        }
        let Some(ended) = self.judge.hands.impossible(judgement.subject(), situation).await else {
            return Ok(None);
        };
        let raw = guarda_core::output::RawOutput::quiet(ended, std::time::Duration::ZERO);
        let output = guarda_core::output::clean(raw);
        self.recorder.advise(judgement, scope.caller).await?;
        Ok(Some(super::reply::tell::impossible(self.teller(scope), judgement, output)))
    }

    /// Refuses a command that this machine cannot confine as required.
    async fn require(
        &self,
        judgement: &Judgement,
        sandbox: Option<&Protection>,
        caller: &Caller,
    ) -> Result<(), Fault> {
        let lacking = sandbox.filter(|sandbox| self.judge.hands.requires_sandbox() && !sandbox.is_whole());
        let Some(lacking) = lacking.filter(|_| judgement.run().verdict != Verdict::Block) else {
            return Ok(());
        };
        self.recorder.advise(judgement, caller).await?;
        Err(Fault::Unkept(lacking.lacks()))
    }

    /// The draft of a command that a person wrote instead, or that was granted while it was asked about; any other refusal is returned.
    pub(super) async fn rewritten(
        &self,
        refusal: Refusal,
        left: usize,
        scope: &RequestScope<'_>,
    ) -> Result<Result<PassInput, Refusal>, Fault> {
        let (caller, purpose) = (scope.caller, &scope.purpose);
        let subject = refusal.judgement().subject();
        let changed = match refusal.cause() {
            Cause::Changed { text, .. } => Some(subject.with_command(text)?),
            Cause::Withdrawn { why: NoAnswer::Granted } => None,
            _ => return Ok(Err(refusal)),
        };
        self.recorder.refuse(&refusal, caller).await?;
        let Some(proposal) = changed else {
            return Ok(Ok(PassInput::new(Proposal::clone(subject), purpose)));
        };
        let edits = Edits { changed: Some(refusal), left: left.saturating_sub(1), told_first: false };
        Ok(Ok(PassInput { edits, ..PassInput::new(proposal, &Purpose::Act) }))
    }

    /// Takes a judged request through the gate.
    pub(super) async fn admit(
        &self,
        judged: Judged,
        mut edits: Edits,
        scope: &RequestScope<'_>,
    ) -> Result<Admitted, Fault> {
        if let Some(rules) = scope.rules()
            && !self.prompter().has_no_human()
            && rules.leave_to_client(&judged.judgement)
        {
            return self.leave_to_client(rules, &judged, scope).await.map(Admitted::Ended);
        }
        let Judged { judgement, situation, expected, trust } = judged;
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
        let asking = QuestionContext {
            expected: expected.as_ref(),
            situation: &situation,
            changeable,
            told_first: edits.told_first,
            ours,
            trust: trust.as_ref(),
        };
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
            Passage::Clear(approved) => {
                if let Decider::Grant { grants } = approved.by() {
                    self.recorder.grants.used(grants);
                }
                Ok(approved)
            }
            Passage::Shut(refusal) => Err(refusal),
            Passage::Ask(pending) => self.ask(pending, asking, scope).await,
        }
    }

    /// Enters the gate. `changed` is the refusal of the question in which a person wrote the judged command.
    pub(super) fn enter(&self, judgement: Judgement, changed: Option<Refusal>, runner: Runner) -> Passage {
        let number = fresh_number();
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
        scope.context.report(Progress::Answered { answer });
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
        scope.context.report(Progress::Asked { number: pending.question().number });
        let question = pending.question();
        let QuestionContext { expected, changeable, trust, .. } = asking;
        let (shape, offers) = self.offers(&pending, &asking, scope);
        // A client can run its own tool after a yes, whatever it is.
        let tool = question.findings.iter().any(|finding| finding.is_about(&Tag::Tool));
        let insists =
            || self.runner.late.insists(CommandKey::of(&question.subject), scope.id, Instant::now());
        let answer = if scope.context.withdraw.is_cancelled() {
            question.answer(Says::Withdrawn { why: NoAnswer::Gone })
        } else if asking.told_first && !insists() {
            question.answer(Says::Unasked { why: NoAnswer::ToldFirst })
        } else if matches!(question.subject.action, Action::Unknown { .. }) && !tool {
            // A yes would do nothing, so nobody is asked.
            question.answer(Says::Unasked { why: NoAnswer::UnknownAction })
        } else if let Err(error) =
            self.recorder.watch(self.recorder.journal.ask(&pending, scope.caller)).await
        {
            question.answer(Says::Unasked { why: NoAnswer::Unrecorded { error: error.to_string() } })
        } else if let Some(channel) = self.runner.late.answer(&question, Instant::now()) {
            question.answer(Says::Yes { channel })
        } else {
            let impact = Arc::new(impact.clone());
            let asker = Some(scope.asker());
            let time = scope.context.patience;
            let caller = super::marks::counted(scope.caller, question.subject.claims.session.as_deref());
            let whose = scope.grant_asker(&question.subject, asking.situation);
            let group = shape.as_ref().map(|shape| whose.group(&(shape, read_whole(&question.subject))));
            let grantable = group.is_some();
            let options =
                Options { time, offers, changeable, group, impact, asker, caller, ..Options::default() };
            let gone = async {
                tokio::select! {
                    why = scope.context.taken_back() => why,
                    () = self.granted_meanwhile(&pending, &asking, scope), if grantable => NoAnswer::Granted,
                }
            };
            self.prompter().ask(&question, options, gone).await
        };
        let lasting = answer.lasting().map(|(channel, span)| (channel.to_owned(), span));
        let approved = pending.settle(answer).inspect_err(|refusal| {
            if scope.keeps_late(refusal) {
                self.ask_late(refusal, impact, scope);
            }
        })?;
        if let Some((channel, span)) = lasting {
            let session = question.subject.claims.session.as_deref();
            let exact = self.memory().zip(expected.filter(|expected| expected.always));
            let said = match (trust, span, exact, shape) {
                (Some(folder), ..) => self.trusting(folder, span, session, &channel).await,
                (None, Span::Always, Some((memory, expected)), _) => {
                    memory.allow(&expected.identity, &channel).await
                }
                (None, _, _, Some(shape)) => {
                    let asker = scope.grant_asker(&question.subject, asking.situation);
                    let Recorder { grants, journal, .. } = &self.recorder;
                    grants.give(journal, Granted::commands(shape), span, asker, &channel).await
                }
                (None, ..) => return Ok(approved),
            };
            self.prompter()
                .tell(&said, self.prompter().language(question.subject.claims.language.as_deref()));
        }
        Ok(approved)
    }

    /// Waits until a grant is given that covers a line about which a person is asked.
    async fn granted_meanwhile(
        &self,
        pending: &Pending,
        asking: &QuestionContext<'_>,
        scope: &RequestScope<'_>,
    ) {
        let subject = pending.judgement().subject();
        let asker = scope.grant_asker(subject, asking.situation);
        let mut changes = self.recorder.grants.changes();
        loop {
            // The sender lives as long as the store.
            let _ = changes.changed().await;
            let grants = self.recorder.grants.commands(&asker, jiff::Timestamp::now());
            let situation = Situation { grants, ..asking.situation.clone() };
            let judgement = guarda_core::judge::judge(&scope.policy, Proposal::clone(subject), &situation);
            if judgement.is_granted() {
                return;
            }
        }
    }

    /// The lasting answers to a question, and the shape of the command that they cover.
    fn offers(
        &self,
        pending: &Pending,
        asking: &QuestionContext<'_>,
        scope: &RequestScope<'_>,
    ) -> (Option<CommandShape>, Offers) {
        if let Some(folder) = asking.trust {
            let covers = || Lasting::Folder(below(&folder.path, &asking.situation.home, ""));
            let spans = [Span::Session, Span::Always].map(|span| (span, covers()));
            return (None, Offers::new(spans.into()));
        }
        let exact = asking.expected.is_some_and(|expected| expected.always);
        let shape = pending.judgement().shape(&scope.policy, asking.situation);
        let shape = shape.ok().filter(|_| asking.ours);
        let subject = pending.judgement().subject();
        let covers = shape.as_ref().map(|shape| Lasting::Shape(shape.to_string(), shape.origins()));
        let turn = subject.claims.turn.as_ref().map(|_| Span::Turn);
        // What read text of others may have been talked into it: no yes outlasts the session then.
        let lasting = (!asking.situation.corrupted).then_some([Span::Today, Span::Always]);
        let spans = turn.into_iter().chain([Span::Session]).chain(lasting.into_iter().flatten());
        let offered = spans.filter_map(|span| {
            let covers = if span == Span::Always && exact { Some(Lasting::Command) } else { covers.clone() };
            Some((span, covers?))
        });
        let offers = Offers::new(offered.collect());
        (shape, offers)
    }

    /// Keeps an agent's question open for a late answer, after the agent was told that nobody answered.
    fn ask_late(&self, refused: &Refusal, impact: Impact, scope: &RequestScope<'_>) {
        let judgement = refused.judgement().clone();
        let Passage::Ask(pending) = self.enter(judgement, None, Runner::Caller) else { return };
        let question = pending.question();
        let of = CommandKey::of(&question.subject);
        let about = LateAbout::Action(question.digest);
        let Some(place) = LateAnswers::place(&self.runner.late, of.clone(), about) else { return };
        let impact = Arc::new(Impact { late: true, ..impact });
        let options = Options { impact, asker: Some(scope.asker()), ..Options::default() };
        let (prompter, journal, late) =
            (self.prompter().clone(), self.recorder.journal.clone(), Arc::clone(&self.runner.late));
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
            true => self.judge.run_plan(pending.judgement(), situation, &scope.policy).await,
            false => None,
        };
        let (way, sandbox) = run.map(|run| (run.decision.way, run.sandbox)).unwrap_or_default();
        let keeping = match way {
            Some(Way::Act | Way::None) if effects.is_none() => {
                let keeping = self.judge.hands.keeping(subject, situation).await;
                let held = pending.judgement().is_held_back();
                keeping.map(|kept| if held && kept == Keeping::Named { Keeping::All } else { kept })
            }
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
                None => self.judge.hands.preview(subject, situation).await,
            },
            undo_days: match (&effects, keeping, &subject.action) {
                (Some(_), _, _) | (None, Some(_), _) => Some(self.judge.hands.kept_days()),
                // What is deleted is kept first, or else not deleted.
                (None, None, Action::File(FileOperation::Delete(_))) => {
                    self.judge.hands.stages().map(|_| self.judge.hands.kept_days())
                }
                (None, None, _) => None,
            },
            keeping,
            effects,
            network,
            way,
            partly: situation.frozen.as_ref().is_some_and(|frozen| frozen.partly),
            sandbox,
            marks: marks.into_iter().filter_map(|(there, mark)| there.then_some(mark)).collect(),
            now: jiff::Timestamp::now().as_second(),
            home: situation.home.clone(),
            cwd: situation.cwd.clone(),
            ..Impact::default()
        }
    }
}

/// The whole line, if it has more than the one command that a person is asked about, or writes somewhere: nobody says yes to that who was
/// not shown it, so only the same line is of its kind.
fn read_whole(subject: &Proposal) -> Option<String> {
    let Action::RunCommand { text, script: Ok(script) } = &subject.action else { return None };
    let alone = matches!(script.runs(), [run] if run.redirects.is_empty());
    (!alone).then(|| text.clone())
}

/// A question's number, which nobody can guess.
pub(super) fn fresh_number() -> Number {
    Number(*uuid::Uuid::new_v4().as_bytes())
}

/// If this machine can make no cell, policy alone runs nothing. This adds the reason for the question.
fn asked_without_cells(judgement: Judgement) -> Judgement {
    if judgement.held() > Verdict::Allow || judgement.run().verdict != Verdict::Confirm {
        return judgement;
    }
    judgement.raise(of_hands(
        "no-cell",
        "this machine cannot run it where it could do no harm".to_owned(),
        0.3,
    ))
}
