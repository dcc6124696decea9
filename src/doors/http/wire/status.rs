//! The JSON of the service's status.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::devices::DeviceState;
use crate::wording::Words;
use crate::wording::message::lack;
use guarda_core::output::{Failure, FailureKind};

/// The state of a back-end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Backend {
    /// `ready`, `starting`, `failed` (it should work but does not) or `absent`.
    #[schema(example = "ready")]
    state: &'static str,
    /// What was found, or what is missing and how to fix it, in the language of the request.
    detail: String,
    /// Why it does not work, as one word, such as `no-sound` or `switched-off`; null if it works, or if no word fits.
    cause: Option<&'static str>,
}

/// The state of the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct Status {
    /// The version of the program.
    pub(in crate::doors::http) version: &'static str,
    /// The profile whose rules are in force.
    #[schema(example = "desktop")]
    pub(in crate::doors::http) profile: String,
    /// The profile whose rules are in force for the hooks of agents.
    #[schema(example = "workspace")]
    pub(in crate::doors::http) hook_profile: String,
    /// What does not work, as whole sentences in the language of the request. Empty if everything works.
    pub(in crate::doors::http) degraded: Vec<String>,
    /// The voice.
    pub(in crate::doors::http) speech: Backend,
    /// The ways of answering.
    pub(in crate::doors::http) answers: BTreeMap<String, Backend>,
    /// The back-ends for actions on the desktop.
    pub(in crate::doors::http) deeds: BTreeMap<String, Backend>,
    /// The record.
    pub(in crate::doors::http) record: Backend,
    /// The registry of commands.
    pub(in crate::doors::http) registry: Backend,
    /// The store of the sessions' marks.
    pub(in crate::doors::http) sessions: Backend,
    /// The user's own checks by file name, in the order in which they run.
    pub(in crate::doors::http) plugins: BTreeMap<String, Backend>,
    /// The number of marked sessions.
    pub(in crate::doors::http) marked_sessions: usize,
    /// The second opinion of a language model.
    pub(in crate::doors::http) advice: Backend,
    /// The number of running actions, including those that wait for an answer.
    pub(in crate::doors::http) under_way: usize,
    /// The number of open questions.
    pub(in crate::doors::http) questions: usize,
}

impl Status {
    /// Whether a part is still starting.
    #[must_use]
    pub fn starting(&self) -> bool {
        let parts = self.answers.values().chain(self.deeds.values()).chain([&self.speech, &self.registry]);
        parts.into_iter().any(|part| part.state == "starting")
    }
}

impl Backend {
    pub(in crate::doors::http) fn is_failed(&self) -> bool {
        self.state == "failed"
    }

    pub(in crate::doors::http) fn detail(&self) -> &str {
        &self.detail
    }

    pub(in crate::doors::http) fn ready(detail: impl Into<String>) -> Self {
        Self { state: "ready", detail: detail.into(), cause: None }
    }

    pub(in crate::doors::http) fn failed(detail: impl Into<String>) -> Self {
        Self { state: "failed", detail: detail.into(), cause: None }
    }

    pub(in crate::doors::http) fn absent(detail: impl Into<String>) -> Self {
        Self { state: "absent", detail: detail.into(), cause: None }
    }

    /// A part that this key of the configuration switches off.
    pub(crate) fn off(words: &Words, key: &str) -> Self {
        let detail = words.say("status-off", &[("key", key.into())]);
        Self { cause: Some(FailureKind::SwitchedOff.name()), ..Self::absent(detail) }
    }

    /// The state of a part in words. A working part without details has its own message, `ready-…`.
    pub(crate) fn of(words: &Words, part: &str, state: DeviceState) -> Self {
        match state {
            DeviceState::Starting => Self { state: "starting", detail: String::new(), cause: None },
            DeviceState::Ready { detail } => {
                let told = words.find(&format!("ready-{part}"), &[("detail", detail.as_str().into())]);
                Self::ready(told.unwrap_or(detail))
            }
            DeviceState::Failed { why } => Self { state: "failed", ..Self::lacking(words, &why) },
            DeviceState::Absent { why } => Self::lacking(words, &why),
        }
    }

    fn lacking(words: &Words, why: &Failure) -> Self {
        let cause = Some(why.kind).filter(|kind| *kind != FailureKind::Other).map(FailureKind::name);
        Self { cause, ..Self::absent(lack(words, why)) }
    }
}
