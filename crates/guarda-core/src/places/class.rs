//! Classes of places: patterns of paths, with exceptions.

use crate::places::kinds::Kinds;
use crate::places::{Place, UNKNOWN, is_any_name, is_pattern, known_ends, meets, parts};
use foldhash::HashMap;

/// Classes of places, as the tables define them: `/etc`, `~/.ssh/**`, `**/.env`, `!**/.env.example`; `^/root/**` applies
/// unless it is one's own home. All share one index, so that a place is looked up once for all of them.
#[derive(Debug, Clone, Default)]
pub struct Atlas {
    members: Patterns,
    spared: Patterns,
}

/// Patterns, grouped by how they are looked up. A place is compared with few patterns besides those that may match it: the
/// tables have hundreds, and every word of a command is looked up.
#[derive(Debug, Clone, Default)]
struct Patterns {
    /// `**/name`.
    names: Named,
    /// `**/name/**`.
    folders: Named,
    /// `**/pat*rn/**`.
    halls: Tails,
    /// `**/pat*rn`.
    tails: Tails,
    /// Those that begin at the root.
    rooted: Sorted,
    /// Those that begin at the home folder.
    homely: Sorted,
    /// Those that begin at the root and do not apply below one's own home folder.
    foreign: Sorted,
    /// All others that begin with `**`, without it.
    deep: Sorted,
}

/// The first and last bytes of names, which avoid nearly all look-ups.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes([u64; 4]);

impl Bytes {
    fn add(&mut self, byte: Option<&u8>) {
        if let Some(byte) = byte
            && let Some(word) = self.0.get_mut(usize::from(byte >> 6))
        {
            *word |= 1 << (byte & 63);
        }
    }

    fn has(&self, byte: Option<&u8>) -> bool {
        byte.is_some_and(|byte| {
            self.0.get(usize::from(byte >> 6)).is_some_and(|word| word & (1 << (byte & 63)) != 0)
        })
    }
}

/// Classes by a name.
#[derive(Debug, Clone, Default)]
struct Named {
    kinds: HashMap<Box<str>, Kinds>,
    heads: Bytes,
}

impl Named {
    fn add(&mut self, name: &str, kind: Kinds) {
        self.heads.add(name.as_bytes().first());
        *self.kinds.entry(name.into()).or_default() |= kind;
    }

