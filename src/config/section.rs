//! The sections of the configuration, and what holds where nothing is written.

use serde::{Deserialize, Serialize};

use super::field;

/// `[security]`: the seed's keys (002, section 8), in every spelling that was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Security {
    /// Programs that are asked wherever they would run, besides the built-in ones. Also `true` or `false`, as in
    /// Mascate's example file; that adds nothing, since what the rules ask is asked anyway.
    #[serde(deserialize_with = "field::names_or_switch")]
    pub require_confirmation: Vec<String>,
    /// Commands that are never run, besides the built-in ones; read by meaning, not as pieces of text.
    pub blocked_commands: Vec<String>,
    /// The same under its name in Mascate's example file; both lists count.
    pub blacklist_commands: Vec<String>,
    /// Folders in which nothing is changed without a question.
    pub protected_paths: Vec<String>,
    /// Seconds for which a question stands; then the answer is no.
    #[serde(deserialize_with = "field::between::<_, 1, 3600>")]
    pub confirmation_timeout_seconds: u64,
    /// Whether every decision is recorded, or only those that were not on the safe list.
    pub log_all_commands: bool,
    /// Whether actions that need a password can be done at all (first Y, then the system asks for the password).
    pub advanced_mode: bool,
    /// So many refused questions of one session within a minute end its questions for that minute; 0: never.
    #[serde(deserialize_with = "field::between::<_, 0, 1000>")]
    pub refusals_per_minute: u64,
    /// Whether what one session has seen counts for every session of the day: for models that name their own sessions.
    pub shared_marks: bool,
    /// Which lists are in force: desktop, workspace, forensics or container.
    #[serde(deserialize_with = "field::parsed", serialize_with = "field::shown")]
    pub profile: guarda_core::policy::Profile,
}

impl Default for Security {
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
            shared_marks: false,
            profile: guarda_core::policy::Profile::Desktop,
        }
    }
}

/// `[bash]`: where commands may work (feature D5).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bash {
    /// Folders to which commands are confined; empty: not confined.
    pub allowed_dirs: Vec<String>,
    /// Programs or commands that are blocked, besides the built-in ones.
    pub denied_commands: Vec<String>,
}

/// `[server]`: where the service listens, and its limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Address and port; port 0 takes a free one.
    #[serde(deserialize_with = "field::address")]
    pub listen: std::net::SocketAddr,
    /// Whether the address may be one that other machines can reach.
    pub allow_remote: bool,
    /// Further names for this service that a client may give in `Host`, without the port.
    #[serde(deserialize_with = "field::host_names")]
    pub names: Vec<String>,
    /// Whether `guarda.sock` is opened in the state folder as well.
    pub socket: bool,
    /// Longest body of a request, in bytes.
    #[serde(deserialize_with = "field::between::<_, 1024, 16_777_216>")]
    pub body_limit: u64,
    /// Whether the holder of the approve token may answer questions over this service.
    pub answer_over_http: bool,
    /// When a yes over this service takes the code of the question, which is shown and spoken where it is asked.
    pub answer_code: AnswerCode,
    /// Whether the front-end that listens may pass on what a person said aloud: it gets a token of its own,
    /// `spoken-token`.
    pub spoken_answers: bool,
    /// Most actions under way at a time; further ones are told to come back.
    #[serde(deserialize_with = "field::between::<_, 1, 10_000>")]
    pub waiting_limit: u64,
    /// Most connections at a time.
    #[serde(deserialize_with = "field::between::<_, 1, 100_000>")]
    pub connection_limit: u64,
    /// Seconds in which the head of a request must have come.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub header_timeout_seconds: u64,
    /// Seconds in which the body of a request must have come.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub body_timeout_seconds: u64,
    /// Seconds for which a shutdown waits for what is under way.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub shutdown_timeout_seconds: u64,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            // 4827 spells GUAR on a telephone's keys.
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

/// When a yes over the service takes the code of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerCode {
    /// Wherever the guard can show or speak one.
    #[default]
    Auto,
    /// Always: where none can be told, nobody says yes over the service.
    Always,
    /// Never: the token alone counts.
    Never,
}

/// `[speech]`: what is said aloud.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Speech {
    /// Whether anything is spoken. Questions are shown in any case.
    pub enabled: bool,
    /// The pace, from -100 (slow) to 100 (fast); 0 is the voice's own.
    #[serde(deserialize_with = "field::level")]
    pub rate: i8,
    /// The loudness, from -100 to 100; 100 is the voice's full loudness.
    #[serde(deserialize_with = "field::level")]
    pub volume: i8,
    /// A voice by its name; where nothing is written, the one that the speech service has for the language.
    pub voice: Option<String>,
    /// When a question is announced by a short sound.
    pub sound: Sound,
    /// When nothing is to be heard: `22:00-07:00`, by this machine's clock; empty for never. Questions are put in every
    /// other way.
    #[serde(deserialize_with = "field::parsed", serialize_with = "field::shown")]
    pub quiet_hours: super::Hours,
}

