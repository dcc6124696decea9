//! The JSON of the API's responses.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wording::RefusalNote;
use guarda_core::action::custody::SandboxLevel;
use guarda_core::output::{Lack, Measure, OutputMetadata};
use guarda_core::policy::{Finding, Taint};
use guarda_journal::Receipt;

pub use changes::Undo;
pub use deed::{Branch, Item, Touched, Touches, branches, runs};
pub use effects::Effects;
pub use held::{HeldDeeds, HeldDetail};
pub(in crate::doors::http) use question::time;
pub use question::{Question, Questions};
pub use run::Run;
pub use status::{Backend, Status};

mod deed;
mod changes;
mod effects;
mod held;
mod question;
mod run;
mod status;

/// The outcome of an action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Reply)]
pub struct ReplyBody {
    /// The action's id.
    #[schema(value_type = String, format = "uuid")]
    id: uuid::Uuid,
    /// The verdict: `approved`, `requires_confirmation`, `requires_password` or `blocked`.
    #[schema(example = "requires_confirmation")]
    status: &'static str,
    /// How the action ended: `done`, `denied`, `blocked`, `failed`, `expired` or `withdrawn`.
    #[schema(example = "done")]
    outcome: &'static str,
    /// Who decided: `policy`, `person:` with a channel, `timeout`, `caller` or `guard`.
    #[schema(example = "person:keys")]
    decided_by: String,
    /// The reasons of the verdict, strictest first.
    findings: Vec<Finding>,
    /// The output; null if the action was not begun.
    output: Option<Output>,
    /// The entry in the record; null if the record does not keep it.
    receipt: Option<Receipt>,
    /// What happened, in one sentence: in the request's language, or else in the first language of `Accept-Language`
    /// that the guard speaks.
    message: String,
    /// Why a person said no, in that person's words.
    reason: Option<String>,
    /// A refusal for the program or the model that asked: who refused, what would have been done, why, and what to do instead;
    /// null if it was not refused.
    refusal: Option<RefusalNote>,
    /// The command that a person wrote in place of the requested one, whether or not it was done. Usually null.
    modified_command: Option<String>,
    /// The cause of a failure, as one word: `not_found`, `timeout`, `no_player` …
    error: Option<&'static str>,
    /// The risk, from 0 (harmless) to 1 (catastrophic).
    risk: f32,
    /// How a command was run, or would have been run after a yes; null if it is not a command.
    run: Option<Run>,
    /// The sandbox in which a command ran; otherwise null.
    sandbox: Option<Sandbox>,
    /// What a staged run changed; null if it was not staged, or changed nothing.
    effects: Option<changes::Changes>,
    /// Whether the changes can be undone; null if there are none, or if the run was not staged.
    undo: Option<changes::Undo>,
    /// The session's marks now.
    taint: Taint,
    /// The outcome in the words of Safe-Exec Shell; its streams and their changes are in `output`.
    execution: crate::doors::http::action::execution::Execution,
}

/// The sandbox of a command.
#[derive(Debug, Serialize, ToSchema)]
pub struct Sandbox {
    /// `none`, `confined` or `isolated`.
    #[schema(value_type = String, example = "confined")]
    profile: SandboxLevel,
    /// Whether it may use the network: `none`, `hosts` or `all`.
    #[schema(example = "none")]
    network: &'static str,
    /// The measures in force: `files`, `scopes`, `network`, `sockets`, `calls`, `privileges`, `session`, `limits`,
    /// `namespaces`.
    #[schema(value_type = Vec<String>)]
    in_force: Vec<Measure>,
    /// The measures that the profile promises but this machine cannot provide.
    lacking: Vec<Lack>,
    /// Notices for a person.
    notes: Vec<String>,
    /// The hidden files and folders that the command met. A command that names one is asked about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<String>,
}

/// One step of an action, as it is streamed.
#[derive(Debug)]
pub(super) struct ActionEvent {
    /// `judged`, `asked`, `answered`, `started`, `output`.
    pub(super) name: &'static str,
    /// Details of the step.
    pub(super) data: serde_json::Value,
}

