//! The rules about what a staged run changed (feature N4): places × changes × facts, read from `rules/effects.toml` and the
//! layers of the user. What follows from them is decided by `judge/effects.rs`.

mod at;
mod example;
mod fact;

pub use example::example;

use crate::policy::Origin;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::effects::Effects;
use crate::effects::{Change, ChangeKind, Entry};
use crate::places::Place;
use crate::policy::RuleError;
use crate::policy::rules::examples::try_lines;
use crate::policy::rules::rule::{self, Names};
use crate::policy::rules::table::RuleText;
use crate::policy::{Finding, Policy, Situation, Verdict};
use at::At;
use fact::Fact;

/// The prefix of every id, which distinguishes these findings from those about words.
const PREFIX: &str = "effects-";

/// The changes that a rule can name. `lost` is what was deleted and not moved elsewhere.
const CHANGES: &[(&str, ChangeKind)] = &[
    ("created", ChangeKind::Created),
    ("deleted", ChangeKind::Deleted),
    ("lost", ChangeKind::Deleted),
    ("renamed", ChangeKind::Renamed),
    ("changed", ChangeKind::Changed),
    ("attributes", ChangeKind::Attributes),
    ("replaced", ChangeKind::Replaced),
];

/// A rule about changes.
#[derive(Debug)]
pub struct EffectRule {
    /// The key of its table, behind `effects-`.
    pub id: String,
    /// `floor`, `built-in`, or the name of the layer that gave or changed it.
    pub layer: String,
    /// What it asks for.
    pub verdict: Verdict,
    /// From 0 to 1.
    pub risk: f32,
    /// Everything as it was written.
    pub text: RuleText,
    at: At,
    changes: Vec<&'static str>,
    when: Option<Fact>,
}

/// The context in which the changes of one run are compared with rules.
#[derive(Debug)]
pub struct Scene<'a> {
    policy: &'a Policy,
    situation: &'a Situation,
    roots: &'a [PathBuf],
    is_final: bool,
    moved: BTreeSet<&'a Path>,
}

/// A change, prepared for comparison with rules.
#[derive(Debug)]
pub struct Subject<'a> {
    change: &'a Change,
    kind: ChangeKind,
    place: Option<Place>,
}

impl<'a> Scene<'a> {
    /// The scene of a run.
    #[must_use]
    pub fn new(
        policy: &'a Policy,
        effects: &'a Effects,
        situation: &'a Situation,
        roots: &'a [PathBuf],
    ) -> Self {
        let moved = effects.changes.iter().filter_map(|change| change.from.as_deref()).collect();
        Self { policy, situation, roots, is_final: effects.final_because.is_some(), moved }
    }

    /// A change of this run.
    #[must_use]
    pub fn subject(&self, change: &'a Change) -> Subject<'a> {
        // A place uses these three characters for patterns; in a file name they are ordinary characters.
        let git = self.situation.git.iter().find_map(|git| {
            let below = change.path.strip_prefix(git).ok()?;
            Some(git.with_file_name(".git").join(below))
        });
        let path = git.as_deref().unwrap_or(&change.path);
        let text = path.to_string_lossy().replace(['\u{1}', '\u{2}', '\u{3}'], "\u{fffd}");
        let place = Place::from_text(&text, None, &self.situation.home);
        Subject { change, kind: change.kind(), place }
    }

    /// True if the path lies in a folder of the session. The folder itself counts only if it stays.
    fn inside(&self, change: &Change, kind: ChangeKind) -> bool {
        self.roots.iter().any(|root| {
            change.path.starts_with(root) && (change.path != *root || kind == ChangeKind::Attributes)
        })
    }
}

impl EffectRule {
    /// Reads a rule.
    fn new(key: &str, layer: String, text: RuleText, names: &Names) -> Result<Self, RuleError> {
        let verdict = match text.verdict.as_deref().map(str::parse) {
            Some(Ok(verdict @ (Verdict::Allow | Verdict::Confirm | Verdict::Block))) => verdict,
            _ => return Err(RuleError::EffectVerdict),
        };
        let risk = rule::risk(&text, verdict)?;
        let changes = text.changes.as_deref().unwrap_or_default().split_ascii_whitespace();
        let known = |name: &str| CHANGES.iter().find(|(known, _)| *known == name).map(|(known, _)| *known);
        let changes = changes
            .map(|name| known(name).ok_or_else(|| RuleError::NoChange(name.to_owned())))
            .collect::<Result<_, _>>()?;
        let when = text.when.as_deref().map(Fact::named).transpose()?;
        let at = At::read(text.at.as_deref().unwrap_or_default(), names)?;
        Ok(Self { id: format!("{PREFIX}{key}"), layer, verdict, risk, at, changes, when, text })
    }

    /// A rule that cannot be used: it holds everywhere, and asks.
    fn broken(key: &str, layer: String) -> Self {
        Self {
            id: format!("{PREFIX}{key}"),
            layer,
            verdict: Verdict::Confirm,
            risk: 0.5,
            text: RuleText::default(),
            at: At::default(),
            changes: Vec::new(),
            when: None,
        }
    }

