//! The results as a table, for a terminal or a Markdown document.

use unicode_width::UnicodeWidthStr as _;

use super::results::{Comparison, DeedName, GuardResult, TrialOutcome};
use crate::app::terminal;
use crate::cli::registry::table::padded;
use crate::wording::words::Words;

/// What a table shows for an outcome.
fn sign(outcome: Option<TrialOutcome>) -> &'static str {
    match outcome {
        Some(TrialOutcome::Done) => "●",
        Some(TrialOutcome::Undone) => "↶",
        Some(TrialOutcome::Asked) => "?",
        Some(TrialOutcome::Refused) => "×",
        Some(TrialOutcome::Stopped) => "·",
        Some(TrialOutcome::Late) => "…",
        None => "",
    }
}

/// The rows of both tables: a title and a cell for each guard.
fn rows(words: &Words, comparison: &Comparison, harm: bool) -> Vec<Vec<String>> {
    let of_kind = comparison.deeds.iter().enumerate().filter(|(_, deed)| deed.harm == harm);
    let row = |(at, deed): (usize, &DeedName)| {
        let title = words.say(&format!("prove-{}", deed.id), &[]);
        let cells = comparison.guards.iter().map(|guard| sign(guard.outcomes.get(at).copied().flatten()));
        std::iter::once(title).chain(cells.map(str::to_owned)).collect()
    };
    of_kind.map(row).collect()
}

/// How many deeds of a kind happened for good under a guard, of those that were tried.
fn count(comparison: &Comparison, guard: &GuardResult, harm: bool) -> String {
    let each = comparison.deeds.iter().zip(&guard.outcomes).filter(|(deed, _)| deed.harm == harm);
    let tried: Vec<TrialOutcome> = each.filter_map(|(_, outcome)| *outcome).collect();
    let happened = tried.iter().filter(|outcome| **outcome == TrialOutcome::Done).count();
    if tried.is_empty() { "–".to_owned() } else { format!("{happened}/{}", tried.len()) }
}

/// The rows below the deeds: harm and work in sum, and the time of a line.
fn sums(words: &Words, comparison: &Comparison) -> Vec<Vec<String>> {
    let row = |id: &str, cell: &dyn Fn(&GuardResult) -> String| {
        std::iter::once(words.say(id, &[])).chain(comparison.guards.iter().map(cell)).collect::<Vec<_>>()
    };
    let harm = |guard: &GuardResult| count(comparison, guard, true);
    let work = |guard: &GuardResult| count(comparison, guard, false);
    let time = |guard: &GuardResult| match (guard.median_ms, guard.least_ms) {
        (Some(median), Some(least)) => format!("{median} / {least}"),
        _ => String::new(),
    };
    vec![row("prove-sum-harm", &harm), row("prove-sum-work", &work), row("prove-sum-time", &time)]
}

fn heads(words: &Words, comparison: &Comparison, id: &str) -> Vec<String> {
    let names = comparison.guards.iter().map(|guard| guard.name.clone());
    std::iter::once(words.say(id, &[])).chain(names).collect()
}

/// The tables for a terminal.
pub(super) fn plain(words: &Words, comparison: &Comparison) -> String {
    let harm = rows(words, comparison, true);
    let work = rows(words, comparison, false);
    let all = [
        vec![heads(words, comparison, "prove-harm")],
        harm,
        vec![heads(words, comparison, "prove-work")],
        work,
        sums(words, comparison),
    ]
    .concat();
    let width = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..=comparison.guards.len()).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &all {
        for (cell, width) in row.iter().zip(&widths) {
            text.push_str(&padded(cell, *width, false));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    let room = terminal::room();
    format!(
        "{text}\n{}\n{}",
        terminal::wrapped(&words.say("prove-legend", &[]), room, ""),
        versions(comparison, "")
    )
}

/// The same as Markdown.
pub(super) fn markdown(words: &Words, comparison: &Comparison) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let table = |id: &str, rows: Vec<Vec<String>>| {
        let heads = heads(words, comparison, id);
        let rule = format!("|---|{}\n", ":-:|".repeat(comparison.guards.len()));
        let body: String = rows.iter().map(|row| line(row)).collect();
        format!("{}{rule}{body}", line(&heads))
    };
    format!(
        "{}\n{}\n{}\n{}\n\n{}",
        table("prove-harm", rows(words, comparison, true)),
        table("prove-work", rows(words, comparison, false)),
        table("prove-sums", sums(words, comparison)),
        words.say("prove-legend", &[]),
        versions(comparison, "- "),
    )
}

/// What each guard says of its version.
fn versions(comparison: &Comparison, bullet: &str) -> String {
    let told = comparison.guards.iter().filter_map(|guard| Some((&guard.name, guard.version.as_ref()?)));
    told.map(|(name, version)| format!("{bullet}{name}: {}\n", crate::wording::plain::visible(version)))
        .collect()
}
