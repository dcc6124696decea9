//! How the desk is set up.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::Hours;
use crate::config::section::AnswerCode;
use crate::devices::session::Session;
use crate::human::quiet::Sound;
use guarda_core::action::Language;

/// How the desk is set up.
#[derive(Debug, Clone)]
pub struct PrompterConfig {
    /// The language of prompts whose caller names none.
    pub language: Language,
    /// How long a question stands (`confirmation_timeout_seconds`, feature M9: 30 s).
    pub confirmation_timeout: Duration,
    /// How long no key may have been pressed before one counts: 400 ms.
    pub arming_delay: Duration,
    /// Whether the holder of the approve token may answer; then a question stands until its time is up even where
    /// nobody at this computer can be asked.
    pub answer_over_http: bool,
    /// Whether the person of the asking client may be asked (MCP).
    pub elicits: bool,
    /// When an answer from elsewhere takes the code of its question.
    pub answer_code: AnswerCode,
    /// From this risk on (0 to 1) a random digit says yes instead of a letter; above 1 never.
    pub digit_from_risk: f32,
    /// So many refused questions of one session within a minute, and it is not heard for the rest of it; 0: never.
    pub refusals_per_minute: usize,
    /// Whether questions are put as notifications with buttons.
    pub notification: bool,
    /// What each way of answering may say yes to.
    pub ranks: crate::human::Ranks,
    /// The voice.
    pub speech: SpeechConfig,
    /// The keys of the desktop.
    pub keys: KeysConfig,
    /// The terminal that the service was started from.
    pub terminal: TerminalConfig,
    /// Where a command lies while a person changes it in an editor; `None`: it is changed in the line.
    pub drafts: Option<PathBuf>,
    /// The file of `guarda-desktop`, which speaks, listens and sounds; `None` for the one beside the running program.
    pub program: Option<PathBuf>,
    /// Where the display, the sound server and the speech service are.
    pub session: Session,
}

/// How the voice is set up.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeechConfig {
    /// Whether to speak at all.
    pub enabled: bool,
    /// From -100 (slow) to 100 (fast); 0 is the voice's own pace.
    pub rate: i8,
    /// From -100 to 100; 100 is the voice's full loudness.
    pub volume: i8,
    /// A voice by its name; `None` for the one that the speech service has for the language.
    pub voice: Option<String>,
    /// When a question is announced by a sound.
    pub sound: Sound,
    /// When nothing is to be heard.
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

/// How the keys are set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysConfig {
    /// Whether a key of the desktop may answer.
    pub enabled: bool,
    /// The trusted keyboard: where its helper listens, and the user it runs as. `None` where it is not asked.
    pub trusted: Option<(PathBuf, String)>,
}

/// How the terminal is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalConfig {
    /// Whether to show questions in the terminal and take answers there.
    pub enabled: bool,
}

impl Default for PrompterConfig {
    fn default() -> Self {
        Self {
            language: Language::default(),
            confirmation_timeout: Duration::from_secs(30),
            arming_delay: Duration::from_millis(400),
            answer_over_http: true,
            elicits: false,
            answer_code: AnswerCode::Auto,
            digit_from_risk: 0.9,
            refusals_per_minute: 10,
            notification: true,
            ranks: crate::human::Ranks::default(),
            speech: SpeechConfig::default(),
            keys: KeysConfig { enabled: true, trusted: None },
            terminal: TerminalConfig { enabled: true },
            drafts: None,
            program: None,
            session: Session::default(),
        }
    }
}
