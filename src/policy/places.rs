//! Where a word points to, as far as that is known without opening anything, and which kinds of places there are.

use crate::action::script::{Piece, Why, Word};
use std::collections::HashSet;

/// Any number of characters but `/` (from an unquoted `*` or an extended pattern).
const MANY: char = '\u{1}';
/// One character but `/` (from an unquoted `?` or `[…]`).
const ONE: char = '\u{2}';
/// A value that is not known: any text, slashes included.
const UNKNOWN: char = '\u{3}';

/// A path: absolute, without `.` and `..`, with patterns and unknown stretches kept apart from plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    path: String,
}

impl Place {
    /// The place that `word` names, leaving out its first `skip` bytes (`--file=`, `if=`).
    ///
    /// `None` where the word is empty or where not even the folder is known.
    #[must_use]
    pub fn of(word: &Word, skip: usize, cwd: Option<&str>, home: &str) -> Option<Self> {
        let mut raw = String::new();
        for (index, piece) in word.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => {
                    raw.push_str(if index == 0 { text.get(skip..).unwrap_or_default() } else { text });
                }
                Piece::Glob(pattern) => push_pattern(&mut raw, pattern),
                Piece::Home => raw.push_str(home),
                Piece::Cwd => raw.push_str(cwd?),
                // Behind a `cd` the reader no longer knows it; who asks may.
                Piece::Unknown(Why::Variable(name)) if name == "PWD" => raw.push_str(cwd?),
                Piece::Unknown(_) => raw.push(UNKNOWN),
            }
        }
        Self::from_raw(&raw, cwd)
    }

    /// The place that a plain text names.
    #[must_use]
    pub fn from_text(text: &str, cwd: Option<&str>, home: &str) -> Option<Self> {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Self::from_raw(&format!("{home}{rest}"), cwd)
            }
            _ => Self::from_raw(text, cwd),
        }
    }

    /// The place that a text names in which `*`, `?` and `[…]` are patterns, though no shell reads it.
    #[must_use]
    pub fn of_pattern(text: &str, cwd: Option<&str>, home: &str) -> Option<Self> {
        let mut raw = String::new();
        match text.strip_prefix("~/") {
            Some(rest) => {
                raw.push_str(home);
                raw.push('/');
                push_pattern(&mut raw, rest);
            }
            None => push_pattern(&mut raw, text),
        }
        Self::from_raw(&raw, cwd)
    }

    fn from_raw(raw: &str, cwd: Option<&str>) -> Option<Self> {
        let raw = raw.strip_prefix("file://").unwrap_or(raw);
        if raw.is_empty() || raw.starts_with(UNKNOWN) {
            return None;
        }
        let mut path = String::with_capacity(raw.len() + 16);
        if !raw.starts_with('/') {
            path.push_str(cwd?.trim_end_matches('/'));
        }
        for part in raw.split('/') {
            match part {
                "" | "." => {}
                ".." => path.truncate(path.rfind('/').unwrap_or(0)),
                _ => {
                    path.push('/');
                    path.push_str(part);
                }
            }
        }
        if path.is_empty() {
            path.push('/');
        }
        Some(Self { path })
    }

    /// The path, if every part of it is known.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        (!self.path.contains([MANY, ONE, UNKNOWN])).then_some(self.path.as_str())
    }

    /// The path up to the first part that is a pattern or unknown.
    #[must_use]
    pub fn known(&self) -> &str {
        match self.path.find([MANY, ONE, UNKNOWN]) {
            None => &self.path,
            Some(at) => {
                let head = self.path.get(..at).unwrap_or_default();
                match head.rfind('/') {
                    Some(0) | None => "/",
                    Some(slash) => head.get(..slash).unwrap_or("/"),
                }
            }
        }
    }

    /// True if the place is `folder` or lies below it, for certain.
    #[must_use]
    pub fn inside(&self, folder: &str) -> bool {
        below(self.known(), folder) || (self.exact().is_some() && below(&self.path, folder))
    }

    /// True if the place is `path` itself or a folder that holds it.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        match self.exact() {
            Some(exact) => below(path, exact),
            None => {
                // `/home/ana/*` holds everything below it.
                let known = self.known();
                below(path, known) && {
                    let mine = parts(&self.path);
                    let theirs = parts(path);
                    mine.len() <= theirs.len()
                        && mine.iter().zip(&theirs).all(|(one, other)| meets(one, other, true))
                }
            }
        }
    }

    fn has_unknown(&self) -> bool {
        self.path.contains(UNKNOWN)
    }
}

