//! The sections of the configuration and their defaults.

use serde::{Deserialize, Serialize};

use super::press::{Press, Presses};
use super::{ConfigFault, field};

/// `[security]`: the keys of feature M12, in every published spelling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecuritySection {
    /// Programs that require a question wherever they would run, in addition to the built-in ones. Also `true` or
    /// `false`, as in Mascate's example file; these add nothing.
    #[serde(deserialize_with = "field::names_or_switch")]
    pub require_confirmation: Vec<String>,
    /// Commands that never run, in addition to the built-in ones; matched by meaning, not as text.
    pub blocked_commands: Vec<String>,
    /// An alias of `blocked_commands` from Mascate's example file; both lists apply.
    pub blacklist_commands: Vec<String>,
    /// Folders in which every change requires a question.
    pub protected_paths: Vec<String>,
    /// How long a question waits for an answer, in seconds; then the answer is no.
    #[serde(deserialize_with = "field::between::<_, 1, 3600>")]
    pub confirmation_timeout_seconds: u64,
    /// Whether every decision is recorded, or only those outside the safe list.
    pub log_all_commands: bool,
    /// Whether actions that need a password are possible (first Y, then the system asks for the password).
    pub advanced_mode: bool,
    /// After this many refused questions of one session within a minute, its questions are refused for the rest of
    /// it; 0: never.
    #[serde(deserialize_with = "field::between::<_, 0, 1000>")]
    pub refusals_per_minute: u64,
    /// Whether the guard runs without a person (`guarda serve --no-human`): what would be asked is refused at once.
    pub no_human: bool,
    /// Whether the marks of one session apply to every session of the day: for models that name their own sessions.
    pub shared_marks: bool,
    /// The profile of rules: desktop, workspace, forensics or container.
    #[serde(deserialize_with = "field::parsed", serialize_with = "field::shown")]
    pub profile: guarda_core::policy::Profile,
}

impl Default for SecuritySection {
    fn default() -> Self {
        Self {
            require_confirmation: Vec::new(),
            blocked_commands: Vec::new(),
            blacklist_commands: Vec::new(),
            protected_paths: Vec::new(),
            confirmation_timeout_seconds: 30,
            log_all_commands: true,
            advanced_mode: false,
            refusals_per_minute: 10,
            no_human: false,
            shared_marks: false,
            profile: guarda_core::policy::Profile::Desktop,
        }
    }
}

/// `[bash]`: where commands may work (feature D5).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BashSection {
    /// Folders to which commands are restricted; empty: no restriction.
    pub allowed_dirs: Vec<String>,
    /// Programs or commands to block, in addition to the built-in ones.
    pub denied_commands: Vec<String>,
    /// Whether the banned commands of feature D1 are blocked.
    pub bans: Bans,
}

/// Whether the banned commands of feature D1 (`curl`, `ssh`, `sudo`, `apt` …) are blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bans {
    /// In the profile `container`.
    #[default]
    Auto,
    /// No: they are asked about, if nothing holds them back.
    Ask,
    /// Yes.
    Strict,
}

impl Bans {
    /// The choice for a profile.
    #[must_use]
    pub fn of(self, profile: guarda_core::policy::Profile) -> guarda_core::policy::Bans {
        match self {
            Self::Auto => guarda_core::policy::Bans::of(profile),
            Self::Ask => guarda_core::policy::Bans::Ask,
            Self::Strict => guarda_core::policy::Bans::Strict,
        }
    }
}

