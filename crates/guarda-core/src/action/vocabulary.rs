//! The action vocabulary (feature M2): the closed set of actions, and one row for each name on the wire. Parser, help, OpenAPI,
//! grammars and documents are made from the rows. `docs/adding-an-action.md` shows how one is added.

use super::kinds::{FileOperation, Level, MediaKey, Power, Radio, Switch};
use super::object::{Object, Reach, Risk, TargetForm};
use super::parse::fields::{Fields, limit};
use super::parse::hint::Hint;
use super::parse::misread::Misread;
use super::parse::read;
use super::undo::UndoOf;
use guarda_shell::script::{Script, Unsure};
use strum::{EnumIter, IntoStaticStr};

/// Step of the volume keys in percent (feature M2).
const VOLUME_STEP: u8 = 5;
/// Step of the brightness keys in percent.
const BRIGHTNESS_STEP: u8 = 10;

/// An action with everything that is needed to carry it out. Hands interpret nothing. Only [`crate::action::Proposal::parse`] makes
/// them.
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
    /// End what a person granted beforehand, so that it is asked again.
    EndGrants,
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
        /// What is taken back.
        of: UndoOf,
    },
    /// The model did not understand the user (`UNKNOWN`), or asked for something that is not in the vocabulary.
    Unknown {
        /// What the person said, or else the action's name as it was given.
        said: String,
    },
}

/// A setting of the desktop with its value: what a deed reports, and what UNDO restores (feature N7).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, IntoStaticStr, EnumIter,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum Setting {
    /// The volume of the default output.
    Volume {
        /// From 0 to 100, or more if it is amplified.
        percent: u32,
        /// Whether it is muted.
        muted: bool,
    },
    /// The brightness of the screen, in percent.
    Brightness(u32),
    /// Whether notifications are held back.
    DoNotDisturb(bool),
}

impl std::fmt::Display for Setting {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Volume { percent, muted: false } => write!(out, "volume {percent}%"),
            Self::Volume { percent, muted: true } => write!(out, "volume {percent}%, muted"),
            Self::Brightness(percent) => write!(out, "brightness {percent}%"),
            Self::DoNotDisturb(true) => out.write_str("do not disturb on"),
            Self::DoNotDisturb(false) => out.write_str("do not disturb off"),
        }
    }
}

/// Reads an action from the fields of a request.
type Reader = fn(&Fields) -> Result<Action, Misread>;

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
    /// How the target is written.
    pub form: TargetForm,
    /// How grave it is.
    pub risk: Risk,
    /// Whether it can carry something away.
    pub reach: Reach,
    read: Reader,
}

impl ActionSpec {
    /// True for actions of the safe list (feature M3): they run without a question unless a finding objects.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.risk == Risk::Safe
    }
}

/// Makes the kinds and their table from rows: the kind and its name on the wire; its risk, its reach, the form of its target, what the
/// target holds, and what it does; its reader; and its actions with what they apply to.
macro_rules! vocabulary {
    ($($kind:ident = $name:literal: $risk:ident, $reach:ident, $form:ident, $target:literal, $does:literal;
        $read:expr; $($action:pat => $object:expr),+;)*) => {
        /// One row of the vocabulary.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each name says it; the rows describe it")]
        pub enum ActionKind {
            $($kind),*
        }

        /// Every kind of action, in the order of [`ActionKind`].
        pub const VOCABULARY: &[ActionSpec] = &[$(ActionKind::$kind.entry()),*];

        impl ActionKind {
            /// This kind's row.
            #[must_use]
            pub const fn entry(self) -> ActionSpec {
                match self {
                    $(Self::$kind => ActionSpec {
                        kind: self,
                        name: $name,
                        target: $target,
                        does: $does,
                        form: TargetForm::$form,
                        risk: Risk::$risk,
                        reach: Reach::$reach,
                        read: $read,
                    }),*
                }
            }
        }

        #[allow(unused_variables, reason = "a pattern names what the other function needs")]
        impl Action {
            /// The vocabulary row of this action.
            #[must_use]
            pub fn kind(&self) -> ActionKind {
                match self {
                    $($($action => ActionKind::$kind),+),*
                }
            }

            /// What the action applies to: the application, the address, the path, the command line …
            #[must_use]
            pub fn applies_to(&self) -> Object<'_> {
                match self {
                    $($($action => $object),+),*
                }
            }
        }
    };
}

