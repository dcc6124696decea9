//! Describes an action in words: "delete 3 files from Downloads". Descriptions are infinitives without a full stop, to
//! fit into "Do you want to …?" and "I could not …".

use crate::wording::describe::command;
pub use crate::wording::describe::command::Described;
use crate::wording::describe::names::{command_line, place, placed, spoken};
use crate::wording::describe::tool::below;
use crate::wording::words::{Value, Words};
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::action::{Action, FileOperation, MediaKey, Object};

/// The effect of an action in the language of `words`: the message of its kind.
#[must_use]
pub fn effect(words: &Words, action: &Action) -> String {
    described(words, action).text
}

/// Like [`effect`], with whether the words name all that is done.
#[must_use]
pub fn described(words: &Words, action: &Action) -> Described {
    let text = match action {
        Action::OpenUrl { url } if url.scheme() == "mailto" => {
            words.say("effect-write-to", &[("name", spoken(url.path()).into())])
        }
        Action::RunCommand { text, script } => {
            let deed = script.as_ref().ok().and_then(|script| command::effect(words, script));
            return deed.unwrap_or_else(|| Described { text: command_line(words, text), whole: false });
        }
        Action::File(FileOperation::Delete(path)) => deletes(words, path, "unknown"),
        Action::Media(MediaKey::Seek(..0)) => words.say("effect-media-seek-back", &arguments(words, action)),
        other => words.say(&format!("effect-{}", other.kind().id()), &arguments(words, other)),
    };
    Described { text, whole: true }
}

/// The same action for a reader: its paths below the home folder begin with `~`. It is never done.
#[must_use]
pub fn homely(action: &Action, home: &str) -> Action {
    let short = |path: &String| below(path, home, "");
    match action {
        Action::OpenFolder { path } => Action::OpenFolder { path: short(path) },
        Action::File(operation) => Action::File(match operation {
            FileOperation::Open(path) => FileOperation::Open(short(path)),
            FileOperation::List(path) => FileOperation::List(short(path)),
            FileOperation::Copy { from, to } => FileOperation::Copy { from: short(from), to: short(to) },
            FileOperation::Move { from, to } => FileOperation::Move { from: short(from), to: short(to) },
            FileOperation::Delete(path) => FileOperation::Delete(short(path)),
            FileOperation::MakeFolder(path) => FileOperation::MakeFolder(short(path)),
        }),
        other => other.clone(),
    }
}

/// What an action applies to, as arguments of its messages.
pub(in crate::wording) fn arguments(words: &Words, action: &Action) -> Vec<(&'static str, Value<'static>)> {
    let name = |name: String| vec![("name", name.into())];
    match action.applies_to() {
        Object::Nothing => Vec::new(),
        Object::Text(text) => name(spoken(text)),
        Object::Url(url) => name(spoken(url.host_str().unwrap_or(url.as_str()))),
        Object::Path(path) if action.kind() == ActionKind::FileMkdir => name(filed(words, "in-place", path)),
        Object::Path(path) => name(filed(words, "from-place", path)),
        Object::Paths(from, to) => {
            // A new name is enough if the folder stays.
            let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
            let renamed = to.rsplit_once('/').filter(|_| folder(from) == folder(to)).map(|(_, name)| name);
            let to = renamed.map_or_else(|| place(words, to), spoken);
            vec![("name", filed(words, "from-place", from).into()), ("to", to.into())]
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
    let name = filed(words, "from-place", path);
    words.say("effect-file-delete", &[("kind", kind.into()), ("name", name.into())])
}

/// A path as people say it: the name, then its folder with the preposition of the message `id`.
fn filed(words: &Words, id: &str, path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some((folder, name)) if folder != "~" => {
            let folder = if folder.is_empty() { "/" } else { folder };
            format!("{}{}", spoken(name), placed(words, id, folder))
        }
        _ => place(words, path),
    }
}
