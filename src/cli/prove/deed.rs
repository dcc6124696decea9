//! The deeds that are tried, and the guards that are compared: two tables.

use serde::Deserialize;

use super::listeners::Outlet;
use crate::app::CliError;

/// A line, and how it shows that it was done.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrialDeed {
    /// Names the deed in results and in the files of words.
    pub(super) id: String,
    /// True for harm, false for ordinary work.
    #[serde(default)]
    pub(super) harm: bool,
    /// The line for bash, with placeholders.
    pub(super) line: String,
    /// Programs without which it cannot be tried.
    #[serde(default)]
    pub(super) needs: Vec<String>,
    pub(super) trace: Trace,
}

/// What a deed leaves behind.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Trace {
    /// Files of this folder of the home are missing.
    Gone(String),
    /// This file of the home has this text.
    Changed(String, String),
    /// The line printed this text.
    Printed(String),
    /// Bytes reached this listener.
    Sent(Outlet),
    /// The person's process is gone.
    Ended,
    /// A process runs on after the line.
    Left,
}

/// A guard or a sandbox of this machine.
#[derive(Debug, Deserialize)]
pub(super) struct ComparedGuard {
    pub(super) name: String,
    /// Programs without which it is left out.
    #[serde(default)]
    pub(super) needs: Vec<String>,
    /// Prints its version.
    #[serde(default)]
    pub(super) version: Vec<String>,
    /// Puts it in place in the throw-away home.
    #[serde(default)]
    pub(super) setup: Vec<String>,
    #[serde(flatten)]
    pub(super) way: GuardWay,
    /// Takes back what the session did; empty if it offers nothing that works without a person.
    #[serde(default)]
    pub(super) undo: Vec<String>,
}

/// How a guard stands between an agent and a line: an argument vector with placeholders.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum GuardWay {
    /// It runs the line itself.
    Wrap(Vec<String>),
    /// It reads the event before a tool call, and says whether the agent may run the line.
    Hook(Vec<String>),
}

#[derive(Debug, Deserialize)]
struct Tables {
    #[serde(default)]
    deed: Vec<TrialDeed>,
    #[serde(default)]
    guard: Vec<ComparedGuard>,
}

/// Both tables.
pub(super) fn tables() -> Result<(Vec<TrialDeed>, Vec<ComparedGuard>), CliError> {
    let read = |text: &str| toml::from_str::<Tables>(text).map_err(|error| CliError::text(error.to_string()));
    Ok((read(include_str!("deeds.toml"))?.deed, read(include_str!("guards.toml"))?.guard))
}
