//! Describes an action in words: "delete 3 files from Downloads". Descriptions are infinitives without a full stop, to
//! fit into "Do you want to …?" and "I could not …".

use crate::wording::plain::audible;
use crate::wording::words::Words;
use guarda_core::action::{Action, FileOperation, Level, MediaKey, Power, Radio, Repeat, Switch};

/// The longest name that is spoken, in characters; the screen shows the whole name.
const NAME_LIMIT: usize = 120;
/// The longest command line that is spoken in full, in characters.
pub(super) const COMMAND_LIMIT: usize = 120;

/// The effect of an action in the language of `words`.
#[must_use]
pub fn effect(words: &Words, action: &Action) -> String {
    let plain = |id: &str| words.say(id, &[]);
    let named = |id: &str, name: &str| words.say(id, &[("name", spoken(name).into())]);
    match action {
        Action::OpenApp { name } => named("effect-open-app", name),
        Action::OpenUrl { url } if url.scheme() == "mailto" => named("effect-write-to", url.path()),
        Action::OpenUrl { url } => named("effect-open-url", url.host_str().unwrap_or(url.as_str())),
        Action::OpenStrangeUrl { url } => named("effect-open-url", url),
        Action::OpenFolder { path } => named("effect-open-folder", &place(words, path)),
        Action::Volume(level) => volume(words, *level),
        Action::Brightness(level) => brightness(words, *level),
        Action::Media(key) => media(words, *key),
        Action::RunCommand { text, script } => {
            let deed = script
                .as_ref()
                .ok()
                .and_then(|script| crate::wording::describe::command::effect(words, script));
            deed.unwrap_or_else(|| command_line(words, text))
        }
        Action::KeyPress { chord } => named("effect-key-press", &chord.join(" ")),
        Action::Lock => plain("effect-lock"),
        Action::Power(power) => plain(match power {
            Power::Suspend => "effect-suspend",
            Power::Reboot => "effect-reboot",
            Power::Shutdown => "effect-shutdown",
        }),
        Action::Radio(radio, switch) => {
            let id = match radio {
                Radio::Wifi => "effect-wifi",
                Radio::Bluetooth => "effect-bluetooth",
            };
            switched(words, id, *switch)
        }
        Action::DoNotDisturb(switch) => switched(words, "effect-do-not-disturb", *switch),
        Action::CloseApp { name } => named("effect-close-app", name),
        Action::ScreenOff => plain("effect-screen-off"),
        Action::Screenshot => plain("effect-screenshot"),
        Action::Notify { title, .. } => named("effect-notify", title),
        Action::Reply { text } => named("effect-reply", text),
        Action::File(operation) => file(words, operation),
        Action::Undo { of: None } => plain("effect-undo"),
        Action::Undo { of: Some(_) } => plain("effect-undo-run"),
        Action::Unknown { said } => named("effect-unknown", said),
    }
}

fn percent(words: &Words, id: &str, percent: u8) -> String {
    words.say(id, &[("percent", percent.into())])
}

fn switched(words: &Words, id: &str, switch: Switch) -> String {
    let switch = match switch {
        Switch::On => "on",
        Switch::Off => "off",
        Switch::Toggle => "toggle",
    };
    words.say(id, &[("switch", switch.into())])
}

fn volume(words: &Words, level: Level) -> String {
    match level {
        Level::Up(by) => percent(words, "effect-volume-up", by),
        Level::Down(by) => percent(words, "effect-volume-down", by),
        Level::Set(to) => percent(words, "effect-volume-set", to),
        Level::Mute => words.say("effect-volume-mute", &[]),
        Level::Unmute => words.say("effect-volume-unmute", &[]),
        Level::ToggleMute => words.say("effect-volume-toggle", &[]),
    }
}

fn brightness(words: &Words, level: Level) -> String {
    match level {
        Level::Up(by) => percent(words, "effect-brightness-up", by),
        Level::Down(by) => percent(words, "effect-brightness-down", by),
        Level::Set(to) => percent(words, "effect-brightness-set", to),
        // The parser never produces these actions; they are described as the lowest and the highest brightness.
        Level::Mute => percent(words, "effect-brightness-set", 0),
        Level::Unmute | Level::ToggleMute => percent(words, "effect-brightness-set", 100),
    }
}

