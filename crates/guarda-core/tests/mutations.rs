//! Known bad commands in disguise: quoting, variables, wrappers, encodings, look-alikes, one on top of the other.
//!
//! No disguise may come out milder than asked. A disguise that can be seen through without running anything must not
//! save a catastrophic command from being blocked. `GUARDA_MUTATIONS=100000` tries more; `GUARDA_SEED` begins elsewhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    missing_docs,
    dead_code,
    reason = "tests may fail loudly, and use their part of what they share"
)]

#[path = "../../guarda-shell/tests/oracle/chance.rs"]
mod chance;
#[path = "mutations/lines.rs"]
mod lines;
#[path = "mutations/words.rs"]
mod words;

use chance::Chance;
use guarda_core::policy::{Policy, Profile, Verdict, corpus};
use guarda_shell::script::Dialect;
use std::collections::BTreeMap;

/// How well a disguise can be seen through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// The line shows the command that would run.
    Clear,
    /// The command is known only when it runs, or it is another program.
    Hidden,
}

/// A command under construction: its words as written, and the text in front of them.
#[derive(Debug, Clone)]
pub struct Disguise {
    pub before: String,
    pub words: Vec<String>,
    pub sight: Sight,
    pub steps: Vec<&'static str>,
}

fn judge(policy: &Policy, line: &str) -> (Verdict, String) {
    let script = guarda_shell::read(line, Dialect::Bash);
    let findings = policy.judge_script(&script, &corpus::situation(&script));
    let strictest = findings.iter().max_by_key(|finding| finding.verdict).unwrap();
    (strictest.verdict, strictest.rule.clone())
}

fn commands() -> BTreeMap<String, Vec<String>> {
    toml::from_str(include_str!("mutations/commands.toml")).unwrap()
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Splits where blanks stand outside quotes; the words keep their quotes.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in command.chars() {
        match (letter, quote) {
            (' ', None) => words.push(std::mem::take(&mut word)),
            ('\'' | '"', None) => (quote, word) = (Some(letter), word + &letter.to_string()),
            _ => {
                quote = quote.filter(|open| *open != letter);
                word.push(letter);
            }
        }
    }
    words.push(word);
    words
}

fn disguise(command: &str, seed: u64) -> (String, Sight, Vec<&'static str>) {
    let mut chance = Chance::new(seed);
    let mut disguise =
        Disguise { before: String::new(), words: split(command), sight: Sight::Clear, steps: Vec::new() };
    for _ in 0..chance.below(3) {
        words::apply(&mut disguise, &mut chance);
    }
    let mut line = format!("{}{}", disguise.before, disguise.words.join(" "));
    for _ in 0..chance.below(4) {
        line = lines::apply(line, &mut disguise, &mut chance);
    }
    (line, disguise.sight, disguise.steps)
}

#[test]
fn the_commands_are_what_they_are_said_to_be() {
    let commands = commands();
    assert!(commands.values().map(Vec::len).sum::<usize>() >= 60);
    for profile in Profile::ALL {
        let policy = Policy::builtin(profile).unwrap();
        for (label, commands) in &commands {
            for command in commands {
                let (verdict, rule) = judge(&policy, command);
                match label.as_str() {
                    "catastrophic" => assert_eq!(verdict, Verdict::Block, "{profile}: `{command}` ({rule})"),
                    _ if profile == Profile::Desktop => {
                        assert!(verdict > Verdict::Allow, "{profile}: `{command}` ({rule})");
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn no_disguise_helps() {
    let policy = Policy::builtin(Profile::Desktop).unwrap();
    let commands: Vec<(String, String)> = commands()
        .into_iter()
        .flat_map(|(label, lines)| lines.into_iter().map(move |line| (label.clone(), line)))
        .collect();
    let (first, count) = (number("GUARDA_SEED", 0), number("GUARDA_MUTATIONS", 20_000));
    let (mut seen, mut blocked) = (0usize, 0usize);
    let (mut silent, mut milder) = (Vec::new(), BTreeMap::<String, (usize, String)>::new());
    for seed in first..first + count {
        let (label, command) = &commands[usize::try_from(seed).unwrap() % commands.len()];
        let (line, sight, steps) = disguise(command, seed);
        let (verdict, rule) = judge(&policy, &line);
        if verdict == Verdict::Allow {
            silent.push(format!("seed {seed}, {label}, {steps:?}: `{line}` ({rule})"));
        }
        if label == "catastrophic" && sight == Sight::Clear {
            seen += 1;
            if verdict == Verdict::Block {
                blocked += 1;
            } else {
                let place = milder.entry(format!("{steps:?}")).or_insert((0, line));
                place.0 += 1;
            }
        }
    }
    println!("{count} disguises; {blocked} of {seen} catastrophic ones that can be seen through are blocked");
    let mut milder: Vec<_> = milder.into_iter().collect();
    milder.sort_by_key(|(steps, (times, _))| (steps.len(), usize::MAX - times));
    for (steps, (times, line)) in milder.iter().take(40) {
        println!("  {times} × {steps}: `{}`", line.escape_debug());
    }
    assert!(
        silent.is_empty(),
        "{} let through:\n{}",
        silent.len(),
        silent[..silent.len().min(40)].join("\n")
    );
    // A disguise of several tricks may be asked about instead of blocked, but seldom.
    assert!(
        blocked * 1000 >= seen * 995,
        "{} of {seen} that can be seen through were not blocked",
        seen - blocked
    );
}
