//! What actions carry: levels, switches, keys of a player, operations on files.

/// A change of a level from 0 to 100 percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
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

impl Level {
    /// The name in messages: `up`, `toggle-mute`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The size of the step, or the level that is meant: nothing when silent.
    #[must_use]
    pub fn percent(self) -> u8 {
        match self {
            Self::Up(percent) | Self::Down(percent) | Self::Set(percent) => percent,
            Self::Mute => 0,
            Self::Unmute | Self::ToggleMute => 100,
        }
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
