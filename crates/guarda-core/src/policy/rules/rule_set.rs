//! The rules in force, and the look-ups of them: the built-in ones in their [`PackedRules`], and those of the layers.

use crate::policy::RuleError;
use crate::policy::effect_rules::{self, EffectRule};
use crate::policy::rules::packed_rules::{self, Index, Layers, PackedRule, PackedRules};
use crate::policy::rules::rule::{Names, Rule};
use crate::policy::rules::table;
use crate::policy::{Layer, PolicyError, PolicyFault, Profile};
use foldhash::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The rules of a policy.
#[derive(Debug)]
pub(crate) struct RuleSet {
    packed_rules: PackedRules<'static>,
    /// The packed rules, each unpacked when it is first needed.
    taken: Vec<OnceLock<Box<Rule>>>,
    /// Per packed rule: true if it is not in force, or a layer changed it.
    away: Vec<bool>,
    /// The rules that the layers give or change, by id.
    own: Vec<Rule>,
    own_index: Index<String>,
    /// The rules about changes that the layers give or change.
    own_effects: BTreeMap<String, (String, table::RuleText)>,
    /// All rules about changes, read when a staged run first needs them.
    effects: OnceLock<Vec<EffectRule>>,
    names: Names,
    /// The words of the named lists, each read when it is first asked for.
    words: HashMap<Box<str>, OnceLock<HashSet<Box<str>>>>,
}

/// The tables of a profile, packed by `build.rs`.
fn packed(profile: Profile) -> &'static [u8] {
    match profile {
        Profile::Desktop => include_bytes!(concat!(env!("OUT_DIR"), "/desktop.rules")),
        Profile::Workspace => include_bytes!(concat!(env!("OUT_DIR"), "/workspace.rules")),
        Profile::Forensics => include_bytes!(concat!(env!("OUT_DIR"), "/forensics.rules")),
        Profile::Container => include_bytes!(concat!(env!("OUT_DIR"), "/container.rules")),
    }
}

