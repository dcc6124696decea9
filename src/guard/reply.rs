//! The reply to a caller: exactly one end of one request.

pub(super) mod tell;

use guarda_core::gate::Decider;
use guarda_core::output::Output;
use guarda_core::policy::{Finding, Verdict};
use guarda_journal::Receipt;

pub use crate::hands::Undoable;

/// What happens if the guard runs a command.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlan {
    /// Whether a person is asked first, and how it is run.
    pub decision: guarda_core::judge::RunDecision,
    /// The hosts that it reaches by its words and its tools.
    pub network: std::sync::Arc<guarda_core::hosts::NetworkPlan>,
    /// The sandbox, as far as it is known in advance; `None` for a blocked command.
    pub sandbox: Option<guarda_core::output::Protection>,
}

/// The end of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// The verdict: whether a person had to be asked before the guard ran the action.
    pub verdict: Verdict,
    /// How the command was, or would have been, run; `None` if it is not a command.
    pub run: Option<RunPlan>,
    /// How the request ended.
    pub outcome: Outcome,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// The cause of a failure, as one word for programs: `not_found`, `timeout`, `no_player` …
    pub error: Option<&'static str>,
    /// What happened, as one sentence: in the request's language, or in the reader's if the request names none.
    pub message: String,
    /// Why a person said no, in that person's words.
    pub reason: Option<String>,
    /// What a refusal says to the program or the model that asked; `None` if it was not refused.
    pub refusal: Option<crate::wording::RefusalNote>,
    /// The command that a person wrote instead of the requested one, whether or not it was done in the end.
    pub modified: Option<String>,
    /// The reasons of the verdict, strictest first.
    pub findings: Vec<Finding>,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// What the registry knows about the command, if anything.
    pub history: Option<guarda_core::policy::History>,
    /// The output, if the action was begun.
    pub output: Option<Output>,
    /// The sandbox in which a command ran.
    pub sandbox: Option<guarda_core::output::Protection>,
    /// What the action changed, if it was staged.
    pub effects: Option<std::sync::Arc<guarda_core::effects::Effects>>,
    /// Whether the changes can be undone; `None` if it changed nothing, or was not staged.
    pub undo: Option<Undoable>,
    /// The entry in the record.
    pub receipt: Option<Receipt>,
    /// The session's marks now.
    pub taint: guarda_core::policy::Taint,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// Done; a command may still have an exit status other than zero.
    Done,
    /// A person said no, or nobody could be asked.
    Denied,
    /// The rules forbid it.
    Blocked,
    /// It was approved, tried, and failed.
    Failed,
    /// Nobody answered in time.
    Expired,
    /// The caller went away, or the guard shut down.
    Withdrawn,
}

impl Outcome {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Who decided.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DecidedBy {
    /// The rules.
    Policy,
    /// A person, beforehand.
    Grant,
    /// A person, through this channel.
    Person(String),
    /// Silence.
    Timeout,
    /// The caller, by going away.
    Caller,
    /// The guard itself: it could not ask, or is shutting down.
    Guard,
}

impl DecidedBy {
    /// The name on the wire: `policy`, `grant`, `person:keys`, `timeout`, `caller`, `guard`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Person(channel) => format!("{}:{channel}", self.kind()),
            other => other.kind().to_owned(),
        }
    }

    /// The name without the channel.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    /// True for a person.
    #[must_use]
    pub fn is_person(&self) -> bool {
        matches!(self, Self::Person(_))
    }
}

impl From<&Decider> for DecidedBy {
    fn from(by: &Decider) -> Self {
        match by {
            Decider::Policy => Self::Policy,
            Decider::Grant { .. } => Self::Grant,
            Decider::Person { channel } => Self::Person(channel.clone()),
        }
    }
}

/// A request without an outcome. The message contains what the caller may know; the rest goes to the log.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The caller must fix the request (4xx).
    #[error(transparent)]
    Misread(#[from] guarda_core::action::Misread),
    /// The record cannot be written; nothing was done.
    #[error(transparent)]
    Record(#[from] guarda_journal::RecordError),
    /// The facts could not be gathered, for example because a folder is missing; the caller must fix the request.
    #[error(transparent)]
    Look(#[from] crate::hands::LookError),
    /// The deed was done, but its outcome could not be recorded.
    #[error("the action was done, but {0}")]
    Unrecorded(guarda_journal::RecordError),
    /// This machine cannot confine a command as the configuration requires.
    #[error(
        "this machine cannot confine a command as required: {0}; nothing was done. Set sandbox.require_sandbox = false to run it with less"
    )]
    Unkept(String),
    /// The session got a mark after the judgement, and the mark is a reason to ask.
    #[error(
        "the session got a mark after this was judged, so nothing was done; send the request again, and it is judged with the new mark"
    )]
    Marked,
    /// The session belongs to another caller.
    #[error(transparent)]
    ForeignSession(#[from] super::marks::ForeignSession),
    /// A file was changed while the question about it was open.
    #[error("{0} was changed while a person was asked about it, so nothing was done; send the request again")]
    Changed(String),
    /// The request needs the registry, which is off.
    #[error("the registry of commands is off (registry.enabled), and it stores the tokens")]
    NoRegistry,
    /// The request ended in a way that its door does not expect. Nothing more is done.
    #[error("the request ended in a way that its door does not expect")]
    Astray,
    /// Too many requests are waiting.
    #[error("too many requests are waiting")]
    Busy,
    /// The guard is shutting down.
    #[error("the guard is shutting down")]
    Closing,
}
