//! One pure function: a proposal and the facts give a verdict with its reasons. The strictest wins.

pub mod corpus;
mod desktop;
pub mod effects;
mod cells;
mod judgement;
mod run;
#[cfg(test)]
mod beforehand;
#[cfg(test)]
mod tainted;

pub use cells::RunDecision;
pub use judgement::Judgement;

use crate::policy::{Origin, Tag};
use std::borrow::Cow;
use std::sync::Arc;

use crate::action::{Action, Claims, Proposal};
use crate::effects::Effects;
use crate::effects::Entry;
use crate::hosts::NetworkPlan;
use crate::policy::history::is_asked_each_time;
use crate::policy::{Finding, Policy, Situation, Verdict};

/// Below this confidence of the model a person is asked (feature M5: an unsure model is not obeyed silently).
const UNSURE_MODEL: f64 = 0.5;

/// Judges a proposal. If no rule applies, a person is asked.
///
/// ```
/// use guarda_core::action::{Proposal, Request};
/// use guarda_core::judge::judge;
/// use guarda_core::policy::{Policy, Profile, Situation, Verdict};
///
/// let request = Request {
///     action: Some("RUN_COMMAND".to_owned()),
///     target: Some("rm -rf /".into()),
///     ..Request::default()
/// };
/// let policy = Policy::builtin(Profile::Desktop)?;
/// let judgement = judge(&policy, Proposal::parse(request)?, &Situation::default());
/// assert_eq!(judgement.verdict(), Verdict::Block);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge(policy: &Policy, proposal: Proposal, situation: &Situation) -> Judgement {
    let network = match &proposal.action {
        Action::RunCommand { script: Ok(script), .. } => NetworkPlan::of(script, situation),
        _ => NetworkPlan::default(),
    };
    let mut situation = Cow::Borrowed(situation);
    let here = network.here();
    if !here.is_empty() {
        situation.to_mut().network.here = here;
    }
    // Packages are fetched while its writes are held back, but only from where they usually come.
    if situation.network.fetches && !network.is_usual() {
        let facts = situation.to_mut();
        (facts.network.fetches, facts.network.reaches) = (false, true);
    }
    let situation = &*situation;
    let mut findings = match &proposal.action {
        Action::RunCommand { script, .. } => policy.judge_script(script, situation),
        other => desktop::findings(policy, other, situation),
    };
    let taint = policy.weigh_taint(&proposal.action, situation, &findings);
    findings.extend(taint);
    claims(&proposal.claims, &mut findings);
    let cells = cells::Cells::of(&proposal.action, situation, &network);
    let (subject, history) = (Arc::new(proposal), situation.history.clone());
    let (taint, network) = (situation.taint(), Arc::new(network));
    let judgement = Judgement { subject, findings, history, taint, cells, network, effects: None };
    let mut judgement = judgement.granted(policy, situation);
    if let Some(history) = &situation.history {
        let findings = std::mem::take(&mut judgement.findings);
        let yields = policy.yields(&judgement.subject.action, situation, &findings);
        judgement.findings = history.weigh(yields, findings);
    }
    // Strictest first: the first finding is shown and spoken.
    judgement.findings.sort_by(|a, b| b.verdict.cmp(&a.verdict).then(b.risk.total_cmp(&a.risk)));
    judgement
}

/// Judges the changes of a staged run in place of its words. `judged` is the judgement that let it run. Reasons from a
/// person's configuration and from the caller still hold, unless a person has said yes to them with the words
/// ([`Situation::approved`]).
///
/// ```
/// use std::sync::Arc;
///
/// use guarda_core::action::{Proposal, Request};
/// use guarda_core::judge::{judge, judge_effects};
/// use guarda_core::policy::{Policy, Profile, Situation, Verdict, effect_rules::example};
///
/// let request =
///     Request { action: Some("RUN_COMMAND".to_owned()), target: Some("make".into()), ..Request::default() };
/// let policy = Policy::builtin(Profile::Workspace)?;
/// let situation = Situation { home: "/home/ana".to_owned(), ..Situation::default() };
/// let judged = judge(&policy, Proposal::parse(request)?, &situation);
/// let effects = Arc::new(example("created ~/.bashrc")?);
/// assert!(judge_effects(&policy, &judged, effects, &situation).verdict() >= Verdict::Confirm);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge_effects(
    policy: &Policy,
    judged: &Judgement,
    effects: Arc<Effects>,
    situation: &Situation,
) -> Judgement {
    let mut findings: Vec<Finding> =
        judged.findings.iter().filter(|finding| !situation.approved && finding.outlasts()).cloned().collect();
    let mut situation = Cow::Borrowed(situation);
    if let Action::RunCommand { script: Ok(script), .. } = &judged.subject.action
        && effects::from_objects(script, &situation)
    {
        situation.to_mut().from_objects = true;
    }
    findings.extend(effects::judge_effects(policy, &effects, &situation, &situation.roots));
    findings.sort_by(|a, b| b.verdict.cmp(&a.verdict).then(b.risk.total_cmp(&a.risk)));
    Judgement {
        subject: Arc::clone(&judged.subject),
        findings,
        history: judged.history.clone(),
        taint: judged.taint,
        cells: judged.cells,
        network: Arc::clone(&judged.network),
        effects: Some(effects),
    }
}

/// The caller's claims can only make it stricter (feature M1).
fn claims(claims: &Claims, findings: &mut Vec<Finding>) {
    if claims.requires_confirmation {
        findings.push(caller("model-asks", "the model itself asks for confirmation"));
    }
    if claims.confidence.is_some_and(|confidence| confidence < UNSURE_MODEL) {
        findings.push(caller("model-unsure", "the model is not sure that this was meant"));
    }
}

fn caller(rule: &str, why: &str) -> Finding {
    let tags = vec![Tag::Caller];
    Finding { tags, ..Finding::new(rule, Origin::Caller, Verdict::Confirm, 0.4, why) }
}

impl Judgement {
    /// Judges changes that a client has announced, like those of a staged run: in place of the words if these are
    /// objected to only for what they may change, otherwise in addition to them. A yes counts for exactly these
    /// changes. Without changes, the judgement stays as it is.
    pub fn announcing(mut self, policy: &Policy, effects: Arc<Effects>, situation: &Situation) -> Self {
        if effects.is_empty() {
            return self;
        }
        // The content of a folder that is created or deleted as a whole is not listed.
        let folder = |entry: &Option<Entry>| entry.as_ref().is_some_and(Entry::is_folder);
        let listed = !effects.changes.iter().any(|change| folder(&change.was) || folder(&change.is));
        let settled = self.is_settled();
        if listed && !settled && run::can_be_staged(&self) {
            self.findings.retain(Finding::outlasts);
        }
        let findings = effects::judge_effects(policy, &effects, situation, &situation.roots).into_iter();
        // A standing yes was given to the words, which do not contain what a tool writes.
        let findings = findings.filter(|finding| !settled || is_asked_each_time(finding));
        let judgement = findings.fold(self, Self::raise);
        Self { effects: Some(effects), ..judgement }
    }
}
