//! Lines of the record for a person: a table, one request, counts, findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anstyle::Style;
use serde_json::Value;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::doors::cli::show::{BAD, FAINT, GOOD, WARY};
use crate::record::Event;
use crate::record::line::{EffectFact, HostFact};
use crate::record::read::{Line, Stats};
use crate::record::verify::Report;

/// Where a line stands, to know it again.
pub(super) fn place(line: &Line) -> (String, u64, String) {
    (line.place.session_id.clone(), line.place.line, line.place.prev.clone())
}

/// The lines as they stand in the record.
pub(super) fn raw(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}\n", line.fields)).collect()
}

/// A table that grows: its header is printed once.
pub(super) struct Table {
    width: usize,
    begun: bool,
}

impl Table {
    /// As wide as the terminal; without one, as wide as needed.
    pub(super) fn new() -> Self {
        let width = crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
        Self { width: width.filter(|_| terminal).unwrap_or(usize::MAX), begun: false }
    }

    /// One row a request. An intent whose end is there too has no row of its own, nor has a question that was settled.
    pub(super) fn rows(&mut self, lines: &[Line]) -> String {
        let ended: BTreeSet<&str> = lines
            .iter()
            .filter(|line| line.place.event.closes())
            .map(|line| line.place.audit_id.as_str())
            .collect();
        let settled: BTreeSet<&str> = lines
            .iter()
            .filter(|line| line.place.event != Event::Asked)
            .map(|line| line.place.audit_id.as_str())
            .collect();
        let mut text = String::new();
        for line in lines {
            if line.place.event == Event::Asked && settled.contains(line.place.audit_id.as_str()) {
                continue;
            }
            if line.place.event == Event::Intent && ended.contains(line.place.audit_id.as_str()) {
                continue;
            }
            if !self.begun {
                self.begun = true;
                let header = row("TIME (UTC)", "AUDIT ID", "END", "DECIDED BY", "WHAT", FAINT, FAINT);
                text.push_str(&header);
            }
            let (word, style) = end(line);
            let time = line.place.timestamp.get(..19).unwrap_or_default().replace('T', " ");
            let what = fit(&what(line), self.width.saturating_sub(20 + 24 + 19 + 16));
            let id = if line.place.sequence == 0 { &line.place.session_id } else { &line.place.audit_id };
            text.push_str(&row(&time, id, &word, &decider(line), &what, style, Style::new()));
        }
        text
    }
}

fn row(time: &str, id: &str, end: &str, by: &str, what: &str, style: Style, other: Style) -> String {
    format!(
        "{other}{time:<19}{other:#} {other}{id:<23}{other:#} {style}{end:<18}{style:#} {other}{by:<15}{other:#} \
         {other}{what}{other:#}\n"
    )
}

/// How it ended, in one or two words.
fn end(line: &Line) -> (String, Style) {
    let facts = &line.facts;
    let error = || facts.error.clone().unwrap_or_else(|| "error".to_owned());
    match line.place.event {
        Event::Opened => ("file begun".to_owned(), FAINT),
        Event::Recovered if line.place.sequence == 0 => match facts.phase {
            Some(_) => ("ended at the start".to_owned(), WARY),
            None => ("record mended".to_owned(), WARY),
        },
        Event::Asked => ("asked".to_owned(), WARY),
        Event::Intent => ("begun".to_owned(), WARY),
        Event::Advice => (format!("advice: {}", short(&facts.verdict)), FAINT),
        Event::Marked if facts.taint.is_empty() => ("marks cleared".to_owned(), GOOD),
        Event::Marked => (format!("marked: {}", facts.taint.join(", ")), WARY),
        Event::Host if facts.answered_by.is_none() => ("host asked".to_owned(), WARY),
        Event::Host if facts.status.as_deref() == Some("completed") => ("host allowed".to_owned(), GOOD),
        Event::Host => ("host refused".to_owned(), BAD),
        Event::Outcome | Event::Recovered | Event::Refusal => match facts.status.as_deref() {
            Some("completed") => match facts.exit_code {
                None | Some(0) => ("completed".to_owned(), GOOD),
                Some(code) => (format!("exit status {code}"), WARY),
            },
            Some("denied") => match facts.user_decision.as_deref() {
                Some("deny") | None => ("denied".to_owned(), BAD),
                Some(why) => (format!("denied: {why}"), BAD),
            },
            _ => (error(), BAD),
        },
    }
}

fn short(verdict: &str) -> &str {
    verdict.strip_prefix("requires_").unwrap_or(verdict)
}

fn decider(line: &Line) -> String {
    match (&line.facts.answered_by, &line.facts.channel) {
        (Some(by), Some(channel)) => format!("{by}:{channel}"),
        (Some(by), None) => by.clone(),
        (None, _) => String::new(),
    }
}

/// What it is about: the command, or what the record says of itself.
fn what(line: &Line) -> String {
    let of = |name: &str| line.fields.get(name);
    let text = match line.place.event {
        Event::Opened => match of("damage").and_then(Value::as_str) {
            Some(damage) => format!("part {}; {damage}", of("part").unwrap_or(&Value::Null)),
            None => format!("part {}", of("part").unwrap_or(&Value::Null)),
        },
        Event::Recovered if line.place.sequence == 0 => match (of("cut_bytes"), of("interrupted")) {
            (Some(bytes), _) => format!("{bytes} bytes of an unfinished line were cut off"),
            (_, Some(why)) => format!(
                "it could not be written since {}: {}",
                of("since").and_then(Value::as_str).unwrap_or_default(),
                why.as_str().unwrap_or_default()
            ),
            (None, None) => {
                let how = line.facts.ended.as_deref().unwrap_or_default();
                [&line.facts.command, how]
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join(": ")
            }
        },
        Event::Host => {
            let names: Vec<String> = line.facts.hosts.iter().map(wanted).collect();
            format!("{} ({})", names.join(", "), line.facts.command)
        }
        _ => line.facts.command.clone(),
    };
    plain(&text)
}

