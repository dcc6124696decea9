//! The action vocabulary (feature M2) as one table: names on the wire, their sources, and how each action is
//! treated. Help, OpenAPI, grammars and documents are made from it.

/// One row of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each name says it; the table below describes it")]
pub enum ActionKind {
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

/// The vocabulary's entry for one kind of action.
#[derive(Debug, Clone, Copy)]
pub struct ActionSpec {
    /// The kind.
    pub kind: ActionKind,
    /// The name on the wire, in capitals.
    pub name: &'static str,
    /// What `target` holds, in English; empty if it is not used.
    pub target: &'static str,
    /// What the action does, in English.
    pub does: &'static str,
    /// True for actions of the safe list (feature M3): they run without a question unless a finding objects.
    pub safe: bool,
}

const fn row(
    kind: ActionKind,
    name: &'static str,
    target: &'static str,
    does: &'static str,
    safe: bool,
) -> ActionSpec {
    ActionSpec { kind, name, target, does, safe }
}

/// Every kind of action, in the order of [`ActionKind`].
pub const VOCABULARY: &[ActionSpec] = &[
    row(ActionKind::OpenApp, "OPEN_APP", "application name", "opens an application", true),
    row(ActionKind::CloseApp, "CLOSE_APP", "application name", "closes the windows of an application", false),
    row(ActionKind::OpenUrl, "OPEN_URL", "http, https or mailto address", "opens a web address", true),
    row(ActionKind::OpenFolder, "OPEN_FOLDER", "folder path", "opens a folder", true),
    row(ActionKind::VolumeUp, "VOLUME_UP", "percent; 5 if it is missing", "raises the volume", true),
    row(ActionKind::VolumeDown, "VOLUME_DOWN", "percent; 5 if it is missing", "lowers the volume", true),
    row(ActionKind::VolumeMute, "VOLUME_MUTE", "", "mutes or unmutes the sound", true),
    row(ActionKind::VolumeUnmute, "VOLUME_UNMUTE", "", "makes the sound audible again", true),
    row(ActionKind::VolumeSet, "VOLUME_SET", "percent, 0 to 100", "sets the volume", true),
    row(ActionKind::MediaPlayPause, "MEDIA_PLAY_PAUSE", "", "plays or pauses the media player", true),
    row(ActionKind::MediaPlay, "MEDIA_PLAY", "", "plays, or goes on playing", true),
    row(ActionKind::MediaPause, "MEDIA_PAUSE", "", "pauses the media player", true),
    row(ActionKind::MediaNext, "MEDIA_NEXT", "", "skips to the next track", true),
    row(ActionKind::MediaPrev, "MEDIA_PREV", "", "goes back to the track before", true),
    row(ActionKind::MediaStop, "MEDIA_STOP", "", "stops the media player", true),
    row(
        ActionKind::MediaShuffle,
        "MEDIA_SHUFFLE",
        "on, off or toggle",
        "plays the tracks in random order",
        true,
    ),
    row(
        ActionKind::MediaRepeat,
        "MEDIA_REPEAT",
        "off, track or all",
        "plays the track or all tracks again",
        true,
    ),
    row(
        ActionKind::MediaSeek,
        "MEDIA_SEEK",
        "seconds, back with a minus",
        "skips forward or back in the track",
        true,
    ),
    row(ActionKind::MediaStatus, "MEDIA_STATUS", "", "says what is playing", true),
    row(ActionKind::RunCommand, "RUN_COMMAND", "command line", "runs a command", false),
    row(ActionKind::KeyPress, "KEY_PRESS", "key or chord, such as ctrl+tab", "presses a key", false),
    row(
        ActionKind::Brightness,
        "BRIGHTNESS",
        "up, down, +20, -20, or percent",
        "changes the brightness",
        true,
    ),
    row(ActionKind::ScreenOff, "SCREEN_OFF", "", "switches the screen off until somebody moves", true),
    row(ActionKind::Screenshot, "SCREENSHOT", "", "takes a picture of the screen, into a file", false),
    row(ActionKind::Lock, "LOCK", "", "locks the screen", true),
    row(ActionKind::Suspend, "SUSPEND", "", "suspends the computer", false),
    row(ActionKind::Reboot, "REBOOT", "", "restarts the computer", false),
    row(ActionKind::Shutdown, "SHUTDOWN", "", "switches the computer off", false),
    row(ActionKind::Wifi, "WIFI", "on, off or toggle", "switches the wireless network", false),
    row(ActionKind::Bluetooth, "BLUETOOTH", "on, off or toggle", "switches Bluetooth", false),
    row(ActionKind::Notify, "NOTIFY", "title", "shows a notification", true),
    row(ActionKind::DoNotDisturb, "DO_NOT_DISTURB", "on, off or toggle", "holds notifications back", false),
    row(ActionKind::Reply, "REPLY", "text", "says something", true),
    row(ActionKind::FileOpen, "FILE_OPEN", "file path", "opens a file", false),
    row(ActionKind::FileList, "FILE_LIST", "folder path", "lists a folder", true),
    row(ActionKind::FileCopy, "FILE_COPY", "path; destination in params", "copies a file", false),
    row(ActionKind::FileMove, "FILE_MOVE", "path; destination in params", "moves a file", false),
    row(ActionKind::FileDelete, "FILE_DELETE", "path", "deletes a file", false),
    row(ActionKind::FileMkdir, "FILE_MKDIR", "folder path", "makes a folder", false),
    row(
        ActionKind::Undo,
        "UNDO",
        "id of a run; the last one if it is missing",
        "undoes what a run changed",
        false,
    ),
    row(ActionKind::Unknown, "UNKNOWN", "", "nothing: the request was not understood", false),
];

/// The action that an unknown name resembles: one slip away from it, or the name with a value behind it (`WIFI_ON`). It is
/// suggested, never assumed.
#[must_use]
pub fn resembled(said: &str) -> Option<&'static str> {
    let said = said.trim().to_ascii_uppercase();
    let known = VOCABULARY.iter().map(|entry| entry.name).filter(|name| *name != ActionKind::Unknown.name());
    let near = |name: &&str| {
        let valued = said.strip_prefix(*name).is_some_and(|rest| rest.starts_with('_') && rest.len() > 1);
        valued || super::slip::is_slip(&said, name)
    };
    known.filter(near).max_by_key(|name| name.len())
}

impl ActionKind {
    /// This kind's row.
    #[must_use]
    pub fn entry(self) -> &'static ActionSpec {
        const LAST: ActionSpec =
            row(ActionKind::Unknown, "UNKNOWN", "", "nothing: the request was not understood", false);
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
        assert_eq!(ActionKind::Unknown as usize + 1, VOCABULARY.len());
    }
}
