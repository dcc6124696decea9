//! The parts of the prompter, which its clones and the tasks of its questions share.

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

/// What all clones of a prompter share.
pub(super) struct Inner {
    /// The language of requests that name none.
    pub(super) language: Mutex<Language>,
    pub(super) config: PrompterConfig,
    /// Set once a channel was able to show or speak a code, and never cleared.
    pub(super) told: std::sync::atomic::AtomicBool,
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
