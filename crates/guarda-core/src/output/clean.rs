//! The only way from [`RawOutput`] to [`Output`]: decode, redact, truncate, redact again.

use std::collections::BTreeSet;
use std::time::Duration;

use super::anonymise::Anonymiser;
use super::raw::{Ended, Now, RawOutput};
use super::redact::{Redacted, RedactionFailure, redact};
use super::text::{is_binary, readable};
use super::truncate::{Cut, Limits, OutputKind, truncate};

/// Text that may be shown, spoken, sent and recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit status, if there was one.
    pub exit_code: Option<i32>,
    /// How it ended.
    pub ended: Ended,
    /// The duration.
    pub duration: Duration,
    /// The text could not be made safe, so both streams are empty (feature S13, `redaction_failure`).
    pub withheld: bool,
    /// The changes to the text.
    pub metadata: OutputMetadata,
    /// The sandbox; `None` if nothing was executed.
    pub sandbox: Option<super::Protection>,
    /// What it exchanged with other machines, by host; empty if it had no network of its own.
    pub hosts: Vec<crate::output::traffic::HostTraffic>,
    /// A desktop device's state after the deed.
    pub now: Option<Now>,
}

/// The changes to an output (feature S13, `output_metadata`). Lines, bytes and items describe standard output; truncation and
/// redactions are those of both streams.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OutputMetadata {
    /// `json_array`, `json_object`, `tabular`, `log_stream`, `binary` or `empty`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "log_stream"))]
    pub output_type: OutputKind,
    /// Whether a part was left out.
    pub truncation_applied: bool,
    /// The number of lines before truncation.
    pub total_lines: usize,
    /// The number of lines that are shown.
    pub lines_shown: usize,
    /// The size in bytes before truncation, including bytes that were not kept while reading.
    pub total_bytes: u64,
    /// The number of list items or table rows.
    pub items_total: Option<usize>,
    /// How many of them are shown.
    pub items_shown: Option<usize>,
    /// Whether a secret was hidden.
    pub redactions_applied: bool,
    /// The number of hidden secrets.
    pub redaction_count: usize,
    /// The kinds of hidden secrets, each once, sorted.
    pub redaction_categories: Vec<String>,
    /// Whether network addresses and names were replaced.
    pub anonymization_applied: bool,
    /// How many names have a pseudonym in this session.
    pub anonymization_mappings_count: usize,
}

/// The options for cleaning output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// The limits of each stream.
    pub limits: Limits,
    /// Pseudonyms for network addresses, if they are wanted.
    pub anonymiser: Option<&'a Anonymiser>,
}

/// Cleans raw output. If it cannot be made safe, it is withheld: both streams are empty.
///
/// ```
/// use guarda_core::output::{Ended, RawOutput, clean};
///
/// let stdout = b"\x1b[31mred\x1b[0m password=hunter2!x".to_vec();
/// let raw = RawOutput {
///     stdout_total: stdout.len() as u64,
///     stdout,
///     ..RawOutput::quiet(Ended::Finished, std::time::Duration::ZERO)
/// };
/// assert_eq!(clean(raw).stdout, "red password=[REDACTED_PASSWORD]");
/// ```
#[must_use]
pub fn clean(raw: RawOutput) -> Output {
    clean_with(raw, &Options::default())
}

/// Cleans with the caller's limits and, optionally, network pseudonyms.
#[must_use]
pub fn clean_with(raw: RawOutput, options: &Options<'_>) -> Output {
    clean_by(&redact, &raw, options).unwrap_or_else(|RedactionFailure| Output::withheld(&raw))
}

/// The function that hides secrets.
type Redactor = dyn Fn(&str) -> Result<Redacted, RedactionFailure>;

pub(super) fn clean_by(
    redact: &Redactor,
    raw: &RawOutput,
    options: &Options<'_>,
) -> Result<Output, RedactionFailure> {
    let mut kinds = BTreeSet::new();
    let stdout = stream(redact, &raw.stdout, raw.stdout_total, options, &mut kinds)?;
    let stderr = stream(redact, &raw.stderr, raw.stderr_total, options, &mut kinds)?;
    let ended = ended(redact, &raw.ended, options, &mut kinds)?;
    let now = now(redact, raw.now.as_ref(), &mut kinds)?;
    let metadata = OutputMetadata {
        output_type: stdout.cut.kind,
        truncation_applied: stdout.cut.truncated || stderr.cut.truncated,
        total_lines: stdout.cut.total_lines,
        lines_shown: stdout.cut.lines_shown,
        total_bytes: raw.stdout_total.max(raw.stdout.len() as u64),
        items_total: stdout.cut.items_total,
        items_shown: stdout.cut.items_shown,
        redactions_applied: !kinds.is_empty(),
        redaction_count: stdout.redacted + stderr.redacted,
        redaction_categories: kinds.into_iter().collect(),
        anonymization_applied: stdout.anonymised + stderr.anonymised > 0,
        anonymization_mappings_count: options.anonymiser.map_or(0, Anonymiser::known),
    };
    Ok(Output {
        stdout: stdout.cut.text,
        stderr: stderr.cut.text,
        exit_code: raw.exit_code,
        ended,
        duration: raw.duration,
        withheld: false,
        metadata,
        sandbox: raw.sandbox.clone(),
        hosts: raw.hosts.clone(),
        now,
    })
}

