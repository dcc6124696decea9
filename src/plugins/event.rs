//! The input of a plugin: the action and the rules' findings, as one JSON object.

use serde_json::json;

use guarda_core::action::Action;
use guarda_core::judge::Judgement;
use guarda_core::policy::{Profile, Situation};

/// The version of the event's format, for plugins to check.
pub const VERSION: u32 = 1;

/// Serialises the event. Text from the model is unchanged.
#[must_use]
pub fn text(judgement: &Judgement, situation: &Situation, profile: Profile, door: &str) -> String {
    let subject = judgement.subject();
    let claims = &subject.claims;
    let command =
        if let Action::RunCommand { text, .. } = &subject.action { Some(text.as_str()) } else { None };
    json!({
        "version": VERSION,
        "event": "before_action",
        "door": door,
        "profile": profile.name(),
        "session": claims.session,
        "taint": judgement.taint(),
        "action": subject.action.kind().name(),
        "object": subject.action.object(),
        "command": command,
        "runs": runs(&subject.action),
        "cwd": command.map(|_| situation.cwd.as_str()),
        "reasoning": claims.reasoning,
        "status": judgement.verdict(),
        "risk": judgement.risk(),
        "findings": judgement.findings(),
    })
    .to_string()
}

/// Every program that may run, with its words; null for a word that is known only at run time.
fn runs(action: &Action) -> Vec<Vec<Option<String>>> {
    let Action::RunCommand { script: Ok(script), .. } = action else { return Vec::new() };
    let words = |run: &guarda_shell::script::Run| {
        run.words.iter().map(|word| word.literal().map(str::to_owned)).collect()
    };
    script.runs().iter().map(words).collect()
}
