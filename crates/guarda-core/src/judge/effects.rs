//! Judges the changes of a staged run (feature N4). The rules are in `policy/rules/effects.toml`; the strictest wins.

use crate::policy::{Origin, Tag};
use std::path::PathBuf;

use crate::effects::Change;
use crate::effects::Effects;
use crate::policy::effect_rules::{Scene, amount};
use crate::policy::{Finding, Policy, Situation, Verdict};

/// The findings for the changes of a run: one for each rule that applies, strictest first. Never empty.
///
/// `roots` are the folders of the session, with links resolved.
#[must_use]
pub fn judge_effects(
    policy: &Policy,
    effects: &Effects,
    situation: &Situation,
    roots: &[PathBuf],
) -> Vec<Finding> {
    if effects.is_empty() {
        return vec![found("effects-none", Verdict::Allow, 0.0, "nothing was changed")];
    }
    let scene = Scene::new(policy, effects, situation, roots);
    let rules = policy.effect_rules();
    let mut met: Vec<Vec<&Change>> = vec![Vec::new(); rules.len()];
    let mut unknown = false;
    for change in &effects.changes {
        let subject = scene.subject(change);
        let mut spoken_of = false;
        for (rule, met) in rules.iter().zip(&mut met) {
            if rule.meets(&scene, &subject) {
                spoken_of = true;
                met.push(change);
            }
        }
        unknown |= !spoken_of;
    }
    let holding = rules.iter().zip(met).filter(|(rule, met)| {
        let (files, bytes) = amount(met.iter().copied());
        !met.is_empty() && rule.reached(files, bytes)
    });
    let mut findings: Vec<Finding> = holding.map(|(rule, _)| rule.finding()).collect();
    if unknown || findings.is_empty() {
        let why = "no rule speaks of this change";
        findings.push(found("effects-unknown", Verdict::Confirm, 0.5, why));
    }
    findings.sort_by(|one, other| {
        other.verdict.cmp(&one.verdict).then(other.risk.total_cmp(&one.risk)).then(one.rule.cmp(&other.rule))
    });
    findings
}

/// True if a rule that asks applies to exactly this path or kind of file. The code that lists changes must list such a
/// path separately, even inside a folder that was created or deleted as a whole; otherwise the judge does not see it.
#[must_use]
pub fn stands_out(policy: &Policy, change: &Change, situation: &Situation, roots: &[PathBuf]) -> bool {
    let none = Effects::default();
    let scene = Scene::new(policy, &none, situation, roots);
    let subject = scene.subject(change);
    let asking = |verdict: Verdict| verdict > Verdict::Allow;
    let mut rules = policy.effect_rules().iter();
    rules.any(|rule| asking(rule.verdict) && rule.singles_out() && rule.meets(&scene, &subject))
}

fn found(rule: &str, verdict: Verdict, risk: f32, why: &str) -> Finding {
    Finding { tags: vec![Tag::Files], ..Finding::new(rule, Origin::Effects, verdict, risk, why) }
}

#[cfg(test)]
mod tests;
