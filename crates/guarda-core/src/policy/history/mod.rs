//! Earlier runs of a command, a person's override, and their effect on the judgement.
//!
//! Restrictions always apply. A permission applies only if every reason for asking yields to it ([`yields`]), so no
//! history and no override beats the floor, a secret or a destructive action.

mod hindrance;
mod learning;

pub use hindrance::Hindrance;
pub(in crate::policy) use learning::LASTING_RISK;

use crate::policy::{Finding, Origin, Tag, Verdict};
use std::time::Duration;

/// The registry's entry for a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The policy learned from its runs.
    pub learned: Learned,
    /// A person's override.
    pub user_override: Option<Override>,
    /// How often it ran.
    pub runs: u64,
    /// How often it ran successfully.
    pub successes: u64,
    /// Set if it ran so recently that this may be a mistake.
    pub duplicate: Option<Duplicate>,
    /// The registry allows it for good, but the record does not say who gave that. It then allows nothing.
    pub unsealed: bool,
    /// Why the registry is unusable now. Then every command is asked about, and nothing here permits.
    pub lost: Option<String>,
}

/// The policies of feature B5, ordered: a later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Learned {
    /// It ran successfully so often that nobody is asked.
    AutoApprove,
    /// Asked about, unless the rules allow it.
    #[default]
    Ask,
    /// Asked about with a warning: high risk or a bad record.
    AskWarning,
}

/// A person's override for a command (feature B5, `user_override`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The kind of override.
    pub kind: OverrideKind,
    /// Why, in the person's words.
    pub reason: Option<String>,
    /// Who set it.
    pub by: Option<String>,
}

/// Who set an override, if a person did so through this channel.
#[must_use]
pub fn by_person(channel: &str) -> String {
    format!("a person ({channel})")
}

/// The channel in a text of [`by_person`].
#[must_use]
pub fn channel_of(by: &str) -> Option<&str> {
    by.strip_prefix("a person (")?.strip_suffix(')')
}

/// The overrides of feature B5, ordered: a later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum OverrideKind {
    /// Not asked about, as far as the rules permit.
    AlwaysAllow,
    /// Asked about, even if the rules allow it.
    AlwaysAsk,
    /// Never done.
    Never,
}

/// The same command ran a short time ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// How long ago.
    pub since: Duration,
    /// The interval below which it counts as a duplicate.
    pub threshold: Duration,
}

/// Which prior approvals may override a reason for asking. Ordered: a later one yields to more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Yields {
    /// Only an answer to this very question.
    Never,
    /// A person's override.
    ToOverride,
    /// An override, and a good record.
    ToRecord,
}

/// Tags of findings that are asked about every time.
const EACH_TIME: [Tag; 15] = [
    Tag::Destructive,
    Tag::Catastrophic,
    Tag::Privilege,
    Tag::Rights,
    Tag::Secrets,
    Tag::Guard,
    Tag::SelfApproval,
    Tag::Keys,
    Tag::Persistence,
    Tag::Exec,
    Tag::Evasion,
    Tag::Disk,
    Tag::Power,
    Tag::Taint,
    Tag::Exfiltration,
];

/// Whether no standing yes covers this finding, wherever it comes from.
#[must_use]
pub fn is_asked_each_time(finding: &Finding) -> bool {
    finding.verdict > Verdict::Confirm || finding.is_about_any(&EACH_TIME)
}

/// Which prior approvals may override this finding. Default: none.
#[must_use]
pub fn yields(finding: &Finding) -> Yields {
    if is_asked_each_time(finding) {
        return Yields::Never;
    }
    match (&finding.origin, finding.rule.as_str()) {
        // The rules do not know the program, or leave it open.
        (Origin::Default, "default") => Yields::ToRecord,
        (Origin::Default, "not-only-reading" | "assignment") => Yields::ToOverride,
        (Origin::BuiltIn | Origin::Profile, _) if finding.verdict <= Verdict::Review => Yields::ToRecord,
        (Origin::BuiltIn | Origin::Profile, _) => Yields::ToOverride,
        _ => Yields::Never,
    }
}

impl History {
    /// The entry for an unreadable registry.
    #[must_use]
    pub fn lost(why: impl Into<String>) -> Self {
        Self { lost: Some(why.into()), ..Self::default() }
    }