fn push_pattern(raw: &mut String, pattern: &str) {
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '@' | '+' | '!' | '?' | '*' if letters.peek() == Some(&'(') => {
                raw.push(MANY);
                let mut depth = 0usize;
                for inner in letters.by_ref() {
                    match inner {
                        '(' => depth += 1,
                        ')' => {
                            depth = depth.saturating_sub(1);
                            if depth == 0 {
                                break;
                            }
                        }
                        _ => {}
                    }
                }
            }
            '*' => {
                if !raw.ends_with(MANY) {
                    raw.push(MANY);
                }
            }
            '?' => raw.push(ONE),
            '[' => {
                raw.push(ONE);
                let mut first = true;
                for inner in letters.by_ref() {
                    if inner == ']' && !first {
                        break;
                    }
                    first = matches!(inner, '!' | '^') && first;
                }
            }
            '\\' => raw.extend(letters.next()),
            _ => raw.push(letter),
        }
    }
}

fn below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// True if some name fits both patterns. Where `whole` is not set, the pattern must be aimed at such a name.
fn meets(name: &str, known: &str, whole: bool) -> bool {
    if name == known {
        return true;
    }
    let (mine, theirs) = (name.contains([MANY, ONE, UNKNOWN]), known.contains(['*', '?']));
    if !mine {
        return theirs && glob(name.as_bytes(), known.as_bytes());
    }
    // A pattern of the shell does not find names that begin with a dot, unless it writes the dot.
    if known.starts_with('.') && name.starts_with([MANY, ONE]) {
        return false;
    }
    if mine && theirs && !whole {
        // Two patterns: they count as meeting only if they ask for the same ending (`*.pem`).
        let tail =
            |text: &str| text.rsplit([MANY, ONE, '*', '?']).next().map(str::to_owned).unwrap_or_default();
        if let Some(stem) = known.strip_suffix('*').filter(|stem| !stem.contains(['*', '?'])) {
            return meets(name, stem, whole);
        }
        return known.starts_with('*') && !tail(known).is_empty() && tail(name).ends_with(&tail(known));
    }
    if mine && !whole {
        // A pattern that names nothing but an ending (`*.txt`) is not aimed at one file.
        let stem = match name.rfind('.') {
            Some(at) if at > 0 => name.get(..at).unwrap_or(name),
            _ => name,
        };
        if stem.chars().all(|letter| matches!(letter, MANY | ONE | UNKNOWN | '.')) && !name.starts_with('.') {
            return false;
        }
    }
    let one: Vec<char> = name.chars().collect();
    let other: Vec<char> = known
        .chars()
        .map(|letter| match letter {
            '*' => MANY,
            '?' => ONE,
            other => other,
        })
        .collect();
    // reach[j]: the first i letters of `one` and the first j of `other` can name the same text.
    let mut reach = vec![false; other.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for j in 0..other.len() {
        let value = reach.get(j).copied().unwrap_or(false) && other.get(j) == Some(&MANY);
        if let Some(slot) = reach.get_mut(j + 1) {
            *slot = value;
        }
    }
    for mine in &one {
        let many = matches!(*mine, MANY | UNKNOWN);
        let mut next = vec![false; other.len() + 1];
        if let Some(slot) = next.first_mut() {
            *slot = many && reach.first().copied().unwrap_or(false);
        }
        for (j, theirs) in other.iter().enumerate() {
            let diagonal = reach.get(j).copied().unwrap_or(false);
            let up = reach.get(j + 1).copied().unwrap_or(false);
            let left = next.get(j).copied().unwrap_or(false);
            let same = *mine == *theirs || *mine == ONE || *theirs == ONE;
            let value = (same && !many && *theirs != MANY && diagonal)
                || (many && (up || left || diagonal))
                || (*theirs == MANY && (up || left || diagonal));
            if let Some(slot) = next.get_mut(j + 1) {
                *slot = value;
            }
        }
        reach = next;
    }
    reach.last().copied().unwrap_or(false)
}

/// A class of places, as the tables give it: `/etc`, `~/.ssh/**`, `**/.env`, `!**/.env.example`.
#[derive(Debug, Clone, Default)]
pub struct Class {
    members: Patterns,
    spared: Patterns,
}

/// Patterns, sorted by how they are looked up.
#[derive(Debug, Clone, Default)]
struct Patterns {
    /// `**/name`.
    names: HashSet<Box<str>>,
    /// `**/name/**`.
    folders: HashSet<Box<str>>,
    /// `**/pat*rn`.
    tails: Vec<Box<str>>,
    /// All others, in parts; true for those that begin at the home folder.
    rest: Vec<(bool, Vec<Box<str>>)>,
}

impl Patterns {
    fn add(&mut self, pattern: &str) {
        let (home, body) = match pattern.strip_prefix('~') {
            Some(body) => (true, body),
            None => (false, pattern),
        };
        let cut = parts(body);
        match cut.as_slice() {
            ["**", name] if name.contains(['*', '?']) => self.tails.push((*name).into()),
            ["**", name] => {
                self.names.insert((*name).into());
            }
            ["**", name, "**"] if !name.contains(['*', '?']) => {
                self.folders.insert((*name).into());
            }
            _ => self.rest.push((home, cut.iter().map(|part| (*part).into()).collect())),
        }
    }

    fn fits(&self, mine: &[&str], home: &str, whole: bool) -> bool {
        if let Some(last) = mine.last() {
            let named = if last.contains([MANY, ONE, UNKNOWN]) {
                (whole || !all(last)) && self.names.iter().any(|name| meets(last, name, whole))
            } else {
                self.names.contains(*last)
            };
            if named || (whole || !all(last)) && self.tails.iter().any(|tail| meets(last, tail, whole)) {
                return true;
            }
        }
        if !self.folders.is_empty()
            && mine.iter().any(|part| {
                if part.contains([MANY, ONE, UNKNOWN]) {
                    !all(part) && self.folders.iter().any(|folder| meets(part, folder, whole))
                } else {
                    self.folders.contains(*part)
                }
            })
        {
            return true;
        }
        self.rest.iter().any(|(at_home, pattern)| {
            if !*at_home {
                return align(mine, pattern, whole);
            }
            let mut rest = mine;
            if home.is_empty() {
                return false;
            }
            for part in home.split('/').filter(|part| !part.is_empty()) {
                match rest.split_first() {
                    Some((first, tail)) if meets(first, part, whole) && (whole || !all(first)) => rest = tail,
                    _ => return false,
                }
            }
            align(rest, pattern, whole)
        })
    }
}

impl Class {
    /// Reads the notation: patterns apart by white space.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut class = Self::default();
        for token in text.split_ascii_whitespace() {
            match token.strip_prefix('!') {
                Some(spared) => class.spared.add(spared),
                None => class.members.add(token),
            }
        }
        class
    }

    /// Adds the patterns of another class.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [(&mut self.members, &other.members), (&mut self.spared, &other.spared)] {
            mine.names.extend(theirs.names.iter().cloned());
            mine.folders.extend(theirs.folders.iter().cloned());
            mine.tails.extend(theirs.tails.iter().cloned());
            mine.rest.extend(theirs.rest.iter().cloned());
        }
    }

    /// True if the place is in this class. A pattern in the place counts if it may find a member, but not where
    /// it is nothing but `*`; an unknown stretch counts as no member, unless what is known already is one.
    #[must_use]
    pub fn has(&self, place: &Place, home: &str) -> bool {
        let mine = parts(&place.path);
        let mine = match mine.iter().position(|part| part.contains(UNKNOWN)) {
            Some(at) => mine.get(..at).unwrap_or_default(),
            None => mine.as_slice(),
        };
        // An exception spares a file that is named, never a pattern that may find others, too.
        self.members.fits(mine, home, false)
            && (place.exact().is_none() || !self.spared.fits(mine, home, false))
    }

    /// True if the place is in this class, or is everything directly in a member (`/etc/*`).
    #[must_use]
    pub fn has_whole(&self, place: &Place, home: &str) -> bool {
        if place.has_unknown() {
            return false;
        }
        let mine = parts(&place.path);
        self.members.fits(&mine, home, true)
            || match mine.split_last() {
                Some((last, folder)) if all(last) => self.members.fits(folder, home, true),
                _ => false,
            }
    }
}

