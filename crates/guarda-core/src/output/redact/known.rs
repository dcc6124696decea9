//! Hides a value everywhere once it has been found: `user: X password: X`.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::place::SecretRange;
use super::value::Shape;

/// The most values that a stream remembers.
const MOST: usize = 4096;

/// The most new values that are searched one by one before one search is built for all.
const FRESH: usize = 64;

/// Kinds and weights by value.
type Values = BTreeMap<String, (String, u8)>;

/// The values found in earlier parts of a stream.
#[derive(Debug, Default)]
pub(super) struct Known {
    old: Group,
    fresh: Group,
}

#[derive(Debug, Default)]
struct Group {
    values: Values,
    finder: Option<AhoCorasick>,
}

/// Adds the other places of these values and of earlier ones.
pub(super) fn repeat(text: &str, places: &mut Vec<SecretRange>, known: Option<&mut Known>) {
    let mut here = Group::default();
    for place in places.iter() {
        let value = text.get(place.from..place.to).unwrap_or_default();
        if is_telling(value) {
            here.add(value, &place.kind, place.weight);
        }
    }
    here.find(text, places);
    let Some(known) = known else { return };
    known.old.find(text, places);
    known.fresh.find(text, places);
    for (value, (kind, weight)) in here.values {
        if known.old.values.len() < MOST && !known.old.values.contains_key(&value) {
            known.fresh.add(&value, &kind, weight);
        }
    }
    if known.fresh.values.len() >= FRESH {
        known.old.values.append(&mut known.fresh.values);
        known.old.finder = None;
        known.fresh.finder = None;
    }
}

impl Known {
    /// Whether one of the values stands in a text. Nothing is learned from the text.
    pub fn stands_in(&mut self, text: &str) -> bool {
        let mut places = Vec::new();
        self.old.find(text, &mut places);
        self.fresh.find(text, &mut places);
        !places.is_empty()
    }
}

impl Group {
    fn add(&mut self, value: &str, kind: &str, weight: u8) {
        if !self.values.contains_key(value) {
            self.values.insert(value.to_owned(), (kind.to_owned(), weight));
            self.finder = None;
        }
    }

    fn find(&mut self, text: &str, places: &mut Vec<SecretRange>) {
        if self.values.is_empty() {
            return;
        }
        if self.finder.is_none() {
            self.finder =
                AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(self.values.keys()).ok();
        }
        let Some(finder) = &self.finder else { return };
        let values: Vec<_> = self.values.values().collect();
        places.extend(finder.find_iter(text).filter_map(|hit| {
            let (kind, weight) = values.get(hit.pattern().as_usize())?;
            Some(SecretRange { from: hit.start(), to: hit.end(), kind: kind.clone(), weight: *weight })
        }));
    }
}

/// Whether a value is distinctive enough to mean the same everywhere.
fn is_telling(value: &str) -> bool {
    let shape = Shape::of(value);
    (8..=256).contains(&shape.len)
        && shape.digit > 0
        && shape.lower + shape.upper > 0
        && !value.contains(char::is_whitespace)
}
