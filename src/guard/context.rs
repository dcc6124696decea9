//! What a request's caller is told while it is under way, and how it is called off.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use guarda_core::policy::{Finding, Verdict};
use guarda_sandbox::capture::Volume;

/// The way of one request, shared by the guard and the door it came through.
#[derive(Debug, Clone)]
pub struct RequestContext {
    /// Cancelled when nobody waits for it any more: an open question is taken back; a deed that was begun goes on.
    pub withdraw: CancellationToken,
    /// Cancelled when it is called off: an open question is taken back, and a deed that was begun is ended.
    pub cancel: CancellationToken,
    /// Everything that has happened so far, in order.
    pub progress: Arc<watch::Sender<Vec<Progress>>>,
    /// How much a command has written so far.
    pub volume: Arc<Volume>,
    /// The shell of an agent's client in whose place a command is run; `None` for everybody else.
    pub shell: Option<Arc<crate::hands::ClientShell>>,
}

/// One thing that happened on the way.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// It was judged.
    Judged {
        /// What the judge said.
        verdict: Verdict,
        /// The joint risk, 0 to 1.
        risk: f32,
        /// The reasons, strictest first.
        findings: Vec<Finding>,
        /// How a command will be run.
        run: Option<super::reply::RunPlan>,
    },
    /// A person is asked.
    Asked {
        /// The question.
        number: guarda_core::gate::Number,
    },
    /// It was answered.
    Answered {
        /// `yes`, `no`, or `modify` where a person wrote another command, which is judged next.
        answer: &'static str,
    },
    /// Its intent is written, and it is being done.
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
        }
    }
}

impl RequestContext {
    /// Adds what has happened.
    pub(super) fn tell(&self, progress: Progress) {
        self.progress.send_modify(|all| all.push(progress));
    }

    /// The question that was put last.
    #[must_use]
    pub fn question(&self) -> Option<guarda_core::gate::Number> {
        self.progress.borrow().iter().rev().find_map(|progress| match progress {
            Progress::Asked { number } => Some(*number),
            Progress::Judged { .. } | Progress::Answered { .. } | Progress::Started => None,
        })
    }

    /// Why the question is taken back, once it is.
    pub(super) async fn taken_back(&self) -> String {
        tokio::select! {
            () = self.withdraw.cancelled() => "the caller went away".to_owned(),
            () = self.cancel.cancelled() => "it was called off".to_owned(),
        }
    }
}
