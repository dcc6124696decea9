//! Why a deed did not happen: a kind with a message in every language, and an English detail for programs and
//! logs.

/// The kind of a failure. Each has a message `failure-<kind>` in every language.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    strum::IntoStaticStr,
    strum::EnumIter,
    serde::Serialize,
    serde::Deserialize,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// Any other failure. Only the English detail explains it.
    Other,
    /// The system bus does not answer, so no system service can be reached.
    NoSystemBus,
    /// The session bus does not answer.
    NoSessionBus,
    /// The program that would do it is not installed or not running.
    NoService,
    /// No sound server runs.
    NoSound,
    /// There is no graphical display.
    NoDisplay,
    /// It works under X11 only, and this is a Wayland session.
    OnlyX11,
    /// No desktop portal does it in this Wayland session.
    NoPortal,
    /// No screen has a backlight that can be set.
    NoBacklight,
    /// There is no Bluetooth adapter.
    NoBluetooth,
    /// There is no wireless network adapter.
    NoWifi,
    /// The hardware cannot do it.
    NotPossible,
    /// The system requires an administrator's password, which this action cannot give.
    NeedsAdministrator,
    /// This user may not do it.
    NotAllowed,
    /// The device accepted the order but kept its old state.
    Unchanged,
    /// The media player cannot do it.
    PlayerCannot,
    /// The media player did not react in time.
    PlayerSilent,
    /// There is no other track.
    NoOtherTrack,
    /// Windows stayed open, probably because of unsaved work.
    StillOpen,
    /// The application has no open window.
    NotOpen,
    /// No terminal is installed.
    NoTerminal,
    /// The application's program is not installed.
    ProgramMissing,
    /// The application ended as soon as it was started.
    EndedAtOnce,
    /// The application ended at once in a session without X11, which it may need.
    #[strum(serialize = "ended-without-x11")]
    #[serde(rename = "ended-without-x11")]
    EndedWithoutX11,
    /// No installed application opens this.
    NoApplication,
    /// A file with this name already exists.
    Exists,
    /// The path is not a folder.
    NotFolder,
    /// A folder cannot be copied or moved into itself.
    IntoItself,
    /// The home folder is never deleted.
    HomeFolder,
    /// The contents could not be kept for an undo.
    Unkept,
    /// The disk is full.
    NoSpace,
    /// The disk is read-only.
    ReadOnly,
    /// There is nothing to undo.
    NothingToUndo,
    /// What the undo would restore was set to something else since.
    SetSince,
    /// The keyboard has no such key.
    NoKey,
    /// The person or the desktop refused it in a dialog.
    Declined,
    /// It is switched off in the configuration.
    SwitchedOff,
    /// Nothing is spoken in the quiet hours.
    QuietHours,
    /// The speech service does not answer.
    NoVoice,
    /// It speaks or plays, but inaudibly.
    Inaudible,
    /// The helper that reads trusted keyboards is not installed.
    NoHelper,
    /// No keyboard is trusted.
    NoKeyboard,
    /// The service was not started from a terminal.
    NotFromTerminal,
    /// Commands cannot be confined fully.
    NoCell,
    /// Changes cannot be held back.
    NoStage,
    /// A change could be neither finished nor taken back.
    StageStuck,
    /// Commands reach no hosts, not even approved ones.
    NoNetwork,
    /// The model that gives a second opinion does not answer.
    NoModel,
}

impl FailureKind {
    /// The name, as in the message ids.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Why a deed did not happen.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Failure {
    /// What a person is told.
    pub kind: FailureKind,
    /// The cause and the remedy in English, in lower case, without a full stop.
    pub detail: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.detail)
    }
}

impl From<String> for Failure {
    fn from(detail: String) -> Self {
        Self { kind: FailureKind::Other, detail }
    }
}

impl From<&str> for Failure {
    fn from(detail: &str) -> Self {
        detail.to_owned().into()
    }
}

impl From<(FailureKind, String)> for Failure {
    fn from((kind, detail): (FailureKind, String)) -> Self {
        Self { kind, detail }
    }
}

impl From<(FailureKind, &str)> for Failure {
    fn from((kind, detail): (FailureKind, &str)) -> Self {
        Self { kind, detail: detail.to_owned() }
    }
}