vocabulary! {
    OpenApp = "OPEN_APP": Safe, Here, Text, "application name", "opens an application";
        |fields| Ok(Action::OpenApp { name: fields.target()? });
        Action::OpenApp { name } => Object::Text(name);
    CloseApp = "CLOSE_APP": Closes, Here, Text, "application name", "closes the windows of an application";
        |fields| Ok(Action::CloseApp { name: fields.target()? });
        Action::CloseApp { name } => Object::Text(name);
    OpenUrl = "OPEN_URL": Safe, Out, Text, "http, https or mailto address", "opens a web address";
        |fields| address(&fields.target()?);
        Action::OpenUrl { url } => Object::Url(url),
        Action::OpenStrangeUrl { url } => Object::Text(url);
    OpenFolder = "OPEN_FOLDER": Safe, Here, Text, "folder path", "opens a folder";
        |fields| Ok(Action::OpenFolder { path: fields.target()? });
        Action::OpenFolder { path } => Object::Path(path);
    VolumeUp = "VOLUME_UP": Safe, Here, Step, "percent; 5 if it is missing", "raises the volume";
        |fields| Ok(Action::Volume(Level::Up(fields.step(VOLUME_STEP)?)));
        Action::Volume(level @ Level::Up(_)) => Object::Level(*level);
    VolumeDown = "VOLUME_DOWN": Safe, Here, Step, "percent; 5 if it is missing", "lowers the volume";
        |fields| Ok(Action::Volume(Level::Down(fields.step(VOLUME_STEP)?)));
        Action::Volume(level @ Level::Down(_)) => Object::Level(*level);
    VolumeMute = "VOLUME_MUTE": Safe, Here, Nothing, "", "mutes or unmutes the sound";
        |_| Ok(Action::Volume(Level::ToggleMute));
        Action::Volume(level @ (Level::Mute | Level::ToggleMute)) => Object::Level(*level);
    VolumeUnmute = "VOLUME_UNMUTE": Safe, Here, Nothing, "", "makes the sound audible again";
        |_| Ok(Action::Volume(Level::Unmute));
        Action::Volume(level @ Level::Unmute) => Object::Level(*level);
    VolumeSet = "VOLUME_SET": Safe, Here, Percent, "percent, 0 to 100", "sets the volume";
        |fields| Ok(Action::Volume(Level::Set(read::whole(fields)?)));
        Action::Volume(level @ Level::Set(_)) => Object::Level(*level);
    MediaPlayPause = "MEDIA_PLAY_PAUSE": Safe, Here, Nothing, "", "plays or pauses the media player";
        |_| Ok(Action::Media(MediaKey::PlayPause));
        Action::Media(MediaKey::PlayPause) => Object::Nothing;
    MediaPlay = "MEDIA_PLAY": Safe, Here, Nothing, "", "plays, or goes on playing";
        |_| Ok(Action::Media(MediaKey::Play));
        Action::Media(MediaKey::Play) => Object::Nothing;
    MediaPause = "MEDIA_PAUSE": Safe, Here, Nothing, "", "pauses the media player";
        |_| Ok(Action::Media(MediaKey::Pause));
        Action::Media(MediaKey::Pause) => Object::Nothing;
    MediaNext = "MEDIA_NEXT": Safe, Here, Nothing, "", "skips to the next track";
        |_| Ok(Action::Media(MediaKey::Next));
        Action::Media(MediaKey::Next) => Object::Nothing;
    MediaPrev = "MEDIA_PREV": Safe, Here, Nothing, "", "goes back to the track before";
        |_| Ok(Action::Media(MediaKey::Previous));
        Action::Media(MediaKey::Previous) => Object::Nothing;
    MediaStop = "MEDIA_STOP": Safe, Here, Nothing, "", "stops the media player";
        |_| Ok(Action::Media(MediaKey::Stop));
        Action::Media(MediaKey::Stop) => Object::Nothing;
    MediaShuffle = "MEDIA_SHUFFLE": Safe, Here, Switch, "on, off or toggle", "plays the tracks in random order";
        |fields| Ok(Action::Media(MediaKey::Shuffle(read::switch(fields)?)));
        Action::Media(MediaKey::Shuffle(switch)) => Object::Switch(*switch);
    MediaRepeat = "MEDIA_REPEAT": Safe, Here, Repeat, "off, track or all", "plays the track or all tracks again";
        |fields| Ok(Action::Media(MediaKey::Repeat(read::repeat(&fields.target()?)?)));
        Action::Media(MediaKey::Repeat(what)) => Object::Repeat(*what);
    MediaSeek = "MEDIA_SEEK": Safe, Here, Seconds, "seconds, back with a minus", "skips forward or back in the track";
        |fields| Ok(Action::Media(MediaKey::Seek(read::seconds(&fields.target()?)?)));
        Action::Media(MediaKey::Seek(seconds)) => Object::Seconds(*seconds);
    MediaStatus = "MEDIA_STATUS": Safe, Here, Nothing, "", "says what is playing";
        |_| Ok(Action::Media(MediaKey::Tell));
        Action::Media(MediaKey::Tell) => Object::Nothing;
    RunCommand = "RUN_COMMAND": Judged, Out, Text, "command line", "runs a command";
        |fields| read::command(fields).map(|(text, script)| Action::RunCommand { text, script });
        Action::RunCommand { text, .. } => Object::Command(text);
    KeyPress = "KEY_PRESS": Keys, Out, Chord, "key or chord, such as ctrl+tab", "presses a key";
        |fields| Ok(Action::KeyPress { chord: read::chord(&fields.target()?)? });
        Action::KeyPress { chord } => Object::Chord(chord);
    Brightness = "BRIGHTNESS": Safe, Here, Level, "up, down, +20, -20, or percent", "changes the brightness";
        |fields| read::level(fields, BRIGHTNESS_STEP, false).map(Action::Brightness);
        Action::Brightness(level) => Object::Level(*level);
    ScreenOff = "SCREEN_OFF": Safe, Here, Nothing, "", "switches the screen off until somebody moves";
        |_| Ok(Action::ScreenOff);
        Action::ScreenOff => Object::Nothing;
    Screenshot = "SCREENSHOT": Screen, Here, Nothing, "", "takes a picture of the screen, into a file";
        |_| Ok(Action::Screenshot);
        Action::Screenshot => Object::Nothing;
    Lock = "LOCK": Safe, Here, Nothing, "", "locks the screen";
        |_| Ok(Action::Lock);
        Action::Lock => Object::Nothing;
    Suspend = "SUSPEND": Sleep, Here, Nothing, "", "suspends the computer";
        |_| Ok(Action::Power(Power::Suspend));
        Action::Power(Power::Suspend) => Object::Nothing;
    Reboot = "REBOOT": Power, Here, Nothing, "", "restarts the computer";
        |_| Ok(Action::Power(Power::Reboot));
        Action::Power(Power::Reboot) => Object::Nothing;
    Shutdown = "SHUTDOWN": Power, Here, Nothing, "", "switches the computer off";
        |_| Ok(Action::Power(Power::Shutdown));
        Action::Power(Power::Shutdown) => Object::Nothing;
    Wifi = "WIFI": Radio, Here, Switch, "on, off or toggle", "switches the wireless network";
        |fields| Ok(Action::Radio(Radio::Wifi, read::switch(fields)?));
        Action::Radio(Radio::Wifi, switch) => Object::Switch(*switch);
    Bluetooth = "BLUETOOTH": Radio, Here, Switch, "on, off or toggle", "switches Bluetooth";
        |fields| Ok(Action::Radio(Radio::Bluetooth, read::switch(fields)?));
        Action::Radio(Radio::Bluetooth, switch) => Object::Switch(*switch);
    Notify = "NOTIFY": Safe, Here, Text, "title", "shows a notification";
        |fields| Ok(Action::Notify { title: fields.target()?, body: read::body(fields)? });
        Action::Notify { title, .. } => Object::Text(title);
    DoNotDisturb = "DO_NOT_DISTURB": Mutes, Here, Switch, "on, off or toggle", "holds notifications back";
        |fields| read::switch(fields).map(Action::DoNotDisturb);
        Action::DoNotDisturb(switch) => Object::Switch(*switch);
    Reply = "REPLY": Safe, Here, Text, "text", "says something";
        |fields| Ok(Action::Reply { text: fields.target()? });
        Action::Reply { text } => Object::Text(text);
    FileOpen = "FILE_OPEN": Opens, Out, Text, "file path", "opens a file";
        |fields| Ok(Action::File(FileOperation::Open(fields.target()?)));
        Action::File(FileOperation::Open(path)) => Object::Path(path);
    FileList = "FILE_LIST": Safe, Here, Text, "folder path", "lists a folder";
        |fields| Ok(Action::File(FileOperation::List(fields.target()?)));
        Action::File(FileOperation::List(path)) => Object::Path(path);
    FileCopy = "FILE_COPY": Files, Here, Destination, "path; destination in params", "copies a file";
        |fields| Ok(Action::File(FileOperation::Copy { from: fields.target()?, to: read::destination(fields)? }));
        Action::File(FileOperation::Copy { from, to }) => Object::Paths(from, to);
    FileMove = "FILE_MOVE": Files, Here, Destination, "path; destination in params", "moves a file";
        |fields| Ok(Action::File(FileOperation::Move { from: fields.target()?, to: read::destination(fields)? }));
        Action::File(FileOperation::Move { from, to }) => Object::Paths(from, to);
    FileDelete = "FILE_DELETE": Deletes, Here, Text, "path", "deletes a file";
        |fields| Ok(Action::File(FileOperation::Delete(fields.target()?)));
        Action::File(FileOperation::Delete(path)) => Object::Path(path);
    FileMkdir = "FILE_MKDIR": Files, Here, Text, "folder path", "makes a folder";
        |fields| Ok(Action::File(FileOperation::MakeFolder(fields.target()?)));
        Action::File(FileOperation::MakeFolder(path)) => Object::Path(path);
    EndGrants = "END_GRANTS": Safe, Here, Nothing, "", "ends what was granted beforehand, so that it is asked again";
        |_| Ok(Action::EndGrants);
        Action::EndGrants => Object::Nothing;
    Undo = "UNDO": Judged, Here, Run, "id of a run; `turn`: since the last message of the person, `session`, or `since 14:30`; the last run if it is missing", "undoes what a run changed";
        |fields| Ok(Action::Undo { of: read::undo(fields)? });
        Action::Undo { of } => Object::Undo(of);
    Unknown = "UNKNOWN": Unknown, Out, Heard, "what the person said", "nothing: no action does it";
        |_| Ok(Action::Unknown { said: ActionKind::Unknown.name().to_owned() });
        Action::Unknown { said } => Object::Text(said);
}

