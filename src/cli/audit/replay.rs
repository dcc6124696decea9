//! `guarda rules try` and `guarda rules suggest`: judge the commands of the record again, by other rules or with grants. Nothing is run or
//! recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

use crate::app::{CliError, ExitStatus, Loaded, load, paths, terminal};
use crate::cli::args::{ReplayArgs, SuggestArgs, TryArgs};
use crate::cli::judge::check::Bench;
use crate::config::Config;
use crate::guard::HOOK_DOOR;
use crate::wording::Words;
use crate::wording::plain::visible;
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::policy::{StandingGrant, Verdict};
use guarda_journal::read::{self, Filter};
use guarda_journal::{RecordEvent, RequestFate};

/// The most rows of each list for a person.
const ROWS: usize = 10;

/// The lines that every request about a command has one of.
const EVERY: [RecordEvent; 4] =
    [RecordEvent::Asked, RecordEvent::Intent, RecordEvent::Refusal, RecordEvent::Advice];
/// The lines of those that were asked about.
const ASKED: [RecordEvent; 2] = [RecordEvent::Asked, RecordEvent::Refusal];

/// A command of the record, as it is judged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Command {
    line: String,
    cwd: Option<String>,
    hook: bool,
}

/// What happened with a command: in which sessions, and how often a person was asked.
#[derive(Debug, Default)]
struct Seen {
    count: usize,
    sessions: BTreeSet<String>,
    asked: usize,
    denied: usize,
}

/// A request of the record, as its lines tell it.
struct Recorded {
    command: Command,
    session: String,
    asked: bool,
    denied: bool,
}

/// The commands of the record, as far as these lines tell, each with what was seen of it.
fn commands(
    args: &ReplayArgs,
    config: Option<&Path>,
    events: &[RecordEvent],
) -> Result<BTreeMap<Command, Seen>, CliError> {
    let folder = super::folder(args.folder.clone(), config)?;
    read_commands(&folder, args.since, events)
}

fn read_commands(
    folder: &Path,
    since: jiff::Timestamp,
    events: &[RecordEvent],
) -> Result<BTreeMap<Command, Seen>, CliError> {
    let filter = Filter { since: Some(since), events: events.to_vec(), ..Filter::default() };
    // A request has several lines, and each of them its command.
    let mut requests: BTreeMap<String, Recorded> = BTreeMap::new();
    read::each(folder, &filter, |line| {
        let (place, facts) = (line.place, line.facts);
        let fate = RequestFate::of(&place, &facts);
        if facts.kind != ActionKind::RunCommand.name() || facts.command.is_empty() || fate.is_none() {
            return Ok(());
        }
        let hook = facts.door == HOOK_DOOR;
        let (asked, denied) = (place.event == RecordEvent::Asked, fate == Some(RequestFate::Denied));
        let entry = requests.entry(place.audit_id).or_insert_with(|| {
            let command = Command { line: facts.command, cwd: facts.cwd, hook };
            Recorded { command, session: place.session_id, asked: false, denied: false }
        });
        entry.asked |= asked;
        entry.denied |= denied;
        Ok(())
    })
    .map_err(CliError::unreadable)?;
    let mut seen: BTreeMap<Command, Seen> = BTreeMap::new();
    for Recorded { command, session, asked, denied } in requests.into_values() {
        let one = seen.entry(command).or_default();
        one.count += 1;
        one.asked += usize::from(asked);
        one.denied += usize::from(denied);
        one.sessions.insert(session);
    }
    Ok(seen)
}

/// The different command lines of the record of the last 30 days: none before anything was recorded.
pub(super) fn recorded(config: &Config) -> Result<Vec<String>, CliError> {
    let since = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24 * 30);
    let folder = paths::record_folder(config, &load::state()?);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let seen = read_commands(&folder, since, &EVERY)?;
    let mut lines: Vec<String> = seen.into_keys().map(|command| command.line).collect();
    lines.dedup();
    Ok(lines)
}

/// How other rules or grants would change what is asked.
#[derive(Debug, Default, Serialize)]
struct Trial {
    /// How many requests of the record were judged, and how many different commands they had.
    requests: usize,
    commands: usize,
    /// Requests that are asked about: by the rules in force, and by those that are tried.
    asked: usize,
    would_ask: usize,
    /// Requests that are blocked.
    blocked: usize,
    would_block: usize,
    /// The commands that would no longer be asked about, would be for the first time, and would pass although they are blocked.
    gone: Vec<Changed>,
    new: Vec<Changed>,
    pass: Vec<Changed>,
}

