//! Reads the record: its last lines, one request, totals, and all of it for other programs.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use super::fate::RequestFate;
use super::files::folder::{Folder, file_of, part_of, session_of};
use super::files::log_file::ARCHIVE;
use super::line::{Facts, LinePosition, RecordEvent};
use super::trouble::{RecordError, Trouble};

/// One line of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordLine {
    /// Its file and line number.
    pub place: LinePosition,
    /// Its parsed content.
    pub facts: Facts,
    /// The line itself, which is a JSON object.
    text: String,
}

impl RecordLine {
    /// Every field, as stored.
    #[must_use]
    pub fn fields(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
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
    /// Only lines that tell this of their request.
    pub fate: Option<RequestFate>,
    /// No beginnings of files.
    pub requests: bool,
    /// Only lines written at this time or later.
    pub since: Option<jiff::Timestamp>,
    /// Only lines written before.
    pub until: Option<jiff::Timestamp>,
    /// Only lines whose command contains this text.
    pub text: Option<String>,
}

impl Filter {
    pub(super) fn wants(&self, line: &RecordLine) -> bool {
        self.wants_place(&line.place) && self.wants_facts(&line.place, &line.facts)
    }

    /// Whether a line at this place may be wanted.
    fn wants_place(&self, place: &LinePosition) -> bool {
        let time = || place.timestamp.parse::<jiff::Timestamp>().ok();
        let same =
            |wanted: &Option<String>, value: &str| wanted.as_deref().is_none_or(|wanted| wanted == value);
        (self.events.is_empty() || self.events.contains(&place.event))
            && same(&self.audit_id, &place.audit_id)
            && (!self.requests || place.event != RecordEvent::Opened)
            && self.since.is_none_or(|since| time().is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| time().is_some_and(|time| time < until))
    }

    fn wants_facts(&self, place: &LinePosition, facts: &Facts) -> bool {
        (self.status.is_none() || self.status == facts.status)
            && (self.fate.is_none() || self.fate == RequestFate::of(place, facts))
            && self.text.as_deref().is_none_or(|text| facts.command.contains(text))
    }
}

/// Visits the lines of a record, file by file, the oldest file of a session first. Unreadable lines are skipped:
/// [`mod@super::verify`] reports them.
///
/// ```
/// use guarda_journal::read::{Filter, each};
/// use guarda_journal::{Journal, JournalConfig};
///
/// let folder = tempfile::tempdir().unwrap();
/// let journal = Journal::open(JournalConfig::new(folder.path())).unwrap();
/// journal.reloaded("policy", "a digest of the rules").unwrap();
/// drop(journal);
/// let mut lines = 0;
/// each(folder.path(), &Filter::default(), |_line| Ok(lines += 1)).unwrap();
/// assert!(lines > 0);
/// ```
///
/// # Errors
/// If a file cannot be opened, or `each` fails.
pub fn each(
    folder: &Path,
    filter: &Filter,
    mut each: impl FnMut(RecordLine) -> Result<(), RecordError>,
) -> Result<(), RecordError> {
    walk(folder, filter, |line| each(line).map(ControlFlow::Continue))
}

/// Whether at least `count` lines are selected. Reads no further than it must.
///
/// # Errors
/// If the record cannot be read.
pub fn holds(folder: &Path, filter: &Filter, count: usize) -> Result<bool, RecordError> {
    let mut left = count;
    walk(folder, filter, |_| {
        left = left.saturating_sub(1);
        Ok(if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(left == 0)
}

fn walk(
    folder: &Path,
    filter: &Filter,
    mut each: impl FnMut(RecordLine) -> Result<ControlFlow<()>, RecordError>,
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
                // Most lines are told by their place alone.
                if let Some(place) = position(&raw).filter(|place| filter.wants_place(place))
                    && let Some(line) = rest(place, &raw)
                    && filter.wants_facts(&line.place, &line.facts)
                    && each(line)?.is_break()
                {
                    return Ok(());
                }
                raw.clear();
            }
        }
    }
    Ok(())
}

pub(super) fn parse(line: &[u8]) -> Option<RecordLine> {
    rest(position(line)?, line)
}

fn position(line: &[u8]) -> Option<LinePosition> {
    serde_json::from_slice(line).ok()
}

fn rest(place: LinePosition, line: &[u8]) -> Option<RecordLine> {
    let text = std::str::from_utf8(line).ok()?.trim_end().to_owned();
    Some(RecordLine { place, facts: serde_json::from_str(&text).ok()?, text })
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
    /// Requests by what became of them: the names of [`RequestFate`].
    pub fates: BTreeMap<String, u64>,
    /// Requests by the verdict on their words: `approved`, `requires_confirmation`, `requires_password`, `blocked`. A
    /// command whose changes were held back and then let through unasked counts here by what its words alone require.
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

impl Stats {
    /// Counts a request by its last line.
    fn count(&mut self, fate: RequestFate, facts: &Facts) {
        let end = match (fate, &facts.status) {
            (RequestFate::LeftToClient | RequestFate::Judged, _) => "advice",
            (_, Some(status)) => status,
            (_, None) => "open",
        };
        self.requests += 1;
        add(&mut self.fates, fate.name());
        add(&mut self.verdicts, &facts.verdict);
        add(&mut self.ends, end);
        add(&mut self.kinds, &facts.kind);
        if let Some(finding) = facts.findings.first() {
            add(&mut self.rules, &finding.rule);
        }
        if let Some(answer) = &facts.user_decision {
            add(&mut self.answers, answer);
        }
    }
}

fn add(sums: &mut BTreeMap<String, u64>, name: &str) {
    *sums.entry(name.to_owned()).or_insert(0) += 1;
}

/// Totals over the selected lines. Each request counts once, by the last of its selected lines.
///
/// # Errors
/// If the record cannot be read.
pub fn stats(folder: &Path, filter: &Filter) -> Result<Stats, RecordError> {
    let mut stats = Stats::default();
    let mut sessions = std::collections::BTreeSet::new();
    let mut open: BTreeMap<String, (RequestFate, Facts)> = BTreeMap::new();
    each(folder, filter, |line| {
        let RecordLine { place, facts, .. } = line;
        let fate = RequestFate::of(&place, &facts);
        if stats.first.as_ref().is_none_or(|first| place.timestamp < *first) {
            stats.first = Some(place.timestamp.clone());
        }
        if stats.last.as_ref().is_none_or(|last| place.timestamp > *last) {
            stats.last = Some(place.timestamp);
        }
        sessions.insert(place.session_id);
        if !matches!(place.event, RecordEvent::Asked | RecordEvent::Intent) {
            facts.redaction_categories.iter().for_each(|kind| add(&mut stats.redactions, kind));
        }
        let Some(fate) = fate else { return Ok(()) };
        // The first line has the verdict on the words; later ones may have that on the changes.
        let verdict = open.remove(&place.audit_id).map_or(facts.verdict, |(_, first)| first.verdict);
        let facts = Facts { verdict, ..facts };
        if fate.is_final() {
            stats.count(fate, &facts);
        } else {
            open.insert(place.audit_id, (fate, facts));
        }
        Ok(())
    })?;
    for (fate, facts) in open.into_values() {
        stats.count(fate, &facts);
    }
    stats.sessions = sessions.len();
    Ok(stats)
}
