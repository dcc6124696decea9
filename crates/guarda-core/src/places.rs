//! The path that a word names, as far as it is known without opening anything, and the classes of places.

mod class;
mod kinds;

pub use class::Atlas;
pub use kinds::Kinds;

use guarda_shell::script::{Piece, UnknownCause, Word};
use std::borrow::Cow;

/// Any number of characters but `/` (from an unquoted `*` or an extended pattern).
const MANY: char = '\u{1}';
/// One character but `/` (from an unquoted `?` or `[…]`).
const ONE: char = '\u{2}';
/// An unknown value: any text, including slashes.
const UNKNOWN: char = '\u{3}';

/// An absolute path without `.` and `..`, with patterns and unknown parts distinguished from plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    path: String,
    /// No part of it is a pattern or unknown.
    plain: bool,
}

impl Place {
    /// The place that `word` names, leaving out its first `skip` bytes (`--file=`, `if=`).
    ///
    /// `None` if the word is empty, or if it is relative to an unknown folder.
    #[must_use]
    pub fn of(word: &Word, skip: usize, cwd: Option<&str>, home: &str) -> Option<Self> {
        Self::from_raw(&raw(word, skip, cwd, home)?, cwd)
    }

    /// The place of a text below an unknown folder, as [`raw_below`] gives it (`$x/.ssh/id`, `~ana/.netrc`, or a name after a
    /// `cd` to an unknown folder): the known rest of the path.
    pub(crate) fn below_unknown(raw: &str) -> Option<Self> {
        Self::from_raw(&format!("/{UNKNOWN}/{raw}"), None)
    }

    /// The place that a plain text names.
    ///
    /// ```
    /// use guarda_core::places::Place;
    ///
    /// let place = Place::from_text("../notes", Some("/home/ana/work"), "/home/ana");
    /// assert!(place.is_some_and(|place| place.exact() == Some("/home/ana/notes") && place.inside("/home/ana")));
    /// ```
    #[must_use]
    pub fn from_text(text: &str, cwd: Option<&str>, home: &str) -> Option<Self> {
        match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Self::from_raw(&format!("{home}{rest}"), cwd)
            }
            _ => Self::from_raw(text, cwd),
        }
    }

    /// The place that a text names, with `*`, `?` and `[…]` as patterns although no shell expands them.
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

    /// The place of a text in which [`raw`] has marked patterns and unknown parts.
    pub(crate) fn from_raw(raw: &str, cwd: Option<&str>) -> Option<Self> {
        let raw = raw.strip_prefix("file://").unwrap_or(raw);
        if raw.is_empty() || raw.starts_with(UNKNOWN) {
            return None;
        }
        let folder = if raw.starts_with('/') { "" } else { cwd?.trim_end_matches('/') };
        let mut path = String::with_capacity(folder.len() + raw.len() + 1);
        path.push_str(folder);
        for part in pieces(raw) {
            match part {
                "" | "." => {}
                // A link to another process's folder leads elsewhere, so `..` is not the folder of its entry.
                ".." if leads_away(&path) => {}
                ".." => path.truncate(path.rfind('/').unwrap_or(0)),
                _ => {
                    path.push('/');
                    path.push_str(part);
                    // The kernel's links to the folder and the root of the process that asks.
                    match own_link(&path) {
                        Some("root") => path.clear(),
                        Some("cwd") => {
                            path.clear();
                            path.push_str(cwd?.trim_end_matches('/'));
                        }
                        _ => {}
                    }
                }
            }
        }
        if path.is_empty() {
            path.push('/');
        }
        let plain = !is_pattern(&path);
        Some(Self { path, plain })
    }

    /// The path, if every part of it is known.
    #[must_use]
    pub fn exact(&self) -> Option<&str> {
        self.plain.then_some(self.path.as_str())
    }

    /// The path with its patterns and unknown parts marked: by it the names that a pattern stands for are found again
    /// ([`crate::policy::Situation::listed`]).
    #[must_use]
    pub fn marked(&self) -> &str {
        &self.path
    }

    /// The path up to the first part that is a pattern or unknown.
    #[must_use]
    pub fn known(&self) -> &str {
        if self.plain {
            return &self.path;
        }
        match self.path.bytes().position(is_sign) {
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

    /// True if the place certainly is `folder` or lies below it.
    #[must_use]
    pub fn inside(&self, folder: &str) -> bool {
        below(self.known(), folder)
    }

    /// True for a path that only names a stream which the program has already opened: writing there changes nothing on disk.
    pub(crate) fn is_stream(&self) -> bool {
        ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd"]
            .iter()
            .any(|stream| self.inside(stream))
    }

    /// True if the place is `path` or a folder above it.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        match self.exact() {
            Some(exact) => below(path, exact),
            None => {
                // `/home/ana/*` holds everything below it.
                let mut theirs = names(path);
                below(path, self.known())
                    && names(&self.path).all(|one| theirs.next().is_some_and(|other| meets(one, other, true)))
            }
        }
    }

    /// True if the place is `folder` or lies below it, for some expansion of its patterns.
    #[must_use]
    pub fn may_be_inside(&self, folder: &str) -> bool {
        if self.plain && !folder.contains(['*', '?']) {
            return below(&self.path, folder);
        }
        let (head, _) = known_ends(&self.path);
        if !head.bytes().zip(folder.bytes()).all(|(one, other)| one == other) && !folder.contains(['*', '?'])
        {
            return false;
        }
        let mut mine = names(&self.path);
        names(folder).all(|known| mine.next().is_some_and(|name| meets(name, known, true)))
    }

    /// True if a part of the place is unknown, and the known part before it leads to `folder` or to a folder above it and below
    /// `home`.
    #[must_use]
    pub fn may_lead_to(&self, folder: &str, home: &str) -> bool {
        let known = self.known();
        self.has_unknown() && below(folder, known) && known.len() > home.len() && below(known, home)
    }

    /// True if a part of the place is unknown and no other part names anything: it may be any place and targets none.
    #[must_use]
    pub fn is_vague(&self) -> bool {
        self.has_unknown() && names(&self.path).all(is_any_name)
    }

    /// True if it names files by a pattern in a known folder: `/home/ana/app/a*`.
    #[must_use]
    pub fn is_listing(&self) -> bool {
        let known = |folder: &str| folder.starts_with('/') && names(folder).all(|part| !is_pattern(part));
        self.path
            .rsplit_once('/')
            .is_some_and(|(folder, last)| is_pattern(last) && !self.has_unknown() && known(folder))
    }

    fn has_unknown(&self) -> bool {
        !self.plain && self.path.contains(UNKNOWN)
    }
}