/// `[server]`: the address of the service, and its limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSection {
    /// Address and port; port 0 picks a free one.
    #[serde(deserialize_with = "field::address")]
    pub listen: std::net::SocketAddr,
    /// Whether the address may be reachable from other machines.
    pub allow_remote: bool,
    /// Further names for this service that a client may send in `Host`, without the port.
    #[serde(deserialize_with = "field::host_names")]
    pub names: Vec<String>,
    /// Whether `guarda.sock` in the state folder is opened as well.
    pub socket: bool,
    /// The longest request body, in bytes.
    #[serde(deserialize_with = "field::between::<_, 1024, 16_777_216>")]
    pub body_limit: u64,
    /// Whether the holder of the approve token may answer questions over this service.
    pub answer_over_http: bool,
    /// When a yes over this service must include the question's code.
    pub answer_code: AnswerCode,
    /// Whether a listening front-end may pass on spoken answers; it gets its own token, `spoken-token`.
    pub spoken_answers: bool,
    /// The greatest number of actions that run or wait at a time; further ones get 503.
    #[serde(deserialize_with = "field::between::<_, 1, 10_000>")]
    pub waiting_limit: u64,
    /// The greatest number of connections at a time.
    #[serde(deserialize_with = "field::between::<_, 1, 100_000>")]
    pub connection_limit: u64,
    /// How long a client may take to send a request's head, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub header_timeout_seconds: u64,
    /// How long a client may take to send a request's body, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub body_timeout_seconds: u64,
    /// How long a shutdown waits for running actions, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub shutdown_timeout_seconds: u64,
}

impl Default for ServerSection {
    fn default() -> Self {
        Self {
            // 4827 spells GUAR on a telephone keypad.
            listen: std::net::SocketAddr::from(([127, 0, 0, 1], 4827)),
            allow_remote: false,
            names: Vec::new(),
            socket: true,
            answer_over_http: true,
            answer_code: AnswerCode::Auto,
            spoken_answers: false,
            body_limit: 64 * 1024,
            waiting_limit: 32,
            connection_limit: 256,
            header_timeout_seconds: 10,
            body_timeout_seconds: 10,
            shutdown_timeout_seconds: 10,
        }
    }
}

/// When a yes over the service must include the question's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerCode {
    /// If the guard can show or speak one.
    #[default]
    Auto,
    /// Always: if no code can be shown or spoken, nobody can say yes over the service.
    Always,
    /// Never: the token alone is enough.
    Never,
}

/// `[speech]`: what is spoken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpeechSection {
    /// Whether anything is spoken. Questions are always shown.
    pub enabled: bool,
    /// The speaking rate, from -100 (slow) to 100 (fast); 0 is the voice's default.
    #[serde(deserialize_with = "field::level")]
    pub rate: i8,
    /// The volume, from -100 to 100; 100 is the voice's full volume.
    #[serde(deserialize_with = "field::level")]
    pub volume: i8,
    /// The name of the voice; default: the speech service's voice for the language.
    pub voice: Option<String>,
    /// When a short sound announces a question.
    pub sound: Sound,
    /// The hours without any sound: `22:00-07:00`, by this machine's clock; empty for none. Questions are still put
    /// in every other way.
    #[serde(deserialize_with = "field::parsed", serialize_with = "field::shown")]
    pub quiet_hours: super::Hours,
}

/// When a short sound announces a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sound {
    /// Never.
    Never,
    /// If no word of the question is heard soon.
    #[default]
    Slow,
    /// With every question.
    Always,
}

impl Default for SpeechSection {
    fn default() -> Self {
        Self {
            enabled: true,
            rate: 0,
            volume: 100,
            voice: None,
            sound: Sound::default(),
            quiet_hours: super::Hours::default(),
        }
    }
}

/// `[keys]`: answers by a key press on the desktop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeysSection {
    /// Whether key presses on the desktop answer questions.
    pub enabled: bool,
    /// What is pressed anywhere on the desktop for a yes.
    pub yes: Press,
    /// What is pressed anywhere on the desktop for a no.
    pub no: Press,
    /// How long the keyboard must be idle before a key in the terminal counts, in milliseconds, so that ordinary typing
    /// answers nothing.
    #[serde(deserialize_with = "field::between::<_, 100, 10_000>")]
    pub arming_delay_ms: u64,
    /// The risk (0 to 1) from which a random digit replaces the letter for yes, so that a program that presses Y
    /// blindly answers nothing; above 1, never.
    #[serde(deserialize_with = "field::risk")]
    pub digit_from_risk: f64,
    /// Whether the helper `guarda-keys`, which reads the keyboards as another user, is used as well.
    pub trusted: bool,
    /// The helper's user; no other user on that socket is trusted.
    pub trusted_user: String,
    /// The helper's socket.
    pub trusted_socket: std::path::PathBuf,
}

