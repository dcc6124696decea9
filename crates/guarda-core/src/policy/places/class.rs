//! Classes of places: patterns of paths, with exceptions.

use crate::policy::places::{MANY, ONE, Place, UNKNOWN, is_pattern, meets, parts};
use foldhash::{HashMap, HashSet};

/// A class of places, as the tables give it: `/etc`, `~/.ssh/**`, `**/.env`, `!**/.env.example`; `^/root/**` is the home
/// of another, and counts for nobody whose own home it is.
#[derive(Debug, Clone, Default)]
pub struct Class {
    members: Patterns,
    spared: Patterns,
}

/// Patterns, sorted by how they are looked up. A place is compared with every pattern that may fit it and with few
/// others: the tables hold hundreds, and each word of a command is asked about.
#[derive(Debug, Clone, Default)]
struct Patterns {
    /// `**/name`.
    names: HashSet<Box<str>>,
    /// `**/name/**`.
    folders: HashSet<Box<str>>,
    /// `**/pat*rn/**`.
    halls: Vec<Tail>,
    /// `**/pat*rn`.
    tails: Vec<Tail>,
    /// Those that begin at the root.
    rooted: Sorted,
    /// Those that begin at the home folder.
    homely: Sorted,
    /// Those that begin at the root and do not count below one's own home folder.
    foreign: Sorted,
    /// All others that begin with `**`, without it.
    deep: Sorted,
}

/// A pattern of names, and what every plain name that fits it begins and ends with.
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

    fn fits(&self, name: &str, plain: bool, whole: bool) -> bool {
        (!plain || self.frames(name)) && meets(name, &self.pattern, whole)
    }

    /// True if a plain name begins and ends as the pattern does. One byte settles it for nearly all of them.
    fn frames(&self, name: &str) -> bool {
        let (pattern, name) = (self.pattern.as_bytes(), name.as_bytes());
        let (head, end) = (pattern.get(..self.head), pattern.get(self.end..));
        let (Some(head), Some(end)) = (head, end) else { return false };
        let same = |one: Option<&u8>, other: Option<&u8>| one.is_none() || one == other;
        same(head.first(), name.first())
            && same(end.last(), name.last())
            && name.starts_with(head)
            && name.ends_with(end)
    }
}

/// A pattern in parts.
type Parts = Vec<Box<str>>;

/// Patterns by their first part.
#[derive(Debug, Clone, Default)]
struct Sorted {
    plain: HashMap<Box<str>, Vec<Parts>>,
    /// Those that begin with a part that fits many names, and those without a part.
    other: Vec<Parts>,
}

impl Sorted {
    fn add(&mut self, pattern: &[&str]) {
        let parts = pattern.iter().map(|part| (*part).into()).collect();
        match pattern.first() {
            Some(first) if !first.contains(['*', '?']) => {
                self.plain.entry((*first).into()).or_default().push(parts);
            }
            _ => self.other.push(parts),
        }
    }

    fn extend(&mut self, others: &Self) {
        for (first, patterns) in &others.plain {
            self.plain.entry(first.clone()).or_default().extend(patterns.iter().cloned());
        }
        self.other.extend(others.other.iter().cloned());
    }

    fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.other.is_empty()
    }

    fn fits(&self, mine: &[&str], whole: bool) -> bool {
        let any = |patterns: &[Parts]| patterns.iter().any(|pattern| align(mine, pattern, whole));
        any(&self.other)
            || match mine.first() {
                None => false,
                Some(first) if is_pattern(first) => self.plain.values().any(|patterns| any(patterns)),
                Some(first) => self.plain.get(*first).is_some_and(|patterns| any(patterns)),
            }
    }
}

impl Patterns {
    fn add(&mut self, pattern: &str) {
        if let Some(foreign) = pattern.strip_prefix('^') {
            return self.foreign.add(&parts(foreign));
        }
        let (home, body) = match pattern.strip_prefix('~') {
            Some(body) => (true, body),
            None => (false, pattern),
        };
        let cut = parts(body);
        match cut.as_slice() {
            ["**", name] if name.contains(['*', '?']) => self.tails.push(Tail::new(name)),
            ["**", name] => {
                self.names.insert((*name).into());
            }
            ["**", name, "**"] if name.contains(['*', '?']) => self.halls.push(Tail::new(name)),
            ["**", name, "**"] => {
                self.folders.insert((*name).into());
            }
            _ if home => self.homely.add(&cut),
            ["**", rest @ ..] => self.deep.add(rest),
            _ => self.rooted.add(&cut),
        }
    }

