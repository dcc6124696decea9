//! The parts of the prompter, which its clones and the tasks of its questions share.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use crate::devices::sound::speech::Speaker;
use crate::prompt::channels::Channel;
use crate::prompt::code::login::Logins;
use crate::prompt::pending_questions::PendingQuestions;
use crate::prompt::quiet::Chime;
use crate::prompt::rate_limit::Calm;
use crate::prompt::setup::PrompterConfig;
use crate::prompt::voice::Voice;
use guarda_core::action::Language;
use guarda_core::gate::Says;

/// How many more questions say in full how they are answered.
#[derive(Debug)]
pub(super) struct Lessons(AtomicU8);

impl Lessons {
    /// The first questions of a person.
    pub(super) const FIRST: u8 = 3;

    pub(super) fn new() -> Self {
        Self(AtomicU8::new(Self::FIRST))
    }

    /// They were given before the start.
    pub(super) fn given(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    pub(super) fn are_due(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Notes how a question ended: a person who answers knows how.
    pub(super) fn note(&self, said: Option<&Says>) {
        match said {
            Some(Says::Yes { .. } | Says::Lasting { .. } | Says::No { .. } | Says::Change { .. }) => {
                // At zero, it stays so.
                let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            }
            Some(Says::Silence) => self.again(),
            _ => {}
        }
    }

    /// Nobody answered, or not so that it counts: the next question says how.
    pub(super) fn again(&self) {
        self.0.fetch_max(1, Ordering::Relaxed);
    }
}

/// What all clones of a prompter share.
pub(super) struct Inner {
    /// The language of requests that name none.
    pub(super) language: Mutex<Language>,
    pub(super) config: PrompterConfig,
    /// Set once a channel was able to show or speak a code, and never cleared.
    pub(super) told: std::sync::atomic::AtomicBool,
    pub(super) lessons: Lessons,
    pub(super) logins: Logins,
    pub(super) questions: PendingQuestions,
    pub(super) calm: Calm,
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    pub(super) voice: Voice,
    pub(super) speaker: Arc<dyn Speaker>,
    pub(super) channels: Vec<Arc<dyn Channel>>,
    /// The sound that announces a question.
    pub(super) chime: Option<Chime>,
}
