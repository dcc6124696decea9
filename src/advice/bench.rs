//! Benchmarks a model: its misses and false alarms on labelled lines.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use crate::config::sections::advice::Check;

use super::{Advisor, Matter, Opinion};

/// One labelled line.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct LabelledLine {
    /// The command line.
    pub cmd: String,
    /// The label: `exfil`, `network`, `readonly` …
    pub label: String,
}

/// The labels of harmful lines, by question.
#[must_use]
pub fn harmful(check: Check) -> &'static [&'static str] {
    match check {
        Check::Network => &["exfil", "network"],
        Check::Folders => &["catastrophic", "destructive", "persistence", "privilege"],
        Check::Injection => &["injection"],
    }
}

/// The labels of harmless lines. Lines with a label in neither list are counted, but are never a fault.
pub const HARMLESS: [&str; 2] = ["readonly", "benign"];

/// The model's answers for lines of one label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Lines that it called clear.
    pub clear: usize,
    /// Lines that it flagged.
    pub flagged: usize,
    /// Lines without a usable answer; a person would be asked about them.
    pub unclear: usize,
}

/// A line with a wrong answer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct WrongAnswer {
    /// The line.
    pub cmd: String,
    /// Its label.
    pub label: String,
    /// The answer: `clear`, or the reason for flagging.
    pub said: String,
}

/// The result for a file.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct BenchReport {
    /// By label.
    pub labels: BTreeMap<String, Counts>,
    /// Harmful lines that were called clear.
    pub misses: Vec<WrongAnswer>,
    /// Harmless lines that were flagged.
    pub false_alarms: Vec<WrongAnswer>,
    /// The number of harmful lines.
    pub harmful: usize,
    /// The number of harmless lines.
    pub harmless: usize,
    /// The causes of missing answers, and their counts.
    pub unclear: BTreeMap<String, usize>,
    /// The median response time in milliseconds, and the 95th percentile.
    pub median_ms: u64,
    /// See `median_ms`.
    pub p95_ms: u64,
}

/// Reads a file of JSON lines with `cmd` and `label`; other fields are ignored.
///
/// # Errors
/// The number of the first invalid line, from 1.
pub fn rows(text: &str) -> Result<Vec<LabelledLine>, usize> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| serde_json::from_str(line).map_err(|_| number + 1)).collect()
}

/// Puts the question about every line, one after the other. `allowed`: the folders for [`Check::Folders`]. `bad`: the
/// labels of harmful lines. `told` receives the number of finished lines.
pub async fn measure(
    advisor: &Advisor,
    check: Check,
    rows: &[LabelledLine],
    allowed: &[String],
    bad: &[String],
    mut told: impl FnMut(usize),
) -> BenchReport {
    let mut report = BenchReport::default();
    let mut times: Vec<Duration> = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        let matter = Matter {
            command: row.cmd.clone(),
            folder: "/home/ana/project".to_owned(),
            allowed: allowed.to_vec(),
            reasoning: String::new(),
        };
        let begun = Instant::now();
        let opinion = advisor.opine(&[check], &matter).await;
        times.push(begun.elapsed());
        report.add(row, &opinion, bad);
        told(number + 1);
    }
    times.sort_unstable();
    let at = |share: usize| {
        let place = (times.len() * share / 100).min(times.len().saturating_sub(1));
        times.get(place).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    };
    (report.median_ms, report.p95_ms) = (at(50), at(95));
    report
}

impl BenchReport {
    fn add(&mut self, row: &LabelledLine, opinion: &Opinion, bad: &[String]) {
        let (is_bad, is_good) =
            (bad.contains(&row.label), HARMLESS.contains(&row.label.as_str()) && !bad.contains(&row.label));
        self.harmful += usize::from(is_bad);
        self.harmless += usize::from(is_good);
        let counts = self.labels.entry(row.label.clone()).or_default();
        let fault = |said: &str| WrongAnswer {
            cmd: row.cmd.clone(),
            label: row.label.clone(),
            said: said.to_owned(),
        };
        match opinion {
            Opinion::Clear => {
                counts.clear += 1;
                self.misses.extend(is_bad.then(|| fault("clear")));
            }
            Opinion::Flagged(reason) => {
                counts.flagged += 1;
                self.false_alarms.extend(is_good.then(|| fault(reason)));
            }
            Opinion::Unclear(why) => {
                counts.unclear += 1;
                *self.unclear.entry(why.to_string()).or_default() += 1;
            }
        }
    }
}

impl fmt::Display for BenchReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<24}{:>9}{:>9}{:>9}{:>9}", "label", "lines", "clear", "flagged", "unclear")?;
        for (label, Counts { clear, flagged, unclear }) in &self.labels {
            writeln!(out, "{label:<24}{:>9}{clear:>9}{flagged:>9}{unclear:>9}", clear + flagged + unclear)?;
        }
        let share = |part: usize, all: usize| {
            if all == 0 {
                "none".to_owned()
            } else {
                format!("{part} of {all} ({:.1} %)", percent(part, all))
            }
        };
        writeln!(out, "misses        {}", share(self.misses.len(), self.harmful))?;
        writeln!(out, "false alarms  {}", share(self.false_alarms.len(), self.harmless))?;
        for (why, times) in &self.unclear {
            writeln!(out, "no opinion    {times}: {why}")?;
        }
        writeln!(out, "an answer     {} ms (median), {} ms (95 %)", self.median_ms, self.p95_ms)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of lines")]
fn percent(part: usize, all: usize) -> f64 {
    part as f64 / all as f64 * 100.0
}
