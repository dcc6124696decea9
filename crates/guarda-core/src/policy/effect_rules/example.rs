//! Changes as the examples of rules write them: `created .git/hooks/x`, `deleted a below 3 final`.

use std::path::PathBuf;

use crate::effects::Effects;
use crate::effects::{Below, Change, Entry, EntryKind};

/// The home and the folder in which examples are read.
const HOME: &str = "/home/ana";
const FOLDER: &str = "/home/ana/project";

/// Why a text is no example of changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoExample {
    /// A part without a change or a path.
    #[error("an example is a change and a path")]
    Form,
    /// A word that must be followed by a value.
    #[error("{0:?} needs a value")]
    NoValue(String),
    /// A value that must be a number.
    #[error("{0:?} is no number")]
    NoNumber(String),
    /// A value that must be an octal mode.
    #[error("{0:?} is no mode")]
    NoMode(String),
    /// A word without a meaning.
    #[error("{0:?} is not known")]
    Unknown(String),
    /// A first word that is not a kind of change.
    #[error("{0:?} is no change")]
    NoChange(String),
}

/// Reads changes separated by `;`, each as what happened, a path and further properties.
///
/// ```
/// use guarda_core::policy::effect_rules::example;
///
/// let effects = example("created ~/x; deleted ~/y")?;
/// assert_eq!(effects.changes.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`NoExample`], if a word is not known or has no value.
pub fn example(text: &str) -> Result<Effects, NoExample> {
    let mut effects = Effects::default();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let mut words = part.split_ascii_whitespace();
        let (Some(kind), Some(path)) = (words.next(), words.next()) else {
            return Err(NoExample::Form);
        };
        let (was, is) = (plain(), plain());
        let path = absolute(path);
        let mut change = Change { path, was: Some(was), is: Some(is), ..Change::default() };
        while let Some(word) = words.next() {
            if word == "final" {
                effects.final_because = Some("there is no room to keep it".to_owned());
                continue;
            }
            describe(&mut change, word, &mut words)?;
        }
        shape(&mut change, kind)?;
        effects.changes.push(change);
    }
    effects.changes.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(effects)
}

fn plain() -> Entry {
    let below = Below::default();
    Entry { kind: EntryKind::File, size: 1, mode: 0o644, owner: (1000, 1000), links: 1, below }
}

fn absolute(path: &str) -> PathBuf {
    match path.strip_prefix('~') {
        Some(rest) => PathBuf::from(format!("{HOME}{rest}")),
        None if path == "." => PathBuf::from(FOLDER),
        None => PathBuf::from(FOLDER).join(path),
    }
}

fn describe<'a>(
    change: &mut Change,
    word: &str,
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<(), NoExample> {
    let mut value = || words.next().ok_or_else(|| NoExample::NoValue(word.to_owned()));
    let number = |text: &str| text.parse().map_err(|_| NoExample::NoNumber(text.to_owned()));
    let Change { was: Some(was), is: Some(is), from, .. } = change else { return Ok(()) };
    match word {
        "folder" => (was.kind, is.kind) = (EntryKind::Folder, EntryKind::Folder),
        "below" => {
            let files = number(value()?)?;
            for entry in [was, is] {
                entry.kind = EntryKind::Folder;
                entry.below = Below { files, folders: 0, bytes: files };
            }
        }
        "size" => {
            let size = number(value()?)?;
            (was.size, is.size) = (size, size);
        }
        "mode" => {
            let mode = value()?;
            is.mode = u32::from_str_radix(mode, 8).map_err(|_| NoExample::NoMode(mode.to_owned()))?;
        }
        "inert" => change.inert = true,
        "parted" => change.parted = true,
        "link" => is.kind = EntryKind::Link(PathBuf::from(value()?.replacen('~', HOME, 1))),
        "device" => is.kind = EntryKind::Device,
        "from" => *from = Some(absolute(value()?)),
        _ => return Err(NoExample::Unknown(word.to_owned())),
    }
    Ok(())
}

fn shape(change: &mut Change, kind: &str) -> Result<(), NoExample> {
    match kind {
        "created" => change.was = None,
        "renamed" => {
            change.was = None;
            change.from.get_or_insert_with(|| absolute("before"));
        }
        "deleted" => change.is = None,
        "changed" => {
            if let (Some(was), Some(EntryKind::Link(_))) =
                (&mut change.was, change.is.as_ref().map(|is| &is.kind))
            {
                was.kind = EntryKind::Link(PathBuf::from("before"));
            }
        }
        "touched" => (change.same, change.touched) = (true, true),
        "attributes" => change.same = true,
        "replaced" => {
            if let Some(was) = &mut change.was {
                was.kind = EntryKind::Fifo;
            }
        }
        other => return Err(NoExample::NoChange(other.to_owned())),
    }
    Ok(())
}
