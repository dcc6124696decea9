//! Shows lines of the record to a person, in the person's language: a table, one request, counts, or findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anstyle::Style;
use serde_json::Value;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::app::terminal::{self, BAD, FAINT, GOOD, WARY};
use crate::wording::describe::recorded;
use crate::wording::fault::evidence::{change, remark, tampering};
use crate::wording::refusal;
use crate::wording::verdict::{origin, verdict};
use crate::wording::words::Words;
use crate::wording::words::size;
use guarda_core::policy::Origin;
use guarda_journal::line::{EffectFact, Facts, HostFact};
use guarda_journal::read::{RecordLine, Stats};
use guarda_journal::verify::VerifyReport;
use guarda_journal::{Grant, KeptEnd, RecordEvent, RequestFate};

/// The position of a line in the record, which identifies it.
pub(super) fn place(line: &RecordLine) -> (String, u64, String) {
    (line.place.session_id.clone(), line.place.line, line.place.prev.clone())
}

/// The raw lines of the record.
pub(super) fn raw(lines: &[RecordLine]) -> String {
    lines.iter().map(|line| format!("{}\n", line.fields())).collect()
}

/// A table that is printed row by row, with its header once.
pub(super) struct PrintedTable {
    words: &'static Words,
    width: usize,
    begun: bool,
}

impl PrintedTable {
    /// Uses the terminal's width. Without a terminal, columns are as wide as needed.
    pub(super) fn new(words: &'static Words) -> Self {
        let width = crossterm::terminal::size().ok().map(|(columns, _)| usize::from(columns));
        let terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
        Self { words, width: width.filter(|_| terminal).unwrap_or(usize::MAX), begun: false }
    }

    /// The last rows, at most `most`. A request has one row, for its last line. A question about a host has a row of
    /// its own.
    pub(super) fn rows(&mut self, lines: &[RecordLine], most: usize) -> String {
        let numbered = |line: &RecordLine| line.place.sequence > 0 && line.place.event != RecordEvent::Host;
        let mut later = BTreeSet::new();
        let mut left: Vec<&RecordLine> = lines
            .iter()
            .rev()
            .filter(|line| !numbered(line) || later.insert(line.place.audit_id.as_str()))
            // A permission that was handed on is listed by its run.
            .filter(|line| {
                line.place.event != RecordEvent::Advice || RequestFate::of(&line.place, &line.facts).is_some()
            })
            .collect();
        left.reverse();
        let mut text = String::new();
        for line in left.iter().skip(left.len().saturating_sub(most)) {
            if !self.begun {
                self.begun = true;
                let zone = [("zone", terminal::zone().into())];
                let time = self.words.say("audit-head-time", &zone);
                let [id, end, by, what] =
                    ["id", "end", "by", "what"].map(|id| self.words.say(&format!("audit-head-{id}"), &[]));
                text.push_str(&row(&time, &id, &end, &by, &what, FAINT, FAINT));
            }
            let (word, style) = end(self.words, line);
            let time = terminal::local(self.words, &line.place.timestamp);
            let what =
                fit(&what(self.words, line), self.width.saturating_sub(terminal::TIME + 1 + 24 + 20 + 23));
            let id = if line.place.sequence == 0 { &line.place.session_id } else { &line.place.audit_id };
            text.push_str(&row(&time, id, &word, &decider(self.words, line), &what, style, Style::new()));
        }
        text
    }
}

fn row(time: &str, id: &str, end: &str, by: &str, what: &str, style: Style, other: Style) -> String {
    let at = terminal::TIME;
    format!(
        "{other}{time:<at$}{other:#} {other}{id:<23}{other:#} {style}{end:<19}{style:#} {other}{by:<22}{other:#} \
         {other}{what}{other:#}\n"
    )
}

