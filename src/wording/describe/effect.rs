//! Describes an action in words: "delete 3 files from Downloads". Descriptions are infinitives without a full stop, to
//! fit into "Do you want to …?" and "I could not …".

use crate::wording::describe::command;
use crate::wording::describe::names::{command_line, place, placed, spoken};
use crate::wording::words::{Value, Words};
use guarda_core::action::{Action, FileOperation, MediaKey, Object};

/// The effect of an action in the language of `words`: the message of its kind.
#[must_use]
pub fn effect(words: &Words, action: &Action) -> String {
    match action {
        Action::OpenUrl { url } if url.scheme() == "mailto" => {
            words.say("effect-write-to", &[("name", spoken(url.path()).into())])
        }
        Action::RunCommand { text, script } => {
            let deed = script.as_ref().ok().and_then(|script| command::effect(words, script));
            deed.unwrap_or_else(|| command_line(words, text))
        }
        Action::File(FileOperation::Delete(path)) => deletes(words, path, "unknown"),
        Action::Media(MediaKey::Seek(..0)) => words.say("effect-media-seek-back", &arguments(words, action)),
        other => words.say(&format!("effect-{}", other.kind().id()), &arguments(words, other)),
    }
}

/// What an action applies to, as arguments of its messages.
pub(in crate::wording) fn arguments(words: &Words, action: &Action) -> Vec<(&'static str, Value<'static>)> {
    let name = |name: String| vec![("name", name.into())];
    match action.applies_to() {
        Object::Nothing => Vec::new(),
        Object::Text(text) => name(spoken(text)),
        Object::Url(url) => name(spoken(url.host_str().unwrap_or(url.as_str()))),
        Object::Path(path) => name(place(words, path)),
        Object::Paths(from, to) => {
            vec![("name", place(words, from).into()), ("to", place(words, to).into())]
        }
        Object::Command(_) => name(program(action)),
        Object::Chord(keys) => name(spoken(&keys.join(" "))),
        Object::Level(level) => vec![("level", level.name().into()), ("percent", level.percent().into())],
        Object::Switch(switch) => vec![("switch", <&str>::from(switch).into())],
        Object::Repeat(what) => vec![("what", <&str>::from(what).into())],
        Object::Seconds(seconds) => vec![("seconds", usize::from(seconds.unsigned_abs()).into())],
        Object::Undo(of) => vec![
            ("run", of.name().into()),
            ("time", spoken(of.time()).into()),
            ("path", of.path().map_or_else(String::new, |path| place(words, path)).into()),
        ],
    }
}

/// The name of a command's first program without its folder, as it is spoken.
pub(in crate::wording) fn program(action: &Action) -> String {
    let Action::RunCommand { text, script } = action else {
        return spoken(&action.object());
    };
    let first = script.as_ref().ok().and_then(|script| script.runs().first()).and_then(|run| run.program());
    let first = first.or_else(|| text.split_whitespace().next()).unwrap_or_default();
    spoken(first.rsplit('/').next().unwrap_or(first))
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