/// The text of a word, with its patterns and unknown parts marked; `None` if it is relative to an unknown folder.
pub(crate) fn raw<'w>(word: &'w Word, skip: usize, cwd: Option<&str>, home: &str) -> Option<Cow<'w, str>> {
    marked(word, skip, cwd, home, true)
}

/// The same below an unknown folder.
pub(crate) fn raw_below<'w>(word: &'w Word, skip: usize, home: &str) -> Option<Cow<'w, str>> {
    marked(word, skip, None, home, false)
}

fn marked<'w>(
    word: &'w Word,
    skip: usize,
    cwd: Option<&str>,
    home: &str,
    first: bool,
) -> Option<Cow<'w, str>> {
    if let [Piece::Text(text)] = word.pieces.as_slice() {
        return Some(Cow::Borrowed(text.get(skip..).unwrap_or_default()));
    }
    let mut raw = String::with_capacity(64);
    for (index, piece) in word.pieces.iter().enumerate() {
        match piece {
            Piece::Text(text) => {
                raw.push_str(if index == 0 { text.get(skip..).unwrap_or_default() } else { text });
            }
            Piece::Glob(pattern) => push_pattern(&mut raw, pattern),
            // When a function runs, the line may have changed HOME. A line that sets HOME is asked about, so here it counts as
            // the home folder.
            Piece::Home => raw.push_str(home),
            Piece::Unknown(UnknownCause::Variable(name)) if name == "HOME" => raw.push_str(home),
            Piece::Cwd => raw.push_str(cwd?),
            // After a `cd` the reader no longer knows the folder, but the caller may.
            Piece::Unknown(UnknownCause::Variable(name)) if name == "PWD" => raw.push_str(cwd?),
            // `~ana` may be this user, and another home is as sensitive as one's own.
            Piece::Unknown(UnknownCause::HomeOf(_)) if index == 0 && first => raw.push_str(home),
            Piece::Unknown(_) => raw.push(UNKNOWN),
        }
    }
    Some(Cow::Owned(raw))
}

/// The last part of `/proc/self/root` and `/proc/self/cwd`, also through `/proc/self/task`. The first process has the same
/// root.
fn own_link(path: &str) -> Option<&str> {
    if path == "/proc/1/root" {
        return Some("root");
    }
    let rest = path.strip_prefix("/proc/self/").or_else(|| path.strip_prefix("/proc/thread-self/"))?;
    let mut parts = rest.split('/');
    let first = match (parts.next()?, parts.next()) {
        ("task", Some(_)) => parts.next()?,
        (first, None) => first,
        _ => return None,
    };
    (parts.next().is_none() && matches!(first, "root" | "cwd")).then_some(first)
}

