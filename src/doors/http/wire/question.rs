//! The JSON of open questions.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::{Branch, Effects, Run, Sandbox, Touches, branches, runs};
use crate::prompt::OpenQuestion;
use crate::prompt::question::{Prompt, ShownReason};
use crate::wording::offer::Lasting;
use guarda_core::action::Language;
use guarda_core::gate::Span;

/// The open questions.
#[derive(Debug, Serialize, ToSchema)]
pub struct Questions {
    /// Oldest first.
    pub(in crate::doors::http) questions: Vec<Question>,
}

/// An open question.
#[derive(Debug, Serialize, ToSchema)]
pub struct Question {
    /// Its number, which an answer must name.
    #[schema(example = "5f0c6b6e1a8e4f4b9c39c7be57a3d9f2")]
    id: String,
    /// `requires_confirmation` or `requires_password`.
    status: &'static str,
    /// The kind of action.
    #[schema(example = "RUN_COMMAND")]
    action: &'static str,
    /// The command line, path or address in full, with hidden characters made visible.
    object: String,
    /// The language of the texts: `pt-BR`, `en` or `fr`.
    #[schema(example = "pt-BR")]
    language: &'static str,
    /// What a yes does, in words.
    effect: String,
    /// The question as it is spoken.
    prompt: String,
    /// The lasting answers that it accepts besides `yes`, the shortest first.
    offers: Vec<Offer>,
    /// The numbers of the other open questions of the same kind, which one answer can settle together with it; see `alike` of an answer.
    alike: Vec<String>,
    /// Whether it is about hosts that a running command wants.
    about_hosts: bool,
    /// Whether the command has gone on without an answer. A yes is then kept for ten minutes, for the next run of the
    /// same command in the same folder and session. Nothing runs by itself.
    late: bool,
    /// Whether `yes`, `session`, `always` and `modify` require the code that is shown and spoken with the question.
    code: bool,
    /// The reasons, strictest first.
    findings: Vec<guarda_core::policy::Finding>,
    /// The same reasons in the question's language, each once.
    reasons: Vec<ShownReason>,
    /// The joint risk, 0 to 1.
    risk: f32,
    /// The tool of an agent's client, by the client's name for it, if it runs no command line. `object` is then the
    /// tool's paths or addresses.
    tool: Option<String>,
    /// Every program that may run, with its words, in reading order; empty if it is not a command.
    runs: Vec<Vec<String>>,
    /// How each of them is reached, by its index in `runs`.
    tree: Vec<Branch>,
    /// The command's changes, which are held back until a yes. Null if nothing has run yet.
    effects: Option<Effects>,
    /// What would be touched; empty if `effects` is set.
    touches: Touches,
    /// How a command is run after a yes; null if it is not a command, or the guard does not run it.
    run: Option<Run>,
    /// The sandbox of a command; null if it is not a command, or the guard does not run it.
    sandbox: Option<Sandbox>,
    /// The same in words, in the question's language.
    sandbox_lines: Vec<String>,
    /// What the session has seen.
    marks: Vec<QuestionMark>,
    /// The model's reason, in its own words.
    reasoning: Option<String>,
    /// The session.
    session: Option<String>,
    /// Who asks: the client of a hook, the program at a socket, a container, or the door. Programs choose these names
    /// themselves.
    asker: Option<String>,
    /// The working folder, if the caller named one.
    cwd: Option<String>,
    /// When it was asked: RFC 3339, UTC.
    #[schema(format = DateTime)]
    asked: String,
    /// When silence becomes a no: RFC 3339, UTC; null while the question waits for its turn.
    #[schema(format = DateTime)]
    expires: Option<String>,
    /// The exact command line, if it may be replaced (`modify`); otherwise null. It is meant for an editor, so hidden
    /// characters are not made visible.
    draft: Option<String>,
}

/// A lasting answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Offer {
    /// The answer to send, which says for how long it holds: `turn` until the person's next message to the asker, `session`, `today`
    /// and `always` in this folder.
    answer: Span,
    /// What it covers: `folder`, `command`, `shape`, `hosts`, `all-hosts`.
    covers: &'static str,
    /// The folder, or the shape of the command. An address that ends with `/…` stands for its whole host. Null if the question says it.
    #[serde(rename = "what")]
    object: Option<String>,
    /// The answer in the question's language, with all that it covers.
    text: String,
}

impl Offer {
    fn all(prompt: &Prompt) -> Vec<Self> {
        let words = crate::wording::words(prompt.language);
        let offer = |(span, covers): &(Span, Lasting)| Self {
            answer: *span,
            covers: covers.name(),
            object: covers.object().map(str::to_owned),
            text: prompt.offers.told(words, *span).unwrap_or_default(),
        };
        prompt.offers.iter().map(offer).collect()
    }
}

/// What a session has seen.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuestionMark {
    /// `outside`: text from outside. `secret`: secrets.
    name: &'static str,
    /// In the question's language.
    text: String,
}

impl Question {
    /// A question in the given language, or in its own.
    pub(in crate::doors::http) fn told(open: &OpenQuestion, language: Option<Language>, code: bool) -> Self {
        let action = &open.question.subject.action;
        let prompt = match language.filter(|language| *language != open.prompt.language) {
            Some(language) => Arc::new(open.prompt.in_language(&open.question, language)),
            None => Arc::clone(&open.prompt),
        };
        let marks = prompt.impact.marks.iter().zip(&prompt.marks);
        // A tool is judged as an equivalent command, which nothing runs.
        let is_command = prompt.impact.tool.as_ref().is_none_or(|tool| tool.work.is_empty());
        Self {
            id: open.number.to_string(),
            status: open.question.verdict.status(),
            action: prompt.kind,
            object: prompt.object.clone(),
            language: prompt.language.tag(),
            effect: prompt.effect.clone(),
            prompt: prompt.spoken.clone(),
            offers: Offer::all(&prompt),
            alike: open.alike.iter().map(ToString::to_string).collect(),
            about_hosts: prompt.is_for_hosts(),
            late: prompt.is_late(),
            code,
            findings: open.question.findings.to_vec(),
            reasons: prompt.reasons.clone(),
            risk: prompt.risk,
            tool: prompt.tool.clone(),
            runs: if is_command { runs(action) } else { Vec::new() },
            tree: if is_command { branches(action) } else { Vec::new() },
            effects: Effects::of(&prompt),
            touches: Touches::of(&prompt),
            run: Run::asked(&prompt.impact),
            sandbox: prompt.impact.sandbox.as_ref().map(Into::into),
            sandbox_lines: prompt.sandbox.clone(),
            marks: marks.map(|(mark, text)| QuestionMark { name: mark.name(), text: text.clone() }).collect(),
            reasoning: prompt.reasoning.clone(),
            session: prompt.session.clone(),
            asker: prompt.asker.clone(),
            cwd: prompt.folder.clone(),
            asked: time(open.asked),
            expires: open.expires.map(time),
            draft: prompt.draft.clone(),
        }
    }
}

/// A time as RFC 3339 in UTC, to the millisecond.
pub(in crate::doors::http) fn time(at: std::time::SystemTime) -> String {
    let at = jiff::Timestamp::try_from(at).unwrap_or_default();
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