/// The names that published drafts have for the same actions.
const OTHER_NAMES: &[(&str, Reader)] = &[
    ("MEDIA_RESUME", |_| Ok(Action::Media(MediaKey::Play))),
    ("MEDIA_PREVIOUS", |_| Ok(Action::Media(MediaKey::Previous))),
    ("MEDIA_CONTROL", |fields| read::media(&fields.target()?).map(Action::Media)),
    ("VOLUME", |fields| read::level(fields, VOLUME_STEP, true).map(Action::Volume)),
    ("BRIGHTNESS_UP", |fields| Ok(Action::Brightness(Level::Up(fields.step(BRIGHTNESS_STEP)?)))),
    ("BRIGHTNESS_DOWN", |fields| Ok(Action::Brightness(Level::Down(fields.step(BRIGHTNESS_STEP)?)))),
    ("BRIGHTNESS_SET", |fields| Ok(Action::Brightness(Level::Set(read::whole(fields)?)))),
    ("FILE_OP", file),
    ("SYSTEM_OP", system),
    // The early Portuguese draft has one verb for programs, addresses and folders.
    ("ABRIR", |fields| open_anything(fields.target()?)),
];

/// The action with this name, in any case, from the fields of a request. An unknown name is [`Action::Unknown`].
///
/// # Errors
/// [`Misread`] if a field cannot be what the action needs.
pub(super) fn action(name: &str, fields: &Fields) -> Result<Action, Misread> {
    let upper = name.to_ascii_uppercase();
    let other = || OTHER_NAMES.iter().find(|(other, _)| *other == upper).map(|(_, read)| *read);
    if let Some(read) = reader(&upper).or_else(other) {
        return read(fields);
    }
    limit("action", name, 128)?;
    let heard = if upper == ActionKind::Unknown.name() { fields.target().ok() } else { None };
    Ok(Action::Unknown { said: heard.filter(|said| !said.is_empty()).unwrap_or_else(|| name.to_owned()) })
}

