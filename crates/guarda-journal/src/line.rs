//! One line of the record: the fields of feature S11, and our own.

use serde::{Deserialize, Serialize};

use super::chain::{Hash, hex};
use guarda_core::gate::{HostRefusal, NoAnswer};
use guarda_core::output::traffic::HostTraffic;
use guarda_core::policy::MarkCause;

/// The event that a line records.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "lowercase")]
pub enum RecordEvent {
    /// A file was begun.
    Opened,
    /// A question was put to a person. Its answer has the same number; a missing answer means that the guard
    /// ended first.
    Asked,
    /// A deed is about to begin.
    Intent,
    /// A deed was done or tried.
    Outcome,
    /// An action was not done.
    Refusal,
    /// A verdict was given and nothing done.
    Advice,
    /// A session got marks, or a person cleared them.
    Marked,
    /// A line that a session kept running has ended: `command` names it, `reason` is a [`KeptEnd`]. Without one, it ended with the
    /// service.
    Ended,
    /// A command was allowed for good, or no longer is: `kind`, `digest` and `user_decision` say which permission of which
    /// command, and whether it was given or withdrawn.
    Granted,
    /// A wrong code was given.
    Guessed,
    /// The rules of the configuration were changed while the service ran: `command` names the sections, `policy` the
    /// rules from then on.
    Reloaded,
    /// A running command wants hosts that nothing admits: the question, its answer, or a refusal without a
    /// question. It has the number of the command's intent.
    Host,
    /// After a crash: the outcome of a deed is unknown; it is never repeated. With the number 0: the start repaired the
    /// record, as [`Cut`] or [`Gap`] says, or ended an interrupted commit or undo, as `phase` and `ended` say.
    Recovered,
}

/// Why a line that a session kept running has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum KeptEnd {
    /// Nothing of it ran any more.
    ByItself,
    /// A person, its client, or the end of its conversation stopped it.
    Stopped,
    /// Its session was idle for too long.
    Idle,
}

impl RecordEvent {
    /// The name in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The position of a line: the first fields of every line, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinePosition {
    /// The hash of the previous line, in hexadecimal; zeros for the first line of a session.
    pub prev: String,
    /// The line's number within its file, from 0.
    pub line: u64,
    /// The event.
    pub event: RecordEvent,
    /// The session.
    pub session_id: String,
    /// The request's number within the session, from 1; a question, its intent and its outcome share it, and so do a staged
    /// run and the outcome of its effects. 0 for lines of the record itself.
    pub sequence: u64,
    /// `{session}_{sequence}`, at least three digits; empty for lines of the record itself.
    pub audit_id: String,
    /// The time of writing: RFC 3339, UTC, microseconds.
    pub timestamp: String,
}

/// One reason for a verdict, as recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedReason {
    /// The rule's id.
    pub rule: String,
    /// The layer of the rule.
    pub layer: String,
    /// The verdict of this rule alone: `allow`, `review`, `confirm`, `password`, `block`.
    pub verdict: String,
    /// The reason, as one sentence.
    pub why: String,
    /// The risk, from 0 to 1.
    pub risk: f32,
    /// Tags, for filters.
    pub tags: Vec<String>,
}

/// The highest number of changes in one line.
pub const EFFECTS: usize = 200;

/// The highest number of hosts in one line.
pub const HOSTS: usize = 200;

/// One change of a staged run, as recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EffectFact {
    /// The path, secrets hidden.
    pub path: String,
    /// `created`, `deleted`, `renamed`, `changed`, `attributes`, `replaced`.
    pub change: String,
    /// The previous path of a moved file.
    pub from: Option<String>,
    /// Bytes before; for a deleted folder, those of all files below it.
    pub was_bytes: Option<u64>,
    /// Bytes after.
    pub is_bytes: Option<u64>,
    /// The number of files below a folder that was created or deleted as a whole.
    pub files: u64,
}

/// A host that a command may reach, as recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostFact {
    /// The host, `*.name` for all below a name.
    pub host: String,
    /// The TCP ports; empty for all.
    pub ports: Vec<u16>,
    /// `word`, `tool NAME`, `remote NAME`, `policy`, `answer`; empty in a `host` line.
    pub why: String,
}

