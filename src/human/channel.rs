//! The trait of a channel: where a question can be put and answered. Each channel wraps one device.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::devices::DeviceState;
use crate::devices::speech::Task;
use crate::human::code::Code;
use crate::human::prompt::Prompt;
use guarda_core::gate::Says;

/// A place where a person can be asked: a terminal, the keys of the desktop, a test.
pub trait Channel: Send + Sync {
    /// The name in answers and in the record: `terminal`, `keys`.
    fn name(&self) -> &'static str;

    /// True if the channel shows the question and does not only take the answer.
    fn shows(&self) -> bool;

    /// The channel's state.
    fn state(&self) -> DeviceState;

    /// Puts a question. The task reports what happens and finishes soon after [`Asked::over`]. Once it has finished,
    /// nothing of the question is left (no grabbed keyboard, no raw terminal).
    fn put(&self, asked: Asked) -> Task;

    /// Shows a line that is not a question, without keeping it. Channels that only take answers show nothing.
    fn tell(&self, _line: String) -> Task {
        Box::pin(std::future::ready(()))
    }
}

/// A question as a channel receives it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The question in words.
    pub prompt: Arc<Prompt>,
    /// What an answer from elsewhere must include; `None` if nothing. To be shown, but not stored.
    pub(super) code: Option<Arc<Code>>,
    /// How many more questions wait.
    pub waiting: usize,
    /// How long the keys must have been idle before a press counts.
    pub arming_delay: Duration,
    /// When silence becomes a no. Moves once, when the voice begins.
    pub deadline: watch::Receiver<Instant>,
    /// True once somebody can know of the question: it is shown, or has begun to be spoken. No answer counts before.
    pub perceived: watch::Receiver<bool>,
    /// The answer; `None` while the question is open.
    pub settled: watch::Receiver<Option<Says>>,
    pub(super) channel: &'static str,
    pub(super) reports: mpsc::UnboundedSender<(&'static str, ChannelReport)>,
}

/// A report from a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelReport {
    /// The question is shown here.
    Shown,
    /// All of it has been shown here, to the last line.
    Whole,
    /// No answer can come from here, for this reason.
    Unable(String),
    /// No answer can come from here at the moment, for this reason; the channel tries again.
    Busy(String),
    /// An answer can come from here (again).
    Listening,
    /// Yes.
    Yes,
    /// Yes, now and from now on.
    Always,
    /// No.
    No,
    /// No, with the reason in the person's words.
    NoBecause(String),
    /// A person is writing a replacement and gets more time. Until the next report from here, the keys of the desktop
    /// answer nothing, because they are used for typing.
    Writing,
    /// Read the command aloud, sign by sign.
    Spell,
    /// Replace the command by this one.
    Change(String),
}

impl Asked {
    /// Sends a report.
    pub fn report(&self, report: ChannelReport) {
        // The prompter has gone on to the next question; the report is no longer needed.
        let _ = self.reports.send((self.channel, report));
    }

    /// Waits until the question is settled.
    pub async fn over(&mut self) {
        let _ = self.settled.wait_for(Option::is_some).await;
    }
}