/// The outcome in one or two words, with its style.
fn end(words: &Words, line: &RecordLine) -> (String, Style) {
    let facts = &line.facts;
    let say = |id: &str| words.say(&format!("audit-end-{id}"), &[]);
    match line.place.event {
        RecordEvent::Opened => (say("opened"), FAINT),
        RecordEvent::Recovered if line.place.sequence == 0 => match facts.phase {
            Some(_) => (say("at-start"), WARY),
            None => (say("mended"), WARY),
        },
        RecordEvent::Ended => match facts.reason.as_deref().map(str::parse) {
            Some(Ok(KeptEnd::ByItself)) => (say("kept-by-itself"), FAINT),
            Some(Ok(KeptEnd::Idle)) => (say("kept-idle"), WARY),
            Some(Ok(KeptEnd::Stopped) | Err(_)) | None => (say("kept-stopped"), GOOD),
        },
        RecordEvent::Marked if facts.taint.is_empty() => (say("cleared"), GOOD),
        RecordEvent::Marked => {
            let named =
                |mark: &String| words.find(&format!("session-{mark}"), &[]).unwrap_or_else(|| mark.clone());
            let marks = facts.taint.iter().map(named).collect::<Vec<_>>().join(", ");
            (words.say("audit-end-marked", &[("marks", marks.into())]), WARY)
        }
        RecordEvent::Granted if facts.user_decision.as_deref() == Some("approve") => {
            let given = match facts.kind.parse() {
                Ok(Grant::TrustedFolder) => "trusted",
                Ok(Grant::SessionFolder) => "trusted-for-session",
                Ok(Grant::Commands | Grant::Hosts) => "granted-for-now",
                Ok(Grant::AlwaysAllow | Grant::AutoApprove) | Err(_) => "granted",
            };
            (say(given), GOOD)
        }
        RecordEvent::Granted => (say("withdrawn"), WARY),
        RecordEvent::Guessed => (say("guessed"), BAD),
        RecordEvent::Reloaded => (say("reloaded"), WARY),
        RecordEvent::Host if facts.answered_by.is_none() => (say("host-asked"), WARY),
        RecordEvent::Host if facts.status.as_deref() == Some("completed") => (say("host-allowed"), GOOD),
        RecordEvent::Host => (say("host-refused"), BAD),
        RecordEvent::Asked
        | RecordEvent::Intent
        | RecordEvent::Advice
        | RecordEvent::Outcome
        | RecordEvent::Recovered
        | RecordEvent::Refusal => RequestFate::of(&line.place, facts)
            .map_or_else(|| (String::new(), FAINT), |fate| became(words, fate, facts)),
    }
}

/// What became of a request in one or two words, with its style. An exit status and the cause of a failure say more than
/// the fate alone.
fn became(words: &Words, fate: RequestFate, facts: &Facts) -> (String, Style) {
    use RequestFate as Fate;
    let style = match fate {
        Fate::DoneUnasked | Fate::DoneApproved => GOOD,
        Fate::Denied
        | Fate::Expired
        | Fate::Withdrawn
        | Fate::DeniedUnasked
        | Fate::Blocked
        | Fate::Failed => BAD,
        Fate::NotHeldBack | Fate::Waiting | Fate::Begun => WARY,
        Fate::LeftToClient | Fate::Judged => FAINT,
    };
    let exit = facts.exit_code.filter(|code| *code != 0);
    match (fate, exit, facts.error.as_deref()) {
        (Fate::DoneUnasked | Fate::DoneApproved, Some(code), _) => {
            (words.say("audit-end-exit", &[("code", code.into())]), WARY)
        }
        (Fate::Failed, _, Some(error)) => (named(words, "error", error), style),
        (Fate::Judged, ..) => {
            let verdict = verdict(words, &facts.verdict);
            (words.say("audit-end-advice", &[("verdict", verdict.into())]), style)
        }
        _ => (fate_name(words, fate.name()), style),
    }
}

/// The name of a fate for people, given by its name on the wire.
fn fate_name(words: &Words, wire: &str) -> String {
    named(words, "fate", wire)
}

/// The translation of a name in the record, or else the name itself.
fn named(words: &Words, group: &str, name: &str) -> String {
    words.find(&format!("audit-{group}-{name}"), &[]).unwrap_or_else(|| name.to_owned())
}

/// Who decided, and through which channel.
pub(super) fn decider(words: &Words, line: &RecordLine) -> String {
    let Some(by) = &line.facts.answered_by else { return String::new() };
    let by = named(words, "by", by);
    match &line.facts.channel {
        Some(channel) => format!("{by} ({})", named(words, "way", channel)),
        None => by,
    }
}