/// Why a line ended as it did, as recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum LineCause {
    /// A question was withdrawn, or was never put.
    Question(NoAnswer),
    /// A host was refused without a question.
    Host(HostRefusal),
    /// A person's yes to a host came too late for an earlier run of the command, and holds for this one.
    LateYes,
    /// The marks of a session changed.
    Marks(MarkCause),
}

impl std::fmt::Display for LineCause {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Question(why) => why.fmt(out),
            Self::Host(why) => why.fmt(out),
            Self::LateYes => {
                out.write_str("answered after an earlier run of the command had been refused it")
            }
            Self::Marks(why) => why.fmt(out),
        }
    }
}

/// The content of a line, besides its position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The command line; for other actions their name and object. Secrets are hidden.
    pub command: String,
    /// The model's reasoning. Secrets are hidden.
    pub reasoning: String,
    /// `completed`, `denied`, `error`; null until the outcome is known, and in the outcome of a staged run whose effects wait
    /// to be judged.
    pub status: Option<String>,
    /// `FORBIDDEN`, `SAFE` or `RISKY`.
    pub classification: Option<String>,
    /// The tier of feature S11 that decided, 0 to 3; null for a safe command.
    pub tier_triggered: Option<u8>,
    /// `forbidden_command`, `timeout`, `redaction_failure`, `not_staged`, `unknown` …
    pub error: Option<String>,
    /// `auto_approved`, `user_approved`, `user_denied`, `user_modified`, `user_abandoned`; null if nobody decided.
    pub action: Option<String>,
    /// `approve`, `deny`, `modify`, `timeout` …; null if nobody was asked.
    pub user_decision: Option<String>,
    /// The command that a person wrote instead; if anything was done, this was. `digest`, verdict and reasons belong
    /// to it.
    pub modified_command: Option<String>,
    /// `local`, or the cloud that the command uses.
    pub environment: String,
    /// The exit status, if a program ended by itself.
    pub exit_code: Option<i32>,
    /// The beginning of the output, secrets hidden.
    pub output_summary: Option<String>,
    /// Whether a part of the output was left out.
    pub output_truncated: bool,
    /// Whether a secret was hidden, in the output or in this line.
    pub redactions_applied: bool,
    /// The kinds of secrets that were hidden, sorted.
    pub redaction_categories: Vec<String>,
    /// The duration of the deed, in seconds.
    pub duration_seconds: Option<f64>,
    /// Whether addresses and host names in the output were replaced.
    pub anonymization_applied: bool,
    /// The action's name in the vocabulary.
    pub kind: String,
    /// SHA-256 of the action's canonical text.
    pub digest: String,
    /// The status of the verdict: `approved`, `requires_confirmation`, `requires_password`, `blocked`.
    pub verdict: String,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// The reasons, strictest first.
    pub findings: Vec<RecordedReason>,
    /// The number of the question, if there was one.
    pub question: Option<String>,
    /// `policy`, `person`, `nobody`.
    pub answered_by: Option<String>,
    /// The numbers of the grants that covered it; in a line about a grant that outlasts the service, its terms as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<String>,
    /// The channel of the answer.
    pub channel: Option<String>,
    /// Why it ended so, from the person or the guard, in English.
    pub reason: Option<String>,
    /// The same, as a value; null if it is a person's own words.
    pub cause: Option<LineCause>,
    /// The caller's door.
    pub door: String,
    /// The caller as the door knows it.
    pub caller: String,
    /// The requested working folder.
    pub cwd: Option<String>,
    /// The digest of the rules in force.
    pub policy: Option<String>,
    /// The session's marks at the time; in a line about marks, its marks now.
    pub taint: Vec<String>,
    /// How a command is run: `look`, `act` or `none` (feature N1); null for other actions and for blocked commands.
    pub way: Option<String>,
    /// The phase of a staged line (feature N4): `staged` while it runs in the overlay, `commit` when its effects are
    /// committed, `discard` when they are thrown away; `undo` for the undo of an earlier deed; `handed` for a permission
    /// whose run has lines of its own. Otherwise null.
    pub phase: Option<String>,
    /// What a staged run changed, path by path; at most [`EFFECTS`].
    pub effects: Vec<EffectFact>,
    /// What a staged run tried to reach and could not: names, and addresses with their ports; at most 32.
    pub tried: Vec<String>,
    /// The hosts that the command may reach by its words and its tools; the first 200. In a `host` line, those that it wants.
    pub hosts: Vec<HostFact>,
    /// The programs that get the whole network.
    pub whole_network: Vec<String>,
    /// SHA-256 of all changes.
    pub effects_digest: Option<String>,
    /// The sandbox that the deed ran in.
    pub sandbox: Option<String>,
    /// The deed's network traffic, by host (feature N8); at most [`HOSTS`].
    pub traffic: Vec<HostTraffic>,
    /// How the deed ended, in words, if it did not simply finish.
    pub ended: Option<String>,
}

