//! Exports the record for other programs: JSON, JSON Lines, comma-separated values.

use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::read::{Filter, each};
use super::trouble::RecordError;

/// An export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON list of objects.
    Json,
    /// One JSON object per line, as stored.
    Lines,
    /// Comma-separated values with a header; lists are joined by `;`.
    Csv,
}

/// The columns of [`Format::Csv`].
pub const COLUMNS: [&str; 48] = [
    "timestamp",
    "session_id",
    "sequence",
    "audit_id",
    "event",
    "command",
    "reasoning",
    "status",
    "classification",
    "tier_triggered",
    "error",
    "action",
    "user_decision",
    "modified_command",
    "environment",
    "exit_code",
    "output_summary",
    "output_truncated",
    "redactions_applied",
    "redaction_categories",
    "duration_seconds",
    "anonymization_applied",
    "kind",
    "digest",
    "verdict",
    "risk",
    "findings",
    "taint",
    "question",
    "answered_by",
    "channel",
    "reason",
    "cause",
    "door",
    "caller",
    "cwd",
    "policy",
    "way",
    "phase",
    "effects",
    "effects_digest",
    "tried",
    "sandbox",
    "hosts",
    "whole_network",
    "traffic",
    "ended",
    "prev",
];

/// Writes the selected lines and returns their number.
///
/// ```
/// use guarda_journal::export::{Format, export};
/// use guarda_journal::read::Filter;
/// use guarda_journal::{Journal, JournalConfig};
///
/// let folder = tempfile::tempdir().unwrap();
/// drop(Journal::open(JournalConfig::new(folder.path())).unwrap());
/// let mut table = Vec::new();
/// export(folder.path(), &Filter::default(), Format::Csv, &mut table).unwrap();
/// assert!(table.ends_with(b",prev\n"));
/// ```
///
/// # Errors
/// If the record cannot be read, or `out` cannot be written to.
pub fn export(
    folder: &Path,
    filter: &Filter,
    format: Format,
    out: &mut dyn Write,
) -> Result<u64, RecordError> {
    let mut count = 0;
    let trouble = |error: std::io::Error| RecordError::system("the export", &error);
    match format {
        Format::Json => out.write_all(b"[").map_err(trouble)?,
        Format::Csv => writeln!(out, "{}", COLUMNS.join(",")).map_err(trouble)?,
        Format::Lines => {}
    }
    each(folder, filter, |line| {
        let result = match format {
            Format::Json => write!(out, "{}\n{}", if count == 0 { "" } else { "," }, line.fields()),
            Format::Lines => writeln!(out, "{}", line.fields()),
            Format::Csv => {
                let fields = line.fields();
                let cells: Vec<String> =
                    COLUMNS.iter().map(|column| cell(fields.get(*column).unwrap_or(&Value::Null))).collect();
                writeln!(out, "{}", cells.join(","))
            }
        };
        count += 1;
        result.map_err(trouble)
    })?;
    if format == Format::Json {
        out.write_all(b"\n]\n").map_err(trouble)?;
    }
    out.flush().map_err(trouble)?;
    Ok(count)
}

/// A value as a cell of comma-separated values. A quotation mark precedes what a spreadsheet would take for a formula.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| match item {
                    Value::String(text) => text.clone(),
                    Value::Object(map) => {
                        // A finding by its rule, an effect by its kind and path, a host by its name.
                        let field = |name: &str| map.get(name).and_then(Value::as_str).unwrap_or_default();
                        let words = ["rule", "change", "path", "host"].map(field);
                        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
                    }
                    other => other.to_string(),
                })
                .collect();
            items.join(";")
        }
        other => other.to_string(),
    };
    let formula = matches!(value, Value::String(_)) && text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text };
    if text.contains(['"', ',', '\n', '\r', ';']) || formula {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_list_is_one_cell() {
        for (value, expected) in [
            (r#"[{"rule": "default", "layer": "default"}, {"rule": "x", "why": "y"}]"#, "\"default;x\""),
            (r#"[{"path": "/a b", "change": "deleted", "files": 3}]"#, "deleted /a b"),
            (r#"["secret", "corruption"]"#, "\"secret;corruption\""),
            ("[]", ""),
        ] {
            assert_eq!(cell(&serde_json::from_str(value).unwrap()), expected, "{value}");
        }
    }
}