/// The reader of the row with this name.
fn reader(name: &str) -> Option<Reader> {
    let mut rows = VOCABULARY.iter().filter(|row| row.kind != ActionKind::Unknown);
    rows.find(|row| row.name == name).map(|row| row.read)
}

fn address(target: &str) -> Result<Action, Misread> {
    let strange = || Action::OpenStrangeUrl { url: target.to_owned() };
    Ok(read::address(target)?.map_or_else(strange, |url| Action::OpenUrl { url }))
}

/// `operation` names what is done to files: `open` for `FILE_OPEN`.
fn file(fields: &Fields) -> Result<Action, Misread> {
    let operation = fields.param("operation")?.ok_or(Misread::Missing("operation"))?.to_lowercase();
    fields.target()?;
    let read = reader(&format!("FILE_{}", operation.to_ascii_uppercase()));
    read.ok_or_else(|| Misread::value("operation", &operation, Hint::FileOperation))?(fields)
}

fn open_anything(target: String) -> Result<Action, Misread> {
    if target.starts_with('/') || target.starts_with('~') {
        Ok(Action::OpenFolder { path: target })
    } else if target.contains("://") || (target.contains('.') && !target.contains(' ')) {
        address(&target)
    } else {
        Ok(Action::OpenApp { name: target })
    }
}

