//! `guarda rules` and `guarda corpus`: list the rules, test their examples, and count verdicts on labelled lines.

use std::fmt::Write as _;

use guarda_core::action::Language;
use guarda_core::policy::{Policy, Rule, RuleError};

use crate::human::misconfigured;
use crate::human::reason::why_of;
use crate::human::verdict::{origin, verdict};

use super::args::{CorpusArgs, RulesArgs, RulesCommand};
use super::{CliError, ExitStatus, load, show};

pub(super) fn rules(args: &RulesArgs) -> Result<ExitStatus, CliError> {
    let policy = policy(args.config.as_deref(), args.profile)?;
    match &args.command {
        RulesCommand::List => show::out(&list(&policy)),
        RulesCommand::Show { id } => {
            let rule = policy
                .rule(id)
                .ok_or_else(|| CliError(load::say("rules-unknown", &[("given", format!("{id:?}"))])))?;
            show::out(&page(rule)?);
        }
        RulesCommand::Test => return test(&policy),
        RulesCommand::Document => show::out(&document()?),
    }
    Ok(ExitStatus::Good)
}

pub(super) fn corpus(args: &CorpusArgs) -> Result<ExitStatus, CliError> {
    let policy = policy(args.config.as_deref(), args.profile)?;
    for file in &args.files {
        let text = std::fs::read_to_string(file).map_err(|error| load::io(file, &error))?;
        let report = guarda_core::judge::corpus::measure(&policy, &text).map_err(|line| {
            CliError(load::say(
                "corpus-line",
                &[("path", file.display().to_string()), ("line", line.to_string())],
            ))
        })?;
        let mut page = format!("{}\n{report}", file.display());
        if args.misses {
            for miss in &report.misses {
                let status = miss.verdict.status();
                let _ = writeln!(page, "{}\t{status}\t{}\t{:?}", miss.label, miss.reason, miss.command);
            }
        }
        show::out(&page);
    }
    Ok(ExitStatus::Good)
}

fn policy(
    config: Option<&std::path::Path>,
    profile: Option<guarda_core::policy::Profile>,
) -> Result<Policy, CliError> {
    let loaded = load::load(config)?;
    let profile = profile.unwrap_or(loaded.config.security.profile);
    loaded.policy_for(profile)
}

fn list(policy: &Policy) -> String {
    let words = load::words();
    let mut page = String::new();
    let locked = words.say("rules-locked", &[]);
    for rule in policy.rules() {
        let status = rule.verdict.status();
        let (style, faint) = (show::style(status), show::FAINT);
        let lock = if rule.locked { format!(" ({locked})") } else { String::new() };
        let tags: Vec<&str> = rule.tags.iter().map(guarda_core::policy::Tag::name).collect();
        let own =
            |verdict| verdict == guarda_core::policy::Verdict::Allow && words.language() != Language::English;
        let why = match own(rule.verdict) {
            // Nobody sees an explanation for an allowed command, so rules that allow have no translation.
            true => words.say("rules-allows", &[]),
            false => why_of(words, (&rule.layer, &rule.id), &tags, &rule.why),
        };
        let _ = writeln!(
            page,
            "{:<28} {style}{:<23}{style:#} {:<13} {why}{faint}{lock}{faint:#}",
            rule.id,
            verdict(words, status),
            origin(words, &rule.layer)
        );
    }
    page
}

fn page(rule: &Rule) -> Result<String, CliError> {
    let text = toml::to_string(&rule.text).map_err(CliError::new)?;
    let words = load::words();
    let locked = if rule.locked { format!(", {}", words.say("rules-locked", &[])) } else { String::new() };
    let risk = words.say("check-risk", &[("risk", crate::human::card::figure(words, rule.risk).into())]);
    Ok(format!("# {}{locked}; {risk}\n[rules.{}]\n{text}", origin(words, &rule.layer), rule.id))
}

/// Tests the examples of every rule.
fn test(policy: &Policy) -> Result<ExitStatus, CliError> {
    let (mut tried, mut examples, mut broken) = (0usize, 0usize, 0usize);
    for rule in policy.rules() {
        tried += 1;
        examples +=
            rule.text.matches.as_ref().map_or(0, Vec::len) + rule.text.spares.as_ref().map_or(0, Vec::len);
        if let Err(why) = policy.try_rule(rule) {
            broken += 1;
            broken_rule(&why);
        }
    }
    for rule in policy.effect_rules() {
        tried += 1;
        examples +=
            rule.text.matches.as_ref().map_or(0, Vec::len) + rule.text.spares.as_ref().map_or(0, Vec::len);
        if let Err(why) = rule.try_examples(policy) {
            broken += 1;
            broken_rule(&why);
        }
    }
    let counts = [("rules", tried.into()), ("examples", examples.into()), ("broken", broken.into())];
    show::out(&format!("{}\n", load::words().say("rules-tested", &counts)));
    Ok(if broken == 0 { ExitStatus::Good } else { ExitStatus::Failed })
}

fn broken_rule(why: &RuleError) {
    let bad = show::BAD;
    let why = misconfigured::rule_error(load::words(), why);
    show::out(&format!("{bad}{}{bad:#} {why}\n", load::say("rules-broken", &[])));
}

/// The rules of every profile as a document. Like the manual, it is in English.
///
/// # Errors
/// If a built-in table is broken.
pub(super) fn document() -> Result<String, CliError> {
    let mut text = String::from(
        "# The built-in rules\n\nMade by `guarda rules document` from the tables in `crates/guarda-core/src/policy/rules/`; do not edit. \
         How a table is written\nstands in `crates/guarda-core/src/policy/rules/README.md`. The strictest rule that holds wins; \
         what no rule knows is asked.\n",
    );
    for profile in guarda_core::policy::Profile::ALL {
        let policy = Policy::builtin(profile).map_err(CliError::new)?;
        let _ = write!(
            text,
            "\n## Profile {profile}\n\n| rule | verdict | from | programs | why |\n|---|---|---|---|---|\n"
        );
        for rule in policy.rules() {
            let cell = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
            let lock = if rule.locked { " 🔒" } else { "" };
            let _ = writeln!(
                text,
                "| {}{lock} | {} | {} | {} | {} |",
                rule.id,
                rule.verdict.status(),
                rule.layer,
                cell(rule.programs()),
                cell(&rule.why)
            );
        }
    }
    for profile in guarda_core::policy::Profile::ALL {
        let policy = Policy::builtin(profile).map_err(CliError::new)?;
        let _ = write!(
            text,
            "\n## What a staged run changed, profile {profile}\n\n| rule | verdict | where | what | why |\n\
             |---|---|---|---|---|\n"
        );
        for rule in policy.effect_rules() {
            let lock = if rule.layer == "floor" { " 🔒" } else { "" };
            let part = |text: &Option<String>| text.as_deref().map(|text| format!("`{text}`"));
            let what: Vec<String> =
                [&rule.text.changes, &rule.text.when].into_iter().filter_map(part).collect();
            let _ = writeln!(
                text,
                "| {}{lock} | {} | {} | {} | {} |",
                rule.id,
                rule.verdict.status(),
                part(&rule.text.at).unwrap_or_else(|| "anywhere".to_owned()),
                if what.is_empty() { "anything".to_owned() } else { what.join(" ") },
                rule.why()
            );
        }
    }
    Ok(text)
}