impl RuleSet {
    /// The built-in rules of a profile, with the layers on top.
    pub(crate) fn open(profile: Profile, layers: &[Layer<'_>]) -> Result<Self, PolicyError> {
        let broken = |error: RuleError| PolicyError {
            layer: "built-in".to_owned(),
            line: 0,
            fault: PolicyFault::Rule(error),
        };
        let packed_rules = PackedRules::open(packed(profile)).map_err(broken)?;
        let owned = |(key, text): &(&str, &str)| ((*key).to_owned(), (*text).to_owned());
        let mut rule_set = Self {
            taken: packed_rules.rules.iter().map(|_| OnceLock::new()).collect(),
            away: packed_rules.rules.iter().map(|entry| !entry.in_force).collect(),
            own: Vec::new(),
            own_index: Index::default(),
            own_effects: BTreeMap::new(),
            effects: OnceLock::new(),
            names: Names::new(packed_rules.lists.iter().map(owned).collect(), packed_rules.places.clone())
                .map_err(broken)?,
            words: packed_rules.lists.iter().map(|(name, _)| ((*name).into(), OnceLock::new())).collect(),
            packed_rules,
        };
        rule_set.add(profile, layers)?;
        Ok(rule_set)
    }

    /// Adds the rules that the layers define or change. The layers are merged first.
    fn add(&mut self, profile: Profile, layers: &[Layer<'_>]) -> Result<(), PolicyError> {
        let mut merged = Layers::default();
        for layer in layers {
            let fault = |line, fault| PolicyError { layer: layer.name.to_owned(), line, fault };
            let mut table =
                table::read(layer.text).map_err(|why| fault(why.line, PolicyFault::Table(why.fault)))?;
            let lists = std::mem::take(&mut table.lists);
            let named = |(name, list): (String, String)| (format!("{}.{name}", layer.name), list);
            self.names.lists.extend(lists.into_iter().map(named));
            for (id, rule) in &table.rules {
                let fault = |why| fault(table::line_of(layer.text, id), why);
                let at = self.packed_rules.find(id);
                let old =
                    at.and_then(|at| self.packed_rules.rules.get(at)).map(PackedRule::unpack).transpose();
                keep(&mut merged.rules, id, rule, old).map_err(fault)?;
                if let Some(away) = at.and_then(|at| self.away.get_mut(at)) {
                    *away = true;
                }
            }
            for (id, rule) in &table.effects {
                let fault = |why| fault(table::line_of_effect(layer.text, id), why);
                let old = self.packed_rules.effects().map(|mut effects| effects.remove(id));
                keep(&mut merged.effects, id, rule, old).map_err(fault)?;
            }
            merged.lay(table, layer.name);
        }
        // Only for errors, since finding the line searches the whole text.
        let fault = |layer: &str, id: &str, line: fn(&str, &str) -> usize, why: RuleError| PolicyError {
            layer: layer.to_owned(),
            line: layers.iter().find(|known| known.name == layer).map_or(0, |layer| line(layer.text, id)),
            fault: PolicyFault::Rule(RuleError::Within(id.to_owned(), Box::new(why))),
        };
        for (id, (layer, text)) in &merged.effects {
            let known = effect_rules::check(id, text, &self.names);
            known.map_err(|why| fault(layer, id, table::line_of_effect, why))?;
        }
        self.own_effects = merged.effects;
        for (id, (layer, text)) in merged.rules {
            if !text.in_force(profile.name()) {
                continue;
            }
            let fault = |why| fault(&layer, &id, table::line_of, why);
            let rule = Rule::new(id.clone(), &layer, text).map_err(fault)?;
            rule.ready(&self.names).map_err(|error| fault(error.clone()))?;
            self.own_index.add(self.own.len(), rule.programs(), &self.names.lists).map_err(fault)?;
            self.own.push(rule);
        }
        self.own_index.sort();
        Ok(())
    }

    /// The rules about changes that are in force, by id.
    pub(crate) fn effects(&self, profile: Profile) -> &[EffectRule] {
        self.effects.get_or_init(|| {
            // If the built-in rules are missing, no rule allows anything, so everything is asked about.
            let mut texts = self.packed_rules.effects().unwrap_or_default();
            texts.extend(self.own_effects.clone());
            effect_rules::read(&texts, profile.name(), &self.names)
        })
    }

    /// The packed rule at this index, unpacked once; `None` if it is not in force or a layer changed it.
    fn take(&self, at: usize) -> Option<&Rule> {
        if self.away.get(at).copied().unwrap_or(true) {
            return None;
        }
        let (entry, taken) = (self.packed_rules.rules.get(at)?, self.taken.get(at)?);
        Some(taken.get_or_init(|| {
            let rule = entry
                .unpack()
                .and_then(|(layer, text)| Rule::new(entry.id.to_owned(), &layer, text))
                .unwrap_or_else(|why| Rule::broken(entry.id.to_owned(), why));
            Box::new(rule)
        }))
    }

    /// The rules in force, by id.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &Rule> {
        let unpacked = (0..self.taken.len()).filter_map(|at| self.take(at));
        let mut rules: Vec<&Rule> = unpacked.chain(&self.own).collect();
        rules.sort_by(|one, other| one.id.cmp(&other.id));
        rules.into_iter()
    }

    /// One rule by its id.
    pub(crate) fn rule(&self, id: &str) -> Option<&Rule> {
        self.own
            .iter()
            .find(|rule| rule.id == id)
            .or_else(|| self.packed_rules.find(id).and_then(|at| self.take(at)))
    }

    /// The rules that may apply to a program of this name: the packed ones first.
    pub(crate) fn rules_for(&self, name: Option<&str>) -> impl Iterator<Item = &Rule> {
        let unpacked = self.packed_rules.index.of(name).filter_map(|at| self.take(at));
        unpacked.chain(self.own_index.of(name).filter_map(|at| self.own.get(at)))
    }

    /// True if a list that the code uses contains this word.
    pub(crate) fn listed(&self, list: &str, word: &str) -> bool {
        let lists = &self.names.lists;
        self.words.get(list).zip(lists.get(list)).is_some_and(|(words, text)| {
            let read = || {
                packed_rules::words(text, lists, 0).unwrap_or_default().into_iter().map(Into::into).collect()
            };
            words.get_or_init(read).contains(word)
        })
    }

    /// The names that rules refer to.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }
}

/// Adds the built-in rule that a layer changes, so that the layer's fields can be laid over it.
///
/// # Errors
/// The reason, if the layer may not change it.
fn keep(
    merged: &mut BTreeMap<String, (String, table::RuleText)>,
    id: &str,
    given: &table::RuleText,
    old: Result<Option<(String, table::RuleText)>, RuleError>,
) -> Result<(), PolicyFault> {
    if given.locked == Some(true) {
        return Err(PolicyFault::Locks(id.to_owned()));
    }
    let Some(old) = old.map_err(PolicyFault::Rule)? else { return Ok(()) };
    if old.1.locked == Some(true) {
        return Err(PolicyFault::Locked(id.to_owned()));
    }
    merged.entry(id.to_owned()).or_insert(old);
    Ok(())
}
