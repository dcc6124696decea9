//! The channels: where a question can be put and answered. Each wraps one device.

pub mod report;
pub mod terminal;
pub mod keys;
pub mod notification;

pub use report::ChannelReport;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::devices::DeviceState;
use crate::devices::sound::speech::Task;
use crate::prompt::code::Code;
use crate::prompt::code::spoken::SpokenWords;
use crate::prompt::question::Prompt;
use guarda_core::gate::Says;

/// A way to reach a person: a terminal, the keys of the desktop, a notification.
pub trait Channel: Send + Sync {
    /// The name in answers and in the record: `terminal`, `keys`.
    fn name(&self) -> &'static str;

    /// True if the channel shows the question; false if it only takes answers.
    fn shows(&self) -> bool;

    /// Whether the channel works.
    fn state(&self) -> DeviceState;

    /// Puts a question. The task reports what happens, and finishes soon after [`Asked::over`]. When it has finished,
    /// the channel has released everything it held, such as a grabbed keyboard or a raw terminal.
    fn put(&self, asked: Asked) -> Task;

    /// Shows a line that is not a question and is not kept. Channels that only take answers ignore it.
    fn tell(&self, _line: String) -> Task {
        Box::pin(std::future::ready(()))
    }
}

/// A question as a channel receives it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The question in words.
    pub prompt: Arc<Prompt>,
    /// The code that an answer from elsewhere must include; `None` if no code is needed. Show it, but never store it.
    pub(in crate::prompt) code: Option<Arc<Code>>,
    /// The words of a yes by voice; `None` if it takes none. Show them, but never store them.
    pub(in crate::prompt) words: Option<Arc<SpokenWords>>,
    /// How many questions wait behind this one.
    pub waiting: usize,
    /// How long the keys must have been idle before a press counts.
    pub arming_delay: Duration,
    /// When silence becomes a no. Moves once, when the voice begins to speak.
    pub deadline: watch::Receiver<Instant>,
    /// True once somebody can know of the question, because it is shown or the voice has begun. Earlier answers do not
    /// count.
    pub perceived: watch::Receiver<bool>,
    /// The answer; `None` while the question is open.
    pub settled: watch::Receiver<Option<Says>>,
    pub(in crate::prompt) channel: &'static str,
    pub(in crate::prompt) reports: mpsc::UnboundedSender<(&'static str, ChannelReport)>,
}

impl Asked {
    /// Sends a report.
    pub fn report(&self, report: ChannelReport) {
        // An error means that the prompter has gone on to the next question and no longer needs the report.
        let _ = self.reports.send((self.channel, report));
    }

    /// Waits until the question is settled.
    pub async fn over(&mut self) {
        let _ = self.settled.wait_for(Option::is_some).await;
    }
}
