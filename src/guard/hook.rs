//! What others do after asking: a coding agent's client runs its tools itself, and the guard judges and asks. Nothing is
//! done here, and so there is no warrant; the decision is written down as advice.

use tokio_util::sync::CancellationToken;

use crate::record::{Caller, Receipt};
use guarda_core::action::{Action, Request};
use guarda_core::gate::{Passage, Runner, Says};
use guarda_core::policy::{Finding, Taint, Verdict};

use super::clear::Cleared;
use super::tickets::only_the_shell;
use super::{Asking, DecidedBy, Fault, Guard, Judged, Outcome, RequestContext};

/// From this risk on a question is not handed to a client: its answer could come from anyone who asks.
const TOP_RISK: f32 = 0.9;

/// What is to be heeded besides the rules.
#[derive(Debug, Default)]
pub struct HookRules {
    /// Further reasons; they can only make it stricter.
    pub findings: Vec<Finding>,
    /// Whether the client may ask the person itself.
    pub hand_over: bool,
    /// The marks that the session gets if it is let through, besides those that the judged command brings.
    pub brings: Taint,
    /// Who does it: the guard, where the caller takes another command line in the place of its own.
    pub by: Runner,
}

/// Whether the caller may do it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookDecision {
    /// It may.
    Granted,
    /// It may run this command line in the place of its own.
    Through(String),
    /// It may not.
    Refused(Outcome),
    /// It must ask the person itself.
    HandedOver,
}

/// How a hook's request ended.
#[derive(Debug)]
pub struct HookOutcome {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// Whether the caller may do it.
    pub decision: HookDecision,
    /// What the judge said.
    pub verdict: Verdict,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// The reasons, strictest first.
    pub findings: Vec<Finding>,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// Why a person said no, or why nobody was asked.
    pub reason: Option<String>,
    /// Where it stands in the record.
    pub receipt: Receipt,
    /// The marks that the session has now.
    pub taint: Taint,
}

impl Guard {
    /// Judges what the caller will do itself, asking a person where one must be asked.
    ///
    /// # Errors
    /// [`Fault`]: then the caller must not do it.
    pub async fn permit(
        &self,
        request: Request,
        terms: HookRules,
        caller: &Caller,
        withdraw: &CancellationToken,
    ) -> Result<HookOutcome, Fault> {
        let id = uuid::Uuid::now_v7();
        let judging = super::Judging { more: terms.findings, stage: terms.by == Runner::Guard };
        let Judged { judgement, situation, expected } =
            self.judge(guarda_core::action::Proposal::parse(request)?, judging, caller).await?;
        let session = judgement.subject().claims.session.clone();
        let runner = match (terms.by, &judgement.subject().action) {
            (Runner::Guard, action @ Action::RunCommand { .. }) if !only_the_shell(action) => Runner::Guard,
            (Runner::Guard | Runner::Caller, _) => Runner::Caller,
            (Runner::Tool, _) => Runner::Tool,
        };
        let judgement = if runner == Runner::Guard {
            let judgement = super::asked_without_cells(judgement);
            let run = self.run_plan(&judgement, &situation).await;
            self.require(&judgement, run.as_ref().and_then(|run| run.sandbox.as_ref()), caller).await?;
            judgement
        } else {
            judgement
        };
        let situation = match runner {
            Runner::Guard => self.freeze(&judgement, situation, false).await?,
            Runner::Caller | Runner::Tool => situation,
        };
        // Nobody is asked for what could not be let through after a yes.
        self.journal.ready(&judgement).await.inspect_err(|_| self.unrecorded())?;
        let (verdict, risk, findings) =
            (runner.verdict(&judgement), judgement.risk(), judgement.findings().to_vec());
        let end = |decision, decided_by, reason, receipt| HookOutcome {
            id,
            decision,
            verdict,
            decided_by,
            findings,
            risk,
            reason,
            receipt,
            taint: self.taint(session.as_deref()),
        };
        // What the client does after a yes is not seen here: it counts as done.
        let brings = terms.brings;
        let seen = |judgement: &guarda_core::judge::Judgement, situation: &guarda_core::policy::Situation| {
            self.brought(judgement, situation).joined(brings)
        };
        let asked = matches!(verdict, Verdict::Review | Verdict::Confirm);
        if terms.hand_over && asked && risk < TOP_RISK {
            let receipt = self.journal.advise(&judgement, caller).await?;
            self.see(&judgement, seen(&judgement, &situation), caller).await;
            return Ok(end(HookDecision::HandedOver, DecidedBy::Caller, None, receipt));
        }
        let number = guarda_core::gate::Number(*uuid::Uuid::new_v4().as_bytes());
        let passed = match guarda_core::gate::enter(judgement, runner, number, self.advanced_mode) {
            Passage::Clear(approved) => Ok(approved),
            Passage::Shut(refusal) => Err(refusal),
            Passage::Ask(pending) => {
                if withdraw.is_cancelled() {
                    let why = "the caller went away".to_owned();
                    let answer = pending.question().answer(Says::Withdrawn { why });
                    pending.settle(answer)
                } else {
                    let context = RequestContext { withdraw: withdraw.clone(), ..RequestContext::default() };
                    let expected = expected.as_ref();
                    let ours = runner == Runner::Guard;
                    let asking = Asking { expected, situation: &situation, changeable: false, ours };
                    let impact = self.impact(&pending, &asking).await;
                    self.ask(pending, asking, impact, caller, &context).await
                }
            }
        };
        match passed {
            Ok(approved) => {
                let decided_by = match approved.by() {
                    guarda_core::gate::Decider::Policy => DecidedBy::Policy,
                    guarda_core::gate::Decider::Person { channel } => DecidedBy::Person(channel.clone()),
                };
                self.still(&approved, &situation, caller).await?;
                if runner == Runner::Guard {
                    // What the command itself shows is seen when it runs.
                    self.see(approved.judgement(), brings, caller).await;
                    let cleared = Cleared { approved, situation, expected, changed: None, left: 0 };
                    let (command, receipt) = self.hand_over(cleared, caller).await?;
                    return Ok(end(HookDecision::Through(command), decided_by, None, receipt));
                }
                let judgement = approved.judgement();
                self.see(judgement, seen(judgement, &situation), caller).await;
                let receipt = self.journal.permit(approved, caller).await?;
                Ok(end(HookDecision::Granted, decided_by, None, receipt))
            }
            Err(refusal) => {
                let reply = self.refuse(id, &refusal, caller).await?;
                let receipt = reply.receipt.unwrap_or_default();
                Ok(end(HookDecision::Refused(reply.outcome), reply.decided_by, reply.reason, receipt))
            }
        }
    }
}
