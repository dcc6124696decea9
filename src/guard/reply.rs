//! What a caller gets back: exactly one end of one request.

use crate::record::Receipt;
use guarda_core::output::Output;
use guarda_core::policy::{Finding, Verdict};

pub use crate::hands::Undo;

/// What becomes of a command if the guard runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlan {
    /// Whether a person is asked before, and in which way it is run.
    pub decision: guarda_core::judge::RunDecision,
    /// What holds around it, as far as it is known before; `None` where it is blocked.
    pub sandbox: Option<guarda_core::output::Protection>,
}

/// The end of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The request's id (UUIDv7).
    pub id: uuid::Uuid,
    /// What the judge said: whether a person was to be asked before the guard did it.
    pub verdict: Verdict,
    /// How the command was, or would have been, run; `None` for what is no command.
    pub run: Option<RunPlan>,
    /// What became of it.
    pub outcome: Outcome,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// What went wrong, as one word for programs: `not_found`, `timeout`, `no_player` …; `None` where nothing did.
    pub error: Option<&'static str>,
    /// What happened, in one sentence in the request's language; what was spoken, where something was.
    pub message: String,
    /// Why a person said no, in that person's words.
    pub reason: Option<String>,
    /// The command that a person wrote in the place of the one asked for: what was done, or at last not done.
    pub modified: Option<String>,
    /// The reasons of the verdict, strictest first.
    pub findings: Vec<Finding>,
    /// The joint risk, 0 to 1.
    pub risk: f32,
    /// What is remembered of the command; `None` where nothing is.
    pub history: Option<guarda_core::policy::History>,
    /// What the deed left behind, where it was begun.
    pub output: Option<Output>,
    /// What held around a command that was executed.
    pub sandbox: Option<guarda_core::output::Protection>,
    /// What it changed, where it was staged.
    pub effects: Option<std::sync::Arc<guarda_core::policy::Effects>>,
    /// Whether what it changed can be undone; `None` where it changed nothing, or was not staged.
    pub undo: Option<Undo>,
    /// Where it stands in the record.
    pub receipt: Option<Receipt>,
    /// The marks that the session has now.
    pub taint: guarda_core::policy::Taint,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// The rules.
    Policy,
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
    /// The name on the wire: `policy`, `person:keys`, `timeout`, `caller`, `guard`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Policy => "policy".to_owned(),
            Self::Person(channel) => format!("person:{channel}"),
            Self::Timeout => "timeout".to_owned(),
            Self::Caller => "caller".to_owned(),
            Self::Guard => "guard".to_owned(),
        }
    }
}

/// A request that came to no end of its own. What the caller may know stands here; the rest goes to the log.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The caller must mend the request (4xx).
    #[error(transparent)]
    Misread(#[from] guarda_core::action::Misread),
    /// The record cannot be written; nothing was done.
    #[error(transparent)]
    Record(#[from] crate::record::RecordError),
    /// The facts could not be gathered (a folder that is not there …); the caller must mend the request.
    #[error(transparent)]
    Look(#[from] crate::hands::LookError),
    /// The deed was done, but its outcome could not be written down.
    #[error("it was done, but {0}")]
    Unrecorded(crate::record::RecordError),
    /// This machine cannot keep a command in as the configuration requires.
    #[error(
        "this machine cannot keep a command in as it is required to: {0}; nothing was done. Set sandbox.require_sandbox = false to run it with less"
    )]
    Unkept(String),
    /// The session has seen secrets, or text from outside, after this was judged, and it would be judged otherwise now.
    #[error(
        "the session has seen more since this was judged, and nothing was done; send it again, and it is judged by what the session has seen"
    )]
    Marked,
    /// There is no registry, and what was asked for needs one.
    #[error("the registry of commands is switched off (registry.enabled), and tokens are kept in it")]
    NoRegistry,
    /// The request came to an end that its door cannot tell. Nothing more is done.
    #[error("the request came to an end that it cannot have")]
    Astray,
    /// Too many requests are waiting; come back later.
    #[error("too many requests are waiting")]
    Busy,
    /// The guard is shutting down.
    #[error("the guard is shutting down")]
    Closing,
}
