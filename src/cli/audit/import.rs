//! `guarda grants import`: shows what the rules of agents' clients allow, and grants of it what a person takes.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::json;

use super::client_rules::{Breadth, ClientRule, Effect, find};
use super::replay;
use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::ImportArgs;
use crate::cli::judge::check::Bench;
use crate::cli::request::questions::{coded, is_yes};
use crate::wording::Words;
use crate::wording::plain::visible;
use guarda_core::policy::Verdict;

/// The most commands of the record that are shown for one rule.
const MOST: usize = 5;

/// A rule of a client, and the commands that a person may grant in its place.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    rule: ClientRule,
    commands: Vec<Candidate>,
}

/// A command that a rule is about.
#[derive(Debug, Serialize)]
struct Candidate {
    command: String,
    state: State,
    /// The shape that a grant would cover.
    shape: Option<String>,
}

/// What a grant would do for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
enum State {
    /// Nothing: nobody is asked about it.
    Unasked,
    /// End the questions about it.
    Grantable,
    /// Nothing: it is asked about each time, or not done at all.
    EachTime,
}

pub(in crate::cli) fn import(args: &ImportArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(None)?;
    let words = loaded.words();
    let home = super::home(words, args.home.as_ref())?;
    let project = std::env::current_dir()?;
    let (rules, unread) = find(&home, Some(&project));
    let folder = project.to_str().map(str::to_owned);
    let seen = replay::recorded(&loaded.config)?;
    let mut bench = Bench::new(loaded);
    let shown: Vec<Shown> = rules
        .into_iter()
        .map(|rule| Shown { commands: candidates(&rule, &seen, &mut bench, folder.as_deref()), rule })
        .collect();
    if args.json {
        let told = json!({ "rules": shown, "unread": unread });
        terminal::out(&format!("{}\n", serde_json::to_string_pretty(&told)?));
        return Ok(ExitStatus::Good);
    }
    for file in &unread {
        let path = visible(&file.to_string_lossy());
        terminal::out(&format!("{}\n", words.say("import-unread", &[("path", path.into())])));
    }
    if shown.is_empty() {
        terminal::out(&format!("{}\n", words.say("import-none", &[])));
        return Ok(ExitStatus::Good);
    }
    page(words, &shown, &project)?;
    Ok(ExitStatus::Good)
}

/// The commands that a rule is about: its own, or those of the record that begin as it says, each shape once.
fn candidates(rule: &ClientRule, seen: &[String], bench: &mut Bench, folder: Option<&str>) -> Vec<Candidate> {
    let lines: Vec<&String> = match (rule.effect, &rule.breadth) {
        (Effect::Allow, Breadth::Exact(line)) => vec![line],
        (Effect::Allow, Breadth::Prefix(words)) => {
            let begins = |line: &&String| {
                line.strip_prefix(words.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            seen.iter().filter(begins).collect()
        }
        _ => Vec::new(),
    };
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    for line in lines {
        let Ok((judgement, shape)) = bench.tried(line, folder, true, &[]) else { continue };
        let shape = shape.map(|shape| shape.to_string());
        let state = match (judgement.run().verdict, &shape) {
            (Verdict::Allow, _) => State::Unasked,
            (_, Some(_)) => State::Grantable,
            (_, None) => State::EachTime,
        };
        let key = shape.clone().unwrap_or_else(|| line.clone());
        found.entry(key).or_insert_with(|| Candidate { command: line.clone(), state, shape });
    }
    let mut found: Vec<Candidate> = found.into_values().collect();
    // What can be granted comes first.
    found.sort_by_key(|one| one.state != State::Grantable);
    found.truncate(MOST);
    found
}

/// Shows each rule with its breadth, and takes what the person at this terminal grants.
fn page(words: &Words, shown: &[Shown], project: &PathBuf) -> Result<(), CliError> {
    let asks = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let (faint, strong) = (terminal::FAINT, terminal::WARY);
    let mut left = 0;
    for Shown { rule, commands } in shown {
        let (file, client): (_, &'static str) = (visible(&rule.file.to_string_lossy()), rule.client.into());
        let breadth: &'static str = (&rule.breadth).into();
        let breadth = match rule.effect {
            Effect::Allow => breadth.replace('_', "-"),
            Effect::Ask | Effect::Deny => "stricter".to_owned(),
        };
        terminal::out(&format!(
            "{strong}{}{strong:#}  {faint}{client}, {file}{faint:#}\n",
            visible(&rule.rule)
        ));
        terminal::out(&format!("  {}\n", words.say(&format!("import-{breadth}"), &[])));
        if breadth == "prefix" && commands.is_empty() {
            terminal::out(&format!("  • {}\n", words.say("import-nothing", &[])));
        }
        for one in commands {
            let told = words.say(&format!("import-{}", <&'static str>::from(one.state)), &[]);
            let what = one.shape.as_ref().unwrap_or(&one.command);
            terminal::out(&format!("  • {}  {faint}{told}{faint:#}\n", visible(what)));
            if one.state != State::Grantable {
                continue;
            }
            if !asks {
                left += 1;
                continue;
            }
            terminal::err(&format!("    {} ", words.say("import-take", &[])));
            let mut line = String::new();
            std::io::stdin().read_line(&mut line)?;
            if is_yes(&line) {
                let body = json!({ "command": one.command, "folder": project, "client": rule.client });
                coded(words, "/v1/grants", body, false, "cli-code-grant")?;
                terminal::out(&format!("    {}\n", words.say("import-taken", &[])));
            }
        }
    }
    if left > 0 {
        terminal::out(&format!("\n{}\n", words.say("import-terminal", &[("count", left.into())])));
    }
    Ok(())
}