/// The target names the subject, and `params` says what to do with it.
fn system(fields: &Fields) -> Result<Action, Misread> {
    let target = fields.target()?;
    let about = fields.about();
    let action = match target.to_lowercase().as_str() {
        "volume" | "vol" => Action::Volume(read::level(&about, VOLUME_STEP, true)?),
        "brightness" | "brilho" => Action::Brightness(read::level(&about, BRIGHTNESS_STEP, false)?),
        "shutdown" | "desligar" => Action::Power(Power::Shutdown),
        "reboot" | "reiniciar" => Action::Power(Power::Reboot),
        "suspend" | "suspender" | "sleep" | "dormir" => Action::Power(Power::Suspend),
        "lock" | "bloquear" => Action::Lock,
        "wifi" => Action::Radio(Radio::Wifi, read::switch(&about)?),
        "bluetooth" | "bt" => Action::Radio(Radio::Bluetooth, read::switch(&about)?),
        "notification" | "notify" | "notificar" => {
            let title = about.param("title")?.unwrap_or_else(|| "Mascate".to_owned());
            Action::Notify { title, body: read::body(&about)? }
        }
        other => {
            let said = format!("SYSTEM_OP {}", other.chars().take(64).collect::<String>());
            return Ok(Action::Unknown { said });
        }
    };
    about.all_seen()?;
    Ok(action)
}

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
    /// The name on the wire, in capitals.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The name in the ids of messages: `open-app`.
    #[must_use]
    pub fn id(self) -> String {
        self.name().to_ascii_lowercase().replace('_', "-")
    }
}

impl Action {
    /// What the action applies to, on one line: the application, the address, the path, the command line …
    #[must_use]
    pub fn object(&self) -> String {
        self.applies_to().to_string()
    }

    /// Canonical text for hashing: equal actions have equal text, and different actions have different text.
    #[must_use]
    pub fn canonical(&self) -> String {
        let detail = match (self, self.applies_to()) {
            (Self::Notify { title, body }, _) => format!("{title}\u{0}{body}"),
            (Self::Media(key), _) => format!("{key:?}"),
            (_, Object::Paths(from, to)) => format!("{from}\u{0}{to}"),
            (_, object) => object.to_string(),
        };
        format!("{}\u{0}{detail}", self.kind().name())
    }
}