/// The content of the first line of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// The version of this format.
    pub version: u32,
    /// The program that writes, with its version.
    pub program: String,
    /// The number of this file among those of the session, from 1.
    pub part: u32,
    /// The greatest request number in the earlier files.
    pub last_sequence: u64,
    /// What is wrong with the previous file; null if nothing is.
    pub damage: Option<String>,
    /// Intents of the previous file without an outcome: their number and facts.
    pub open: std::collections::BTreeMap<u64, serde_json::Value>,
}

/// The format version in [`Opening::version`].
pub const VERSION: u32 = 1;

/// The bytes beyond the last valid line of a torn or damaged file, as a recovery notes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cut {
    /// How many bytes were cut off.
    pub cut_bytes: u64,
    /// Their SHA-256.
    pub cut_hash: String,
}

/// A time during which the record could not be written, as the first line after it notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Gap {
    /// The kind of failure: `disk_full`, `read_only`, `gone` …
    pub interrupted: String,
    /// Its start: RFC 3339, UTC. Nothing was done in the meantime.
    pub since: String,
}

/// The audit id of a request (feature S11): at least three digits.
///
/// ```
/// assert_eq!(guarda_journal::line::audit_id("work", 7), "work_007");
/// ```
#[must_use]
pub fn audit_id(session: &str, sequence: u64) -> String {
    if sequence == 0 { String::new() } else { format!("{session}_{sequence:03}") }
}

/// The position of the next line of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next<'a> {
    pub prev: &'a Hash,
    pub line: u64,
    pub session: &'a str,
    pub sequence: u64,
    pub time: jiff::Timestamp,
}

/// Writes a line, without its line feed. `facts` is a JSON object.
pub(super) fn compose(next: Next<'_>, event: RecordEvent, facts: &str) -> String {
    // Session names hold no character that JSON escapes: the folder module checks that.
    let place = format!(
        "{{\"prev\":\"{}\",\"line\":{},\"event\":\"{}\",\"session_id\":\"{session}\",\"sequence\":{},\
         \"audit_id\":\"{}\",\"timestamp\":\"{:.6}\"",
        hex(next.prev),
        next.line,
        event.name(),
        next.sequence,
        audit_id(next.session, next.sequence),
        next.time,
        session = next.session,
    );
    match facts.strip_prefix('{') {
        Some(rest) if rest.trim_start() != "}" => format!("{place},{rest}"),
        _ => format!("{place}}}"),
    }
}

/// The event that closes an entry of a killed guard: a deed has an unknown outcome, and a question is denied.
pub(super) fn abandoned(facts: &str) -> (RecordEvent, String) {
    let mut read: Facts = serde_json::from_str(facts).unwrap_or_default();
    // An intent says who approved it.
    if read.answered_by.is_some() || read.question.is_none() {
        return (RecordEvent::Recovered, ended(facts, "unknown"));
    }
    read.status = Some("denied".to_owned());
    read.action = Some("user_abandoned".to_owned());
    read.user_decision = Some("restart".to_owned());
    read.answered_by = Some("nobody".to_owned());
    read.reason = Some(NoAnswer::Ended.to_string());
    read.cause = Some(LineCause::Question(NoAnswer::Ended));
    (RecordEvent::Refusal, serde_json::to_string(&read).unwrap_or_else(|_| "{}".to_owned()))
}

/// Turns the facts of an intent into those of an outcome with this error.
pub(super) fn ended(facts: &str, error: &str) -> String {
    let mut facts: Facts = serde_json::from_str(facts).unwrap_or_default();
    facts.status = Some("error".to_owned());
    facts.error = Some(error.to_owned());
    serde_json::to_string(&facts).unwrap_or_else(|_| "{}".to_owned())
}
