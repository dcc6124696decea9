//! Tells a person what is wrong with the configuration and its rules, and what to write instead.

use crate::config::fault::{GivenValue, Misspelt};
use crate::config::{ConfigError, ConfigFault, ConfigNotice};
use crate::wording::localize::{named, told, told_with};
use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_core::policy::{PolicyError, PolicyFault, RuleError, TableFault};

/// The error in a configuration, with its place.
#[must_use]
pub fn config_error(words: &Words, error: &ConfigError) -> String {
    placed(words, &error.file, error.line, &config_fault(words, &error.fault))
}

/// The error in rules or lists, with its place.
#[must_use]
pub fn policy_error(words: &Words, error: &PolicyError) -> String {
    placed(words, &error.layer, error.line, &policy_fault(words, &error.fault))
}

fn placed(words: &Words, file: &str, line: usize, what: &str) -> String {
    let place = match line {
        0 => file.to_owned(),
        line => words.say("fault-at", &[("file", file.into()), ("line", line.to_string().into())]),
    };
    words.labelled(&place, what)
}

/// What is wrong with a configuration.
#[must_use]
pub fn config_fault(words: &Words, fault: &ConfigFault) -> String {
    let with = |arguments: &[(&'static str, String)]| told_with(words, "fault", fault, arguments);
    match fault {
        ConfigFault::UnknownKey(name) | ConfigFault::UnknownValue(name) => misspelt(words, &with(&[]), name),
        ConfigFault::Type { given, expected } => {
            let expected = named(words, "fault-expected", expected);
            with(&[("expected", expected), ("given", given_value(words, given))])
        }
        ConfigFault::Syntax { kind, detail } => {
            format!("{} ({})", named(words, "fault-syntax", kind), visible(detail))
        }
        ConfigFault::Host { cause, .. } => with(&[("why", named(words, "bad-host", *cause))]),
        _ => with(&[]),
    }
}

/// Adds to the fault what to write instead.
fn misspelt(words: &Words, what: &str, name: &Misspelt) -> String {
    match name.meant() {
        Some(meant) => words.say("fault-meant", &[("what", what.into()), ("meant", meant.into())]),
        None if name.allowed.is_empty() => what.to_owned(),
        None => {
            let allowed = name.allowed.join(", ");
            words.say("fault-allowed", &[("what", what.into()), ("allowed", allowed.into())])
        }
    }
}

fn given_value(words: &Words, given: &GivenValue) -> String {
    match given {
        GivenValue::Text(text) => words.say("fault-given-text", &[("given", visible(text).into())]),
        GivenValue::Plain(value) => visible(value),
        GivenValue::List => words.say("fault-expected-list", &[]),
        GivenValue::Table => words.say("fault-expected-table", &[]),
        GivenValue::Unnamed => words.say("fault-given-unnamed", &[]),
    }
}

/// What is wrong with rules or lists.
#[must_use]
pub fn policy_fault(words: &Words, fault: &PolicyFault) -> String {
    let of_rule = |id: &str, rule: &str| words.say(id, &[("rule", visible(rule).into())]);
    match fault {
        PolicyFault::Table(TableFault::Toml(message)) => config_fault(words, &ConfigFault::read(message)),
        PolicyFault::Table(TableFault::Mixed(rule)) => of_rule("rules-fault-mixed", rule),
        PolicyFault::Rule(error) => rule_error(words, error),
        PolicyFault::Locks(rule) => of_rule("rules-fault-locks", rule),
        PolicyFault::Locked(rule) => of_rule("rules-fault-locked", rule),
        PolicyFault::NoCommand { text, why } => words.say(
            "rules-fault-no-command",
            &[("given", visible(text).into()), ("detail", visible(why).into())],
        ),
    }
}

/// What is wrong with a rule.
#[must_use]
pub fn rule_error(words: &Words, error: &RuleError) -> String {
    let with = |arguments: &[(&'static str, String)]| told_with(words, "rules-fault", error, arguments);
    match error {
        RuleError::Risk(risk) => with(&[("given", risk.to_string())]),
        RuleError::Within(rule, why) => with(&[("rule", visible(rule)), ("why", rule_error(words, why))]),
        _ => with(&[]),
    }
}

/// What a configuration contains and the guard does not use.
#[must_use]
pub fn notice(words: &Words, notice: &ConfigNotice) -> String {
    told(words, "config-notice", notice)
}

#[cfg(test)]
mod tests;
