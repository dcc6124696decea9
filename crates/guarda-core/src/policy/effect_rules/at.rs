//! The places at which a rule about changes applies.

use std::collections::BTreeSet;

use crate::places::Atlas;
use crate::policy::RuleError;
use crate::policy::rules::rule::Names;

/// The places at which a rule applies; anywhere if nothing is set.
#[derive(Debug, Default)]
pub(super) struct At {
    /// Any of these is enough.
    pub(super) any: bool,
    pub(super) class: Option<Atlas>,
    /// The folders that contain a place of the class, for folders that are created or deleted as a whole.
    pub(super) above: Option<Atlas>,
    pub(super) named: Vec<NamedPlace>,
}

/// A place that no class describes: it depends on the situation, or on the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum NamedPlace {
    Guard,
    Settings,
    Protected,
    ConfinedAway,
    Inside,
    Outside,
    /// What git's configuration names.
    GitNamed,
}

impl At {
    pub(super) fn read(text: &str, names: &Names) -> Result<Self, RuleError> {
        let mut at = Self::default();
        let mut patterns = String::new();
        for token in text.split_ascii_whitespace() {
            at.any = true;
            if let Ok(named) = token.parse() {
                at.named.push(named);
                continue;
            }
            let class = names.place_text(token).or_else(|| token.contains(['/', '~']).then_some(token));
            patterns.push_str(class.ok_or_else(|| RuleError::NoClass(token.to_owned()))?);
            patterns.push(' ');
        }
        if !patterns.is_empty() {
            at.class = Atlas::read([patterns.as_str()]);
            at.above = Atlas::read([above(&patterns).as_str()]);
        }
        Ok(at)
    }

    /// True if it names a path, and not only whether one lies in the session's folders.
    pub(super) fn singles_out(&self) -> bool {
        let narrow = |named: &NamedPlace| !matches!(named, NamedPlace::Inside | NamedPlace::Outside);
        self.class.is_some() || self.named.iter().any(narrow)
    }
}

/// The folders in which places of these patterns lie, as patterns: `**/.git` and `**/.git/hooks` for `**/.git/hooks/**`. What the
/// patterns leave out stays left out.
fn above(patterns: &str) -> String {
    let mut folders = BTreeSet::new();
    for pattern in patterns.split_ascii_whitespace() {
        if pattern.starts_with('!') {
            folders.insert(pattern);
            continue;
        }
        for (at, _) in pattern.match_indices('/') {
            let folder = pattern.get(..at).unwrap_or_default();
            if !folder.is_empty() && !folder.ends_with("**") {
                folders.insert(folder);
            }
        }
    }
    folders.into_iter().collect::<Vec<_>>().join(" ")
}