/// True for a part that is a pattern for (nearly) every name: `*`, `.*`, `?*`, `*.*`.
fn all(part: &str) -> bool {
    part.contains(MANY) && part.chars().all(|letter| matches!(letter, MANY | ONE | '.'))
}

fn align(mine: &[&str], theirs: &[Box<str>], whole: bool) -> bool {
    match theirs.split_first() {
        None => mine.is_empty(),
        Some((first, rest)) if **first == *"**" => {
            rest.is_empty()
                || (0..=mine.len()).any(|from| mine.get(from..).is_some_and(|tail| align(tail, rest, whole)))
        }
        Some((first, rest)) => match mine.split_first() {
            None => false,
            Some((part, tail)) => {
                (whole || !all(part)) && meets(part, first, whole) && align(tail, rest, whole)
            }
        },
    }
}

/// True if a name fits a pattern with `*` and `?`.
fn glob(name: &[u8], pattern: &[u8]) -> bool {
    let (mut n, mut p) = (0usize, 0usize);
    let mut back: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(n) {
        match pattern.get(p) {
            Some(b'*') => {
                back = Some((n, p));
                p += 1;
            }
            Some(b'?') => {
                n += 1;
                p += 1;
            }
            Some(other) if other == letter => {
                n += 1;
                p += 1;
            }
            _ => match back {
                Some((from, star)) => {
                    n = from + 1;
                    p = star + 1;
                    back = Some((n, star));
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::script::Span;

    fn word(pieces: &[Piece]) -> Word {
        Word { pieces: pieces.to_vec(), span: Span::default() }
    }

    fn place(text: &str) -> Place {
        Place::from_text(text, Some("/home/ana/p"), "/home/ana").unwrap()
    }

    #[test]
    fn paths_are_made_plain() {
        for (text, path) in [
            ("/", "/"),
            ("/.", "/"),
            ("//etc/../usr/./bin/", "/usr/bin"),
            ("..", "/home/ana"),
            ("../../..", "/"),
            ("../../../../..", "/"),
            ("x/y", "/home/ana/p/x/y"),
            ("~/a", "/home/ana/a"),
        ] {
            assert_eq!(place(text).exact(), Some(path), "{text}");
        }
    }

    #[test]
    fn patterns_find_what_the_shell_would() {
        let secret = Class::read("/etc/shadow ~/.ssh/** **/.env **/.env.* !**/.env.example **/*.pem");
        let has = |pieces: &[Piece]| {
            Place::of(&word(pieces), 0, Some("/home/ana/p"), "/home/ana")
                .is_some_and(|place| secret.has(&place, "/home/ana"))
        };
        let text = |text: &str| Piece::Text(text.to_owned());
        let glob = |text: &str| Piece::Glob(text.to_owned());
        assert!(has(&[text("/etc/sh"), glob("*"), text("w")]));
        assert!(has(&[text("/e"), glob("?"), text("c/shad"), glob("[a-z]"), text("w")]));
        assert!(has(&[Piece::Home, text("/.ssh/"), glob("*")]));
        assert!(has(&[text(".e"), glob("*")]));
        assert!(has(&[text("a/"), glob("*"), text(".pem")]));
        assert!(!has(&[glob("*")]));
        assert!(!has(&[text(".env.example")]));
        assert!(!has(&[glob("*"), text(".txt")]));
        assert!(!has(&[Piece::Unknown(crate::action::script::Why::Arithmetic)]));
    }

    #[test]
    fn a_whole_folder_is_the_folder_or_all_in_it() {
        let system = Class::read("/ /etc /usr /home ~");
        for (pieces, whole) in [
            (vec![Piece::Text("/".into()), Piece::Glob("*".into())], true),
            (vec![Piece::Text("/e".into()), Piece::Glob("*".into())], true),
            (vec![Piece::Text("/etc/".into()), Piece::Glob("*".into())], true),
            (vec![Piece::Home], true),
            (vec![Piece::Text("/tmp/".into()), Piece::Glob("*".into())], false),
            (vec![Piece::Text("/usr/x".into())], false),
        ] {
            let place = Place::of(&word(&pieces), 0, Some("/home/ana/p"), "/home/ana").unwrap();
            assert_eq!(system.has_whole(&place, "/home/ana"), whole, "{place:?}");
        }
    }
}