impl Default for KeysSection {
    fn default() -> Self {
        Self {
            enabled: true,
            yes: Press::Hold,
            no: Press::Hold,
            arming_delay_ms: 400,
            digit_from_risk: 0.9,
            trusted: true,
            trusted_user: "guarda-keys".to_owned(),
            trusted_socket: "/run/guarda-keys/socket".into(),
        }
    }
}

impl KeysSection {
    /// What is pressed for a yes and for a no.
    #[must_use]
    pub fn presses(&self) -> Presses {
        Presses { yes: self.yes, no: self.no }
    }

    /// Checks that a yes and a no are not pressed alike.
    ///
    /// # Errors
    /// [`ConfigFault::SameChord`] if they are.
    pub fn check(&self) -> Result<(), ConfigFault> {
        match self.yes.chord().filter(|_| self.yes == self.no) {
            Some(_) => Err(ConfigFault::SameChord(self.yes.to_string())),
            None => Ok(()),
        }
    }
}

/// `[terminal]`: answers on the service's own terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TerminalSection {
    /// Whether questions are put on the terminal from which the service was started.
    pub enabled: bool,
    /// The terminal emulator for applications that need one (Mascate's key); default: the first known one.
    #[serde(rename = "default")]
    pub program: Option<String>,
    /// Mascate's own key; ignored.
    #[serde(skip_serializing)]
    pub(super) fallback: Option<field::Anything>,
}

impl Default for TerminalSection {
    fn default() -> Self {
        Self { enabled: true, program: None, fallback: None }
    }
}

/// `[language]`: the language of prompts and messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageSection {
    /// `pt-BR`, `en` or `fr`; a request may name another of these. `None` (`auto`): the language of the session.
    #[serde(deserialize_with = "field::language", serialize_with = "field::shown_language")]
    pub default: Option<guarda_core::action::Language>,
}

impl LanguageSection {
    /// The configured language, or else the program's own.
    #[must_use]
    pub fn chosen(&self) -> guarda_core::action::Language {
        self.default.unwrap_or_default()
    }
}

/// `[run]`: how commands are run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunSection {
    /// How long a command may run, in seconds; then it is ended with everything that it started.
    #[serde(deserialize_with = "field::between::<_, 1, 86_400>")]
    pub timeout_seconds: u64,
    /// How long an action on the desktop (opening, volume, media) may take, in seconds.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub desktop_timeout_seconds: u64,
    /// The search path for programs; the service's own search path is not used.
    #[serde(deserialize_with = "field::search_path")]
    pub path: String,
    /// How much of each output stream of a command is kept, in bytes.
    #[serde(deserialize_with = "field::between::<_, 1024, 67_108_864>")]
    pub output_limit: u64,
    /// Whether private addresses, internal host names and the ids of cloud resources in shown and recorded output are
    /// replaced by pseudonyms, which last as long as the service.
    pub hide_network: bool,
}

impl Default for RunSection {
    fn default() -> Self {
        Self {
            timeout_seconds: 120,
            desktop_timeout_seconds: 5,
            path: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin".to_owned(),
            output_limit: 1024 * 1024,
            hide_network: false,
        }
    }
}

/// `[record]`: the journal's folder, and how long it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSection {
    /// The journal's folder; default: `journal` in the state folder.
    pub folder: Option<std::path::PathBuf>,
    /// The size from which a session's file is archived and compressed, in MiB.
    #[serde(deserialize_with = "field::between::<_, 1, 4096>")]
    pub rotate_mib: u64,
    /// The age from which a session's file is archived, in days.
    #[serde(deserialize_with = "field::between::<_, 1, 3650>")]
    pub rotate_days: u64,
    /// How long archived files are kept, in days; 0: for ever.
    #[serde(deserialize_with = "field::between::<_, 0, 36_500>")]
    pub keep_days: u64,
    /// How much space archived files may take together, in MiB; the oldest are deleted first. 0: no limit.
    #[serde(deserialize_with = "field::between::<_, 0, 1_048_576>")]
    pub keep_mib: u64,
}

impl Default for RecordSection {
    fn default() -> Self {
        Self { folder: None, rotate_mib: 16, rotate_days: 30, keep_days: 365, keep_mib: 0 }
    }
}