/// The verdict on an action that was not run.
#[derive(Debug, Serialize, ToSchema)]
pub struct Judgement {
    /// The id of the recorded advice.
    #[schema(value_type = String, format = "uuid")]
    id: uuid::Uuid,
    /// The verdict for a caller that would run the text itself: `approved`, `requires_confirmation`,
    /// `requires_password` or `blocked`.
    status: &'static str,
    /// What happens if the guard runs the command; null if it is not a command.
    run: Option<Run>,
    /// The reasons, strictest first.
    findings: Vec<Finding>,
    /// The same in words, in the request's language.
    reasons: Vec<String>,
    /// What each of them suggests instead, in the request's language.
    instead: Vec<Option<String>>,
    /// The risk, from 0 (harmless) to 1 (catastrophic).
    risk: f32,
    /// Every program that may run, with its words, in reading order; empty if it is not a command.
    runs: Vec<Vec<String>>,
    /// How each of them is reached, by its index in `runs`.
    tree: Vec<Branch>,
    /// The sandbox of a command, the weakest one if there are several programs; null if it is not a command.
    sandbox: Option<Sandbox>,
    /// The same in words, in the request's language.
    sandbox_lines: Vec<String>,
    /// The session's marks at the time of judging.
    taint: Taint,
}

/// The output of an action: truncated, with secrets hidden.
#[derive(Debug, Serialize, ToSchema)]
pub struct Output {
    /// Standard output.
    stdout: String,
    /// Standard error.
    stderr: String,
    /// The exit status, if a program ended by itself.
    exit_code: Option<i32>,
    /// How it ended: `finished`, `not_found`, `timed_out`, `cancelled`, `signalled`, `no_player`, `unavailable`,
    /// `failed` or `changed`.
    ended: &'static str,
    /// Details: the missing program, the signal, the cause.
    detail: Option<String>,
    /// The duration in milliseconds.
    duration_ms: u64,
    /// Whether a part was left out.
    truncated: bool,
    /// The kinds of secrets that were hidden.
    redactions: Vec<String>,
    /// True if the output could not be made safe to show. Both streams are then empty.
    withheld: bool,
    /// The changes to the output.
    output_metadata: OutputMetadata,
    /// The lines around the streams for a model.
    fence: Fence,
}

/// Two lines that tell a model that what stands between them is data. They are new for each output, so that no program can
/// write the second one.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fence {
    /// What to put before the output.
    open: String,
    /// What to put after it.
    close: String,
}

/// An action that has not ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct Running {
    /// The action's id.
    #[schema(value_type = String, format = "uuid")]
    pub(super) id: uuid::Uuid,
    /// Always `running`.
    #[schema(example = "running")]
    pub(super) outcome: &'static str,
    /// The question that it waits for, if the requesting client may ask its own person (`channels.mcp`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) question: Option<Offered>,
}

/// A question that the requesting client may ask its own person.
#[derive(Debug, Serialize, ToSchema)]
pub struct Offered {
    /// Its number, which an answer must name.
    #[schema(example = "5f0c6b6e1a8e4f4b9c39c7be57a3d9f2")]
    id: String,
    /// The whole question, in the request's language: what a yes does, the exact object, and the reasons.
    text: String,
    /// The word for yes in that language.
    yes: String,
    /// The word for no.
    no: String,
    /// The name of the field for the question's code, if a yes requires one.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

impl Offered {
    /// The question in words. `code` is true if a yes requires the code.
    pub(super) fn new(open: &crate::prompt::OpenQuestion, code: bool) -> Self {
        let prompt = &open.prompt;
        let words = crate::wording::words(prompt.language);
        let mut lines = vec![words.say("card-ask", &[("effect", prompt.effect.clone().into())])];
        lines.extend(prompt.staged.clone());
        lines.extend(prompt.changes.iter().flat_map(crate::wording::describe::staged::EffectLine::text));
        lines.push(prompt.object.clone());
        lines.extend(prompt.folder.clone());
        lines.extend(prompt.undo.clone());
        lines.extend(prompt.reasons.iter().map(|reason| format!("• {}", reason.text)));
        let word = |id| words.say(id, &[]);
        Self {
            id: open.number.to_string(),
            text: lines.join("\n"),
            yes: word("button-yes"),
            no: word("button-no"),
            code: code.then(|| word("cli-code")),
        }
    }
}

impl From<crate::guard::Reply> for ReplyBody {
    fn from(reply: crate::guard::Reply) -> Self {
        let execution = crate::doors::http::action::execution::Execution::from(&reply);
        Self {
            execution,
            id: reply.id,
            status: reply.verdict.status(),
            outcome: reply.outcome.name(),
            decided_by: reply.decided_by.name(),
            findings: reply.findings,
            output: reply.output.map(Output::from),
            receipt: reply.receipt,
            message: reply.message,
            reason: reply.reason,
            refusal: reply.refusal,
            modified_command: reply.modified,
            error: reply.error,
            risk: reply.risk,
            run: reply.run.as_ref().map(Run::from),
            sandbox: reply.sandbox.as_ref().map(Sandbox::from),
            effects: reply.effects.as_deref().map(changes::Changes::from),
            undo: reply.undo.as_ref().map(changes::Undo::from),
            taint: reply.taint,
        }
    }
}

impl ReplyBody {
    /// The outcome of the action.
    pub(super) fn outcome(&self) -> &'static str {
        self.outcome
    }

