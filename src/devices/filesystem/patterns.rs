//! Expands patterns of `*` and `?` as a shell does.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// `*` and `?` alone.
    Pattern(String),
}

/// The most names that a pattern may match.
pub const MOST: usize = 10_000;

/// The pattern matches more than [`MOST`] names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a pattern stands for more than {MOST} names")]
pub struct TooMany;

/// The matching paths, sorted by bytes and spelled as the pattern is; the word itself if none matches. Names with a
/// leading dot match only patterns with one. Relative patterns are resolved in `folder`.
///
/// # Errors
/// [`TooMany`].
pub fn expand(folder: &Path, word: &[Part]) -> Result<Vec<OsString>, TooMany> {
    let mut unbounded = usize::MAX;
    expand_within(folder, word, &mut unbounded)
}

/// The same, but reads at most `budget` directory entries and subtracts those that it read.
///
/// # Errors
/// [`TooMany`], also if the budget runs out.
pub fn expand_within(folder: &Path, word: &[Part], budget: &mut usize) -> Result<Vec<OsString>, TooMany> {
    let components = components(word);
    let mut found = vec![OsString::new()];
    let last = components.len().saturating_sub(1);
    for (place, component) in components.iter().enumerate() {
        let end = if place == last { "" } else { "/" };
        let mut next = Vec::new();
        for prefix in &found {
            if component.iter().all(|atom| matches!(atom, Atom::One(_))) {
                let mut path = prefix.clone();
                path.push(component.iter().filter_map(Atom::text).collect::<String>());
                // A path behind a pattern must exist.
                if prefix.is_empty() || std::fs::symlink_metadata(folder.join(&path)).is_ok() {
                    path.push(end);
                    next.push(path);
                }
                continue;
            }
            let found = names(&folder.join(prefix), component, place != last, budget);
            if *budget == 0 {
                return Err(TooMany);
            }
            for name in found {
                let mut path = prefix.clone();
                path.push(name);
                path.push(end);
                next.push(path);
                if next.len() > MOST {
                    return Err(TooMany);
                }
            }
        }
        found = next;
    }
    found.sort();
    if found.is_empty() {
        found.push(written(word));
    }
    Ok(found)
}

/// The word itself, which remains if no name matches.
#[must_use]
pub fn written(word: &[Part]) -> OsString {
    let text = |part: &Part| match part {
        Part::Text(text) | Part::Pattern(text) => text.clone(),
    };
    word.iter().map(text).collect::<String>().into()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atom {
    One(char),
    Any,
    Many,
}

impl Atom {
    fn text(&self) -> Option<char> {
        match self {
            Self::One(c) => Some(*c),
            Self::Any | Self::Many => None,
        }
    }
}

/// The word split at its slashes.
fn components(word: &[Part]) -> Vec<Vec<Atom>> {
    let mut components = vec![Vec::new()];
    let mut add = |atom: Atom| {
        if atom == Atom::One('/') {
            components.push(Vec::new());
        } else if let Some(last) = components.last_mut() {
            last.push(atom);
        }
    };
    for part in word {
        match part {
            Part::Text(text) => text.chars().for_each(|c| add(Atom::One(c))),
            Part::Pattern(text) => {
                text.chars().for_each(|c| add(if c == '?' { Atom::Any } else { Atom::Many }))
            }
        }
    }
    components
}

fn names(folder: &Path, pattern: &[Atom], only_folders: bool, budget: &mut usize) -> Vec<OsString> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let hidden = pattern.first() == Some(&Atom::One('.'));
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    *budget = budget.saturating_sub(1);
    entries
        .flatten()
        .take_while(|_| {
            *budget = budget.saturating_sub(1);
            *budget > 0
        })
        .filter(|entry| !only_folders || entry.path().is_dir())
        .map(|entry| entry.file_name())
        .filter(|name| hidden || !name.as_encoded_bytes().starts_with(b"."))
        .filter(|name| fits(name, pattern))
        .take(MOST + 1)
        .collect()
}

/// True if a name matches a pattern of `*` and `?`.
#[must_use]
pub fn matches(name: &OsStr, pattern: &str) -> bool {
    let atom = |c: char| match c {
        '*' => Atom::Many,
        '?' => Atom::Any,
        c => Atom::One(c),
    };
    fits(name, &pattern.chars().map(atom).collect::<Vec<_>>())
}

/// True if the name matches. The steps are at most the product of both lengths.
fn fits(name: &OsStr, pattern: &[Atom]) -> bool {
    let name: Vec<char> = name.to_string_lossy().chars().collect();
    let (mut at, mut of) = (0, 0);
    // The position of the last `*`, and how far it reaches so far.
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match pattern.get(of) {
            Some(Atom::Many) => {
                star = Some((of, at));
                of += 1;
            }
            Some(Atom::Any) => {
                at += 1;
                of += 1;
            }
            Some(Atom::One(c)) if name.get(at) == Some(c) => {
                at += 1;
                of += 1;
            }
            Some(Atom::One(_)) | None => match star {
                Some((place, reach)) => {
                    star = Some((place, reach + 1));
                    at = reach + 1;
                    of = place + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(of..).unwrap_or_default().iter().all(|atom| *atom == Atom::Many)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Vec<Part> {
        text.split_inclusive(['*', '?'])
            .flat_map(|piece| match piece.strip_suffix(['*', '?']) {
                Some(text) => {
                    let pattern = piece.chars().next_back().map(String::from).unwrap_or_default();
                    vec![Part::Text(text.to_owned()), Part::Pattern(pattern)]
                }
                None => vec![Part::Text(piece.to_owned())],
            })
            .collect()
    }

    #[test]
    fn names_are_found_as_a_shell_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a.txt", "b.txt", ".hidden", "-rf", "é", "d/a.txt", "d/.x", "e/b", "sp ace"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
        }
        let absolute = format!("{}/d/*", root.display());
        for (pattern, expected) in [
            ("*.txt", vec!["a.txt", "b.txt"]),
            ("?", vec!["d", "e", "é"]),
            ("*", vec!["-rf", "a.txt", "b.txt", "d", "e", "sp ace", "é"]),
            (".*", vec![".hidden"]),
            ("*/*", vec!["d/a.txt", "e/b"]),
            ("*/a.txt", vec!["d/a.txt"]),
            ("*/", vec!["d/", "e/"]),
            ("./*.txt", vec!["./a.txt", "./b.txt"]),
            ("no*such", vec!["no*such"]),
            ("no*/such", vec!["no*/such"]),
            ("d//*", vec!["d//a.txt"]),
            ("**.t?t", vec!["a.txt", "b.txt"]),
            (absolute.as_str(), vec![absolute.as_str()]),
        ] {
            let found = expand(root, &word(pattern)).unwrap();
            let mut expected: Vec<OsString> = expected.into_iter().map(OsString::from).collect();
            if pattern == absolute {
                expected = vec![root.join("d/a.txt").into_os_string()];
            }
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn hostile_patterns_are_cheap() {
        let pattern = components(&word(&"*a".repeat(500)));
        assert!(!fits(OsStr::new(&"a".repeat(250)), &pattern[0]));
        assert!(fits(OsStr::new(&"a".repeat(5000)), &pattern[0]));
    }
}