    /// The key of its table.
    pub(super) fn key(&self) -> &str {
        self.id.strip_prefix(PREFIX).unwrap_or(&self.id)
    }

    /// Why, in one English sentence.
    #[must_use]
    pub fn why(&self) -> &str {
        self.text.why.as_deref().unwrap_or("a rule asks about changes of this kind")
    }

    /// True if the rule applies to this change.
    #[must_use]
    pub fn meets(&self, scene: &Scene<'_>, subject: &Subject<'_>) -> bool {
        let named = |name: &&str| {
            let is = CHANGES.iter().any(|(known, kind)| known == name && *kind == subject.kind);
            is && (**name != *"lost" || !scene.moved.contains(subject.change.path.as_path()))
        };
        // Files of a class matter by their content and mode, not by their times.
        if self.at.class.is_some() && subject.change.touched {
            return false;
        }
        (self.changes.is_empty() || self.changes.iter().any(named))
            && self.when.is_none_or(|fact| fact.holds(scene, subject))
            && self.at.meets(scene, subject)
    }

    /// True if this number of files or bytes exceeds the rule's threshold, or if it has none.
    #[must_use]
    pub fn reached(&self, files: u64, bytes: u64) -> bool {
        match (self.text.more_than, self.text.more_bytes) {
            (None, None) => true,
            (most, most_bytes) => {
                most.is_some_and(|most| files > most) || most_bytes.is_some_and(|most| bytes > most)
            }
        }
    }

    /// True if it concerns this very path or file, and not only whether the path lies in the session's folders.
    #[must_use]
    pub fn singles_out(&self) -> bool {
        self.at.singles_out() || self.when.is_some_and(Fact::singles_out)
    }

    /// The rule as a reason.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let tags = rule::tags(&self.text);
        Finding { tags, ..Finding::new(&self.id, Origin::Effects, self.verdict, self.risk, self.why()) }
    }

    /// Tries its examples.
    ///
    /// # Errors
    /// [`RuleError`], for the first that fails.
    pub fn try_examples(&self, policy: &Policy) -> Result<(), RuleError> {
        try_lines(&self.id, &self.text, |line| self.matches(policy, line))
    }

    fn matches(&self, policy: &Policy, line: &str) -> Result<bool, RuleError> {
        let effects = example(line).map_err(|error| RuleError::Unreadable {
            rule: self.id.clone(),
            line: line.to_owned(),
            why: error.to_string(),
        })?;
        let situation = crate::policy::corpus::situation(&guarda_shell::read(
            "true",
            guarda_shell::script::Dialect::Bash,
        ));
        let roots = [PathBuf::from(&situation.cwd)];
        let scene = Scene::new(policy, &effects, &situation, &roots);
        let met: Vec<&Change> =
            effects.changes.iter().filter(|change| self.meets(&scene, &scene.subject(change))).collect();
        let (files, bytes) = amount(met.iter().copied());
        Ok(!met.is_empty() && self.reached(files, bytes))
    }
}

/// The numbers of files and bytes that these changes affected, as they were before.
pub fn amount<'a>(changes: impl Iterator<Item = &'a Change>) -> (u64, u64) {
    let before = changes.filter_map(|change| change.was.as_ref());
    before.fold((0, 0), |(files, bytes), was| (files + was.files(), bytes + was.bytes()))
}

impl Subject<'_> {
    /// Whether it was a folder, and whether it is one.
    fn folders(&self) -> (bool, bool) {
        let folder = |entry: &Option<Entry>| entry.as_ref().is_some_and(Entry::is_folder);
        (folder(&self.change.was), folder(&self.change.is))
    }

    /// True for a folder that was there before and still is.
    fn stays(&self) -> bool {
        self.folders() == (true, true)
    }

    /// True for a folder that was created, deleted or replaced with everything in it.
    fn whole(&self) -> bool {
        let (was, is) = self.folders();
        was != is
    }
}

impl Policy {
    /// The rules about changes that are in force, by id.
    pub fn effect_rules(&self) -> &[EffectRule] {
        self.rule_set.effects(self.profile)
    }
}

/// Reads the rules that hold in a profile. One that cannot be read asks about everything.
pub(super) fn read(
    texts: &BTreeMap<String, (String, RuleText)>,
    profile: &str,
    names: &Names,
) -> Vec<EffectRule> {
    let in_force = texts.iter().filter(|(_, (_, text))| text.in_force(profile));
    in_force
        .map(|(key, (layer, text))| {
            EffectRule::new(key, layer.clone(), text.clone(), names)
                .unwrap_or_else(|_| EffectRule::broken(key, layer.clone()))
        })
        .collect()
}

/// Whether a rule can be used.
///
/// # Errors
/// [`RuleError`], if it cannot.
pub(super) fn check(key: &str, text: &RuleText, names: &Names) -> Result<(), RuleError> {
    EffectRule::new(key, String::new(), text.clone(), names).map(drop)
}