    /// The exit status, standard output and standard error cut to 10 KiB each (feature S13), and the duration in
    /// milliseconds.
    pub(super) fn streams(&self) -> (Option<i32>, String, String, u64) {
        const LONGEST: usize = 10 * 1024;
        let Some(output) = &self.output else { return (None, String::new(), String::new(), 0) };
        let cut = |text: &str| text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default().to_owned();
        (output.exit_code, cut(&output.stdout), cut(&output.stderr), output.duration_ms)
    }
}

impl From<&crate::guard::Advice> for Judgement {
    fn from(advice: &crate::guard::Advice) -> Self {
        let judgement = &advice.judgement;
        let language = judgement.subject().claims.language.as_deref();
        let language: guarda_core::action::Language =
            language.and_then(|tag| tag.parse().ok()).unwrap_or_default();
        let words = crate::wording::words(language);
        let sandbox = advice.run.as_ref().and_then(|run| run.sandbox.as_ref());
        let sandbox_lines = sandbox.map(|held| crate::wording::describe::impact::sandbox(words, held));
        let sandbox_lines = sandbox_lines.unwrap_or_default();
        let (reasons, instead) = crate::wording::reason::explained(words, judgement.findings());
        Self {
            id: advice.id,
            status: judgement.verdict().status(),
            findings: judgement.findings().to_vec(),
            reasons,
            instead,
            risk: judgement.risk(),
            runs: runs(&judgement.subject().action),
            tree: branches(&judgement.subject().action),
            run: advice.run.as_ref().map(Run::from),
            sandbox: sandbox.map(Sandbox::from),
            sandbox_lines,
            taint: judgement.taint(),
        }
    }
}

impl From<&guarda_core::output::Protection> for Sandbox {
    fn from(held: &guarda_core::output::Protection) -> Self {
        Self {
            profile: held.profile,
            network: run::network(held),
            in_force: held.in_force.clone(),
            lacking: held.lacking.clone(),
            notes: held.notes.clone(),
            hidden: held.hidden.clone(),
        }
    }
}

impl From<&crate::guard::Progress> for ActionEvent {
    fn from(progress: &crate::guard::Progress) -> Self {
        use crate::guard::Progress;
        use serde_json::json;
        let (name, data) = match progress {
            Progress::Judged { verdict, risk, findings, run } => (
                "judged",
                json!({
                    "status": verdict.status(),
                    "risk": risk,
                    "findings": findings,
                    "run": run.as_ref().map(Run::from),
                    "sandbox": run.as_ref().and_then(|run| run.sandbox.as_ref()).map(Sandbox::from),
                }),
            ),
            Progress::Asked { .. } => ("asked", json!({})),
            Progress::Answered { answer } => ("answered", json!({"answer": answer})),
            Progress::Started => ("started", json!({})),
        };
        Self { name, data }
    }
}

impl ActionEvent {
    /// How many bytes a command has written so far to standard output and to standard error. The text comes only with
    /// the reply, because a secret can span several lines and be recognisable only as a whole.
    pub(super) fn output((stdout, stderr): (u64, u64)) -> Self {
        Self { name: "output", data: serde_json::json!({"stdout_bytes": stdout, "stderr_bytes": stderr}) }
    }
}

impl From<guarda_core::output::Output> for Output {
    fn from(output: guarda_core::output::Output) -> Self {
        let (open, close) = guarda_core::output::fence::fence(uuid::Uuid::new_v4().as_u128());
        Self {
            stdout: output.stdout,
            stderr: output.stderr,
            exit_code: output.exit_code,
            ended: output.ended.name(),
            detail: output.ended.detail(),
            duration_ms: u64::try_from(output.duration.as_millis()).unwrap_or(u64::MAX),
            truncated: output.metadata.truncation_applied,
            redactions: output.metadata.redaction_categories.clone(),
            withheld: output.withheld,
            output_metadata: output.metadata,
            fence: Fence { open, close },
        }
    }
}