/// A command whose verdict would change.
#[derive(Debug, Serialize)]
struct Changed {
    command: String,
    count: usize,
    status: &'static str,
    would: &'static str,
}

/// Judges the record by a configuration, or with grants, in the place of the rules in force.
pub(in crate::cli) fn try_rules(config: Option<&Path>, args: &TryArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(config)?;
    let words = loaded.words();
    let seen = commands(&args.record, config, &EVERY)?;
    let other = match &args.file {
        Some(file) => load::load(Some(file))?,
        None => Loaded { config: loaded.config.clone(), file: loaded.file.clone() },
    };
    let (mut before, mut after) = (Bench::new(loaded), Bench::new(other));
    let grants =
        args.grant.iter().map(|line| grant(words, &mut after, line)).collect::<Result<Vec<_>, _>>()?;
    let mut trial = Trial { commands: seen.len(), ..Trial::default() };
    for (command, seen) in &seen {
        let is = verdict(&mut before, command, &[]);
        let asks = |verdict: Verdict| (Verdict::Review..Verdict::Block).contains(&verdict);
        // By the same rules, a grant changes only what is asked.
        let same = args.file.is_none() && !asks(is);
        let would = if same { is } else { verdict(&mut after, command, &grants) };
        let count = |yes: bool| if yes { seen.count } else { 0 };
        trial.requests += seen.count;
        trial.asked += count(asks(is));
        trial.would_ask += count(asks(would));
        trial.blocked += count(is == Verdict::Block);
        trial.would_block += count(would == Verdict::Block);
        let list = match (is, would) {
            (Verdict::Block, would) if would < Verdict::Block => &mut trial.pass,
            (is, Verdict::Allow) if asks(is) => &mut trial.gone,
            (Verdict::Allow, would) if would > Verdict::Allow => &mut trial.new,
            _ => continue,
        };
        let (status, would) = (is.status(), would.status());
        list.push(Changed { command: command.line.clone(), count: seen.count, status, would });
    }
    for list in [&mut trial.gone, &mut trial.new, &mut trial.pass] {
        list.sort_by(|one, other| other.count.cmp(&one.count).then(one.command.cmp(&other.command)));
    }
    terminal::out(&if args.record.json {
        format!("{}\n", serde_json::to_string_pretty(&trial)?)
    } else {
        trial_page(words, &trial)
    });
    Ok(if trial.pass.is_empty() { ExitStatus::Good } else { ExitStatus::Failed })
}

/// The verdict of a command if the guard runs it. What cannot be read is blocked.
fn verdict(bench: &mut Bench, command: &Command, grants: &[StandingGrant]) -> Verdict {
    let Command { line, cwd, hook } = command;
    bench
        .tried(line, cwd.as_deref(), *hook, grants)
        .map_or(Verdict::Block, |(judgement, _)| judgement.run().verdict)
}

/// A grant of the shape of this line, in the current folder.
fn grant(words: &Words, bench: &mut Bench, line: &str) -> Result<StandingGrant, CliError> {
    let (_, shape) = bench.tried(line, load::current_folder().as_deref(), true, &[])?;
    let shape = shape
        .ok_or_else(|| CliError::text(words.say("rules-no-shape", &[("command", visible(line).into())])))?;
    Ok(StandingGrant { id: uuid::Uuid::new_v4(), shape })
}