/// Cleans one stream.
struct Stream {
    cut: Cut,
    redacted: usize,
    anonymised: usize,
}

fn stream(
    redact: &Redactor,
    bytes: &[u8],
    total: u64,
    options: &Options<'_>,
    kinds: &mut BTreeSet<String>,
) -> Result<Stream, RedactionFailure> {
    let lost = total > bytes.len() as u64;
    if is_binary(bytes) {
        let marks = [
            format!("[binary output: {} bytes, not displayed]", total.max(bytes.len() as u64)),
            "[binary]".to_owned(),
        ];
        let text = marks.into_iter().find(|mark| mark.len() <= bytes.len()).unwrap_or_default();
        let cut = Cut { text, kind: OutputKind::Binary, truncated: true, ..Cut::default() };
        return Ok(Stream { cut, redacted: 0, anonymised: 0 });
    }
    // The whole text first: half a secret would no longer be recognised.
    let first = redact(&readable(bytes))?;
    // Before truncation: half an address would no longer be recognised either.
    let (hidden, anonymised) = match options.anonymiser {
        Some(names) => names.hide(&first.text)?,
        None => (first.text, 0),
    };
    let mut cut = truncate(&hidden, &options.limits);
    cut.truncated |= lost;
    kinds.extend(first.kinds);
    let mut redacted = first.count;
    // The removed part may have hidden a secret from the search, and redaction can lengthen the text again.
    for _ in 0..4 {
        let again = redact(&cut.text)?;
        if again.count == 0 {
            return Ok(Stream { cut, redacted, anonymised });
        }
        kinds.extend(again.kinds);
        redacted += again.count;
        let shorter = truncate(&again.text, &options.limits);
        cut.truncated |= shorter.truncated;
        cut.lines_shown = cut.lines_shown.min(shorter.lines_shown);
        cut.text = shorter.text;
    }
    Err(RedactionFailure)
}

/// How it ended can quote a program's output, so that text is redacted, too.
fn ended(
    redact: &Redactor,
    ended: &Ended,
    options: &Options<'_>,
    kinds: &mut BTreeSet<String>,
) -> Result<Ended, RedactionFailure> {
    let mut clean = |text: &str| -> Result<String, RedactionFailure> {
        let redacted = redact(&readable(text.as_bytes()))?;
        kinds.extend(redacted.kinds);
        match options.anonymiser {
            Some(names) => Ok(names.hide(&redacted.text)?.0),
            None => Ok(redacted.text),
        }
    };
    Ok(match ended {
        Ended::NotFound(name) => Ended::NotFound(clean(name)?),
        Ended::Unavailable(why) => Ended::Unavailable((why.kind, clean(&why.detail)?).into()),
        Ended::Failed(why) => Ended::Failed((why.kind, clean(&why.detail)?).into()),
        Ended::Changed(what) => Ended::Changed(clean(what)?),
        Ended::Finished | Ended::TimedOut | Ended::Cancelled | Ended::Signalled(_) | Ended::NoPlayer => {
            ended.clone()
        }
    })
}

/// A device's state can quote the title of a web page or a file, so it is redacted, too.
fn now(
    redact: &Redactor,
    now: Option<&Now>,
    kinds: &mut BTreeSet<String>,
) -> Result<Option<Now>, RedactionFailure> {
    let mut clean = |text: &str| -> Result<String, RedactionFailure> {
        let redacted = redact(&readable(text.as_bytes()))?;
        kinds.extend(redacted.kinds);
        Ok(redacted.text)
    };
    Ok(match now {
        Some(Now::Player { state, title, artist }) => {
            Some(Now::Player { state: *state, title: clean(title)?, artist: clean(artist)? })
        }
        Some(Now::Written(path)) => Some(Now::Written(clean(path)?)),
        other @ (Some(Now::Set(_)) | None) => other.cloned(),
    })
}

impl Output {
    /// A deed without any output.
    #[must_use]
    pub fn quiet(ended: Ended, duration: Duration) -> Self {
        Self {
            stdout: String::new(),
            stderr: String::new(),
            exit_code: None,
            ended,
            duration,
            withheld: false,
            metadata: OutputMetadata::default(),
            sandbox: None,
            hosts: Vec::new(),
            now: None,
        }
    }

    /// The part of an unsafe output that may be known: how it ended, without its text.
    pub(super) fn withheld(raw: &RawOutput) -> Self {
        let ended = match &raw.ended {
            Ended::NotFound(_) => Ended::NotFound(String::new()),
            Ended::Unavailable(why) => Ended::Unavailable((why.kind, String::new()).into()),
            Ended::Failed(why) => Ended::Failed((why.kind, String::new()).into()),
            Ended::Changed(_) => Ended::Changed(String::new()),
            other @ (Ended::Finished
            | Ended::TimedOut
            | Ended::Cancelled
            | Ended::Signalled(_)
            | Ended::NoPlayer) => other.clone(),
        };
        let metadata = OutputMetadata { total_bytes: raw.stdout_total, ..OutputMetadata::default() };
        let sandbox = raw.sandbox.clone();
        Self {
            exit_code: raw.exit_code,
            withheld: true,
            metadata,
            sandbox,
            hosts: raw.hosts.clone(),
            ..Self::quiet(ended, raw.duration)
        }
    }
}
