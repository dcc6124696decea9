//! Reads the record: its last lines, one request, totals, and all of it for other programs.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use serde_json::Value;

use super::folder::{Folder, file_of, part_of, session_of};
use super::line::{Facts, LinePosition, RecordEvent};
use super::log_file::ARCHIVE;
use super::trouble::{RecordError, Trouble};

/// One line of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordLine {
    /// Its file and line number.
    pub place: LinePosition,
    /// Its parsed content.
    pub facts: Facts,
    /// Every field, as stored.
    pub fields: Value,
}

impl RecordLine {
    /// True if it is about a staged run whose effects wait to be judged.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.place.event == RecordEvent::Outcome && self.facts.status.is_none()
    }
}

/// Selects lines. Without conditions, all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this session.
    pub session: Option<String>,
    /// Only these events.
    pub events: Vec<RecordEvent>,
    /// Only this audit id.
    pub audit_id: Option<String>,
    /// Only this status: `completed`, `denied`, `error`.
    pub status: Option<String>,
    /// Only lines written at this time or later.
    pub since: Option<jiff::Timestamp>,
    /// Only lines written before.
    pub until: Option<jiff::Timestamp>,
    /// Only lines whose command contains this text.
    pub text: Option<String>,
}

impl Filter {
    pub(super) fn wants(&self, line: &RecordLine) -> bool {
        let time = || line.place.timestamp.parse::<jiff::Timestamp>().ok();
        let same =
            |wanted: &Option<String>, value: &str| wanted.as_deref().is_none_or(|wanted| wanted == value);
        (self.events.is_empty() || self.events.contains(&line.place.event))
            && same(&self.audit_id, &line.place.audit_id)
            && (self.status.is_none() || self.status == line.facts.status)
            && self.since.is_none_or(|since| time().is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| time().is_some_and(|time| time < until))
            && self.text.as_deref().is_none_or(|text| line.facts.command.contains(text))
    }
}

/// Visits the lines of a record, file by file, the oldest file of a session first. Unreadable lines are skipped:
/// [`mod@super::verify`] reports them.
///
/// # Errors
/// If a file cannot be opened, or `each` fails.
pub fn each(
    folder: &Path,
    filter: &Filter,
    mut each: impl FnMut(RecordLine) -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    let folder = Folder::open(folder)?;
    for (session, places) in places(&folder)? {
        if filter.session.as_ref().is_some_and(|wanted| *wanted != session) {
            continue;
        }
        for place in places {
            // It may have been archived or compressed in the meantime.
            let source = folder.read(&place).or_else(|_| folder.read(&format!("{place}.gz")));
            let mut source = match source {
                Err(error) if error.trouble() == Trouble::Gone => continue,
                other => other?,
            };
            let mut raw = Vec::new();
            while source.read_until(b'\n', &mut raw).is_ok_and(|size| size > 0) {
                if let Some(line) = parse(&raw).filter(|line| filter.wants(line)) {
                    each(line)?;
                }
                raw.clear();
            }
        }
    }
    Ok(())
}

pub(super) fn parse(line: &[u8]) -> Option<RecordLine> {
    let fields: Value = serde_json::from_slice(line).ok()?;
    let place = serde::Deserialize::deserialize(&fields).ok()?;
    let facts = serde::Deserialize::deserialize(&fields).ok()?;
    Some(RecordLine { place, facts, fields })
}

/// The files of each session, oldest first.
fn places(folder: &Folder) -> Result<BTreeMap<String, Vec<String>>, RecordError> {
    let names = folder.names()?;
    let mut places: BTreeMap<String, BTreeMap<(u32, bool), String>> = BTreeMap::new();
    if names.iter().any(|name| name == ARCHIVE) {
        for name in Folder::open(&folder.path().join(ARCHIVE))?.names()? {
            if let Some((session, part, damaged)) = part_of(&name) {
                let files = places.entry(session.to_owned()).or_default();
                let place = format!("{ARCHIVE}/{name}");
                if !files.contains_key(&(part, damaged)) || name.ends_with(".gz") {
                    files.insert((part, damaged), place);
                }
            }
        }
    }
    for session in names.iter().filter_map(|name| session_of(name)) {
        places.entry(session.to_owned()).or_default().insert((u32::MAX, false), file_of(session));
    }
    Ok(places.into_iter().map(|(session, files)| (session, files.into_values().collect())).collect())
}

/// The names of the sessions, sorted.
///
/// # Errors
/// If the folder cannot be read.
pub fn sessions(folder: &Path) -> Result<Vec<String>, RecordError> {
    Ok(places(&Folder::open(folder)?)?.into_keys().collect())
}

