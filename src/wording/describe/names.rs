//! Names, paths and command lines as they are spoken.

use crate::wording::plain::audible;
use crate::wording::words::Words;

/// The longest name that is spoken, in characters; the screen shows the whole name.
const NAME_LIMIT: usize = 120;
/// The longest command line that is spoken in full, in characters.
pub(super) const COMMAND_LIMIT: usize = 120;

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
