//! `[hooks]`: how tool calls of coding agents are checked.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use guarda_core::policy::Profile;

use crate::config::{SecuritySection, field};

/// `[hooks]`: how hooks are answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HooksSection {
    /// Who asks the person: the guard, or the agent's own client if it can.
    pub ask: Asker,
    /// What happens first where a cell refused something.
    pub first: First,
    /// Who runs an allowed command.
    pub run: HookRunner,
    /// How to treat an unknown tool.
    pub unknown_tools: Unknown,
    /// The profile of rules for hooks. If missing: `workspace`, or the profile of `[security]` if that is not `desktop`.
    #[serde(
        deserialize_with = "field::some_parsed",
        serialize_with = "shown",
        skip_serializing_if = "Option::is_none"
    )]
    pub profile: Option<Profile>,
    /// How long a question about an agent's command waits, in seconds. If missing: ten minutes, or the time in `[security]` if
    /// that was changed.
    #[serde(deserialize_with = "field::some_between::<_, 1, 3600>", skip_serializing_if = "Option::is_none")]
    pub confirmation_timeout_seconds: Option<u64>,
    /// Tools that are never used, by name; `*` stands for any text.
    #[serde(deserialize_with = "field::patterns")]
    pub denied_tools: Vec<String>,
    /// Tools that are left to the agent's client, by name; `*` stands for any text.
    #[serde(deserialize_with = "field::patterns")]
    pub passed_tools: Vec<String>,
    /// What a hook does without a service.
    pub without_service: WithoutService,
}

/// Who asks the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asker {
    /// The guard, through its own channels; the client receives yes or no.
    Guard,
    /// The client, in its own window, if it supports that and the risk is not in the highest class.
    Client,
}

/// Who runs an allowed command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookRunner {
    /// The guard, if the client accepts a changed command: commands that the rules approve run in a cell that can do
    /// no harm, commands that a person approved run as approved.
    Guard,
    /// The client, in its own shell.
    Client,
}

/// What happens first where a cell refused something that a command failed for: a host, a port, a hidden file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum First {
    /// The agent is told, and may do without. A person is asked if it runs the same line again.
    Tell,
    /// A person is asked.
    Ask,
}

/// How to treat an unknown tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// A person is asked.
    Ask,
    /// It is left to the client.
    Pass,
    /// It is denied.
    Deny,
}

/// What a hook does without a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WithoutService {
    /// It denies.
    Deny,
    /// It judges by itself: what the rules approve is allowed and recorded, everything else is denied.
    Judge,
}

impl Default for HooksSection {
    fn default() -> Self {
        Self {
            ask: Asker::Guard,
            first: First::Tell,
            run: HookRunner::Guard,
            unknown_tools: Unknown::Ask,
            profile: None,
            confirmation_timeout_seconds: None,
            denied_tools: Vec::new(),
            passed_tools: Vec::new(),
            without_service: WithoutService::Deny,
        }
    }
}

fn shown<S: serde::Serializer>(profile: &Option<Profile>, to: S) -> Result<S::Ok, S::Error> {
    profile.map(|profile| profile.to_string()).serialize(to)
}

/// How long a question about an agent's command waits, in seconds: a person may be away from the desk.
const WAIT: u64 = 600;

impl HooksSection {
    /// The profile in force, with the service's own.
    #[must_use]
    pub fn profile(&self, own: Profile) -> Profile {
        let other = if own == Profile::Desktop { Profile::Workspace } else { own };
        self.profile.unwrap_or(other)
    }

    /// How long a question waits, with the time for all other questions.
    #[must_use]
    pub fn wait(&self, security: &SecuritySection) -> Duration {
        let all = security.confirmation_timeout_seconds;
        let changed = all != SecuritySection::default().confirmation_timeout_seconds;
        Duration::from_secs(self.confirmation_timeout_seconds.unwrap_or(if changed { all } else { WAIT }))
    }

    /// Whether a tool is never used. Names are compared without regard to case.
    #[must_use]
    pub fn denies(&self, tool: &str) -> bool {
        self.denied_tools.iter().any(|pattern| fits(pattern, tool))
    }

    /// Whether a tool is left to the client.
    #[must_use]
    pub fn passes(&self, tool: &str) -> bool {
        self.passed_tools.iter().any(|pattern| fits(pattern, tool))
    }
}

/// Whether a name matches a pattern: `*` stands for any text, and case is ignored.
pub(in crate::config) fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_judged_as_a_workspace_unless_the_configuration_says_otherwise() {
        for (security, hooks, profile) in [
            (Profile::Desktop, None, Profile::Workspace),
            (Profile::Container, None, Profile::Container),
            (Profile::Desktop, Some(Profile::Desktop), Profile::Desktop),
            (Profile::Container, Some(Profile::Workspace), Profile::Workspace),
        ] {
            let section = HooksSection { profile: hooks, ..HooksSection::default() };
            assert_eq!(section.profile(security), profile, "{security} {hooks:?}");
        }
    }

    #[test]
    fn a_question_of_an_agent_waits_ten_minutes_unless_the_configuration_says_otherwise() {
        for (all, own, seconds) in [(30, None, 600), (45, None, 45), (30, Some(90), 90), (45, Some(90), 90)] {
            let security =
                SecuritySection { confirmation_timeout_seconds: all, ..SecuritySection::default() };
            let section = HooksSection { confirmation_timeout_seconds: own, ..HooksSection::default() };
            assert_eq!(section.wait(&security), Duration::from_secs(seconds), "{all} {own:?}");
        }
    }

    #[test]
    fn names_are_compared_as_patterns() {
        for (pattern, name, fit) in [
            ("WebFetch", "webfetch", true),
            ("WebFetch", "WebFetch2", false),
            ("mcp__jira__*", "mcp__jira__search", true),
            ("mcp__jira__*", "mcp__jira2__search", false),
            ("*fetch*", "web_fetch_all", true),
            ("*fetch", "fetch_all", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "acb", false),
            ("*", "anything", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, name), fit, "{pattern} {name}");
        }
    }
}
