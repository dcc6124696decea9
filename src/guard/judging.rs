//! The first half of the pipeline: gathers facts, judges, and checks the conditions for entering the gate.

use guarda_core::policy::Origin;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use guarda_core::action::{Action, Proposal, Way};
use guarda_core::effects::Tried;
use guarda_core::gate::{Cause, Refusal, Runner};
use guarda_core::judge::Judgement;
use guarda_core::output::Protection;
use guarda_core::policy::{Finding, Policy, Situation, Verdict};

use super::scope::{Purpose, RequestScope};
use super::{Fault, Guard, Progress, Reply, RunPlan, memory};
use guarda_journal::Caller;

/// How often a person may replace the command of one request.
const CHANGES: usize = 8;

/// The input of one pass.
#[derive(Debug)]
pub(super) struct PassInput {
    pub(super) proposal: Proposal,
    /// Reasons in addition to those of the rules.
    pub(super) more: Vec<Finding>,
    /// What it wanted while its writes were held back, and was refused.
    pub(super) tried: Tried,
    /// Whether its writes may be held back.
    pub(super) stage: bool,
    pub(super) edits: Edits,
}

/// The replacement of a command by a person.
#[derive(Debug)]
pub(super) struct Edits {
    /// The question in which the person wrote the command that is judged now.
    pub(super) changed: Option<Refusal>,
    /// How many more replacements are allowed.
    pub(super) left: usize,
}

/// A judged request.
pub(super) struct Judged {
    pub(super) judgement: Judgement,
    pub(super) situation: Situation,
    /// What the memory keeps if it runs.
    pub(super) expected: Option<memory::Expected>,
}

impl PassInput {
    /// The input of the first pass.
    pub(super) fn new(proposal: Proposal, purpose: &Purpose) -> Self {
        let (more, stage, left) = match purpose {
            Purpose::Act => (Vec::new(), true, CHANGES),
            Purpose::Token(_) => (Vec::new(), false, 0),
            Purpose::Hook { rules, .. } => (rules.findings.clone(), rules.by == Runner::Guard, 0),
        };
        Self { proposal, more, tried: Tried::default(), stage, edits: Edits { changed: None, left } }
    }
}

impl Guard {
    /// Gathers the facts, and judges.
    pub(super) async fn judge(
        &self,
        draft: PassInput,
        scope: &RequestScope<'_>,
    ) -> Result<(Judged, Edits), Fault> {
        let PassInput { proposal, more, tried, stage, edits } = draft;
        let mut situation = self.hands.look(&proposal, self.prompter.question_open())?;
        let taint = self.taint(proposal.claims.session.as_deref());
        (situation.corrupted, situation.secret) = (taint.corruption, taint.secret);
        if let Some(session) = proposal.claims.session.as_deref() {
            situation.project = self.marks.sessions.project(session, situation.project.take());
        }
        situation.cells = self.hands.can_look().await;
        let policy = &scope.policy;
        self.hands.weigh(policy, &proposal, &mut situation, stage);
        let by_agent =
            |path: &PathBuf| path.to_str().is_some_and(|path| policy.is_kept_by_agent(path, &situation));
        situation.unconfined |= !tried.sockets.is_empty() || tried.hidden.iter().any(by_agent);
        situation.opened = tried.hidden;
        situation.network.serves = tried.serves;
        situation.network.tried = tried.sought.into_iter().map(|one| (one.host, one.port)).collect();
        let mut identity = None;
        if let Some(memory) = &self.memory {
            identity = memory.identify(&proposal, &situation, policy.profile()).await;
            if let Some(identity) = &identity {
                situation.history = Some(memory.recall(identity).await);
                if let Some(progress) = memory.progress() {
                    self.prompter.tell(&progress, self.prompter.language(None));
                }
            }
        }
        let judgement = guarda_core::judge::judge(policy, proposal, &situation);
        let judgement = judgement.undoing(self.hands.undoing(&situation).await);
        let mut judgement = more.into_iter().fold(judgement, Judgement::raise);
        if let Some(plugins) = &self.plugins {
            judgement = plugins.weigh(judgement, &situation, policy.profile(), &scope.caller.door).await;
        }
        if let Some(advisor) = &self.advisor {
            judgement = advisor.consider(judgement, policy, &situation).await;
        }
        let expected =
            identity.map(|identity| memory::Expected::new(identity, &judgement, &situation, policy));
        Ok((Judged { judgement, situation, expected }, edits))
    }

