//! Merged tables, and the index from the names of programs to their rules.
//!
//! The built-in tables are read by `build.rs`, which includes this file and `table.rs`, so that a start has no TOML to
//! read: [`PackedRules`] borrows from the bytes that [`Layers::to_bytes`] wrote, and a rule is taken from its bytes only when a
//! command first needs it. The layers of a user are laid over each other by the same code at run time. Paths are written with
//! `super` here, because the build script has these two files alone.

use super::rule_error::RuleError;
use super::table::{RuleText, Table};
use std::collections::BTreeMap;

/// Tables being merged: later ones override earlier ones, rule by rule and field by field.
#[derive(Debug, Default)]
pub struct Layers {
    /// Named lists of programs, flags or words.
    pub lists: BTreeMap<String, String>,
    /// Named classes of places.
    pub places: BTreeMap<String, String>,
    /// The rules by id, each with the layer that gave or changed it last.
    pub rules: BTreeMap<String, (String, RuleText)>,
    /// The rules about what a staged run changed, in the same way.
    pub effects: BTreeMap<String, (String, RuleText)>,
}

/// The tables of one profile, as they stand in the binary.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct PackedRules<'a> {
    /// Named lists.
    #[serde(borrow)]
    pub lists: Vec<(&'a str, &'a str)>,
    /// Named classes of places.
    pub places: Vec<(&'a str, &'a str)>,
    /// The rules in the order of their ids.
    pub rules: Vec<PackedRule<'a>>,
    /// Which rules may speak of which program.
    pub index: Index<&'a str>,
    /// The rules about what a staged run changed, packed.
    effects: &'a [u8],
}

/// One packed rule.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct PackedRule<'a> {
    /// The key of its table.
    pub id: &'a str,
    /// False if it is disabled, or not for this profile; a layer may still enable it.
    pub in_force: bool,
    /// The layer and the [`RuleText`], packed.
    #[serde(borrow)]
    packed: &'a [u8],
}

/// From the names of programs to rules, by their places in a list.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Index<S> {
    /// Whole names, sorted; a name stands once for every rule.
    names: Vec<(S, u16)>,
    /// Where the names of each first byte begin, and behind the last of them.
    pages: Vec<u16>,
    /// Rules for `name*`.
    heads: Vec<(S, u16)>,
    /// Rules for every command.
    everywhere: Vec<u16>,
}

fn packing(error: postcard::Error) -> RuleError {
    RuleError::Packing(error.to_string())
}

impl Layers {
    /// Merges a table over the earlier ones. `layer` is the name that findings show; locked rules belong to the floor.
    pub fn lay(&mut self, table: Table, layer: &str) {
        self.lists.extend(table.lists);
        self.places.extend(table.places);
        for (known, rules) in [(&mut self.rules, table.rules), (&mut self.effects, table.effects)] {
            for (id, rule) in rules {
                let layer = if rule.locked == Some(true) { "floor" } else { layer };
                let (old_layer, old) = known.entry(id).or_default();
                layer.clone_into(old_layer);
                old.overlay(rule);
            }
        }
    }

    /// The classes of places, with each `@name` replaced by the patterns of that class.
    ///
    /// # Errors
    /// [`RuleError`], if there is no class of that name, or one holds itself.
    pub fn places(&self) -> Result<BTreeMap<String, String>, RuleError> {
        let whole =
            |(name, text): (&String, &String)| Ok((name.clone(), words(text, &self.places, 0)?.join(" ")));
        self.places.iter().map(whole).collect()
    }

    /// Everything as bytes, for the profile of this name.
    ///
    /// # Errors
    /// [`RuleError`], if a rule refers to a list that is not there, or cannot be packed.
    pub fn to_bytes(&self, profile: &str) -> Result<Vec<u8>, RuleError> {
        let packed =
            self.rules.values().map(postcard::to_stdvec).collect::<Result<Vec<_>, _>>().map_err(packing)?;
        let mut index = Index::default();
        let mut rules = Vec::with_capacity(packed.len());
        for ((id, (_, text)), packed) in self.rules.iter().zip(&packed) {
            let in_force = text.in_force(profile);
            if in_force {
                index.add(rules.len(), text.programs(id), &self.lists)?;
            }
            rules.push(PackedRule { id, in_force, packed });
        }
        index.sort();
        let places = self.places()?;
        let effects = postcard::to_stdvec(&self.effects).map_err(packing)?;
        let pairs =
            |map| BTreeMap::iter(map).map(|(key, text): (&String, &String)| (&**key, &**text)).collect();
        let packed_rules = PackedRules {
            lists: pairs(&self.lists),
            places: pairs(&places),
            rules,
            index: Index {
                names: index.names.iter().map(|(name, at)| (name.as_str(), *at)).collect(),
                pages: index.pages,
                heads: index.heads.iter().map(|(head, at)| (head.as_str(), *at)).collect(),
                everywhere: index.everywhere,
            },
            effects: &effects,
        };
        postcard::to_stdvec(&packed_rules).map_err(packing)
    }
}

