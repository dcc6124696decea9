//! The input of a plugin: the action and the rules' findings, as one JSON object.

use serde_json::{Value, json};

use guarda_core::action::Action;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Profile, Situation};

/// The version of the event's format, for plugins to check.
pub const VERSION: u32 = 1;

/// Serialises the event. Text from the model is unchanged.
#[must_use]
pub fn text(judgement: &Judgement, situation: &Situation, profile: Profile, door: &str) -> String {
    let subject = judgement.subject();
    let claims = &subject.claims;
    let command =
        if let Action::RunCommand { text, .. } = &subject.action { Some(text.as_str()) } else { None };
    let taint = judgement.taint();
    json!({
        "version": VERSION,
        "event": "before_action",
        "door": door,
        "profile": profile.name(),
        "session": claims.session,
        "taint": {"corruption": taint.corruption, "secret": taint.secret},
        "action": subject.action.kind().name(),
        "object": subject.action.object(),
        "command": command,
        "runs": runs(&subject.action),
        "cwd": command.map(|_| situation.cwd.as_str()),
        "reasoning": claims.reasoning,
        "status": judgement.verdict().status(),
        "risk": judgement.risk(),
        "findings": judgement.findings().iter().map(finding).collect::<Vec<_>>(),
    })
    .to_string()
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "layer": finding.origin.name(),
        "status": finding.verdict.status(),
        "why": finding.why,
        "risk": finding.risk,
        "tags": finding.tags.iter().map(|tag| tag.name()).collect::<Vec<_>>(),
    })
}

/// Every program that may run, with its words; null for a word that is known only at run time.
fn runs(action: &Action) -> Vec<Vec<Option<String>>> {
    let Action::RunCommand { script: Ok(script), .. } = action else { return Vec::new() };
    let words = |run: &guarda_shell::script::Run| {
        run.words.iter().map(|word| word.literal().map(str::to_owned)).collect()
    };
    script.runs().iter().map(words).collect()
}
