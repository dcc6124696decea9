//! Describes an action in words: "delete 3 files from Downloads". Descriptions are infinitives without a full stop, to
//! fit into "Do you want to …?" and "I could not …".

use crate::wording::describe::command;
use crate::wording::describe::names::{command_line, place, placed, spoken};
use crate::wording::localize;
use crate::wording::words::Words;
use guarda_core::action::{Action, FileOperation, Level, MediaKey, Switch};

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
            let deed = script.as_ref().ok().and_then(|script| command::effect(words, script));
            deed.unwrap_or_else(|| command_line(words, text))
        }
        Action::KeyPress { chord } => named("effect-key-press", &chord.join(" ")),
        Action::Lock => plain("effect-lock"),
        Action::Power(power) => localize::named(words, "effect", power),
        Action::Radio(radio, switch) => {
            let radio: &str = radio.into();
            switched(words, &format!("effect-{radio}"), *switch)
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
    let switch: &str = switch.into();
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
    match key {
        MediaKey::Shuffle(to) => switched(words, "effect-media-shuffle", to),
        MediaKey::Repeat(what) => {
            let what: &str = what.into();
            words.say("effect-media-repeat", &[("what", what.into())])
        }
        MediaKey::Seek(seconds) => {
            let id = if seconds < 0 { "effect-media-seek-back" } else { "effect-media-seek" };
            words.say(id, &[("seconds", usize::from(seconds.unsigned_abs()).into())])
        }
        MediaKey::Tell => words.say("effect-media-status", &[]),
        plain => localize::named(words, "effect-media", plain),
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