/// The subject of a line: a command, or an event of the record itself.
fn what(words: &Words, line: &RecordLine) -> String {
    let fields = line.fields();
    let of = |name: &str| fields.get(name);
    let text = match line.place.event {
        RecordEvent::Opened => {
            let part = of("part").and_then(Value::as_u64).unwrap_or_default();
            let part = words.say("audit-part", &[("part", part.into())]);
            of("damage").and_then(Value::as_str).map_or(part.clone(), |damage| format!("{part}; {damage}"))
        }
        RecordEvent::Recovered if line.place.sequence == 0 => match (of("cut_bytes"), of("interrupted")) {
            (Some(bytes), _) => {
                words.say("audit-cut", &[("count", bytes.as_u64().unwrap_or_default().into())])
            }
            (_, Some(why)) => {
                let since = terminal::local(words, of("since").and_then(Value::as_str).unwrap_or_default());
                let why = why.as_str().unwrap_or_default();
                words.say("audit-gap", &[("since", since.into()), ("why", why.into())])
            }
            (None, None) => {
                let how = line.facts.ended.as_deref().unwrap_or_default();
                [&line.facts.command, how]
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join(": ")
            }
        },
        // The marks are shown in the column for the outcome.
        RecordEvent::Marked => words.labelled(&words.say("card-session", &[]), &line.place.session_id),
        RecordEvent::Host => {
            let names: Vec<String> = line.facts.hosts.iter().map(wanted).collect();
            format!("{} ({})", names.join(", "), recorded::what(words, &line.facts))
        }
        _ => recorded::what(words, &line.facts),
    };
    plain(&text)
}

/// A host that a command wanted while it ran.
fn wanted(host: &HostFact) -> String {
    host.ports.first().map_or_else(|| host.host.clone(), |port| format!("{}:{port}", host.host))
}

/// The text on one line, without control sequences.
pub(super) fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// The text, cut to this many columns.
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

/// Prints everything about one request, with the names of the record.
pub(super) fn request(words: &Words, lines: &[RecordLine]) -> String {
    let mut page = String::new();
    for line in lines {
        let (word, style) = end(words, line);
        let place = &line.place;
        let number = place.line.saturating_add(1).to_string();
        let figures = [("line", number.into()), ("session", place.session_id.as_str().into())];
        let _ = writeln!(
            page,
            "{style}{}{style:#}  {word}  {} ({})  {}",
            place.event.name(),
            terminal::local(words, &place.timestamp),
            terminal::zone(),
            words.say("audit-place", &figures)
        );
        for (name, value) in line.fields().as_object().into_iter().flatten() {
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
            let (rule, verdict) = (&finding.rule, verdict(words, &finding.verdict));
            let layer = plain(&origin(words, &Origin::named(&finding.layer)));
            let why = plain(&recorded::why(words, finding));
            let _ = writeln!(
                page,
                "  {FAINT}{:<22}{FAINT:#} {}",
                "finding",
                words.labelled(&format!("{rule} ({verdict}, {layer})"), &why)
            );
        }
        for effect in &line.facts.effects {
            let _ = writeln!(page, "  {FAINT}{:<22}{FAINT:#} {}", "effect", told(words, effect));
        }
        page.push('\n');
    }
    page
}

/// Tells a person about one request: what it was, who decided and why, and what came of it.
pub(super) fn story(words: &Words, lines: &[RecordLine]) -> String {
    let mut page = String::new();
    for line in lines {
        let (word, style) = end(words, line);
        let time = terminal::local(words, &line.place.timestamp);
        let _ = writeln!(page, "{style}{word}{style:#}  {time} ({})", terminal::zone());
        for (label, value) in rows(words, line) {
            let label = words.labelled(&words.say(label, &[]), "");
            let value = value.lines().map(plain).collect::<Vec<_>>().join("\n    ");
            if !value.is_empty() {
                let _ = writeln!(page, "  {FAINT}{label}{FAINT:#} {value}");
            }
        }
        page.push('\n');
    }
    page
}

/// Who asked: the caller as its door knows it, or else the door.
pub(super) fn asker(words: &Words, facts: &Facts) -> String {
    if facts.caller.is_empty() { named(words, "way", &facts.door) } else { facts.caller.clone() }
}

/// The labels of what a line tells, by their messages, with the values in words.
fn rows(words: &Words, line: &RecordLine) -> Vec<(&'static str, String)> {
    let facts = &line.facts;
    let given = |text: &Option<String>| text.clone().unwrap_or_default();
    let reason = refusal::recorded(words, facts);
    let failed = facts.exit_code.filter(|code| *code != 0).map(|code| code.to_string());
    let time = facts.duration_seconds.map(|seconds| format!("{seconds:.2} s"));
    let mut rows = vec![
        ("audit-row-what", what(words, line)),
        ("audit-row-instead", given(&facts.modified_command)),
        ("card-folder", given(&facts.cwd)),
        ("card-asker", asker(words, facts)),
        ("card-model", facts.reasoning.clone()),
        (
            "audit-row-verdict",
            if facts.verdict.is_empty() { String::new() } else { verdict(words, &facts.verdict) },
        ),
    ];
    rows.extend(facts.findings.iter().map(|finding| ("audit-row-why", recorded::why(words, finding))));
    rows.extend([
        ("audit-row-decided", decider(words, line)),
        ("audit-row-reason", reason.unwrap_or_default()),
        ("audit-row-hosts", facts.hosts.iter().map(wanted).collect::<Vec<_>>().join(", ")),
        ("audit-row-exit", failed.unwrap_or_default()),
        ("audit-row-time", time.unwrap_or_default()),
        ("audit-row-output", given(&facts.output_summary)),
        ("audit-row-ended", given(&facts.ended)),
    ]);
    rows.extend(facts.effects.iter().map(|effect| ("audit-row-changed", told(words, effect))));
    rows
}

