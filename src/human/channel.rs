//! Where a question can be put and answered. Each channel is one file's worth of device behind this trait.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::devices::State;
use crate::devices::speech::Task;
use crate::human::code::Code;
use crate::human::prompt::Prompt;
use guarda_core::gate::Says;

/// A place where a person can be asked: a terminal, the keys of the desktop, a test.
pub trait Channel: Send + Sync {
    /// Its name, as it stands in answers and in the record: `terminal`, `keys`.
    fn name(&self) -> &'static str;

    /// True where it shows the question, not only takes the answer.
    fn shows(&self) -> bool;

    /// How it is doing.
    fn state(&self) -> State;

    /// Puts a question. The task reports what happens, and finishes soon after [`Asked::over`]; when it has finished,
    /// nothing of the question is left (no grabbed keyboard, no raw terminal).
    fn put(&self, asked: Asked) -> Task;

    /// Shows a line that is no question: for the desk only, and not kept. What only takes answers shows nothing.
    fn tell(&self, _line: String) -> Task {
        Box::pin(std::future::ready(()))
    }
}

/// A question at the desk, as a channel gets it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The question in words.
    pub prompt: Arc<Prompt>,
    /// What an answer from elsewhere takes; `None` where it takes none. To be shown, and not to be kept.
    pub(super) code: Option<Arc<Code>>,
    /// How many more questions wait behind it.
    pub waiting: usize,
    /// How long no key may have been pressed before one counts.
    pub arming_delay: Duration,
    /// When silence becomes a no. Moves once, when the voice begins.
    pub deadline: watch::Receiver<Instant>,
    /// True while somebody can know of the question: it is shown, or has begun to be spoken. No answer counts before.
    pub perceived: watch::Receiver<bool>,
    /// What the question has come to; `None` while it stands.
    pub settled: watch::Receiver<Option<Says>>,
    pub(super) channel: &'static str,
    pub(super) reports: mpsc::UnboundedSender<(&'static str, Report)>,
}

/// What a channel reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The question is shown here.
    Shown,
    /// No answer can come from here: why.
    Unable(String),
    /// For the moment no answer can come from here, but it is tried again: why.
    Busy(String),
    /// An answer can come from here (again).
    Listening,
    /// Yes.
    Yes,
    /// Yes, now and from now on.
    Always,
    /// No.
    No,
    /// No, and why, in the person's words.
    NoBecause(String),
    /// A person is writing something else in its place, and gets more time for it. Until the next report from here the
    /// keys of the desktop answer nothing: they are what is written with.
    Writing,
    /// The command is to be read aloud, sign by sign.
    Spell,
    /// This command in its place.
    Change(String),
}

impl Asked {
    /// Reports something.
    pub fn report(&self, report: Report) {
        // The desk has gone on to the next question: nobody wants to know any more.
        let _ = self.reports.send((self.channel, report));
    }

    /// Waits until the question has been settled.
    pub async fn over(&mut self) {
        let _ = self.settled.wait_for(Option::is_some).await;
    }
}
