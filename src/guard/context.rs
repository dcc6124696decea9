//! Progress reports to a request's caller, and its cancellation.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use guarda_core::gate::NoAnswer;
use guarda_core::policy::{Finding, Verdict};
use guarda_sandbox::capture::Volume;

/// The connection between a request and the door it came through; shared by the guard and the door.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// Cancelled when nobody waits for the reply any more: an open question is withdrawn, and a begun action
    /// continues.
    pub withdraw: CancellationToken,
    /// Cancelled when the request is cancelled: an open question is withdrawn, and a begun action is ended.
    pub cancel: CancellationToken,
    /// Everything that has happened so far, in order.
    pub progress: Arc<watch::Sender<Vec<Progress>>>,
    /// How many bytes a command has written so far.
    pub volume: Arc<Volume>,
    /// The shell of an agent's client that redeems a ticket; `None` for all other requests.
    pub shell: Option<Arc<crate::hands::ClientShell>>,
    /// Whether the caller is told first of what a cell refused, before a person is asked.
    pub told_first: bool,
    /// How long the caller lets a question wait; `None`: as configured.
    pub patience: Option<std::time::Duration>,
    /// The reader's language, for the reply's message. `None`: the language of the request, as for speech.
    pub reader: Option<guarda_core::action::Language>,
}

/// One step of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// The request was judged.
    Judged {
        /// The verdict.
        verdict: Verdict,
        /// The joint risk, 0 to 1.
        risk: f32,
        /// The reasons, strictest first.
        findings: Vec<Finding>,
        /// How the command will be run.
        run: Option<super::reply::RunPlan>,
    },
    /// A question was put to a person.
    Asked {
        /// The question's number.
        number: guarda_core::gate::Number,
    },
    /// The question was answered.
    Answered {
        /// `yes`, `no`, or `modify` if a person wrote another command, which is judged next.
        answer: &'static str,
    },
    /// The intent is written, and the action starts.
    Started,
}

impl Default for RequestContext {
    fn default() -> Self {
        Self {
            withdraw: CancellationToken::new(),
            cancel: CancellationToken::new(),
            progress: Arc::new(watch::Sender::new(Vec::new())),
            volume: Arc::default(),
            shell: None,
            told_first: false,
            patience: None,
            reader: None,
        }
    }
}

impl RequestContext {
    /// Adds a step.
    pub(super) fn report(&self, progress: Progress) {
        self.progress.send_modify(|all| all.push(progress));
    }

    /// The number of the last question.
    #[must_use]
    pub fn question(&self) -> Option<guarda_core::gate::Number> {
        self.progress.borrow().iter().rev().find_map(|progress| match progress {
            Progress::Asked { number } => Some(*number),
            Progress::Judged { .. } | Progress::Answered { .. } | Progress::Started => None,
        })
    }

    /// Why the question was withdrawn, once it is.
    pub(super) async fn taken_back(&self) -> NoAnswer {
        tokio::select! {
            () = self.withdraw.cancelled() => NoAnswer::Gone,
            () = self.cancel.cancelled() => NoAnswer::CalledOff,
        }
    }
}