/// Describes one change of a staged run or of an undo.
pub(super) fn told(words: &Words, effect: &EffectFact) -> String {
    let path = [("change", effect.change.as_str().into()), ("path", plain(&effect.path).into())];
    let mut text = words.say("audit-change", &path);
    if let Some(from) = &effect.from {
        text = words.say("audit-from", &[("what", text.into()), ("from", plain(from).into())]);
    }
    let files = match effect.files {
        0 => String::new(),
        files => format!(", {}", words.say("touch-files", &[("count", files.into())])),
    };
    let bytes = match (effect.was_bytes, effect.is_bytes) {
        (Some(was), Some(is)) if was != is => format!("{} → {}", size(words, was), size(words, is)),
        (Some(bytes), _) | (None, Some(bytes)) => size(words, bytes),
        (None, None) => return text,
    };
    let _ = write!(text, " ({bytes}{files})");
    text
}

/// Prints the counts.
pub(super) fn stats(words: &Words, stats: &Stats) -> String {
    let counts = [("requests", stats.requests.into()), ("sessions", stats.sessions.into())];
    let mut page = words.say("audit-sum", &counts);
    if let (Some(first), Some(last)) = (&stats.first, &stats.last) {
        let (first, last) = (terminal::local(words, first), terminal::local(words, last));
        let told = [("sum", page.into()), ("first", first.into()), ("last", last.into())];
        page = words.say("audit-sum-from", &told);
    }
    page.push('\n');
    let groups: [(&str, &BTreeMap<String, u64>); 5] = [
        ("fates", &stats.fates),
        ("actions", &stats.kinds),
        ("answers", &stats.answers),
        ("rules", &stats.rules),
        ("redactions", &stats.redactions),
    ];
    for (group, counts) in groups.iter().filter(|(_, counts)| !counts.is_empty()) {
        let title = words.say(&format!("audit-{group}"), &[]);
        let _ = writeln!(page, "\n{FAINT}{title}{FAINT:#}");
        let mut counts: Vec<(&String, &u64)> = counts.iter().collect();
        counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        for (name, count) in counts {
            let _ = writeln!(page, "  {count:>8}  {}", plain(&counted(words, group, name)));
        }
    }
    page
}

/// Translates a counted name. Rules and kinds of secrets keep their names.
fn counted(words: &Words, group: &str, name: &str) -> String {
    match group {
        "fates" => fate_name(words, name),
        "answers" => named(words, "answer", name),
        "actions" => recorded::action(words, name),
        _ => name.to_owned(),
    }
}

/// Prints the findings of a verification.
pub(super) fn report(words: &Words, report: &VerifyReport) -> String {
    let mut page = String::new();
    for fault in &report.faults {
        let _ = writeln!(page, "{BAD}{}{BAD:#} {}", change(words, fault.what), tampering(words, fault));
    }
    for note in &report.notes {
        let _ = writeln!(page, "{WARY}{}{WARY:#} {}", words.say("audit-note", &[]), remark(words, note));
    }
    let (style, word) = match report.faults.len() {
        0 => (GOOD, words.say("audit-sound", &[])),
        count => (BAD, words.say("audit-unsound", &[("count", count.into())])),
    };
    let figures = [("lines", report.lines.into()), ("files", report.files.into())];
    let mut parts = vec![format!("{style}{word}{style:#}"), words.say("audit-lines", &figures)];
    if let Some(sealed) = &report.sealed {
        parts
            .push(words.say("audit-signed", &[("time", terminal::local(words, &sealed.to_string()).into())]));
    }
    for (id, count) in [("audit-unsigned", report.unsealed), ("audit-open", report.open as u64)] {
        if count > 0 {
            parts.push(words.say(id, &[("count", count.into())]));
        }
    }
    let _ = writeln!(page, "{}", words.listed(&parts));
    page
}
