//! The closed set of actions. Only [`crate::action::Proposal::parse`] makes them.

use super::vocabulary::ActionKind;
use guarda_shell::script::{Script, Unsure};

/// An action with everything that is needed to carry it out. Hands interpret nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Start a program by the name of its desktop entry.
    OpenApp {
        /// The name as requested, trimmed: `firefox`, `Calculadora`.
        name: String,
    },
    /// Ask the windows of an application to close.
    CloseApp {
        /// The name as requested, trimmed.
        name: String,
    },
    /// Show a web address in the user's browser.
    OpenUrl {
        /// An http or https address, normalised as the URL standard says.
        url: url::Url,
    },
    /// An address whose scheme is not http or https. It is always refused.
    OpenStrangeUrl {
        /// As it was given.
        url: String,
    },
    /// Show a folder in the file manager.
    OpenFolder {
        /// The path as given: absolute, `~/…`, or relative to the home folder.
        path: String,
    },
    /// Change the volume of the default output.
    Volume(Level),
    /// Change the brightness of the screen.
    Brightness(Level),
    /// Drive the media player.
    Media(MediaKey),
    /// Run a command line.
    RunCommand {
        /// The command line, as given.
        text: String,
        /// What the line means, or why its meaning is uncertain.
        script: Result<Script, Unsure>,
    },
    /// Press a key or a chord.
    KeyPress {
        /// Modifiers first, the key last, in lower case: `["ctrl", "tab"]`. Never empty.
        chord: Vec<String>,
    },
    /// Lock the screen.
    Lock,
    /// Turn the screen off until there is input.
    ScreenOff,
    /// Save a picture of the screen to a file.
    Screenshot,
    /// Suspend, restart or switch off the machine.
    Power(Power),
    /// Switch a radio.
    Radio(Radio, Switch),
    /// Show a notification.
    Notify {
        /// One line.
        title: String,
        /// More text; may be empty.
        body: String,
    },
    /// Hold notifications back or show them again.
    DoNotDisturb(Switch),
    /// Say something to the user.
    Reply {
        /// The text to speak.
        text: String,
    },
    /// Work on files.
    File(FileOperation),
    /// Restore what a run changed or deleted.
    Undo {
        /// The run, by the id of its action or of its journal line. `None` means the latest run of this
        /// session that can be undone.
        of: Option<String>,
    },
    /// The model did not understand the user (`UNKNOWN`), or asked for something that is not in the vocabulary.
    Unknown {
        /// The action's name as it was given.
        said: String,
    },
}

/// A change of a level from 0 to 100 percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// More, by so many percent.
    Up(u8),
    /// Less, by so many percent.
    Down(u8),
    /// Exactly so many percent.
    Set(u8),
    /// Silent.
    Mute,
    /// Audible again.
    Unmute,
    /// Mute if audible, unmute if muted.
    ToggleMute,
}

/// A command to a media player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum MediaKey {
    /// Play if paused, pause if playing.
    PlayPause,
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// Stop.
    Stop,
    /// The next track.
    Next,
    /// The track before.
    Previous,
    /// Play in random order or in the given order.
    Shuffle(Switch),
    /// Play something again.
    Repeat(Repeat),
    /// Seconds to skip forward; backward if negative.
    Seek(i16),
    /// Say what plays.
    Tell,
}

/// What a media player repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Repeat {
    /// Nothing.
    Off,
    /// The track.
    Track,
    /// All tracks.
    All,
}

/// A change of the machine's power state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Power {
    /// Sleep in memory.
    Suspend,
    /// Restart.
    Reboot,
    /// Switch off.
    Shutdown,
}

/// A radio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Radio {
    /// Wireless network.
    Wifi,
    /// Bluetooth.
    Bluetooth,
}

/// The position of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
    /// The other one.
    Toggle,
}

/// An operation on files. Paths are as given: absolute, `~/…`, or relative to the home folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOperation {
    /// Show a file in the program that the user has chosen for its type.
    Open(String),
    /// Name what is in a folder.
    List(String),
    /// Copy a file or folder.
    Copy {
        /// What is copied.
        from: String,
        /// Where to.
        to: String,
    },
    /// Move or rename a file or folder.
    Move {
        /// What is moved.
        from: String,
        /// Where to.
        to: String,
    },
    /// Delete a file, or a folder with everything in it.
    Delete(String),
    /// Make a folder.
    MakeFolder(String),
}