    /// Adds the history's findings to those of the judge. If it permits, and the action as a whole yields to that
    /// ([`crate::policy::Policy::yields`]), the findings stay but no longer ask.
    #[must_use]
    pub fn weigh(&self, yields: Yields, mut findings: Vec<Finding>) -> Vec<Finding> {
        let asked =
            findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Confirm) > Verdict::Allow;
        match self.permits(yields) {
            Some(permit) if asked => {
                for finding in &mut findings {
                    finding.verdict = Verdict::Allow;
                }
                findings.push(permit);
            }
            _ if asked => findings.extend(self.warnings()),
            _ => {}
        }
        findings.extend(self.restrictions());
        findings
    }

    /// The permission, if it suffices.
    fn permits(&self, yields: Yields) -> Option<Finding> {
        if self.lost.is_some() {
            return None;
        }
        match (&self.user_override, self.learned) {
            (Some(word), _) if word.kind == OverrideKind::AlwaysAllow && yields >= Yields::ToOverride => {
                Some(found("always-allow", Verdict::Allow, 0.0, word.explain("is to be allowed")))
            }
            (None, Learned::AutoApprove) if yields >= Yields::ToRecord => {
                let why = format!(
                    "it was approved before and ended well in {} of {} runs",
                    self.successes, self.runs
                );
                Some(found("auto-approve", Verdict::Allow, 0.0, why))
            }
            _ => None,
        }
    }

    /// Notices that are added to a question.
    fn warnings(&self) -> impl Iterator<Item = Finding> {
        let record = (self.learned == Learned::AskWarning).then(|| {
            let failed = self.runs.saturating_sub(self.successes);
            let why = if failed > 0 {
                format!("it failed in {failed} of {} runs", self.runs)
            } else {
                "it was found to be of high risk before".to_owned()
            };
            // Where it is held back or only looks, its failures and its risk do no harm.
            found("ask-warning", Verdict::Confirm, 0.7, why).contained()
        });
        let duplicate = self.duplicate.map(|duplicate| {
            let since = duplicate.since.as_secs_f64();
            let ago =
                if since < 1.0 { "less than a second".to_owned() } else { format!("{since:.1} seconds") };
            let why = format!("the same command ran {ago} ago; is it meant a second time?");
            found("duplicate", Verdict::Confirm, 0.5, why).contained()
        });
        let unsealed = self.unsealed.then(|| {
            let why = "the registry allows it for good, but the record does not say who gave that".to_owned();
            found("unsealed", Verdict::Confirm, 0.0, why).contained()
        });
        record.into_iter().chain(duplicate).chain(unsealed)
    }

    /// Restrictions, which apply even if the rules allow the command.
    fn restrictions(&self) -> impl Iterator<Item = Finding> {
        let word = self.user_override.as_ref().and_then(|word| match word.kind {
            OverrideKind::AlwaysAllow => None,
            OverrideKind::AlwaysAsk => {
                Some(found("always-ask", Verdict::Confirm, 0.5, word.explain("is always to be asked")))
            }
            OverrideKind::Never => {
                Some(found("never", Verdict::Block, 1.0, word.explain("is never to be done")))
            }
        });
        let lost = self.lost.as_ref().map(|why| {
            let why =
                format!("the registry of commands cannot be relied on, so every command is asked: {why}");
            found("registry-lost", Verdict::Confirm, 0.5, why)
        });
        word.into_iter().chain(lost)
    }
}

impl Override {
    fn explain(&self, what: &str) -> String {
        let by = self.by.as_deref().unwrap_or("a person");
        match &self.reason {
            Some(reason) => format!("{by} said that this {what}: {reason}"),
            None => format!("{by} said that this {what}"),
        }
    }
}

fn found(rule: &str, verdict: Verdict, risk: f32, why: String) -> Finding {
    Finding { tags: vec![Tag::Registry], ..Finding::new(rule, Origin::Registry, verdict, risk, why) }
}

impl Learned {
    /// Every policy, from mild to strict.
    pub const ALL: [Self; 3] = [Self::AutoApprove, Self::Ask, Self::AskWarning];

    /// The name in the database and on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The policy of this name. An unknown name permits nothing: it is [`Learned::Ask`].
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|policy| policy.name() == name).unwrap_or_default()
    }
}

impl OverrideKind {
    /// Every override, from mild to strict.
    pub const ALL: [Self; 3] = [Self::AlwaysAllow, Self::AlwaysAsk, Self::Never];

    /// The name in the database and on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The override of this name. An unknown name permits nothing: it is [`OverrideKind::AlwaysAsk`].
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|standing| standing.name() == name).unwrap_or(Self::AlwaysAsk)
    }
}

#[cfg(test)]
mod tests;