fn trial_page(words: &Words, trial: &Trial) -> String {
    let say = |id: &str, counts: &[(&'static str, usize)]| format!("{}\n", words.count(id, counts));
    let mut page = say("rules-replayed", &[("requests", trial.requests), ("commands", trial.commands)]);
    page += &say("rules-asked", &[("now", trial.asked), ("then", trial.would_ask)]);
    page += &say("rules-blocked", &[("now", trial.blocked), ("then", trial.would_block)]);
    for (id, style, rows) in [
        ("rules-pass", terminal::BAD, &trial.pass),
        ("rules-new", terminal::WARY, &trial.new),
        ("rules-gone", terminal::GOOD, &trial.gone),
    ] {
        if rows.is_empty() {
            continue;
        }
        page += &format!("\n{style}{}{style:#}\n", words.say(id, &[]));
        for row in rows.iter().take(ROWS) {
            page += &format!("  {:>5}×  {}\n", row.count, visible(&row.command));
        }
        if rows.len() > ROWS {
            page += &format!("  {}", say("rules-more", &[("count", rows.len() - ROWS)]));
        }
    }
    page
}

/// A grant that would have removed questions.
#[derive(Debug, Default, Serialize)]
struct Suggestion {
    /// The shape of the commands that it would cover.
    shape: String,
    /// How often a person was asked about them, in how many sessions and folders.
    asked: usize,
    sessions: usize,
    folders: usize,
    /// The questions that would be left out, if each session, or each folder, had been answered for once.
    fewer_by_session: usize,
    fewer_by_always: usize,
    /// Commands that it would have covered.
    examples: Vec<String>,
}

/// What would have removed most questions.
#[derive(Debug, Default, Serialize)]
struct Suggestions {
    /// All questions about commands in that time.
    asked: usize,
    /// Those that no grant covers: they are about changes or hosts, or must be asked each time.
    each_time: usize,
    /// Those about commands to which the person said no at least once.
    refused: usize,
    suggestions: Vec<Suggestion>,
}

/// Proposes the grants that would have removed most questions of the record.
pub(in crate::cli) fn suggest(config: Option<&Path>, args: &SuggestArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(config)?;
    let words = loaded.words();
    let seen = commands(&args.record, config, &ASKED)?;
    let mut bench = Bench::new(loaded);
    let mut told = Suggestions::default();
    let mut shapes: BTreeMap<String, Vec<(&Command, &Seen)>> = BTreeMap::new();
    for (command, seen) in seen.iter().filter(|(_, seen)| seen.asked > 0) {
        told.asked += seen.asked;
        let tried = bench.tried(&command.line, command.cwd.as_deref(), command.hook, &[]);
        let shape = tried.ok().filter(|(judgement, _)| judgement.run().verdict > Verdict::Allow);
        match shape.and_then(|(_, shape)| shape) {
            Some(shape) => shapes.entry(shape.to_string()).or_default().push((command, seen)),
            None => told.each_time += seen.asked,
        }
    }
    for (shape, of) in shapes {
        let asked = of.iter().map(|(_, seen)| seen.asked).sum::<usize>();
        if of.iter().any(|(_, seen)| seen.denied > 0) {
            told.refused += asked;
            continue;
        }
        let sessions: BTreeSet<&String> = of.iter().flat_map(|(_, seen)| &seen.sessions).collect();
        let folders: BTreeSet<&Option<String>> = of.iter().map(|(command, _)| &command.cwd).collect();
        let examples = of.iter().take(3).map(|(command, _)| command.line.clone()).collect();
        let (sessions, folders) = (sessions.len(), folders.len());
        told.suggestions.push(Suggestion {
            shape,
            asked,
            sessions,
            folders,
            fewer_by_session: asked.saturating_sub(sessions),
            fewer_by_always: asked.saturating_sub(folders),
            examples,
        });
    }
    told.suggestions.retain(|one| one.fewer_by_session.max(one.fewer_by_always) > 0);
    told.suggestions.sort_by_key(|one| std::cmp::Reverse(one.fewer_by_always.max(one.fewer_by_session)));
    told.suggestions.truncate(ROWS);
    terminal::out(&if args.record.json {
        format!("{}\n", serde_json::to_string_pretty(&told)?)
    } else {
        suggestions_page(words, &told)
    });
    Ok(ExitStatus::Good)
}

fn suggestions_page(words: &Words, told: &Suggestions) -> String {
    let counts = [("asked", told.asked), ("each", told.each_time), ("refused", told.refused)];
    let mut page = format!("{}\n", words.count("suggest-asked", &counts));
    if told.suggestions.is_empty() {
        return page + &format!("{}\n", words.say("suggest-none", &[]));
    }
    let (strong, faint) = (terminal::GOOD, terminal::FAINT);
    for one in &told.suggestions {
        let times = [("asked", one.asked), ("sessions", one.sessions), ("folders", one.folders)];
        let fewer = [("session", one.fewer_by_session), ("always", one.fewer_by_always)];
        page += &format!(
            "\n{strong}{}{strong:#}\n  {}\n",
            visible(&one.shape),
            words.count("suggest-times", &times)
        );
        page += &format!("  {}\n", words.count("suggest-fewer", &fewer));
        for example in &one.examples {
            page += &format!("  {faint}{}{faint:#}\n", visible(example));
        }
    }
    page + &format!("\n{}\n", words.say("suggest-how", &[]))
}
