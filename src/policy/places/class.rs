//! Classes of places: patterns of paths, with exceptions.

use crate::policy::places::{MANY, ONE, Place, UNKNOWN, meets, parts};
use std::collections::HashSet;

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
