//! Files and folders in words: up to three are named, more are counted.

use crate::wording::describe::names::{listed, place, placed, spoken};
use crate::wording::words::Words;
use guarda_shell::script::{Piece, UnknownCause, Word};

/// The greatest number of names that are listed.
pub(super) const NAMES: usize = 3;

/// The message `id` for a number of files or folders.
pub(super) fn items(words: &Words, id: &str, operands: &[&Word]) -> Option<String> {
    if operands.iter().any(|word| word.glob()) && id.starts_with("effect-delete") {
        let names: Vec<String> = operands.iter().map(|word| text(word)).collect::<Option<_>>()?;
        let (name, folder) = match names.as_slice() {
            [one] => split(one),
            several if several.len() <= NAMES => (several.join(", "), None),
            _ => return None,
        };
        let told = [
            ("name", spoken(&name).into()),
            ("where", within(words, "from-place", folder.as_deref()).into()),
        ];
        return Some(words.say("effect-delete-like", &told));
    }
    if operands.iter().any(|word| word.glob()) {
        return None;
    }
    // Removing and changing takes things "from" their folder; creating puts them "in" it.
    let place = if id == "effect-write-file" { "in-place" } else { "from-place" };
    let Summary { count, names, at } = summary(words, place, operands)?;
    let unknown = matches!(operands, [only] if only.unknown());
    let told = [
        ("form", if unknown { "unknown" } else { form(count) }.into()),
        ("count", count.into()),
        ("name", names.into()),
        ("where", at.into()),
    ];
    Some(words.say(id, &told))
}

/// The message `id` for these paths.
pub(in crate::wording::describe) fn named(words: &Words, id: &str, paths: &[String]) -> String {
    let word = |path: &String| {
        let rest = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let mut word = Word::text(rest.unwrap_or(path), guarda_shell::script::Span::default());
        if rest.is_some() {
            word.pieces.insert(0, Piece::Home);
        }
        word
    };
    let texts: Vec<Word> = paths.iter().map(word).collect();
    let operands: Vec<&Word> = texts.iter().collect();
    items(words, id, &operands).unwrap_or_default()
}

/// The form of a message: up to three things are named, more are counted.
pub(super) fn form(count: usize) -> &'static str {
    match count {
        1 => "one",
        2..=NAMES => "few",
        _ => "many",
    }
}

/// Operands in words.
pub(super) struct Summary {
    pub(super) count: usize,
    /// The names, if there are at most three.
    pub(super) names: String,
    /// Their common folder, with its preposition.
    pub(super) at: String,
}

/// Summarises operands. `id` is the message with the preposition for their folder.
pub(super) fn summary(words: &Words, id: &str, operands: &[&Word]) -> Option<Summary> {
    if let [only] = operands
        && only.unknown()
    {
        return Some(Summary { count: 1, names: words.say("target-unknown", &[]), at: String::new() });
    }
    let paths: Vec<String> = operands.iter().map(|word| text(word)).collect::<Option<_>>()?;
    let (_, folder) = split(paths.first()?);
    let together = paths.iter().all(|path| split(path).1 == folder);
    let at = within(words, id, folder.as_deref().filter(|_| together));
    let name = |path: &String| match split(path) {
        (name, Some(_)) if together => spoken(&name),
        _ => place(words, path),
    };
    let names: Vec<String> = paths.iter().take(NAMES).map(name).collect();
    Some(Summary { count: paths.len(), names: listed(words, &names), at })
}

/// " in Downloads", " from Downloads", or nothing.
fn within(words: &Words, id: &str, folder: Option<&str>) -> String {
    folder.map_or_else(String::new, |folder| placed(words, id, folder))
}

/// Splits a path into its last part and its folder, if it names one.
fn split(path: &str) -> (String, Option<String>) {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rsplit_once('/') {
        Some((folder, name)) if !matches!(name, "" | "." | "..") => {
            let folder = if folder.is_empty() { "/" } else { folder };
            // A file that is called ~ is not the home folder.
            let tilde = folder == "." && name.starts_with('~');
            let name = if tilde { trimmed } else { name };
            (name.to_owned(), Some(folder.to_owned()).filter(|folder| folder != "."))
        }
        _ => (if trimmed.is_empty() { path.to_owned() } else { trimmed.to_owned() }, None),
    }
}

/// A word as a person would write it; `None` if a part is known only at run time.
pub(super) fn text(word: &Word) -> Option<String> {
    let told = written_as(word)?;
    // A file that is called ~ is not the home folder.
    let literal = matches!(word.pieces.first(), Some(Piece::Text(text)) if text.starts_with('~'));
    Some(if literal { format!("./{told}") } else { told })
}

fn written_as(word: &Word) -> Option<String> {
    word.pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) | Piece::Glob(text) => Some(text.as_str()),
            Piece::Home => Some("~"),
            Piece::Cwd => Some("."),
            Piece::Unknown(
                UnknownCause::Variable(_)
                | UnknownCause::Substitution
                | UnknownCause::Arithmetic
                | UnknownCause::PipeName
                | UnknownCause::Items
                | UnknownCause::Foreign(_)
                | UnknownCause::HomeOf(_)
                | UnknownCause::Other(_),
            ) => None,
        })
        .collect()
}