/// True for a kernel link to a folder of some process, from which `..` leads to an unknown folder.
fn leads_away(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/proc/") else { return false };
    let parts: Vec<&str> = rest.split('/').collect();
    matches!(parts.as_slice(), [_, .., "root" | "cwd"] | [_, .., "fd", _])
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

/// True for a part of a place that is no plain name.
#[inline]
fn is_pattern(part: &str) -> bool {
    part.bytes().any(is_sign)
}

/// True for a byte that marks a pattern or an unknown part of a path.
#[inline]
fn is_sign(byte: u8) -> bool {
    matches!(byte, 1..=3)
}

fn below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    // For nearly all paths, comparing the last bytes is enough.
    matches!(path.as_bytes().get(folder.len()), None | Some(b'/')) && path.starts_with(folder)
}

fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::with_capacity(8);
    parts.extend(names(path));
    parts
}

fn names(path: &str) -> impl Iterator<Item = &str> {
    pieces(path).filter(|part| !part.is_empty())
}

/// The parts of a path. Every word of a line passes through here, and searching for a byte is faster than searching for a
/// character.
fn pieces(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        let end = path.bytes().position(|byte| byte == b'/');
        rest = end.and_then(|end| path.get(end + 1..));
        end.map_or(Some(path), |end| path.get(..end))
    })
}

/// The text before the first and after the last pattern sign of a name; the whole name twice if it has none.
#[inline]
fn known_ends(name: &str) -> (&str, &str) {
    let bytes = name.as_bytes();
    let (Some(first), Some(last)) =
        (bytes.iter().position(|byte| is_sign(*byte)), bytes.iter().rposition(|byte| is_sign(*byte)))
    else {
        return (name, name);
    };
    (name.get(..first).unwrap_or_default(), name.get(last + 1..).unwrap_or_default())
}

/// True if some name matches both patterns. Unless `whole` is set, the pattern must target such a name.
fn meets(name: &str, known: &str, whole: bool) -> bool {
    if name == known {
        return true;
    }
    let theirs = known.bytes().any(|byte| matches!(byte, b'*' | b'?'));
    if !is_pattern(name) {
        return theirs && glob(name, known, |byte| byte == b'*', b'?');
    }
    // A pattern of the shell does not find names that begin with a dot, unless it writes the dot.
    if known.starts_with('.') && name.starts_with([MANY, ONE]) {
        return false;
    }
    // For nearly all names, the text before the first and after the last sign is enough.
    let (head, end) = known_ends(name);
    if !(theirs || known.starts_with(head) && known.ends_with(end)) {
        return false;
    }
    if theirs && !whole {
        // Two patterns match only if they require the same ending (`*.pem`).
        let tail =
            |text: &str| text.rsplit([MANY, ONE, '*', '?']).next().map(str::to_owned).unwrap_or_default();
        if let Some(stem) = known.strip_suffix('*').filter(|stem| !stem.contains(['*', '?'])) {
            return meets(name, stem, whole);
        }
        return known.starts_with('*') && !tail(known).is_empty() && tail(name).ends_with(&tail(known));
    }
    if !whole {
        // A pattern that consists of an ending alone (`*.txt`) does not target one file.
        let stem = match name.rfind('.') {
            Some(at) if at > 0 => name.get(..at).unwrap_or(name),
            _ => name,
        };
        if stem.chars().all(|letter| matches!(letter, MANY | ONE | UNKNOWN | '.')) && !name.starts_with('.') {
            return false;
        }
    }
    if !theirs {
        return glob(known, name, |byte| matches!(byte, 1 | 3), 2);
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

/// True if a name matches a pattern, in which some bytes stand for any text and one for a single character.
fn glob(name: &str, pattern: &str, many: fn(u8) -> bool, one: u8) -> bool {
    let (name, pattern) = (name.as_bytes(), pattern.as_bytes());
    let (mut n, mut p) = (0usize, 0usize);
    let mut back: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(n) {
        match pattern.get(p) {
            Some(sign) if many(*sign) => {
                back = Some((n, p));
                p += 1;
            }
            Some(sign) if *sign == one => {
                // The rest of a multi-byte character.
                let more = name.iter().skip(n + 1).take_while(|byte| **byte & 0xc0 == 0x80).count();
                n += 1 + more;
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
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|byte| many(*byte)))
}

/// True for a part of a path that matches nearly every name (`*`, `.*`, `?*`, `*.*`) or whose text is mostly unknown.
fn is_any_name(part: &str) -> bool {
    if !part.contains([MANY, UNKNOWN]) {
        return false;
    }
    let known = part.chars().filter(|letter| !matches!(*letter, MANY | ONE | UNKNOWN | '.')).count();
    known == 0 && !(part.contains(UNKNOWN) && part.starts_with('.'))
        || known < 3 && part.contains(UNKNOWN) && !part.starts_with('.')
}

#[cfg(test)]
mod tests;
