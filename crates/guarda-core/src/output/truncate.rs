//! Truncates long output by its kind: items of a list, rows of a table, lines of a log (feature S8).
//!
//! Text within the limits is unchanged, and truncated text is within them, so truncating twice has no further effect.
//! The result is never longer than the input.

use serde_json::Value;

/// The limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Lines, or table rows including the header.
    pub lines: usize,
    /// Bytes per line.
    pub line_bytes: usize,
    /// Bytes in total.
    pub bytes: usize,
    /// Lines that are kept from the beginning of a long log.
    pub head: usize,
    /// Lines that are kept from the end of a long log.
    pub tail: usize,
}

impl Default for Limits {
    /// 200 lines and 10 KiB (feature S8); of a longer log the first 20 and the last 10 lines.
    fn default() -> Self {
        Self { lines: 200, line_bytes: 2000, bytes: 10 * 1024, head: 20, tail: 10 }
    }
}

impl Limits {
    /// For a person who wants to read all of it: 20,000 lines and 1 MiB.
    #[must_use]
    pub fn whole() -> Self {
        Self { lines: 20_000, line_bytes: 64 * 1024, bytes: 1024 * 1024, head: 10_000, tail: 9_990 }
    }
}

/// The kind of an output, by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OutputKind {
    /// A JSON list.
    JsonArray,
    /// A JSON object.
    JsonObject,
    /// A table: columns separated by two blanks or more.
    Tabular,
    /// Anything else.
    LogStream,
    /// Binary data.
    Binary,
    /// Nothing.
    #[default]
    Empty,
}

impl OutputKind {
    /// The name on the wire (feature S8, `output_type`).
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A text within its limits, and its original size.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// The text.
    pub text: String,
    /// The kind.
    pub kind: OutputKind,
    /// Whether a part was left out.
    pub truncated: bool,
    /// The number of lines before.
    pub total_lines: usize,
    /// The number of lines now, without truncation marks.
    pub lines_shown: usize,
    /// The number of list items, or table rows without the header.
    pub items_total: Option<usize>,
    /// How many of them are shown.
    pub items_shown: Option<usize>,
}

/// Truncates a text to the limits.
#[must_use]
pub fn truncate(text: &str, limits: &Limits) -> Cut {
    let total_lines = text.lines().count();
    let json = parse(text);
    let kind = match &json {
        _ if text.trim().is_empty() => OutputKind::Empty,
        Some(Value::Array(_)) => OutputKind::JsonArray,
        Some(Value::Object(_)) => OutputKind::JsonObject,
        _ if is_table(text) => OutputKind::Tabular,
        _ => OutputKind::LogStream,
    };
    let items_total = match &json {
        Some(Value::Array(items)) => Some(items.len()),
        _ if kind == OutputKind::Tabular => Some(total_lines.saturating_sub(1)),
        _ => None,
    };
    let whole = Cut {
        text: text.to_owned(),
        kind,
        truncated: false,
        total_lines,
        lines_shown: total_lines,
        items_total,
        items_shown: items_total,
    };
    if fits(text, kind, limits) {
        return whole;
    }
    let cut = match json {
        Some(value) => cut_json(&value, limits),
        None => None,
    };
    let (short, lines_shown, items_shown) = match cut {
        Some((short, shown)) => (short, 1, shown),
        None if kind == OutputKind::Tabular => cut_table(text, limits),
        None => cut_log(text, limits),
    };
    let short = if short.len() <= text.len() { short } else { beginning(text, limits) };
    let items_shown = items_shown.or(if short.len() < text.len() { None } else { items_total });
    Cut {
        lines_shown: lines_shown.min(short.lines().count()),
        text: short,
        truncated: true,
        items_shown,
        ..whole
    }
}

/// JSON is treated as a whole and is not truncated by line length.
fn fits(text: &str, kind: OutputKind, limits: &Limits) -> bool {
    let json = matches!(kind, OutputKind::JsonArray | OutputKind::JsonObject);
    text.len() <= limits.bytes
        && text.lines().count() <= limits.lines
        && (json || text.lines().all(|line| line.len() <= limits.line_bytes))
}