    /// Checks the conditions for entering the gate: the record can be written, this machine can confine the command
    /// as required, and the facts behind the judgement are frozen. Otherwise a person would be asked about an action
    /// that could not be done after a yes.
    pub(super) async fn prepare(
        &self,
        judged: Judged,
        edits: &Edits,
        scope: &RequestScope<'_>,
    ) -> Result<Judged, Fault> {
        let Judged { judgement, situation, expected } = self.announce(judged, scope).await;
        self.journal.ready(&judgement).await.inspect_err(|_| self.unrecorded())?;
        self.outage_announced.store(false, Ordering::Relaxed);
        if scope.purpose.runner(&judgement.subject().action) != Runner::Guard {
            return Ok(Judged { judgement, situation, expected });
        }
        let judgement = asked_without_cells(judgement);
        let run = self.run_plan(&judgement, &situation, &scope.policy).await;
        self.require(&judgement, run.as_ref().and_then(|run| run.sandbox.as_ref()), scope.caller).await?;
        scope.context.tell(Progress::Judged {
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
            if asked { self.hands.freeze(judgement.subject(), situation).await? } else { situation };
        Ok(Judged { judgement, situation, expected })
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
        let Some(ended) = self.hands.impossible(judgement.subject(), situation).await else {
            return Ok(None);
        };
        let raw = guarda_core::output::RawOutput::quiet(ended, std::time::Duration::ZERO);
        let output = guarda_core::output::clean(raw);
        self.journal.advise(judgement, scope.caller).await.inspect_err(|_| self.unrecorded())?;
        Ok(Some(super::reply::tell::impossible(self.teller(scope), judgement, output)))
    }

    /// Refuses a command that this machine cannot confine as required.
    async fn require(
        &self,
        judgement: &Judgement,
        sandbox: Option<&Protection>,
        caller: &Caller,
    ) -> Result<(), Fault> {
        let lacking = sandbox.filter(|sandbox| self.hands.requires_sandbox() && !sandbox.is_whole());
        let Some(lacking) = lacking.filter(|_| judgement.run().verdict != Verdict::Block) else {
            return Ok(());
        };
        self.journal.advise(judgement, caller).await.inspect_err(|_| self.unrecorded())?;
        Err(Fault::Unkept(lacking.lacks()))
    }

    /// How the guard would run a command; `None` if it is not a command.
    pub(super) async fn run_plan(
        &self,
        judgement: &Judgement,
        situation: &Situation,
        policy: &Policy,
    ) -> Option<RunPlan> {
        if !matches!(judgement.subject().action, Action::RunCommand { .. }) {
            return None;
        }
        let decision = judgement.run();
        let sandbox = match decision.way {
            Some(way) => self.hands.foresee(judgement, (situation, policy), way).await,
            None => None,
        };
        Some(RunPlan { decision, sandbox, network: std::sync::Arc::clone(judgement.network()) })
    }

    /// The draft of a command that a person wrote instead; any other refusal is returned.
    pub(super) async fn rewritten(
        &self,
        refusal: Refusal,
        left: usize,
        caller: &Caller,
    ) -> Result<Result<PassInput, Refusal>, Fault> {
        let Cause::Changed { text, .. } = refusal.cause() else { return Ok(Err(refusal)) };
        let proposal = refusal.judgement().subject().with_command(text)?;
        self.journal.refuse(&refusal, caller).await.inspect_err(|_| self.unrecorded())?;
        let edits = Edits { changed: Some(refusal), left: left.saturating_sub(1) };
        Ok(Ok(PassInput { edits, ..PassInput::new(proposal, &Purpose::Act) }))
    }
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

/// A reason to ask that comes from this machine, not from the command's words.
pub(super) fn of_hands(rule: &str, why: String, risk: f32) -> Finding {
    Finding {
        rule: rule.to_owned(),
        origin: Origin::Hands,
        verdict: Verdict::Confirm,
        span: None,
        why,
        instead: None,
        risk,
        tags: Vec::new(),
        contained: false,
        names: Vec::new(),
    }
}