    fn extend(&mut self, others: &Self) {
        self.names.extend(others.names.iter().cloned());
        self.folders.extend(others.folders.iter().cloned());
        self.halls.extend(others.halls.iter().cloned());
        self.tails.extend(others.tails.iter().cloned());
        self.rooted.extend(&others.rooted);
        self.homely.extend(&others.homely);
        self.foreign.extend(&others.foreign);
        self.deep.extend(&others.deep);
    }

    fn fits(&self, mine: &[&str], home: &str, whole: bool) -> bool {
        self.fits_anywhere(mine, whole)
            || self.rooted.fits(mine, whole)
            || match at_home(mine, home, whole) {
                Some(rest) => self.homely.fits(rest, whole),
                None => !self.foreign.is_empty() && self.foreign.fits(mine, whole),
            }
    }

    /// The patterns that say nothing of where a place begins.
    fn fits_anywhere(&self, mine: &[&str], whole: bool) -> bool {
        if let Some(last) = mine.last() {
            let plain = !is_pattern(last);
            let aimed = plain || whole || !all(last);
            let named = if plain {
                self.names.contains(*last)
            } else {
                aimed && self.names.iter().any(|name| meets(last, name, whole))
            };
            if named || aimed && self.tails.iter().any(|tail| tail.fits(last, plain, whole)) {
                return true;
            }
        }
        if !(self.folders.is_empty() && self.halls.is_empty())
            && mine.iter().any(|part| {
                let plain = !is_pattern(part);
                let named = if plain {
                    self.folders.contains(*part)
                } else if all(part) {
                    return false;
                } else {
                    self.folders.iter().any(|folder| meets(part, folder, whole))
                };
                named || self.halls.iter().any(|hall| hall.fits(part, plain, whole))
            })
        {
            return true;
        }
        !self.deep.is_empty()
            && (0..=mine.len()).any(|from| mine.get(from..).is_some_and(|tail| self.deep.fits(tail, whole)))
    }
}

/// What of a place lies below the home folder; nothing if it does not, or if nobody knows where home is.
fn at_home<'a>(mine: &'a [&'a str], home: &str, whole: bool) -> Option<&'a [&'a str]> {
    let mut rest = mine;
    for part in home.split('/').filter(|part| !part.is_empty()) {
        let (first, tail) = rest.split_first()?;
        if !meets(first, part, whole) || !whole && all(first) {
            return None;
        }
        rest = tail;
    }
    (!home.is_empty()).then_some(rest)
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
            mine.extend(theirs);
        }
    }

    /// True if the place is in this class. A pattern in the place counts if it may find a member, but not where
    /// it is nothing but `*`. Of a place with an unknown stretch count what is known in front of it and behind it
    /// (`$x/.ssh/id`, `/proc/$x/environ`), and what it is a part of (`.en$x`).
    #[must_use]
    pub fn has(&self, place: &Place, home: &str) -> bool {
        let mine = parts(&place.path);
        let hazy = |part: &&str| part.contains(UNKNOWN);
        if let (Some(first), Some(last)) = (mine.iter().position(hazy), mine.iter().rposition(hazy)) {
            let before = mine.get(..first).unwrap_or_default();
            let behind = mine.get(last..).unwrap_or_default();
            return self.members.fits(before, home, false)
                || self.members.rooted.fits(&mine, false)
                || self.members.fits_anywhere(behind, false);
        }
        // An exception spares a file that is named, never a pattern that may find others, too.
        self.members.fits(&mine, home, false)
            && (place.exact().is_none() || !self.spared.fits(&mine, home, false))
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

/// True for a part that is a pattern for (nearly) every name (`*`, `.*`, `?*`, `*.*`), or of which hardly anything is
/// known.
fn all(part: &str) -> bool {
    if !part.contains([MANY, UNKNOWN]) {
        return false;
    }
    let known = part.chars().filter(|letter| !matches!(*letter, MANY | ONE | UNKNOWN | '.')).count();
    known == 0 && !(part.contains(UNKNOWN) && part.starts_with('.'))
        || known < 3 && part.contains(UNKNOWN) && !part.starts_with('.')
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
                // A folder may be any where the file in it is named.
                let aimed = whole || !all(part) || !tail.is_empty() && **first == *"*";
                aimed && (meets(part, first, whole) || **first == *"*") && align(tail, rest, whole)
            }
        },
    }
}