fn parse(text: &str) -> Option<Value> {
    let start = text.trim_start();
    if !start.starts_with(['[', '{']) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// At least three of the first ten lines have gaps of two blanks, and they have the same number of columns, or two.
fn is_table(text: &str) -> bool {
    let mut counts: Vec<usize> = text.lines().take(10).map(columns).filter(|columns| *columns >= 2).collect();
    let rows = counts.len();
    counts.sort_unstable();
    counts.dedup();
    rows >= 3 && counts.len() <= 2
}

fn columns(line: &str) -> usize {
    line.trim().split("  ").filter(|column| !column.trim().is_empty()).count()
}

/// The greatest number of list items that are shown whole.
const ITEMS: usize = 4;
/// How deep lists and objects are shown.
const DEPTH: usize = 3;
/// The longest string within JSON that is shown whole, in bytes.
const STRING: usize = 500;

/// A list with its first three items and its last one; an object with every key and its lists truncated the same way.
fn cut_json(value: &Value, limits: &Limits) -> Option<(String, Option<usize>)> {
    let short = reduce(value, 0).to_string();
    let shown = value.as_array().map(|items| items.len().min(ITEMS));
    (limits.lines > 0 && short.len() <= limits.bytes).then_some((short, shown))
}

fn reduce(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= DEPTH => Value::from("..."),
        Value::Array(items) if items.len() > ITEMS => {
            let mark = format!("[truncated: showing {ITEMS} of {} items]", items.len());
            let first = items.iter().take(ITEMS - 1).map(|item| reduce(item, depth + 1));
            let last = items.iter().skip(items.len() - 1).map(|item| reduce(item, depth + 1));
            first.chain([Value::from(mark)]).chain(last).collect()
        }
        Value::Array(items) => items.iter().map(|item| reduce(item, depth + 1)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, item)| (key.clone(), reduce(item, depth + 1))).collect())
        }
        Value::String(text) if text.len() > STRING => Value::from(cut_bytes(text, STRING)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn cut_table(text: &str, limits: &Limits) -> (String, usize, Option<usize>) {
    let total = text.lines().count();
    let rows = total.saturating_sub(1);
    // One of the lines is the mark.
    let mut shown = if total > limits.lines { limits.lines.saturating_sub(1) } else { total };
    loop {
        let lines = text.lines().take(shown).map(|line| cut_line(line, limits.line_bytes).0);
        let mut short = join(lines);
        if shown < total {
            push_line(
                &mut short,
                &format!("[truncated: showing {} of {rows} rows]", shown.saturating_sub(1)),
            );
        }
        let narrow = short.lines().all(|line| line.len() <= limits.line_bytes);
        if narrow && short.len() <= limits.bytes && short.lines().count() <= limits.lines {
            return (short, shown, Some(shown.saturating_sub(1)));
        }
        if shown <= 2 {
            let (short, lines, _) = cut_log(text, limits);
            return (short, lines, None);
        }
        // Rows have similar sizes: an estimate from the bytes, and at least one row less.
        shown = (shown * limits.bytes / short.len().max(1)).clamp(1, shown - 1);
    }
}

fn cut_log(text: &str, limits: &Limits) -> (String, usize, Option<usize>) {
    let total = text.lines().count();
    let (head, tail) = (limits.head, limits.tail);
    let many = total > limits.lines && total > head + tail;
    let mut shown = total;
    let mut short = if many {
        let omitted = total - head - tail;
        shown = head + tail;
        let first = text.lines().take(head).map(|line| cut_line(line, limits.line_bytes).0);
        let last = text.lines().skip(total - tail).map(|line| cut_line(line, limits.line_bytes).0);
        let mark = format!("[truncated: {omitted} lines omitted]");
        join(first.chain([mark]).chain(last))
    } else {
        join(text.lines().map(|line| cut_line(line, limits.line_bytes).0))
    };
    if short.len() > limits.bytes || short.lines().count() > limits.lines {
        short = cut_bytes(&short, limits.bytes);
        shown = short.lines().count();
    }
    if short.lines().count() > limits.lines || short.lines().any(|line| line.len() > limits.line_bytes) {
        short = beginning(&short, limits);
        shown = short.lines().count();
    }
    (short, shown, None)
}

/// For limits smaller than a mark: the beginning, without a mark.
fn beginning(text: &str, limits: &Limits) -> String {
    let lines = text.lines().take(limits.lines).map(|line| prefix(line, limits.line_bytes).to_owned());
    prefix(&join(lines), limits.bytes).to_owned()
}

fn join(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// A line within the limit, and whether it was cut.
fn cut_line(line: &str, most: usize) -> (String, bool) {
    if line.len() <= most {
        return (line.to_owned(), false);
    }
    let mark = |left: usize| format!("[truncated: {left} bytes]");
    // The length of the mark depends on a number that is never longer than this one.
    let room = most.saturating_sub(mark(line.len()).len());
    let kept = prefix(line, room);
    let mark = mark(line.len() - kept.len());
    if kept.len() + mark.len() <= most {
        (format!("{kept}{mark}"), true)
    } else {
        (prefix(line, most).to_owned(), true)
    }
}

/// A text of at most this many bytes: two thirds from its beginning, one third from its end.
fn cut_bytes(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mark = |left: usize| format!("\n[truncated: {left} bytes omitted]\n");
    let room = most.saturating_sub(mark(text.len()).len());
    if room < 8 {
        return prefix(text, most).to_owned();
    }
    let head = prefix(text, room * 2 / 3);
    let start = text.ceil_char_boundary(text.len() - room / 3);
    let tail = text.get(start..).unwrap_or_default();
    format!("{head}{}{tail}", mark(start - head.len()))
}

fn prefix(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}
