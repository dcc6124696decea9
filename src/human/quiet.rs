//! Quiet hours: a voice that says nothing then, and a sound for when words are too slow. What is asked in quiet hours is
//! shown and answered in every other way; what only the voice could have told is refused, like anything nobody can know of.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Hours;
use crate::devices::State;
use crate::devices::speech::{Heard, Sentence, Speaker, Task};

/// How long words may take to begin before the sound comes in their place.
const SLOW: Duration = Duration::from_millis(600);

/// The minute of the day on this machine's clock, 0 to 1439.
pub type Clock = Arc<dyn Fn() -> u16 + Send + Sync>;

/// Plays a short sound. May block for a moment.
pub type Ring = Arc<dyn Fn() + Send + Sync>;

/// When a question is announced by a sound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sound {
    /// Never.
    Never,
    /// Where no word of it was heard soon.
    #[default]
    Slow,
    /// With every question.
    Always,
}

/// The time of day here.
#[must_use]
pub fn clock() -> Clock {
    Arc::new(|| {
        let now = jiff::Zoned::now();
        let minute = i16::from(now.hour()) * 60 + i16::from(now.minute());
        u16::try_from(minute).unwrap_or(0)
    })
}

/// The hours in which nothing is to be heard.
#[derive(Clone)]
pub struct Quiet {
    hours: Hours,
    clock: Clock,
}

impl Quiet {
    /// These hours by this clock.
    #[must_use]
    pub fn new(hours: Hours, clock: Clock) -> Self {
        Self { hours, clock }
    }

    /// Why nothing is to be heard now.
    #[must_use]
    pub fn now(&self) -> Option<String> {
        let quiet = !self.hours.is_empty() && self.hours.contain((self.clock)());
        quiet.then(|| format!("quiet hours ({}, speech.quiet_hours)", self.hours))
    }
}

/// A mouth that keeps them.
pub struct Hushed {
    speaker: Arc<dyn Speaker>,
    quiet: Quiet,
}

impl Hushed {
    /// This mouth, but in these hours.
    #[must_use]
    pub fn new(speaker: Arc<dyn Speaker>, quiet: Quiet) -> Self {
        Self { speaker, quiet }
    }
}

impl Speaker for Hushed {
    fn state(&self) -> State {
        self.speaker.state()
    }

    fn audible(&self) -> Task<Result<(), String>> {
        match self.quiet.now() {
            Some(why) => Box::pin(std::future::ready(Err(why))),
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
    /// When it is not.
    pub quiet: Quiet,
    /// What plays it.
    pub ring: Ring,
}

impl Chime {
    /// Plays it, if it is due for a question whose words are being said. To be dropped when the question is settled.
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
