//! `guarda rules` and `guarda corpus`: list the rules, test their examples, and count verdicts on labelled lines.

use std::fmt::Write as _;

use guarda_core::action::Language;
use guarda_core::policy::{Policy, Rule, RuleError, Tag, Verdict};

use crate::wording::reason::{instead, why_of};
use crate::wording::tag::tags;
use crate::wording::verdict::{origin, verdict};
use crate::wording::{Words, fault::misconfigured};

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::{CorpusArgs, RulesArgs, RulesCommand};
use crate::cli::audit::replay;

pub(in crate::cli) fn rules(args: &RulesArgs) -> Result<ExitStatus, CliError> {
    let policy = policy(args.config.as_deref(), args.profile)?;
    match &args.command {
        RulesCommand::List => terminal::out(&list(&policy)),
        RulesCommand::Show { id } => {
            let rule = policy
                .rule(id)
                .ok_or_else(|| CliError::say("rules-unknown", &[("given", &format!("{id:?}"))]))?;
            terminal::out(&page(load::words(), rule)?);
        }
        RulesCommand::Test => return test(&policy),
        RulesCommand::Try(tried) => return replay::try_rules(args.config.as_deref(), tried),
        RulesCommand::Suggest(wanted) => return replay::suggest(args.config.as_deref(), wanted),
        RulesCommand::Document => terminal::out(&document()?),
    }
    Ok(ExitStatus::Good)
}

pub(in crate::cli) fn corpus(args: &CorpusArgs) -> Result<ExitStatus, CliError> {
    let policy = policy(args.config.as_deref(), args.profile)?;
    for file in &args.files {
        let text = std::fs::read_to_string(file).map_err(|error| CliError::file(file, &error))?;
        let report = guarda_core::judge::corpus::measure(&policy, &text)
            .map_err(|line| CliError::say("corpus-line", &[("path", &file.display()), ("line", &line)]))?;
        let mut page = format!("{}\n{report}", file.display());
        if args.misses {
            for miss in &report.misses {
                let status = miss.verdict.status();
                let _ = writeln!(page, "{}\t{status}\t{}\t{:?}", miss.label, miss.reason, miss.command);
            }
        }
        terminal::out(&page);
    }
    Ok(ExitStatus::Good)
}

fn policy(
    config: Option<&std::path::Path>,
    profile: Option<guarda_core::policy::Profile>,
) -> Result<Policy, CliError> {
    let loaded = load::load(config)?;
    let profile = profile.unwrap_or(loaded.config.security.profile);
    Ok(loaded.policy_for(profile)?)
}

fn list(policy: &Policy) -> String {
    let words = load::words();
    let mut page = String::new();
    let locked = words.say("rules-locked", &[]);
    for rule in policy.rules() {
        let status = rule.verdict.status();
        let (style, faint) = (terminal::style(status), terminal::FAINT);
        let lock = if rule.locked { format!(" ({locked})") } else { String::new() };
        let why = explained(words, rule);
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

/// Why a rule asks or forbids, in the person's language.
fn explained(words: &Words, rule: &Rule) -> String {
    if rule.verdict == Verdict::Allow && words.language() != Language::English {
        // Nobody sees an explanation for an allowed command, so rules that allow have no translation.
        return words.say("rules-allows", &[]);
    }
    let tags: Vec<&str> = rule.tags.iter().map(Tag::name).collect();
    why_of(words, (&rule.layer, &rule.id), &tags, (&rule.why, &[]))
}

/// One rule as TOML. Comments above it say the same in the person's language.
fn page(words: &Words, rule: &Rule) -> Result<String, CliError> {
    let text = toml::to_string(&rule.text).map_err(CliError::system)?;
    let locked = if rule.locked { format!(", {}", words.say("rules-locked", &[])) } else { String::new() };
    let risk = words.say("check-risk", &[("risk", crate::prompt::card::figure(words, rule.risk).into())]);
    let verdict = verdict(words, rule.verdict.status());
    let mut page = format!("# {verdict} · {}{locked} · {risk}\n", origin(words, &rule.layer));
    if !rule.tags.is_empty() {
        let about = words.labelled(&words.say("rules-about", &[]), &tags(words, &rule.tags));
        let _ = writeln!(page, "# {about}");
    }
    // The table itself says both in English.
    if words.language() != Language::English {
        let _ = writeln!(page, "# {}", explained(words, rule));
        if let Some(english) = &rule.text.instead {
            let label = words.say("card-instead", &[]);
            let _ = writeln!(page, "# {}", words.labelled(&label, &instead(words, &rule.id, english)));
        }
    }
    let _ = write!(page, "[rules.{}]\n{text}", rule.id);
    Ok(page)
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
    terminal::out(&format!("{}\n", load::words().say("rules-tested", &counts)));
    Ok(if broken == 0 { ExitStatus::Good } else { ExitStatus::Failed })
}

fn broken_rule(why: &RuleError) {
    let bad = terminal::BAD;
    let why = misconfigured::rule_error(load::words(), why);
    terminal::out(&format!("{bad}{}{bad:#} {why}\n", load::say("rules-broken", &[])));
}

/// The rules of every profile as a document. Like the manual, it is in English.
///
/// # Errors
/// If a built-in table is broken.
pub(in crate::cli) fn document() -> Result<String, CliError> {
    let mut text = String::from(
        "# The built-in rules\n\nMade by `guarda rules document` from the tables in `crates/guarda-core/src/policy/rules/`; do not edit. \
         How a table is written\nstands in `crates/guarda-core/src/policy/rules/README.md`. The strictest rule that holds wins; \
         what no rule knows is asked.\n",
    );
    for profile in guarda_core::policy::Profile::ALL {
        let policy = Policy::builtin(profile).map_err(CliError::system)?;
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
        let policy = Policy::builtin(profile).map_err(CliError::system)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_explained_in_the_readers_language() {
        let policy = Policy::builtin(guarda_core::policy::Profile::Desktop).unwrap();
        let rule = policy.rule("erase-system").unwrap();
        for (language, told) in [
            (Language::Portuguese, "# isto apagaria o sistema"),
            (Language::French, "# ceci supprimerait le système"),
        ] {
            let page = page(crate::wording::words(language), rule).unwrap();
            assert!(page.contains(told), "{page}");
            // It stays a table that can be copied.
            let table: toml::Table = page.parse().unwrap();
            assert!(table["rules"]["erase-system"]["why"].is_str(), "{page}");
        }
        let english = page(crate::wording::words(Language::English), rule).unwrap();
        assert_eq!(english.lines().filter(|line| line.starts_with('#')).count(), 2, "{english}");
    }
}
