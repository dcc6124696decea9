//! What earlier runs and a person's override say of a command, and what follows from it. Pure.
//!
//! Restrictions always hold. A permission holds only where every reason for asking is one that yields to it
//! ([`yields`]), so that no history and no word given beforehand beats the floor, a secret or a destructive deed.

use crate::policy::{Origin, Tag};
use std::time::Duration;

use crate::policy::{Finding, Verdict};

/// What the registry knows of a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// What its runs have made of it.
    pub learned: Learned,
    /// A person's override.
    pub user_override: Option<Override>,
    /// How often it ran.
    pub runs: u64,
    /// How often it ran and ended well.
    pub successes: u64,
    /// Set where it ran so shortly ago that this may be a mistake.
    pub duplicate: Option<Duplicate>,
    /// Why the registry cannot be relied on now, if it cannot: then every command is asked, and nothing here permits.
    pub lost: Option<String>,
}

/// The policies of feature B5, ordered: a later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Learned {
    /// Ran well so often that it need not be asked any more.
    AutoApprove,
    /// Asked where the rules do not allow it.
    #[default]
    Ask,
    /// Asked with a warning: high risk or a bad record.
    AskWarning,
}

/// A override of a person about a command (feature B5, `user_override`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// What is to be done.
    pub kind: OverrideKind,
    /// Why, in the person's words.
    pub reason: Option<String>,
    /// Who said so.
    pub by: Option<String>,
}

/// The overrides of feature B5, ordered: a later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum OverrideKind {
    /// Not asked, as far as the rules leave that to a person.
    AlwaysAllow,
    /// Asked, even where the rules allow it.
    AlwaysAsk,
    /// Never done.
    Never,
}

/// The same command ran a short time ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// How long ago.
    pub since: Duration,
    /// Below which time it counts as a duplicate.
    pub threshold: Duration,
}

/// To what a reason for asking gives way. Ordered: a later one gives way to more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Yields {
    /// To nothing but an answer to this very question.
    Never,
    /// To a word that a person gave beforehand.
    ToOverride,
    /// To that, and to a good record.
    ToRecord,
}

/// Tags of what is asked again each time, whatever was said before.
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

/// To what this reason gives way. What is not listed here gives way to nothing.
#[must_use]
pub fn yields(finding: &Finding) -> Yields {
    if finding.verdict > Verdict::Confirm || finding.is_about_any(&EACH_TIME) {
        return Yields::Never;
    }
    match (&finding.origin, finding.rule.as_str()) {
        // The rules know nothing of the program, or leave it open.
        (Origin::Default, "default") => Yields::ToRecord,
        (Origin::Default, "not-only-reading" | "assignment") => Yields::ToOverride,
        (Origin::BuiltIn | Origin::Profile, _) if finding.verdict <= Verdict::Review => Yields::ToRecord,
        (Origin::BuiltIn | Origin::Profile, _) => Yields::ToOverride,
        _ => Yields::Never,
    }
}

impl History {
    /// Nothing is known, since the registry cannot be read.
    #[must_use]
    pub fn lost(why: impl Into<String>) -> Self {
        Self { lost: Some(why.into()), ..Self::default() }
    }

    /// Adds what the history says to the reasons of the judge. Where it permits, and the action as a whole yields to that
    /// ([`crate::policy::Policy::yields`]), the reasons stay, but ask for nothing any more.
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

    /// The permission, if it reaches that far.
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

    /// What is said besides where it is asked anyway.
    fn warnings(&self) -> impl Iterator<Item = Finding> {
        let record = (self.learned == Learned::AskWarning).then(|| {
            let failed = self.runs.saturating_sub(self.successes);
            let why = if failed > 0 {
                format!("it failed in {failed} of {} runs", self.runs)
            } else {
                "it was found to be of high risk before".to_owned()
            };
            found("ask-warning", Verdict::Confirm, 0.7, why)
        });
        let duplicate = self.duplicate.map(|duplicate| {
            let since = duplicate.since.as_secs_f64();
            let ago =
                if since < 1.0 { "less than a second".to_owned() } else { format!("{since:.1} seconds") };
            let why = format!("the same command ran {ago} ago; is it meant a second time?");
            found("duplicate", Verdict::Confirm, 0.5, why)
        });
        record.into_iter().chain(duplicate)
    }

    /// What holds even where the rules allow it.
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
    Finding {
        rule: rule.to_owned(),
        origin: Origin::Registry,
        verdict,
        span: None,
        why,
        instead: None,
        risk,
        tags: vec![Tag::Registry],
        contained: false,
    }
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
