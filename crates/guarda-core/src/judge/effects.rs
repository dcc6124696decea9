//! Judges the changes of a staged run (feature N4). The rules are in `policy/rules/effects.toml`; the strictest wins.

use crate::policy::{Origin, Tag};
use std::path::{Path, PathBuf};

use crate::catalogue::FROM_OBJECTS;
use crate::catalogue::entry::names_one;
use crate::effects::Effects;
use crate::effects::{Below, Change, Entry, EntryKind};
use crate::policy::effect_rules::{Scene, amount};
use crate::policy::{Finding, Policy, Program, Situation, Verdict};
use guarda_shell::script::{Run, Script, Word};

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
    let (mut unknown, mut meant) = (false, false);
    for change in &effects.changes {
        let subject = scene.subject(change);
        let mut spoken_of = false;
        for (rule, met) in rules.iter().zip(&mut met) {
            if rule.meets(&scene, &subject) {
                spoken_of = true;
                match rule.was_answered(&scene, &subject) {
                    true => meant = true,
                    false => met.push(change),
                }
            }
        }
        unknown |= !spoken_of;
    }
    let holding = rules.iter().zip(met).filter(|(rule, met)| {
        let (files, bytes) = amount(met.iter().copied());
        !met.is_empty() && rule.reached(files, bytes)
    });
    let mut findings: Vec<Finding> = holding.map(|(rule, _)| rule.finding()).collect();
    if meant {
        let why = "a person said yes to the line that changes this";
        findings.push(found("effects-approved", Verdict::Allow, 0.0, why));
    }
    if unknown || findings.is_empty() {
        let why = "no rule speaks of this change";
        findings.push(found("effects-unknown", Verdict::Confirm, 0.5, why));
    }
    findings.sort_by(|one, other| {
        other.verdict.cmp(&one.verdict).then(other.risk.total_cmp(&one.risk)).then(one.rule.cmp(&other.rule))
    });
    findings
}

/// True if a line only has git bring files from its own objects, and nothing else that could write.
#[must_use]
pub fn from_objects(script: &Script, situation: &Situation) -> bool {
    const COMMANDS: &[&str] = &["-x", "--exec", "--config-env", "--exec-path"];
    let commands = |word: &str| COMMANDS.contains(&word.split('=').next().unwrap_or_default());
    let brings = |run: &Run| {
        let system = run.program().and_then(|name| situation.programs.get(name));
        let words: Option<Vec<&str>> = run.words.iter().map(Word::literal).collect();
        // Before its sub-command, `-c` sets what git runs.
        let sets = |words: &[&str]| {
            let sub = |word: &&&str| FROM_OBJECTS.contains(&format!("git {word}").as_str());
            words.iter().take_while(|word| !sub(word)).any(|word| word.starts_with("-c"))
        };
        let plain = words.is_some_and(|words| !sets(&words) && !words.iter().any(|word| commands(word)));
        names_one(FROM_OBJECTS, run) && matches!(system, Some(Program::System(_))) && plain
    };
    let quiet =
        |run: &Run| run.assigns.is_empty() && !run.redirects.iter().any(|redirect| redirect.kind.opens());
    let runs = script.runs();
    runs.iter().any(brings)
        && script.doubts().is_empty()
        && runs.iter().all(|run| {
            quiet(run)
                && (brings(run) || run.builtin && guarda_shell::is_builtin(run.program().unwrap_or_default()))
        })
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

/// True if a rule asks about every change of this path: of a file, or of whatever lies directly in a folder. A run that writes at once may
/// only read it.
#[must_use]
pub fn is_guarded(policy: &Policy, path: &Path, folder: bool, situation: &Situation) -> bool {
    let file = |size| Entry {
        kind: EntryKind::File,
        size,
        mode: 0o644,
        owner: (0, 0),
        links: 1,
        below: Below::default(),
    };
    let (path, was) = if folder { (path.join(ANY), None) } else { (path.to_owned(), Some(file(1))) };
    let change = Change { path, was, is: Some(file(2)), ..Change::default() };
    stands_out(policy, &change, situation, &situation.roots)
}

/// A name that no rule is about.
const ANY: &str = "guarda";

fn found(rule: &str, verdict: Verdict, risk: f32, why: &str) -> Finding {
    Finding { tags: vec![Tag::Files], ..Finding::new(rule, Origin::Effects, verdict, risk, why) }
}

#[cfg(test)]
mod tests;
