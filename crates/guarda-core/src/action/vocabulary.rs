//! The action vocabulary (feature M2) as one table: names on the wire, where they come from, and how they are treated.
//! Help, OpenAPI, grammars and documents are made from it.

/// One row of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each name says it; the table below describes it")]
pub enum Kind {
    OpenApp,
    CloseApp,
    OpenUrl,
    OpenFolder,
    VolumeUp,
    VolumeDown,
    VolumeMute,
    VolumeUnmute,
    VolumeSet,
    MediaPlayPause,
    MediaPlay,
    MediaPause,
    MediaNext,
    MediaPrev,
    MediaStop,
    MediaShuffle,
    MediaRepeat,
    MediaSeek,
    MediaStatus,
    RunCommand,
    KeyPress,
    Brightness,
    ScreenOff,
    Screenshot,
    Lock,
    Suspend,
    Reboot,
    Shutdown,
    Wifi,
    Bluetooth,
    Notify,
    DoNotDisturb,
    Reply,
    FileOpen,
    FileList,
    FileCopy,
    FileMove,
    FileDelete,
    FileMkdir,
    Undo,
    Unknown,
}

/// What the vocabulary says of one kind of action.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The kind.
    pub kind: Kind,
    /// The name on the wire, in capitals.
    pub name: &'static str,
    /// What `target` holds, in English; empty where it is not used.
    pub target: &'static str,
    /// What the action does, in English.
    pub does: &'static str,
    /// True for the seed's safe list (002, section 2.3) and what belongs to it: done without a question unless a
    /// finding says otherwise.
    pub safe: bool,
}

const fn row(kind: Kind, name: &'static str, target: &'static str, does: &'static str, safe: bool) -> Entry {
    Entry { kind, name, target, does, safe }
}

/// Every kind of action, in the order of [`Kind`].
pub const VOCABULARY: &[Entry] = &[
    row(Kind::OpenApp, "OPEN_APP", "application name", "opens an application", true),
    row(Kind::CloseApp, "CLOSE_APP", "application name", "closes the windows of an application", false),
    row(Kind::OpenUrl, "OPEN_URL", "http, https or mailto address", "opens a web address", true),
    row(Kind::OpenFolder, "OPEN_FOLDER", "folder path", "opens a folder", true),
    row(Kind::VolumeUp, "VOLUME_UP", "percent; 5 if it is missing", "raises the volume", true),
    row(Kind::VolumeDown, "VOLUME_DOWN", "percent; 5 if it is missing", "lowers the volume", true),
    row(Kind::VolumeMute, "VOLUME_MUTE", "", "mutes or unmutes the sound", true),
    row(Kind::VolumeUnmute, "VOLUME_UNMUTE", "", "makes the sound audible again", true),
    row(Kind::VolumeSet, "VOLUME_SET", "percent, 0 to 100", "sets the volume", true),
    row(Kind::MediaPlayPause, "MEDIA_PLAY_PAUSE", "", "plays or pauses the media player", true),
    row(Kind::MediaPlay, "MEDIA_PLAY", "", "plays, or goes on playing", true),
    row(Kind::MediaPause, "MEDIA_PAUSE", "", "pauses the media player", true),
    row(Kind::MediaNext, "MEDIA_NEXT", "", "skips to the next track", true),
    row(Kind::MediaPrev, "MEDIA_PREV", "", "goes back to the track before", true),
    row(Kind::MediaStop, "MEDIA_STOP", "", "stops the media player", true),
    row(Kind::MediaShuffle, "MEDIA_SHUFFLE", "on, off or toggle", "plays the tracks in random order", true),
    row(Kind::MediaRepeat, "MEDIA_REPEAT", "off, track or all", "plays the track or all tracks again", true),
    row(
        Kind::MediaSeek,
        "MEDIA_SEEK",
        "seconds, back with a minus",
        "skips forward or back in the track",
        true,
    ),
    row(Kind::MediaStatus, "MEDIA_STATUS", "", "says what is playing", true),
    row(Kind::RunCommand, "RUN_COMMAND", "command line", "runs a command", false),
    row(Kind::KeyPress, "KEY_PRESS", "key or chord, such as ctrl+tab", "presses a key", false),
    row(Kind::Brightness, "BRIGHTNESS", "up, down, +20, -20, or percent", "changes the brightness", true),
    row(Kind::ScreenOff, "SCREEN_OFF", "", "switches the screen off until somebody moves", true),
    row(
        Kind::Screenshot,
        "SCREENSHOT",
        "",
        "takes a picture of the screen, into the folder for pictures",
        false,
    ),
    row(Kind::Lock, "LOCK", "", "locks the screen", true),
    row(Kind::Suspend, "SUSPEND", "", "suspends the computer", false),
    row(Kind::Reboot, "REBOOT", "", "restarts the computer", false),
    row(Kind::Shutdown, "SHUTDOWN", "", "switches the computer off", false),
    row(Kind::Wifi, "WIFI", "on, off or toggle", "switches the wireless network", false),
    row(Kind::Bluetooth, "BLUETOOTH", "on, off or toggle", "switches Bluetooth", false),
    row(Kind::Notify, "NOTIFY", "title", "shows a notification", true),
    row(Kind::DoNotDisturb, "DO_NOT_DISTURB", "on, off or toggle", "holds notifications back", false),
    row(Kind::Reply, "REPLY", "text", "says something", true),
    row(Kind::FileOpen, "FILE_OPEN", "file path", "opens a file", false),
    row(Kind::FileList, "FILE_LIST", "folder path", "lists a folder", true),
    row(Kind::FileCopy, "FILE_COPY", "path; destination in params", "copies a file", false),
    row(Kind::FileMove, "FILE_MOVE", "path; destination in params", "moves a file", false),
    row(Kind::FileDelete, "FILE_DELETE", "path", "deletes a file", false),
    row(Kind::FileMkdir, "FILE_MKDIR", "folder path", "makes a folder", false),
    row(Kind::Undo, "UNDO", "id of a run; the last one if it is missing", "undoes what a run changed", false),
    row(Kind::Unknown, "UNKNOWN", "", "nothing: the request was not understood", false),
];

impl Kind {
    /// This kind's row.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        const LAST: Entry =
            row(Kind::Unknown, "UNKNOWN", "", "nothing: the request was not understood", false);
        VOCABULARY.iter().find(|entry| entry.kind == self).unwrap_or(&LAST)
    }

    /// The name on the wire, in capitals.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_once_in_its_place() {
        for (place, entry) in VOCABULARY.iter().enumerate() {
            assert_eq!(entry.kind as usize, place, "{}", entry.name);
        }
        assert_eq!(Kind::Unknown as usize + 1, VOCABULARY.len());
    }
}