fn media(words: &Words, key: MediaKey) -> String {
    let plain = |id: &str| words.say(id, &[]);
    match key {
        MediaKey::PlayPause => plain("effect-media-play-pause"),
        MediaKey::Play => plain("effect-media-play"),
        MediaKey::Pause => plain("effect-media-pause"),
        MediaKey::Stop => plain("effect-media-stop"),
        MediaKey::Next => plain("effect-media-next"),
        MediaKey::Previous => plain("effect-media-previous"),
        MediaKey::Shuffle(to) => switched(words, "effect-media-shuffle", to),
        MediaKey::Repeat(what) => {
            let what = match what {
                Repeat::Off => "off",
                Repeat::Track => "track",
                Repeat::All => "all",
            };
            words.say("effect-media-repeat", &[("what", what.into())])
        }
        MediaKey::Seek(seconds) => {
            let id = if seconds < 0 { "effect-media-seek-back" } else { "effect-media-seek" };
            words.say(id, &[("seconds", usize::from(seconds.unsigned_abs()).into())])
        }
        MediaKey::Tell => plain("effect-media-status"),
    }
}

fn file(words: &Words, operation: &FileOperation) -> String {
    let one = |id: &str, path: &str| words.say(id, &[("name", place(words, path).into())]);
    let two = |id: &str, from: &str, to: &str| {
        words.say(id, &[("name", place(words, from).into()), ("to", place(words, to).into())])
    };
    match operation {
        FileOperation::Open(path) => one("effect-file-open", path),
        FileOperation::List(path) => one("effect-file-list", path),
        FileOperation::Copy { from, to } => two("effect-file-copy", from, to),
        FileOperation::Move { from, to } => two("effect-file-move", from, to),
        FileOperation::Delete(path) => deletes(words, path, "unknown"),
        FileOperation::MakeFolder(path) => one("effect-file-mkdir", path),
    }
}

/// Describes the deletion of a path. `kind` is `file`, `folder`, `link` or `unknown`.
pub(crate) fn deletes(words: &Words, path: &str, kind: &'static str) -> String {
    let name = match path.trim_end_matches('/').rsplit_once('/') {
        Some((folder, name)) => {
            let folder = if folder.is_empty() { "/" } else { folder };
            format!("{}{}", spoken(name), placed(words, "from-place", folder))
        }
        None => place(words, path),
    };
    words.say("effect-file-delete", &[("kind", kind.into()), ("name", name.into())])
}

/// Describes a command line that has no description: in full, or by its length and its beginning.
pub(super) fn command_line(words: &Words, text: &str) -> String {
    let line = audible(text);
    let length = line.chars().count();
    if length <= COMMAND_LIMIT {
        return words.say("effect-command", &[("command", line.into())]);
    }
    let start: String = line.chars().take(COMMAND_LIMIT / 2).collect();
    words.say("effect-command-long", &[("count", length.into()), ("command", start.into())])
}

/// A path for speech. The home folder has a name, and paths below it are spoken without `~/`.
pub(in crate::wording) fn place(words: &Words, path: &str) -> String {
    match path.trim_end_matches('/') {
        "" if path.starts_with('/') => words.say("place-root", &[]),
        "~" => words.say("place-home", &[]),
        other => spoken(other.strip_prefix("~/").unwrap_or(other)),
    }
}

/// The location with its preposition: " in Downloads", " from your home folder". `id` is `in-place` or `from-place`.
pub(super) fn placed(words: &Words, id: &str, folder: &str) -> String {
    let kind = match folder.trim_end_matches('/') {
        "" if folder.starts_with('/') => "root",
        "~" => "home",
        _ => "other",
    };
    words.say(id, &[("kind", kind.into()), ("place", place(words, folder).into())])
}

/// Names as people list them: "a", "a and b", "a, b and c".
pub(super) fn listed(words: &Words, names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => {
            let both = [("first", first.join(", ").into()), ("second", last.clone().into())];
            words.say("staged-and", &both)
        }
    }
}

/// A name for speech, at most [`NAME_LIMIT`] characters.
pub(in crate::wording) fn spoken(name: &str) -> String {
    let name = audible(name);
    if name.chars().count() <= NAME_LIMIT {
        return name;
    }
    name.chars().take(NAME_LIMIT).chain("…".chars()).collect()
}
