//! `guarda blame`: who changed a file, from the record, whether or not a guard is running.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::args::BlameArgs;
use super::page;
use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::request::undo;
use crate::wording::Words;
use crate::wording::describe::recorded;
use guarda_core::output::redact;
use guarda_journal::line::EffectFact;
use guarda_journal::read::{self, Filter, RecordLine};
use guarda_journal::{RecordError, RecordEvent, RequestFate};

/// A recorded change of the file.
struct Deed {
    line: RecordLine,
    /// What was done to it; `None` if the record names only the command, and its old version is held.
    effect: Option<EffectFact>,
}

pub(in crate::cli) fn blame(args: BlameArgs) -> Result<ExitStatus, CliError> {
    let words = load::words();
    let folder = super::folder(args.folder, args.config.as_deref())?;
    let path = absolute(&args.path)?;
    let held = held(&path)?;
    let deeds = deeds(&folder, &path, &held).map_err(CliError::unreadable)?;
    if args.json {
        let all: Vec<_> = deeds.iter().map(|deed| value(deed, &held)).collect();
        terminal::out(&format!("{}\n", serde_json::to_string_pretty(&all)?));
        return Ok(ExitStatus::Good);
    }
    let shown = path.display().to_string();
    if deeds.is_empty() {
        terminal::out(&format!("{}\n", words.say("blame-none", &[("path", shown.into())])));
        return Ok(ExitStatus::Good);
    }
    let mut told = String::new();
    if let Some(at) = since(&path, &deeds) {
        let at = terminal::local(words, &at.to_string());
        told.push_str(&format!("{}\n", words.say("blame-since", &[("time", at.into())])));
    }
    let most = if args.all { usize::MAX } else { args.lines };
    told.extend(deeds.iter().take(most).map(|deed| row(words, deed, &held)));
    if let Some(more) = deeds.len().checked_sub(most).filter(|more| *more > 0) {
        told.push_str(&format!("{}\n", words.say("blame-more", &[("count", more.into())])));
    }
    terminal::out(&told);
    Ok(ExitStatus::Good)
}

/// The path of the entry itself: its folder is followed, the last name is not, and may be gone.
fn absolute(path: &Path) -> Result<PathBuf, CliError> {
    let path = std::path::absolute(path).map_err(|error| CliError::at(path, error))?;
    let real = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    Ok(match real.zip(path.file_name()) {
        Some((folder, name)) => folder.join(name),
        None => path,
    })
}

/// The actions whose old versions of this file are held, by their names in the record.
fn held(path: &Path) -> Result<BTreeSet<String>, CliError> {
    let held = undo::stages()?.map(|stages| stages.held()).unwrap_or_default();
    let touches = |held: &&guarda_sandbox::stage::Held| held.paths.iter().any(|one| concerns(one, path));
    let notes = held.iter().filter(touches).filter_map(|held| held.note.as_ref());
    Ok(notes.map(|note| note.audit_id.clone()).filter(|id| !id.is_empty()).collect())
}

/// Whether a change at one path is one of the other: the same, or one is a folder above.
fn concerns(changed: &Path, path: &Path) -> bool {
    path.starts_with(changed) || changed.starts_with(path)
}

/// What was done to a path, the latest first. A file that was renamed is followed to its earlier name.
fn deeds(folder: &Path, path: &Path, held: &BTreeSet<String>) -> Result<Vec<Deed>, RecordError> {
    let events = vec![RecordEvent::Outcome, RecordEvent::Advice, RecordEvent::Recovered];
    let mut lines: BTreeMap<String, RecordLine> = BTreeMap::new();
    read::each(folder, &Filter { events, ..Filter::default() }, |line| {
        let fate = RequestFate::of(&line.place, &line.facts);
        let done = matches!(
            fate,
            Some(RequestFate::DoneUnasked | RequestFate::DoneApproved | RequestFate::LeftToClient)
        );
        if done && (!line.facts.effects.is_empty() || held.contains(&line.place.audit_id)) {
            lines.insert(line.place.audit_id.clone(), line);
        }
        Ok(())
    })?;
    let mut lines: Vec<RecordLine> = lines.into_values().collect();
    lines.sort_by(|one, other| other.place.timestamp.cmp(&one.place.timestamp));
    let mut named = recorded_name(path);
    let mut found = Vec::new();
    for line in lines {
        let concerning = |effect: &&EffectFact| {
            let moved = effect.from.as_deref().is_some_and(|from| concerns(Path::new(from), &named));
            moved || concerns(Path::new(&effect.path), &named)
        };
        let effect = line.facts.effects.iter().find(concerning).cloned();
        if effect.is_none() && !(line.facts.effects.is_empty() && held.contains(&line.place.audit_id)) {
            continue;
        }
        if let Some(EffectFact { path, from: Some(from), .. }) = &effect
            && let Ok(rest) = named.strip_prefix(path)
        {
            named = if rest.as_os_str().is_empty() { from.into() } else { Path::new(from).join(rest) };
        }
        found.push(Deed { line, effect });
    }
    Ok(found)
}

/// A path as the record writes it.
fn recorded_name(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    redact(&text).map_or_else(|_| path.to_owned(), |clean| clean.text.into())
}

/// When the file was changed by something that the guard did not see, if it was.
fn since(path: &Path, deeds: &[Deed]) -> Option<jiff::Timestamp> {
    const CLOSE: jiff::SignedDuration = jiff::SignedDuration::from_secs(2);
    let found = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let changed = jiff::Timestamp::try_from(found.modified().ok()?).ok()?;
    let last = deeds.first()?;
    let seen: jiff::Timestamp = last.line.place.timestamp.parse().ok()?;
    // A client's own tool writes after it was let.
    let client = last.line.place.event == RecordEvent::Advice;
    let late = changed.duration_since(seen) > if client { CLOSE * 5 } else { CLOSE };
    late.then_some(changed)
}

fn row(words: &Words, deed: &Deed, held: &BTreeSet<String>) -> String {
    let Deed { line, effect } = deed;
    let time = terminal::local(words, &line.place.timestamp);
    let told = match effect {
        Some(effect) => page::told(words, effect),
        None => words.say("blame-named", &[]),
    };
    let id = &line.place.audit_id;
    let session = line.place.session_id.clone();
    let rows = [
        ("audit-row-what", recorded::what(words, &line.facts)),
        ("card-asker", page::asker(words, &line.facts)),
        ("card-session", session),
        ("audit-row-decided", page::decider(words, line)),
    ];
    let (faint, style) = (terminal::FAINT, terminal::WARY);
    let mut text = format!("{faint}{time}{faint:#}  {style}{told}{style:#}\n");
    for (label, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
        let label = words.labelled(&words.say(label, &[]), "");
        text.push_str(&format!("  {faint}{label}{faint:#} {}\n", page::plain(&value)));
    }
    let undo = held.contains(id).then_some("blame-undo");
    for message in std::iter::once("blame-record").chain(undo) {
        text.push_str(&format!("  {faint}{}{faint:#}\n", words.say(message, &[("id", id.clone().into())])));
    }
    text
}

fn value(deed: &Deed, held: &BTreeSet<String>) -> serde_json::Value {
    let Deed { line, effect } = deed;
    let facts = &line.facts;
    json!({
        "at": line.place.timestamp,
        "change": effect,
        "what": facts.command,
        "asker": facts.caller,
        "door": facts.door,
        "session": line.place.session_id,
        "decided_by": facts.answered_by,
        "channel": facts.channel,
        "audit_id": line.place.audit_id,
        "undo": held.contains(&line.place.audit_id),
    })
}
