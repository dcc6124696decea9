//! The places at which a rule about changes applies.

use std::collections::BTreeSet;

use super::{Scene, Subject};
use crate::places::{Atlas, Kinds, Place};
use crate::policy::RuleError;
use crate::policy::rules::rule::Names;

/// The places at which a rule applies; anywhere if nothing is set.
#[derive(Debug, Default)]
pub(super) struct At {
    /// Any of these is enough.
    pub(super) any: bool,
    pub(super) class: Option<Atlas>,
    /// The folders that contain a place of the class, for folders that are created or deleted as a whole.
    above: Option<Atlas>,
    pub(super) guard: bool,
    pub(super) settings: bool,
    pub(super) protected: bool,
    pub(super) confined_away: bool,
    pub(super) inside: bool,
    pub(super) outside: bool,
}

impl At {
    pub(super) fn read(text: &str, names: &Names) -> Result<Self, RuleError> {
        let mut at = Self::default();
        let mut patterns = String::new();
        for token in text.split_ascii_whitespace() {
            at.any = true;
            match token {
                "guard" => at.guard = true,
                "settings" => at.settings = true,
                "protected" => at.protected = true,
                "confined-away" => at.confined_away = true,
                "inside" => at.inside = true,
                "outside" => at.outside = true,
                pattern if pattern.contains(['/', '~']) => {
                    patterns.push_str(pattern);
                    patterns.push(' ');
                }
                name => {
                    let class = names.place_text(name).ok_or_else(|| RuleError::NoClass(name.to_owned()))?;
                    patterns.push_str(class);
                    patterns.push(' ');
                }
            }
        }
        if !patterns.is_empty() {
            at.class = Atlas::read([patterns.as_str()]);
            at.above = Atlas::read([above(&patterns).as_str()]);
        }
        Ok(at)
    }

    pub(super) fn meets(&self, scene: &Scene<'_>, subject: &Subject<'_>) -> bool {
        if !self.any {
            return true;
        }
        let (policy, situation, change) = (scene.policy, scene.situation, subject.change);
        let whole = subject.whole();
        let gone = change.was.is_some() && !subject.stays();
        // A path that cannot be compared counts as every place.
        let at = |test: &dyn Fn(&Place) -> bool| subject.place.as_ref().is_none_or(test);
        let home = situation.home.as_str();
        let in_class = |class: &Option<Atlas>| {
            class.as_ref().is_some_and(|class| at(&|place| !class.has(place, home).is_none()))
        };
        let guard = if gone { Kinds::ABOVE_GUARD } else { Kinds::GUARD };
        let is = |kind: Kinds| at(&|place| policy.kinds_of(place, situation).any(kind));
        in_class(&self.class)
            || whole && !change.inert && in_class(&self.above)
            || self.guard && is(guard)
            || self.settings
                && (is(Kinds::SETTINGS)
                    || gone && at(&|place| situation.settings.iter().any(|file| place.holds(file))))
            || self.protected && at(&|place| policy.lists.kinds_of(place, home).any(Kinds::PROTECTED))
            || self.confined_away && at(&|place| policy.lists.outside(place, home))
            || self.inside && scene.inside(change, subject.kind)
            || self.outside && !scene.inside(change, subject.kind)
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
