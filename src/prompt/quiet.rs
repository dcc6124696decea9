//! Quiet hours without speech, and a sound that covers for slow speech. In quiet hours, questions reach people in
//! every other way. A question that only the voice could have told is refused.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Hours;
use crate::config::section::Sound;
use crate::devices::DeviceState;
use crate::devices::fault::DeviceFault;
use crate::devices::sound::speech::{Heard, Sentence, Speaker, Task};
use guarda_core::output::{Failure, FailureKind};

/// How long speech may take to begin before the sound plays instead.
const SLOW: Duration = Duration::from_millis(600);

/// The minute of the day on this machine's clock, 0 to 1439.
pub type Clock = Arc<dyn Fn() -> u16 + Send + Sync>;

/// Plays a short sound. May block for a moment.
pub type Ring = Arc<dyn Fn() + Send + Sync>;

/// The local time of day.
#[must_use]
pub fn clock() -> Clock {
    Arc::new(|| {
        let now = jiff::Zoned::now();
        let minute = i16::from(now.hour()) * 60 + i16::from(now.minute());
        u16::try_from(minute).unwrap_or(0)
    })
}

/// The hours without any sound.
#[derive(Clone)]
pub struct Quiet {
    hours: Hours,
    clock: Clock,
}

impl Quiet {
    /// Quiet hours by this clock.
    #[must_use]
    pub fn new(hours: Hours, clock: Clock) -> Self {
        Self { hours, clock }
    }

    /// The reason for silence now; `None` outside quiet hours.
    #[must_use]
    pub fn now(&self) -> Option<Failure> {
        let quiet = !self.hours.is_empty() && self.hours.contain((self.clock)());
        let detail = || format!("quiet hours ({}, speech.quiet_hours)", self.hours);
        quiet.then(|| (FailureKind::QuietHours, detail()).into())
    }
}

/// A speaker that keeps quiet hours.
pub struct Hushed {
    speaker: Arc<dyn Speaker>,
    quiet: Quiet,
}

impl Hushed {
    /// Wraps a speaker with these hours.
    #[must_use]
    pub fn new(speaker: Arc<dyn Speaker>, quiet: Quiet) -> Self {
        Self { speaker, quiet }
    }
}

impl Speaker for Hushed {
    fn state(&self) -> DeviceState {
        self.speaker.state()
    }

    fn audible(&self) -> Task<Result<(), DeviceFault>> {
        match self.quiet.now() {
            Some(why) => Box::pin(std::future::ready(Err(DeviceFault::Failed(why)))),
            None => self.speaker.audible(),
        }
    }

    fn say(&self, sentence: Sentence, heard: watch::Sender<Heard>) -> Task {
        match self.quiet.now() {
            Some(why) => {
                heard.send_replace(Heard::Failed(why));
                Box::pin(std::future::ready(()))
            }
            None => self.speaker.say(sentence, heard),
        }
    }
}

/// The sound that announces a question.
#[derive(Clone)]
pub struct Chime {
    /// When it is played.
    pub sound: Sound,
    /// The quiet hours.
    pub quiet: Quiet,
    /// Plays the sound.
    pub ring: Ring,
}

impl Chime {
    /// Plays the sound if it is due for a question that is being spoken. Drop the future when the question is settled.
    pub async fn announce(self, mut heard: watch::Receiver<Heard>) {
        if self.sound == Sound::Never {
            return;
        }
        if self.sound == Sound::Slow {
            let begun = heard.wait_for(|heard| !matches!(heard, Heard::Waiting));
            match tokio::time::timeout(SLOW, begun).await {
                Ok(Ok(heard)) if !matches!(*heard, Heard::Failed(_)) => return,
                Ok(_) | Err(_) => {}
            }
        }
        if self.quiet.now().is_none() {
            let ring = self.ring;
            let _ = tokio::task::spawn_blocking(move || ring()).await;
        }
    }
}