/// The last `count` selected lines, in the order of writing.
///
/// # Errors
/// If the record cannot be read.
pub fn tail(folder: &Path, filter: &Filter, count: usize) -> Result<Vec<RecordLine>, RecordError> {
    let mut last: std::collections::BTreeMap<(String, String, u64), RecordLine> = BTreeMap::new();
    each(folder, filter, |line| {
        let key = (line.place.timestamp.clone(), line.place.session_id.clone(), line.place.line);
        last.insert(key, line);
        if last.len() > count {
            last.pop_first();
        }
        Ok(())
    })?;
    Ok(last.into_values().collect())
}

/// Every line of one request: its intent and outcome, or its refusal.
///
/// # Errors
/// If the record cannot be read.
pub fn show(folder: &Path, audit_id: &str) -> Result<Vec<RecordLine>, RecordError> {
    let session = audit_id.rsplit_once('_').map(|(session, _)| session.to_owned());
    let filter = Filter { session, audit_id: Some(audit_id.to_owned()), ..Filter::default() };
    tail(folder, &filter, usize::MAX)
}

/// Totals over a record.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Stats {
    /// The number of requests.
    pub requests: u64,
    /// The number of sessions.
    pub sessions: usize,
    /// When the first line was written.
    pub first: Option<String>,
    /// When the last line was written.
    pub last: Option<String>,
    /// Requests by verdict: `approved`, `requires_confirmation`, `requires_password`, `blocked`.
    pub verdicts: BTreeMap<String, u64>,
    /// Requests by outcome: `completed`, `denied`, `error`; `open` without an outcome, `advice` where
    /// nothing was to be done.
    pub ends: BTreeMap<String, u64>,
    /// Requests by the kind of action.
    pub kinds: BTreeMap<String, u64>,
    /// Answers of people: `approve`, `deny`, `timeout` …
    pub answers: BTreeMap<String, u64>,
    /// The rules that decided, with their counts.
    pub rules: BTreeMap<String, u64>,
    /// The kinds of secrets that were redacted, with their counts.
    pub redactions: BTreeMap<String, u64>,
}

/// Totals over the selected lines.
///
/// # Errors
/// If the record cannot be read.
pub fn stats(folder: &Path, filter: &Filter) -> Result<Stats, RecordError> {
    let mut stats = Stats::default();
    let mut sessions = std::collections::BTreeSet::new();
    let mut open: i64 = 0;
    let mut held = std::collections::BTreeSet::new();
    each(folder, filter, |line| {
        let time = line.place.timestamp.clone();
        if stats.first.as_ref().is_none_or(|first| time < *first) {
            stats.first = Some(time.clone());
        }
        if stats.last.as_ref().is_none_or(|last| time > *last) {
            stats.last = Some(time);
        }
        sessions.insert(line.place.session_id.clone());
        let facts = &line.facts;
        let count =
            |sums: &mut BTreeMap<String, u64>, name: &str| *sums.entry(name.to_owned()).or_insert(0) += 1;
        match line.place.event {
            RecordEvent::Intent => open += 1,
            RecordEvent::Outcome | RecordEvent::Recovered if line.place.sequence > 0 => open -= 1,
            RecordEvent::Opened
            | RecordEvent::Asked
            | RecordEvent::Outcome
            | RecordEvent::Recovered
            | RecordEvent::Refusal
            | RecordEvent::Advice
            | RecordEvent::Marked
            | RecordEvent::Host => {}
        }
        if matches!(line.place.event, RecordEvent::Intent | RecordEvent::Refusal | RecordEvent::Advice) {
            // The outcome of a staged run's effects is not another request.
            if !held.remove(&line.place.audit_id) {
                stats.requests += 1;
                count(&mut stats.verdicts, &facts.verdict);
                count(&mut stats.kinds, &facts.kind);
            }
            if let Some(finding) = facts.findings.first() {
                count(&mut stats.rules, &finding.rule);
            }
            if let Some(answer) = &facts.user_decision {
                count(&mut stats.answers, answer);
            }
        }
        if line.is_held() {
            held.insert(line.place.audit_id.clone());
        }
        if line.place.event == RecordEvent::Advice {
            count(&mut stats.ends, "advice");
        } else if !matches!(line.place.event, RecordEvent::Intent | RecordEvent::Host)
            && line.place.sequence > 0
            && let Some(status) = &facts.status
        {
            count(&mut stats.ends, status);
        }
        if !matches!(line.place.event, RecordEvent::Asked | RecordEvent::Intent) {
            facts.redaction_categories.iter().for_each(|kind| count(&mut stats.redactions, kind));
        }
        Ok(())
    })?;
    if let Ok(open @ 1..) = u64::try_from(open).map(|open| open.saturating_add(held.len() as u64)) {
        stats.ends.insert("open".to_owned(), open);
    }
    stats.sessions = sessions.len();
    Ok(stats)
}
