//! The settings of the prompter.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::Hours;
use crate::config::section::AnswerCode;
use crate::config::section::Sound;
use crate::devices::desktop::session::DesktopSession;
use crate::devices::keys::gesture::Presses;
use guarda_core::action::Language;

/// The settings of the prompter.
#[derive(Debug, Clone)]
pub struct PrompterConfig {
    /// The language of prompts whose caller names none.
    pub language: Language,
    /// How long a question waits for an answer (`confirmation_timeout_seconds`, feature M9; default 30 s).
    pub confirmation_timeout: Duration,
    /// How long the keys must have been idle before a press counts: 400 ms.
    pub arming_delay: Duration,
    /// Whether the holder of the approve token may answer. A question then waits for its full time even if nobody at
    /// this computer can be asked.
    pub answer_over_http: bool,
    /// Whether a listener may pass on what a person says.
    pub spoken_answers: bool,
    /// Whether the person at the requesting client may be asked (MCP).
    pub elicits: bool,
    /// When an answer from elsewhere must include the question's code.
    pub answer_code: AnswerCode,
    /// The risk (0 to 1) from which a random digit replaces the letter for yes. Above 1, never.
    pub digit_from_risk: f32,
    /// After this many refused questions of one session within a minute, its questions are refused for the rest of the
    /// minute. 0 disables the limit.
    pub refusals_per_minute: usize,
    /// Whether there is no person: every question is refused at once.
    pub no_human: bool,
    /// Whether questions are put as notifications with buttons.
    pub notification: bool,
    /// What each way of answering may approve.
    pub ranks: crate::prompt::Ranks,
    /// The voice.
    pub speech: SpeechConfig,
    /// The keys of the desktop.
    pub keys: KeysConfig,
    /// The terminal that the service was started from.
    pub terminal: TerminalConfig,
    /// The folder for a command that a person changes in an editor; `None` edits it in the terminal line.
    pub drafts: Option<PathBuf>,
    /// The path of `guarda-desktop`, which speaks, listens and plays sounds; `None` looks beside the running program.
    pub program: Option<PathBuf>,
    /// Where the display, the sound server and the speech service are.
    pub session: DesktopSession,
}

/// The settings of the voice.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeechConfig {
    /// Whether to speak at all.
    pub enabled: bool,
    /// The rate, from -100 (slow) to 100 (fast); 0 is the voice's default.
    pub rate: i8,
    /// The volume, from -100 to 100; 100 is the voice's full volume.
    pub volume: i8,
    /// The name of the voice; `None`: the speech service's voice for the language.
    pub voice: Option<String>,
    /// When a sound announces a question.
    pub sound: Sound,
    /// The hours without any sound.
    pub quiet_hours: Hours,
}

impl Default for SpeechConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            rate: 0,
            volume: 100,
            voice: None,
            sound: Sound::default(),
            quiet_hours: Hours::default(),
        }
    }
}

/// The settings of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysConfig {
    /// Whether a key of the desktop may answer.
    pub enabled: bool,
    /// The trusted keyboard: its helper's socket and user. `None` disables it.
    pub trusted: Option<(PathBuf, String)>,
    /// What is pressed for a yes and for a no.
    pub presses: Presses,
}

/// The settings of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalConfig {
    /// Whether to show questions in the terminal and take answers there.
    pub enabled: bool,
}

impl Default for PrompterConfig {
    fn default() -> Self {
        Self {
            no_human: false,
            language: Language::default(),
            confirmation_timeout: Duration::from_secs(30),
            arming_delay: Duration::from_millis(400),
            answer_over_http: true,
            spoken_answers: false,
            elicits: false,
            answer_code: AnswerCode::Auto,
            digit_from_risk: 0.9,
            refusals_per_minute: 10,
            notification: true,
            ranks: crate::prompt::Ranks::default(),
            speech: SpeechConfig::default(),
            keys: KeysConfig { enabled: true, trusted: None, presses: Presses::default() },
            terminal: TerminalConfig { enabled: true },
            drafts: None,
            program: None,
            session: DesktopSession::default(),
        }
    }
}