    /// Adds the classes of a name, or of all names that a shell pattern matches.
    fn find(&self, part: &str, plain: bool, whole: bool, found: &mut Kinds) {
        if plain {
            if self.heads.has(part.as_bytes().first()) {
                *found |= self.kinds.get(part).copied().unwrap_or_default();
            }
            return;
        }
        let ends = known_ends(part);
        for (name, kind) in &self.kinds {
            if agrees(name, name, ends) && !found.covers(*kind) && meets(part, name, whole) {
                *found |= *kind;
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
}

/// Patterns of one name, by the first byte of every plain name that matches, or otherwise by its last.
#[derive(Debug, Clone, Default)]
struct Tails {
    by_head: HashMap<u8, Vec<(Tail, Kinds)>>,
    by_end: HashMap<u8, Vec<(Tail, Kinds)>>,
    heads: Bytes,
    ends: Bytes,
    /// Those that begin and end with a sign.
    other: Vec<(Tail, Kinds)>,
}

impl Tails {
    fn add(&mut self, pattern: &str, kind: Kinds) {
        let tail = Tail::new(pattern);
        let bytes = pattern.as_bytes();
        let list = match (bytes.get(..tail.head), bytes.get(tail.end..)) {
            (Some([first, ..]), _) => {
                self.heads.add(Some(first));
                self.by_head.entry(*first).or_default()
            }
            (_, Some([.., last])) => {
                self.ends.add(Some(last));
                self.by_end.entry(*last).or_default()
            }
            _ => &mut self.other,
        };
        list.push((tail, kind));
    }

    /// Adds the classes of the patterns that a name matches.
    fn find(&self, name: &str, plain: bool, whole: bool, found: &mut Kinds) {
        let ends = known_ends(name);
        let mut look = |tails: &[(Tail, Kinds)]| {
            for (tail, kind) in tails {
                if !found.covers(*kind) && tail.agrees(ends) && meets(name, &tail.pattern, whole) {
                    *found |= *kind;
                }
            }
        };
        look(&self.other);
        if plain {
            let (first, last) = (name.as_bytes().first(), name.as_bytes().last());
            if let Some(tails) =
                first.filter(|_| self.heads.has(first)).and_then(|byte| self.by_head.get(byte))
            {
                look(tails);
            }
            if let Some(tails) = last.filter(|_| self.ends.has(last)).and_then(|byte| self.by_end.get(byte)) {
                look(tails);
            }
        } else {
            for tails in self.by_head.values().chain(self.by_end.values()) {
                look(tails);
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.by_head.is_empty() && self.by_end.is_empty() && self.other.is_empty()
    }
}

/// A pattern of names, with the beginning and the end of every plain name that matches.
#[derive(Debug, Clone)]
struct Tail {
    pattern: Box<str>,
    head: usize,
    end: usize,
}

impl Tail {
    fn new(pattern: &str) -> Self {
        let sign = |letter: char| matches!(letter, '*' | '?');
        let head = pattern.find(sign).unwrap_or(pattern.len());
        let end = pattern.rfind(sign).map_or(0, |at| at + 1);
        Self { pattern: pattern.into(), head, end }
    }

    /// False if the known beginning or end of a name rules it out. For nearly all names one byte is enough.
    fn agrees(&self, ends: (&str, &str)) -> bool {
        let (head, end) = (self.pattern.get(..self.head), self.pattern.get(self.end..));
        agrees(head.unwrap_or_default(), end.unwrap_or_default(), ends)
    }
}

/// True if two patterns, or a pattern and a name, may begin and end alike: one head begins the other, one end ends it.
#[inline]
fn agrees(head: &str, end: &str, (other_head, other_end): (&str, &str)) -> bool {
    let same = |(one, other): (u8, u8)| one == other;
    end.bytes().rev().zip(other_end.bytes().rev()).all(same) && head.bytes().zip(other_head.bytes()).all(same)
}

/// A pattern in parts, and the class it belongs to.
#[derive(Debug, Clone)]
struct Path {
    parts: Vec<Box<str>>,
    /// The least and the greatest number of parts of a place that matches.
    least: usize,
    most: usize,
    kind: Kinds,
}

impl Path {
    fn new(pattern: &[&str], kind: Kinds) -> Self {
        let least = pattern.iter().filter(|part| **part != "**").count();
        let most = if least == pattern.len() { least } else { usize::MAX };
        Self { parts: pattern.iter().map(|part| (*part).into()).collect(), least, most, kind }
    }
}

/// Patterns by their first part.
#[derive(Debug, Clone, Default)]
struct Sorted {
    plain: HashMap<Box<str>, Vec<Path>>,
    heads: Bytes,
    /// Those whose first part matches many names, and those without parts.
    other: Vec<Path>,
    /// The least number of parts of a place that matches one of the first.
    least: usize,
}

impl Sorted {
    fn add(&mut self, pattern: &[&str], kind: Kinds) {
        let path = Path::new(pattern, kind);
        let list = match pattern.first() {
            Some(first) if !first.contains(['*', '?']) => {
                self.heads.add(first.as_bytes().first());
                self.least = if self.plain.is_empty() { path.least } else { self.least.min(path.least) };
                self.plain.entry((*first).into()).or_default()
            }
            _ => &mut self.other,
        };
        list.push(path);
    }

    /// Adds the classes of the patterns that a place matches.
    fn find(&self, mine: &[&str], whole: bool, found: &mut Kinds) {
        let mut look = |patterns: &[Path]| {
            for path in patterns {
                if (path.least..=path.most).contains(&mine.len())
                    && !found.covers(path.kind)
                    && align(mine, &path.parts, whole)
                {
                    *found |= path.kind;
                }
            }
        };
        look(&self.other);
        match mine.first() {
            _ if mine.len() < self.least => {}
            None => {}
            // A part that may be any name does not target one of these ([`align`]).
            Some(first) if is_pattern(first) && !whole && is_any_name(first) => {}
            Some(first) if is_pattern(first) => {
                let ends = known_ends(first);
                let near = self.plain.iter().filter(|(name, _)| agrees(name, name, ends));
                near.for_each(|(_, patterns)| look(patterns));
            }
            Some(first) => {
                let near = self.heads.has(first.as_bytes().first());
                if let Some(patterns) = near.then(|| self.plain.get(*first)).flatten() {
                    look(patterns);
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.other.is_empty()
    }
}

impl Patterns {
    fn add(&mut self, pattern: &str, kind: Kinds) {
        if let Some(foreign) = pattern.strip_prefix('^') {
            return self.foreign.add(&parts(foreign), kind);
        }
        let (home, body) = match pattern.strip_prefix('~') {
            Some(body) => (true, body),
            None => (false, pattern),
        };
        let cut = parts(body);
        match cut.as_slice() {
            ["**", name] if name.contains(['*', '?']) => self.tails.add(name, kind),
            ["**", name] => self.names.add(name, kind),
            ["**", name, "**"] if name.contains(['*', '?']) => self.halls.add(name, kind),
            ["**", name, "**"] => self.folders.add(name, kind),
            _ if home => self.homely.add(&cut, kind),
            ["**", rest @ ..] => self.deep.add(rest, kind),
            _ => self.rooted.add(&cut, kind),
        }
    }

    /// The classes of the patterns that a place matches.
    fn find(&self, mine: &[&str], home: &str, whole: bool) -> Kinds {
        let mut found = self.find_anywhere(mine, whole);
        self.rooted.find(mine, whole, &mut found);
        match at_home(mine, home, whole) {
            Some(rest) => self.homely.find(rest, whole, &mut found),
            None => self.foreign.find(mine, whole, &mut found),
        }
        found
    }

    /// The same for the patterns that do not fix the beginning of a place.
    fn find_anywhere(&self, mine: &[&str], whole: bool) -> Kinds {
        let mut found = Kinds::NONE;
        if let Some(last) = mine.last() {
            let plain = !is_pattern(last);
            if plain || whole || !is_any_name(last) {
                self.names.find(last, plain, whole, &mut found);
                self.tails.find(last, plain, whole, &mut found);
            }
        }
        if !(self.folders.is_empty() && self.halls.is_empty()) {
            for part in mine {
                let plain = !is_pattern(part);
                if plain || !is_any_name(part) {
                    self.folders.find(part, plain, whole, &mut found);
                    self.halls.find(part, plain, whole, &mut found);
                }
            }
        }
        if !self.deep.is_empty() {
            for from in 0..=mine.len() {
                self.deep.find(mine.get(from..).unwrap_or_default(), whole, &mut found);
            }
        }
        found
    }
}

/// The part of a place below the home folder; `None` if it lies elsewhere, or if the home folder is unknown.
fn at_home<'a>(mine: &'a [&'a str], home: &str, whole: bool) -> Option<&'a [&'a str]> {
    let mut rest = mine;
    for part in home.split('/').filter(|part| !part.is_empty()) {
        let (first, tail) = rest.split_first()?;
        if !meets(first, part, whole) || !whole && is_any_name(first) {
            return None;
        }
        rest = tail;
    }
    (!home.is_empty()).then_some(rest)
}

impl Atlas {
    /// Parses patterns separated by white space. The first text defines the first class, and so on; `None` if there are more
    /// classes than a set can hold.
    #[must_use]
    pub fn read<'a>(classes: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut atlas = Self::default();
        for (at, text) in classes.into_iter().enumerate() {
            let kind = Kinds::numbered(at)?;
            for token in text.split_ascii_whitespace() {
                match token.strip_prefix('!') {
                    Some(spared) => atlas.spared.add(spared, kind),
                    None => atlas.members.add(token, kind),
                }
            }
        }
        Some(atlas)
    }

    /// The classes of a place. A pattern in the place counts if it may match a member, unless it is only `*`. Of a place with an
    /// unknown part, the known parts before and after it count (`$x/.ssh/id`, `/proc/$x/environ`), and names that it is part of
    /// (`.en$x`).
    #[must_use]
    pub fn has(&self, place: &Place, home: &str) -> Kinds {
        self.has_of(&parts(&place.path), place, home)
    }

    /// The classes of a place, and those of a folder when the place is a pattern for everything in it (`/etc/*`).
    #[must_use]
    pub fn has_whole(&self, place: &Place, home: &str) -> Kinds {
        self.has_whole_of(&parts(&place.path), place, home)
    }

    /// Both.
    #[must_use]
    pub fn has_both(&self, place: &Place, home: &str) -> (Kinds, Kinds) {
        let mine = parts(&place.path);
        if place.exact().is_none() {
            return (self.has_of(&mine, place, home), self.has_whole_of(&mine, place, home));
        }
        // For a plain path both readings find the same members.
        let whole = self.members.find(&mine, home, true);
        (self.unless_spared(whole, &mine, home), whole)
    }

    fn has_of(&self, mine: &[&str], place: &Place, home: &str) -> Kinds {
        let hazy = |part: &&str| part.contains(UNKNOWN);
        if let (Some(first), Some(last)) = (mine.iter().position(hazy), mine.iter().rposition(hazy)) {
            let before = mine.get(..first).unwrap_or_default();
            let behind = mine.get(last..).unwrap_or_default();
            let mut found =
                self.members.find(before, home, false) | self.members.find_anywhere(behind, false);
            self.members.rooted.find(mine, false, &mut found);
            return found;
        }
        let found = self.members.find(mine, home, false);
        // An exception exempts a file that is named, but not a pattern that may also match others.
        if place.exact().is_some() { self.unless_spared(found, mine, home) } else { found }
    }

    fn unless_spared(&self, found: Kinds, mine: &[&str], home: &str) -> Kinds {
        if found.is_none() { found } else { found & !self.spared.find(mine, home, false) }
    }

    fn has_whole_of(&self, mine: &[&str], place: &Place, home: &str) -> Kinds {
        if place.has_unknown() {
            return Kinds::NONE;
        }
        let found = self.members.find(mine, home, true);
        match mine.split_last() {
            Some((last, folder)) if is_any_name(last) => found | self.members.find(folder, home, true),
            _ => found,
        }
    }
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
                // The folder may be anything if the file in it is named.
                let aimed = whole || !is_any_name(part) || !tail.is_empty() && **first == *"*";
                aimed && (meets(part, first, whole) || **first == *"*") && align(tail, rest, whole)
            }
        },
    }
}

/// A pattern that is compared by itself, by the notation alone.
#[cfg(test)]
pub(super) struct Alone<'a> {
    text: &'a str,
    parts: Vec<Box<str>>,
}

#[cfg(test)]
impl<'a> Alone<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, parts: parts(text.trim_start_matches(['^', '~'])).into_iter().map(Into::into).collect() }
    }

    pub(super) fn begins(&self, with: &str) -> bool {
        self.text.starts_with(with)
    }

    pub(super) fn fits(&self, mine: &[&str], home: &str, whole: bool) -> bool {
        match (self.text.bytes().next(), self.parts.as_slice()) {
            (Some(b'^'), pattern) => at_home(mine, home, whole).is_none() && align(mine, pattern, whole),
            (Some(b'~'), pattern) => {
                at_home(mine, home, whole).is_some_and(|rest| align(rest, pattern, whole))
            }
            // Everything below a folder of this name. A folder that may have any name does not target one of these.
            (_, [any, name, below]) if **any == *"**" && **below == *"**" => {
                mine.iter().any(|part| !is_any_name(part) && meets(part, name, whole))
            }
            (_, pattern) => align(mine, pattern, whole),
        }
    }
}
