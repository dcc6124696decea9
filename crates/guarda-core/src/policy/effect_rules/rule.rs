//! A rule about changes.

use std::collections::BTreeMap;

use super::at::At;
use super::fact::Fact;
use crate::effects::ChangeKind;
use crate::policy::rules::rule::{self, Names};
use crate::policy::rules::table::RuleText;
use crate::policy::{Finding, Origin, RuleError, Verdict};

/// The prefix of every id, which distinguishes these findings from those about words.
const PREFIX: &str = "effects-";

/// The changes that a rule can name. `lost` is what was deleted and not moved elsewhere.
pub(super) const CHANGES: &[(&str, ChangeKind)] = &[
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
    pub(super) at: At,
    pub(super) changes: Vec<&'static str>,
    pub(super) when: Option<Fact>,
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
    pub(in crate::policy) fn key(&self) -> &str {
        self.id.strip_prefix(PREFIX).unwrap_or(&self.id)
    }

    /// Why, in one English sentence.
    #[must_use]
    pub fn why(&self) -> &str {
        self.text.why.as_deref().unwrap_or("a rule asks about changes of this kind")
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
}

/// Reads the rules that hold in a profile. One that cannot be read asks about everything.
pub(in crate::policy) fn read(
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
pub(in crate::policy) fn check(key: &str, text: &RuleText, names: &Names) -> Result<(), RuleError> {
    EffectRule::new(key, String::new(), text.clone(), names).map(drop)
}
