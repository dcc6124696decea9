//! `guarda lookback`: judges the commands in the transcripts of agents as they would be today. Nothing leaves this machine, and nothing
//! is run or recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;

use super::args::LookbackArgs;
use super::transcripts::{Transcript, find};
use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::judge::check::Bench;
use crate::wording::Words;
use crate::wording::plain::visible;
use crate::wording::reason::reason;
use guarda_core::action::Way;
use guarda_core::output::redact;
use guarda_core::policy::Verdict;

/// The most rows of each list.
const ROWS: usize = 10;

/// What is found in the transcripts.
#[derive(Debug, Default, Serialize)]
struct Lookback {
    /// How many transcripts were read.
    sessions: usize,
    /// How many commands are in them.
    commands: usize,
    /// Those that would run without a question, and how many of these with their changes held back.
    silent: usize,
    held_back: usize,
    asked: usize,
    password: usize,
    blocked: usize,
    /// The questions asked most often, by the shape that a person could grant, or the command.
    often: Vec<Often>,
    /// The riskiest commands that would not have run without a question.
    riskiest: Vec<Risky>,
    /// How many questions would be left, if each shape had been granted at its first question of a session.
    left_with_grants: usize,
    /// The secrets that lie in the transcripts.
    secrets: usize,
    secret_kinds: BTreeSet<String>,
    /// The files with secrets.
    secret_files: BTreeSet<PathBuf>,
}

/// A question that would be asked several times.
#[derive(Debug, Serialize)]
struct Often {
    what: String,
    /// Whether it is a shape that a person could grant.
    grant: bool,
    count: usize,
    reason: String,
}

/// A risky command.
#[derive(Debug, Serialize)]
struct Risky {
    command: String,
    risk: f32,
    status: &'static str,
    reason: String,
    time: Option<String>,
    client: &'static str,
}

pub(in crate::cli) fn lookback(args: &LookbackArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(args.config.as_deref())?;
    let words = loaded.words();
    let home = super::home(words, args.home.as_ref())?;
    let transcripts = find(&home);
    if transcripts.is_empty() {
        let folder = visible(&home.to_string_lossy());
        let none = words.say("lookback-none", &[("folder", folder.into())]);
        let empty = serde_json::to_string_pretty(&Lookback::default())?;
        terminal::out(&format!("{}\n", if args.json { empty } else { none }));
        return Ok(ExitStatus::Good);
    }
    let found = judged(Bench::new(loaded), words, &transcripts)?;
    terminal::out(&if args.json {
        format!("{}\n", serde_json::to_string_pretty(&found)?)
    } else {
        page(words, &found)
    });
    Ok(ExitStatus::Good)
}

fn judged(mut bench: Bench, words: &Words, transcripts: &[Transcript]) -> Result<Lookback, CliError> {
    let mut found = Lookback { sessions: transcripts.len(), ..Lookback::default() };
    let mut asked: BTreeMap<String, Often> = BTreeMap::new();
    for (at, transcript) in transcripts.iter().enumerate() {
        terminal::progress(&format!("{} / {}", at + 1, transcripts.len()));
        let mut granted = BTreeSet::new();
        // A transcript that cannot be read is one that nobody may look at.
        for entry in transcript.entries().into_iter().flatten() {
            for text in &entry.texts {
                // What cannot be searched may hold secrets, and is left where it is.
                let Ok(hidden) = redact(text) else { continue };
                if hidden.count > 0 {
                    found.secrets += hidden.count;
                    found.secret_kinds.extend(hidden.kinds);
                    found.secret_files.insert(transcript.file.clone());
                }
            }
            for (command, cwd) in entry.commands {
                found.commands += 1;
                let Ok((judgement, shape)) = bench.tried(&command, cwd.as_deref(), true, &[]) else {
                    found.blocked += 1;
                    continue;
                };
                let run = judgement.run();
                let strictest = judgement.findings().first();
                let why = strictest.map(|finding| reason(words, finding)).unwrap_or_default();
                match run.verdict {
                    Verdict::Allow => {
                        found.silent += 1;
                        found.held_back += usize::from(run.way == Some(Way::Stage));
                        continue;
                    }
                    Verdict::Review | Verdict::Confirm => found.asked += 1,
                    Verdict::Password => found.password += 1,
                    Verdict::Block => found.blocked += 1,
                }
                let shown = redact(&command).map(|hidden| hidden.text).unwrap_or_default();
                if matches!(run.verdict, Verdict::Review | Verdict::Confirm) {
                    let grant = shape.is_some();
                    let what = shape.map_or_else(|| shown.clone(), |shape| shape.to_string());
                    found.left_with_grants += usize::from(!grant || granted.insert(what.clone()));
                    let row = Often { what: what.clone(), grant, count: 0, reason: why.clone() };
                    asked.entry(what).or_insert(row).count += 1;
                }
                let (risk, status) = (judgement.risk(), run.verdict.status());
                let (time, client) = (entry.time.clone(), transcript.client.into());
                found.riskiest.push(Risky { command: shown, risk, status, reason: why, time, client });
            }
        }
    }
    terminal::progress("");
    found.often = asked.into_values().collect();
    found.often.sort_by(|one, other| other.count.cmp(&one.count).then(one.what.cmp(&other.what)));
    // What is asked once is not asked often, unless there is nothing else.
    let several = found.often.iter().filter(|one| one.count > 1).count();
    found.often.truncate(if several > 0 { several.min(ROWS) } else { ROWS });
    found
        .riskiest
        .sort_by(|one, other| other.risk.total_cmp(&one.risk).then(one.command.cmp(&other.command)));
    found.riskiest.dedup_by(|one, other| one.command == other.command);
    found.riskiest.truncate(ROWS);
    Ok(found)
}

/// The page for a person.
fn page(words: &Words, found: &Lookback) -> String {
    let say = |id: &str, counts: &[(&'static str, usize)]| format!("{}\n", words.count(id, counts));
    let mut page = say("lookback-read", &[("commands", found.commands), ("sessions", found.sessions)]);
    page += &say("lookback-silent", &[("count", found.silent), ("held", found.held_back)]);
    page += &say("lookback-asked", &[("count", found.asked), ("left", found.left_with_grants)]);
    page += &say("lookback-refused", &[("blocked", found.blocked), ("password", found.password)]);
    let (strong, faint) = (terminal::WARY, terminal::FAINT);
    let mut list = |id: &str, rows: Vec<String>| {
        if !rows.is_empty() {
            page += &format!("\n{strong}{}{strong:#}\n{}", words.say(id, &[]), rows.concat());
        }
    };
    let row = |head: String, what: &str, reason: &str| {
        format!("  {head}  {}\n      {faint}{reason}{faint:#}\n", visible(what))
    };
    list(
        "lookback-often",
        found.often.iter().map(|one| row(format!("{:>4}×", one.count), &one.what, &one.reason)).collect(),
    );
    list(
        "lookback-riskiest",
        found.riskiest.iter().map(|one| row(format!("{:.2}", one.risk), &one.command, &one.reason)).collect(),
    );
    let kinds: Vec<&str> = found.secret_kinds.iter().map(String::as_str).collect();
    if found.secrets > 0 {
        let told = [
            ("count", found.secrets.into()),
            ("files", found.secret_files.len().into()),
            ("kinds", kinds.join(", ").into()),
        ];
        page += &format!("\n{}\n", words.say("lookback-secrets", &told));
    }
    page
}