impl Action {
    /// The vocabulary row of this action.
    #[must_use]
    pub fn kind(&self) -> ActionKind {
        match self {
            Self::OpenApp { .. } => ActionKind::OpenApp,
            Self::CloseApp { .. } => ActionKind::CloseApp,
            Self::OpenUrl { .. } | Self::OpenStrangeUrl { .. } => ActionKind::OpenUrl,
            Self::OpenFolder { .. } => ActionKind::OpenFolder,
            Self::Volume(Level::Up(_)) => ActionKind::VolumeUp,
            Self::Volume(Level::Down(_)) => ActionKind::VolumeDown,
            Self::Volume(Level::Set(_)) => ActionKind::VolumeSet,
            Self::Volume(Level::Mute | Level::ToggleMute) => ActionKind::VolumeMute,
            Self::Volume(Level::Unmute) => ActionKind::VolumeUnmute,
            Self::Brightness(_) => ActionKind::Brightness,
            Self::Media(MediaKey::PlayPause) => ActionKind::MediaPlayPause,
            Self::Media(MediaKey::Play) => ActionKind::MediaPlay,
            Self::Media(MediaKey::Pause) => ActionKind::MediaPause,
            Self::Media(MediaKey::Shuffle(_)) => ActionKind::MediaShuffle,
            Self::Media(MediaKey::Repeat(_)) => ActionKind::MediaRepeat,
            Self::Media(MediaKey::Seek(_)) => ActionKind::MediaSeek,
            Self::Media(MediaKey::Tell) => ActionKind::MediaStatus,
            Self::Media(MediaKey::Stop) => ActionKind::MediaStop,
            Self::Media(MediaKey::Next) => ActionKind::MediaNext,
            Self::Media(MediaKey::Previous) => ActionKind::MediaPrev,
            Self::RunCommand { .. } => ActionKind::RunCommand,
            Self::KeyPress { .. } => ActionKind::KeyPress,
            Self::Lock => ActionKind::Lock,
            Self::ScreenOff => ActionKind::ScreenOff,
            Self::Screenshot => ActionKind::Screenshot,
            Self::DoNotDisturb(_) => ActionKind::DoNotDisturb,
            Self::Power(Power::Suspend) => ActionKind::Suspend,
            Self::Power(Power::Reboot) => ActionKind::Reboot,
            Self::Power(Power::Shutdown) => ActionKind::Shutdown,
            Self::Radio(Radio::Wifi, _) => ActionKind::Wifi,
            Self::Radio(Radio::Bluetooth, _) => ActionKind::Bluetooth,
            Self::Notify { .. } => ActionKind::Notify,
            Self::Reply { .. } => ActionKind::Reply,
            Self::File(FileOperation::Open(_)) => ActionKind::FileOpen,
            Self::File(FileOperation::List(_)) => ActionKind::FileList,
            Self::File(FileOperation::Copy { .. }) => ActionKind::FileCopy,
            Self::File(FileOperation::Move { .. }) => ActionKind::FileMove,
            Self::File(FileOperation::Delete(_)) => ActionKind::FileDelete,
            Self::File(FileOperation::MakeFolder(_)) => ActionKind::FileMkdir,
            Self::Undo { .. } => ActionKind::Undo,
            Self::Unknown { .. } => ActionKind::Unknown,
        }
    }

    /// What the action applies to, on one line: the application, the address, the path, the command line …
    #[must_use]
    pub fn object(&self) -> String {
        match self {
            Self::OpenApp { name } | Self::CloseApp { name } => name.clone(),
            Self::OpenUrl { url } => url.to_string(),
            Self::OpenStrangeUrl { url } => url.clone(),
            Self::OpenFolder { path } => path.clone(),
            Self::Volume(level) | Self::Brightness(level) => level.to_string(),
            Self::RunCommand { text, .. } => text.clone(),
            Self::KeyPress { chord } => chord.join("+"),
            Self::Radio(_, switch) | Self::DoNotDisturb(switch) | Self::Media(MediaKey::Shuffle(switch)) => {
                switch.to_string()
            }
            Self::Media(MediaKey::Repeat(what)) => what.to_string(),
            Self::Media(MediaKey::Seek(seconds)) => format!("{seconds:+} s"),
            Self::Notify { title, .. } => title.clone(),
            Self::Reply { text } => text.clone(),
            Self::File(operation) => match operation {
                FileOperation::Open(path)
                | FileOperation::List(path)
                | FileOperation::Delete(path)
                | FileOperation::MakeFolder(path) => path.clone(),
                FileOperation::Copy { from, to } | FileOperation::Move { from, to } => {
                    format!("{from} → {to}")
                }
            },
            Self::Undo { of } => of.clone().unwrap_or_default(),
            Self::Unknown { said } => said.clone(),
            Self::Media(_) | Self::Lock | Self::ScreenOff | Self::Screenshot | Self::Power(_) => {
                String::new()
            }
        }
    }

    /// Canonical text for hashing: equal actions have equal text, and different actions have different text.
    #[must_use]
    pub fn canonical(&self) -> String {
        let detail = match self {
            Self::Notify { title, body } => format!("{title}\u{0}{body}"),
            Self::File(FileOperation::Copy { from, to } | FileOperation::Move { from, to }) => {
                format!("{from}\u{0}{to}")
            }
            Self::Media(key) => format!("{key:?}"),
            _ => self.object(),
        };
        format!("{}\u{0}{detail}", self.kind().name())
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Up(percent) => write!(out, "+{percent}%"),
            Self::Down(percent) => write!(out, "-{percent}%"),
            Self::Set(percent) => write!(out, "{percent}%"),
            Self::Mute => out.write_str("mute"),
            Self::Unmute => out.write_str("unmute"),
            Self::ToggleMute => out.write_str("toggle"),
        }
    }
}
