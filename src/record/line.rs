//! One line of the record: the seed's twenty fields (003) and ours.

use serde::{Deserialize, Serialize};

use super::chain::{Hash, hex};

/// What a line tells of.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// A file was begun.
    Opened,
    /// A question was put to a person. What comes of it has the same number; without it, the guard ended meanwhile.
    Asked,
    /// A deed is about to be done.
    Intent,
    /// A deed was done, or tried.
    Outcome,
    /// An action was not done.
    Refusal,
    /// A verdict was given and nothing done.
    Advice,
    /// A session got marks of what it has seen, or a person took them away.
    Marked,
    /// After a crash: nobody knows how a deed that was about to be done ended; it is never done again. With the number
    /// 0: the record itself was mended, as [`Cut`] or [`Gap`] says.
    Recovered,
}

impl Event {
    /// The name in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// True for a line that closes an intent.
    #[must_use]
    pub fn closes(self) -> bool {
        matches!(self, Self::Outcome | Self::Recovered)
    }
}

/// Where a line stands. The first fields of every line, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The hash of the line before, in hexadecimal; zeros for the first line of a session.
    pub prev: String,
    /// The line's number within its file, from 0.
    pub line: u64,
    /// What it tells of.
    pub event: Event,
    /// The session.
    pub session_id: String,
    /// The request's number within the session, from 1; an intent and its outcome share it. 0 for lines of the
    /// record itself.
    pub sequence: u64,
    /// `{session}_{sequence}`, at least three digits; empty for lines of the record itself.
    pub audit_id: String,
    /// When it was written: RFC 3339, UTC, microseconds.
    pub timestamp: String,
}

/// One reason for a verdict, as it is recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reason {
    /// The rule's id.
    pub rule: String,
    /// Where the rule comes from.
    pub layer: String,
    /// What it alone asks for: `allow`, `review`, `confirm`, `password`, `block`.
    pub verdict: String,
    /// Why, in one sentence.
    pub why: String,
    /// From 0 to 1.
    pub risk: f32,
    /// Short words for filters.
    pub tags: Vec<String>,
}

/// The most changes that one line lists.
pub const EFFECTS: usize = 200;

/// One change of a staged run, as it is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EffectFact {
    /// The path, secrets hidden.
    pub path: String,
    /// `created`, `deleted`, `renamed`, `changed`, `attributes`, `replaced`.
    pub change: String,
    /// Where it was moved from.
    pub from: Option<String>,
    /// Bytes before; those of all files below, for a folder that went as a whole.
    pub was_bytes: Option<u64>,
    /// Bytes after.
    pub is_bytes: Option<u64>,
    /// Files below a folder that came or went as a whole.
    pub files: u64,
}

/// What a line says, besides where it stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The command line; for other actions their name and object. Secrets are hidden.
    pub command: String,
    /// Why, in the model's words. Secrets are hidden.
    pub reasoning: String,
    /// `completed`, `denied`, `error`; null while the end is open.
    pub status: Option<String>,
    /// `FORBIDDEN`, `SAFE` or `RISKY`.
    pub classification: Option<String>,
    /// The tier of feature S11 that decided, 0 to 3; null for a safe command.
    pub tier_triggered: Option<u8>,
    /// `forbidden_command`, `timeout`, `redaction_failure`, `unknown` …
    pub error: Option<String>,
    /// `auto_approved`, `user_approved`, `user_denied`, `user_modified`, `user_abandoned`; null where nobody acted.
    pub action: Option<String>,
    /// `approve`, `deny`, `modify`, `timeout` …; null where nobody was asked.
    pub user_decision: Option<String>,
    /// What a person made of the command; where something was done, this was done. `digest`, verdict and reasons are its own.
    pub modified_command: Option<String>,
    /// `local`, or the cloud that the command speaks to.
    pub environment: String,
    /// The exit status, where a program ended by itself.
    pub exit_code: Option<i32>,
    /// The beginning of the output, secrets hidden.
    pub output_summary: Option<String>,
    /// Something of the output was left out before it was returned.
    pub output_truncated: bool,
    /// A secret was hidden, in the output or in this line.
    pub redactions_applied: bool,
    /// The kinds of secrets that were hidden, sorted.
    pub redaction_categories: Vec<String>,
    /// How long the deed took.
    pub duration_seconds: Option<f64>,
    /// Addresses and host names were replaced in the output.
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
    pub findings: Vec<Reason>,
    /// The number of the question that was put, where there was one.
    pub question: Option<String>,
    /// `policy`, `person`, `nobody`.
    pub answered_by: Option<String>,
    /// The channel of the answer.
    pub channel: Option<String>,
    /// What the person or the guard said with a no.
    pub reason: Option<String>,
    /// The caller's door.
    pub door: String,
    /// The caller as the door knows it.
    pub caller: String,
    /// The folder asked for.
    pub cwd: Option<String>,
    /// The digest of the rules in force.
    pub policy: Option<String>,
    /// The marks that the session had: `corruption`, `secret`. In a line about marks: those that it has now.
    pub taint: Vec<String>,
    /// How a command is run: `look`, `act` or `none` (feature N1); null for what is no command, and what is blocked.
    pub way: Option<String>,
    /// Of a line that is staged (feature N4): `staged` while it runs where nothing counts, `commit` when its effects are let
    /// count, `discard` when they are thrown away; `undo` for what takes back an earlier deed. Null for all else.
    pub phase: Option<String>,
    /// What a staged run changed, path by path; at most [`EFFECTS`].
    pub effects: Vec<EffectFact>,
    /// SHA-256 of all that it changed.
    pub effects_digest: Option<String>,
    /// The sandbox that the deed ran in.
    pub sandbox: Option<String>,
    /// How the deed ended, in words, where it did not simply finish.
    pub ended: Option<String>,
}

/// What the first line of a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// The version of this format.
    pub version: u32,
    /// The program that writes, with its version.
    pub program: String,
    /// The number of this file among those of the session, from 1.
    pub part: u32,
    /// The greatest number of a request in the files before this one.
    pub last_sequence: u64,
    /// What is known to be wrong with the file before this one; null where all is well.
    pub damage: Option<String>,
    /// Intents of the file before this one that were still open: their number and facts.
    pub open: std::collections::BTreeMap<u64, serde_json::Value>,
}

/// The version of the format that [`Opening::version`] names.
pub const VERSION: u32 = 1;

/// Bytes that a torn or damaged file held beyond its last good line, as a recovery notes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cut {
    /// How many bytes were cut off.
    pub cut_bytes: u64,
    /// Their SHA-256.
    pub cut_hash: String,
}

/// A time in which the record could not be written, as the first line after it notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Gap {
    /// What the trouble was: `disk_full`, `read_only`, `gone` …
    pub interrupted: String,
    /// Since when: RFC 3339, UTC. Nothing was done in the meantime.
    pub since: String,
}

/// The audit id of a request (feature S11): at least three digits.
#[must_use]
pub fn audit_id(session: &str, sequence: u64) -> String {
    if sequence == 0 { String::new() } else { format!("{session}_{sequence:03}") }
}

/// Where the next line of a file stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next<'a> {
    pub prev: &'a Hash,
    pub line: u64,
    pub session: &'a str,
    pub sequence: u64,
    pub time: jiff::Timestamp,
}

/// Writes a line, without its line feed. `facts` is a JSON object.
pub(super) fn compose(next: Next<'_>, event: Event, facts: &str) -> String {
    // Names of sessions hold no character that JSON escapes: the folder room sees to it.
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