/// When a question is announced by a short sound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sound {
    /// Never.
    Never,
    /// Where no word of it was heard soon.
    #[default]
    Slow,
    /// With every question.
    Always,
}

impl Default for Speech {
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
pub struct Keys {
    /// Whether key presses on the desktop answer questions.
    pub enabled: bool,
    /// Milliseconds of quiet before a key press counts, so that a letter that was being typed answers nothing.
    #[serde(deserialize_with = "field::between::<_, 100, 10_000>")]
    pub arming_delay_ms: u64,
    /// From this risk on (0 to 1) a random digit says yes instead of a letter, so that a program that presses Y blindly
    /// says nothing; above 1, never.
    #[serde(deserialize_with = "field::risk")]
    pub digit_from_risk: f64,
    /// Whether the helper `guarda-keys` is asked as well, which reads the keyboards as another user.
    pub trusted: bool,
    /// The user it runs as; anyone else who listens there is not believed.
    pub trusted_user: String,
    /// Where it listens.
    pub trusted_socket: std::path::PathBuf,
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            enabled: true,
            arming_delay_ms: 400,
            digit_from_risk: 0.9,
            trusted: true,
            trusted_user: "guarda-keys".to_owned(),
            trusted_socket: "/run/guarda-keys/socket".into(),
        }
    }
}

/// `[terminal]`: answers on the service's own terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Terminal {
    /// Whether questions are put on the terminal that the service was started from.
    pub enabled: bool,
    /// The program in which applications are opened that need a terminal (Mascate's key); where nothing is written, the
    /// first known one that is there.
    #[serde(rename = "default")]
    pub program: Option<String>,
    /// Mascate's own key. Read and not used.
    #[serde(skip_serializing)]
    pub(super) fallback: Option<field::Anything>,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { enabled: true, program: None, fallback: None }
    }
}

/// `[language]`: the language of what is said and shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Language {
    /// `pt-BR`, `en` or `fr`; a request may name another of them.
    #[serde(deserialize_with = "field::parsed", serialize_with = "field::shown")]
    pub default: guarda_core::action::Language,
}

/// `[run]`: how commands are run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// Seconds after which a command and everything that it started is ended.
    #[serde(deserialize_with = "field::between::<_, 1, 86_400>")]
    pub timeout_seconds: u64,
    /// Seconds after which a deed on the desktop (opening, volume, media) is given up.
    #[serde(deserialize_with = "field::between::<_, 1, 300>")]
    pub desktop_timeout_seconds: u64,
    /// The search path for programs; the service's own search path has no say.
    #[serde(deserialize_with = "field::search_path")]
    pub path: String,
    /// Most bytes of each stream of a command that are kept while it runs.
    #[serde(deserialize_with = "field::between::<_, 1024, 67_108_864>")]
    pub output_limit: u64,
    /// Replaces private addresses, internal host names and the ids of cloud resources in what is shown and recorded of
    /// an output by stand-ins, the same one for the same name as long as the service runs.
    pub hide_network: bool,
}

impl Default for Run {
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

/// `[record]`: where the journal is, and how long it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// The folder of the journal; where nothing is written, `journal` in the state folder.
    pub folder: Option<std::path::PathBuf>,
    /// A file of a session that is at least so big is put aside and compressed, and a new one begun. In MiB.
    #[serde(deserialize_with = "field::between::<_, 1, 4096>")]
    pub rotate_mib: u64,
    /// A file that was begun so many days ago is put aside as well.
    #[serde(deserialize_with = "field::between::<_, 1, 3650>")]
    pub rotate_days: u64,
    /// Files that were put aside so many days ago are deleted; 0 keeps them for ever.
    #[serde(deserialize_with = "field::between::<_, 0, 36_500>")]
    pub keep_days: u64,
    /// When the files put aside take more than this together, the oldest are deleted; 0 sets no limit. In MiB.
    #[serde(deserialize_with = "field::between::<_, 0, 1_048_576>")]
    pub keep_mib: u64,
}

impl Default for Record {
    fn default() -> Self {
        Self { folder: None, rotate_mib: 16, rotate_days: 30, keep_days: 365, keep_mib: 0 }
    }
}