/// A host that a command wanted while it ran.
fn wanted(host: &HostFact) -> String {
    host.ports.first().map_or_else(|| host.host.clone(), |port| format!("{}:{port}", host.host))
}

/// On one line and without anything that a terminal would obey.
fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// Cut to so many columns.
fn fit(text: &str, columns: usize) -> String {
    let columns = columns.max(20);
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used <= columns
    });
    let mut text: String = kept.collect();
    text.push('…');
    text
}

/// Everything about one request.
pub(super) fn request(lines: &[Line]) -> String {
    let mut page = String::new();
    for line in lines {
        let (word, style) = end(line);
        let place = &line.place;
        let _ = writeln!(
            page,
            "{style}{}{style:#}  {}  {}  line {} of {}",
            place.event.name(),
            word,
            place.timestamp,
            place.line.saturating_add(1),
            place.session_id
        );
        for (name, value) in line.fields.as_object().into_iter().flatten() {
            let head = matches!(
                name.as_str(),
                "prev" | "line" | "event" | "session_id" | "sequence" | "timestamp" | "findings" | "effects"
            );
            if head || value.is_null() || value.as_array().is_some_and(Vec::is_empty) {
                continue;
            }
            let text = match value {
                Value::String(text) if text.is_empty() => continue,
                Value::String(text) => {
                    text.lines().map(plain).collect::<Vec<_>>().join("\n                         ")
                }
                other => other.to_string(),
            };
            let _ = writeln!(page, "  {FAINT}{name:<22}{FAINT:#} {text}");
        }
        for finding in &line.facts.findings {
            let (rule, verdict, why) = (&finding.rule, &finding.verdict, plain(&finding.why));
            let _ = writeln!(
                page,
                "  {FAINT}{:<22}{FAINT:#} {rule} ({verdict}, {}): {why}",
                "finding", finding.layer
            );
        }
        for effect in &line.facts.effects {
            let _ = writeln!(page, "  {FAINT}{:<22}{FAINT:#} {}", "effect", told(effect));
        }
        page.push('\n');
    }
    page
}

/// One change of a staged run, or of an undo.
fn told(effect: &EffectFact) -> String {
    let mut text = format!("{} {}", effect.change, plain(&effect.path));
    if let Some(from) = &effect.from {
        let _ = write!(text, " from {}", plain(from));
    }
    let files = match effect.files {
        0 => String::new(),
        1 => ", 1 file".to_owned(),
        many => format!(", {many} files"),
    };
    let bytes = match (effect.was_bytes, effect.is_bytes) {
        (Some(was), Some(is)) if was != is => format!("{was} → {is} bytes"),
        (Some(bytes), _) | (None, Some(bytes)) => format!("{bytes} bytes"),
        (None, None) => return text,
    };
    let _ = write!(text, " ({bytes}{files})");
    text
}

/// Counts.
pub(super) fn stats(stats: &Stats) -> String {
    let mut page = format!("{} requests in {} sessions", stats.requests, stats.sessions);
    if let (Some(first), Some(last)) = (&stats.first, &stats.last) {
        let _ = write!(page, ", from {first} to {last}");
    }
    page.push('\n');
    let groups: [(&str, &BTreeMap<String, u64>); 6] = [
        ("verdicts", &stats.verdicts),
        ("ends", &stats.ends),
        ("actions", &stats.kinds),
        ("answers", &stats.answers),
        ("rules", &stats.rules),
        ("secrets hidden", &stats.redactions),
    ];
    for (title, counts) in groups.iter().filter(|(_, counts)| !counts.is_empty()) {
        let _ = writeln!(page, "\n{FAINT}{title}{FAINT:#}");
        let mut counts: Vec<(&String, &u64)> = counts.iter().collect();
        counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        for (name, count) in counts {
            let _ = writeln!(page, "  {count:>8}  {}", plain(name));
        }
    }
    page
}

/// What a check of the record found.
pub(super) fn report(report: &Report) -> String {
    let mut page = String::new();
    for fault in &report.faults {
        let _ = writeln!(page, "{BAD}{}{BAD:#} {}", fault.what.name(), plain(&fault.to_string()));
    }
    for note in &report.notes {
        let _ = writeln!(page, "{WARY}note{WARY:#} {}", plain(note));
    }
    let word = match report.faults.len() {
        0 => format!("{GOOD}sound{GOOD:#}"),
        1 => format!("{BAD}not sound{BAD:#}: 1 finding"),
        many => format!("{BAD}not sound{BAD:#}: {many} findings"),
    };
    let _ = write!(page, "{word}; {} lines in {} files", report.lines, report.files);
    if let Some(sealed) = &report.sealed {
        let _ = write!(page, "; signed at {sealed}");
    }
    if report.unsealed > 0 {
        let _ = write!(page, "; {} lines since then, held by their chain alone", report.unsealed);
    }
    if report.open > 0 {
        let _ = write!(page, "; {} deeds without an end yet", report.open);
    }
    page.push('\n');
    page
}