impl<'a> PackedRules<'a> {
    /// The rules in these bytes.
    ///
    /// # Errors
    /// [`RuleError`], if they were not written by [`Layers::to_bytes`].
    pub fn open(bytes: &'a [u8]) -> Result<Self, RuleError> {
        postcard::from_bytes(bytes).map_err(packing)
    }

    /// The rules about what a staged run changed, by id, each with its layer.
    ///
    /// # Errors
    /// [`RuleError`], if the bytes are broken.
    pub fn effects(&self) -> Result<BTreeMap<String, (String, RuleText)>, RuleError> {
        postcard::from_bytes(self.effects).map_err(packing)
    }

    /// The place of a rule.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.rules.binary_search_by(|entry| entry.id.cmp(id)).ok()
    }
}

impl PackedRule<'_> {
    /// The layer's name, and the rule as it was written.
    ///
    /// # Errors
    /// [`RuleError`], if the bytes are broken.
    pub fn unpack(&self) -> Result<(String, RuleText), RuleError> {
        postcard::from_bytes(self.packed).map_err(packing)
    }
}

impl Index<String> {
    /// Adds the rule at a place, for these programs. [`Index::sort`] comes after the last one.
    ///
    /// # Errors
    /// [`RuleError`], if a list is not there, or if there are more than 65,535 rules.
    pub fn add(
        &mut self,
        at: usize,
        programs: &str,
        lists: &BTreeMap<String, String>,
    ) -> Result<(), RuleError> {
        let at = u16::try_from(at).map_err(|_| RuleError::TooMany("rules"))?;
        for name in words(programs, lists, 0)? {
            if name == "*" {
                self.everywhere.push(at);
            } else if let Some(head) = name.strip_suffix('*') {
                self.heads.push((head.to_owned(), at));
            } else {
                self.names.push((name.to_owned(), at));
            }
        }
        Ok(())
    }

    /// Puts the names in order.
    pub fn sort(&mut self) {
        self.names.sort();
        self.names.dedup();
        let first = |name: &str| name.bytes().next().unwrap_or_default();
        let before = |byte: u8| self.names.partition_point(|(name, _)| first(name) < byte);
        let pages = (0..=u8::MAX).map(before).chain([self.names.len()]);
        // If there are too many names to number, all of them are searched.
        self.pages = pages.map(u16::try_from).collect::<Result<_, _>>().unwrap_or_default();
    }
}

impl<S: AsRef<str>> Index<S> {
    /// The indices of the rules that may apply to a program of this name: those for every command first.
    pub fn of(&self, name: Option<&str>) -> impl Iterator<Item = usize> {
        let page = name.and_then(|name| self.page(name)).unwrap_or(&self.names);
        let start = name.map_or(0, |name| page.partition_point(|(known, _)| known.as_ref() < name));
        let named = page
            .iter()
            .skip(start)
            .map_while(move |(known, at)| (Some(known.as_ref()) == name).then_some(*at));
        let headed = self
            .heads
            .iter()
            .filter(move |(head, _)| name.is_some_and(|name| name.starts_with(head.as_ref())))
            .map(|(_, at)| *at);
        self.everywhere.iter().copied().chain(named).chain(headed).map(usize::from)
    }
}

impl<S> Index<S> {
    /// The names that begin with the same byte.
    fn page(&self, name: &str) -> Option<&[(S, u16)]> {
        let byte = usize::from(name.bytes().next().unwrap_or_default());
        let (start, end) = (self.pages.get(byte)?, self.pages.get(byte + 1)?);
        self.names.get(usize::from(*start)..usize::from(*end))
    }
}

/// The words of a text, with each `@name` replaced by the words of that list.
///
/// # Errors
/// [`RuleError`], if a list is not there or holds itself.
pub fn words<'a>(
    text: &'a str,
    lists: &'a BTreeMap<String, String>,
    depth: usize,
) -> Result<Vec<&'a str>, RuleError> {
    let mut all = Vec::new();
    for token in text.split_ascii_whitespace() {
        let Some(name) = token.strip_prefix('@') else {
            all.push(token);
            continue;
        };
        let list = lists.get(name).ok_or_else(|| RuleError::NoList(name.to_owned()))?;
        if depth > 4 {
            return Err(RuleError::Circular(name.to_owned()));
        }
        all.extend(words(list, lists, depth + 1)?);
    }
    Ok(all)
}
