//! Tables for a terminal, with aligned columns, without control sequences, and cut to the terminal's width.

use guarda_core::policy::Tag;
use unicode_width::UnicodeWidthStr;

use crate::registry::{Row, Totals};
use crate::wording::plain::visible;
use crate::wording::remembered;
use crate::wording::tag;
use guarda_journal::Grants;

use crate::app::terminal::{self, BAD, FAINT, GOOD, WARY};
use crate::wording::words::Words;
use guarda_core::action::Language;
use guarda_core::policy::Verdict;

/// How many characters of a hash are shown.
const SHORT: usize = 12;

/// A table of commands for a terminal of this width. With `None`, nothing is cut. `last` replaces the column of the
/// last run.
pub(super) fn table(
    words: &Words,
    rows: &[Row],
    grants: &Grants,
    columns: Option<usize>,
    now: i64,
) -> String {
    let lines: Vec<[String; 6]> = rows.iter().map(|row| cells(words, row, grants, now)).collect();
    let head = |id: &str| words.say(&format!("registry-head-{id}"), &[]);
    let heads = ["HASH".to_owned(), head("policy"), head("runs"), head("well"), head("risk"), head("last")];
    let widths: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(at, head)| {
            let cells = lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.width());
            cells.max().unwrap_or_default().max(head.width())
        })
        .collect();
    let used: usize = widths.iter().map(|width| width + 2).sum();
    let room = columns.map(|columns| columns.saturating_sub(used).max(16));
    let mut text = String::new();
    let mut head_line = String::new();
    for (at, (name, width)) in heads.iter().zip(&widths).enumerate() {
        head_line.push_str(&padded(name, *width, is_number(at)));
    }
    let command = words.say("registry-head-command", &[]);
    text.push_str(&format!("{FAINT}{head_line}{command}{FAINT:#}\n"));
    for (line, row) in lines.iter().zip(rows) {
        for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let padded = padded(cell, *width, is_number(at));
            if at == 1 {
                let style = if row.counts(grants) { policy_style(row) } else { WARY };
                text.push_str(&format!("{style}{padded}{style:#}"));
            } else {
                text.push_str(&padded);
            }
        }
        text.push_str(&format!("{}\n", cut(&visible(&row.command_text), room)));
    }
    text
}

fn is_number(column: usize) -> bool {
    (2..=4).contains(&column)
}

fn cells(words: &Words, row: &Row, grants: &Grants, now: i64) -> [String; 6] {
    let well = if row.execution_count == 0 {
        "-".to_owned()
    } else {
        let share = crate::registry::evolve::rate(row.success_count, row.execution_count);
        percent(words, (share * 100.0).floor(), 0)
    };
    [
        row.command_hash.chars().take(SHORT).collect(),
        policy_said(words, if row.counts(grants) { policy(row) } else { "unsealed" }),
        row.execution_count.to_string(),
        well,
        risk(words, row.risk_score),
        row.last_executed
            .map_or_else(|| words.say("registry-never-ran", &[]), |last| ago(now.saturating_sub(last))),
    ]
}

/// The policy in force: a person's override outranks the learned policy.
pub(super) fn policy(row: &Row) -> &str {
    row.user_override.as_deref().unwrap_or(&row.current_policy)
}

/// The name of a policy for a person.
pub(super) fn policy_said(words: &Words, name: &str) -> String {
    words.find(&format!("registry-policy-{}", name.replace('_', "-")), &[]).unwrap_or_else(|| name.to_owned())
}

fn policy_style(row: &Row) -> anstyle::Style {
    match policy(row) {
        "auto_approve" | "always_allow" => GOOD,
        "ask_warning" | "always_ask" => WARY,
        "never" => BAD,
        _ => anstyle::Style::new(),
    }
}

/// An age in a short form.
fn ago(seconds: i64) -> String {
    match seconds.max(0) {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

pub(in crate::cli) fn padded(cell: &str, width: usize, right: bool) -> String {
    let gap = " ".repeat(width.saturating_sub(cell.width()));
    if right { format!("{gap}{cell}  ") } else { format!("{cell}{gap}  ") }
}

/// Cuts a text to the width, with an ellipsis if something is missing.
pub(in crate::cli) fn cut(text: &str, room: Option<usize>) -> String {
    let Some(room) = room.filter(|room| text.width() > *room) else { return text.to_owned() };
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() + unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) + 1 > room {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

/// A moment in the local time zone, with its name; empty if there is none.
fn local(words: &Words, seconds: Option<i64>) -> String {
    let at = seconds.and_then(|at| jiff::Timestamp::from_second(at).ok());
    at.map_or_else(String::new, |at| {
        format!("{} {}", terminal::local(words, &at.to_string()), terminal::zone())
    })
}

/// A page about one command.
pub(super) fn page(
    words: &Words,
    row: &Row,
    reasons: &[guarda_core::policy::Finding],
    missing: Option<&str>,
) -> String {
    let mut page = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let name = words.say(&format!("registry-{name}"), &[]);
            let value = visible(value).replace('\n', "\n                    ");
            page.push_str(&format!("{FAINT}{name:<19}{FAINT:#} {value}\n"));
        }
    };
    let told = |id: &str, figures: &[(&'static str, String)]| {
        let figures: Vec<_> = figures.iter().map(|(name, value)| (*name, value.as_str().into())).collect();
        words.say(&format!("registry-{id}-told"), &figures)
    };
    let dated = |text: &str, seconds: Option<i64>| match local(words, seconds) {
        at if at.is_empty() => text.to_owned(),
        at => format!("{text} ({at})"),
    };
    let (command, folder, programs) = (&row.command_text, &row.folder, &row.program_digest);
    let known = [command, folder, &row.profile, &row.command_hash, programs];
    let names = ["command", "folder", "profile", "hash", "programs"];
    names.into_iter().zip(known).for_each(|(id, it)| line(id, it));
    let why = row.policy_reason.as_deref().map(|why| remembered::policy_reason(words, why));
    let why = why.unwrap_or_else(|| words.say("registry-unchanged", &[]));
    let learned = policy_said(words, &row.current_policy);
    line("policy", &dated(&format!("{learned} — {why}"), row.policy_last_updated));
    if let Some(word) = &row.user_override {
        let by = row.user_override_by.as_deref().map(|by| remembered::said_by(words, by));
        let by = by.unwrap_or_else(|| words.say("registry-person", &[]));
        let reason =
            row.user_override_reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let said = [("word", policy_said(words, word).into()), ("who", format!("{by}{reason}").into())];
        line("said", &dated(&words.say("registry-by", &said), row.user_override_at));
    }
    let counts = [
        ("all", row.execution_count.to_string()),
        ("well", row.success_count.to_string()),
        ("ill", row.failure_count.to_string()),
        ("late", row.timeout_count.to_string()),
        ("killed", row.signal_count.to_string()),
    ];
    line("runs", &told("runs", &counts));
    let earned = [("well", row.earned_successes.to_string()), ("all", row.earned_runs.to_string())];
    line("earned", &told("earned", &earned));
    let held_back = row.held_back.as_deref().map(|why| remembered::held_back(words, why));
    line("held-back", &held_back.unwrap_or_default());
    if row.execution_count > 0 {
        let times = [
            ("mean", format!("{:.0}", row.avg_duration_ms)),
            ("least", row.min_duration_ms.unwrap_or_default().to_string()),
            ("most", row.max_duration_ms.unwrap_or_default().to_string()),
        ];
        line("duration", &told("duration", &times));
        line(
            "first-last",
            &format!("{}; {}", local(words, Some(row.first_seen)), local(words, row.last_executed)),
        );
        line("ends", &row.typical_exit_codes);
    }
    let duplicate = if row.duplicate_check_enabled {
        told("duplicates", &[("within", row.duplicate_threshold_ms.to_string())])
    } else {
        words.say("registry-duplicates-off", &[])
    };
    line("duplicates", &duplicate);
    let tags: Vec<String> = serde_json::from_str(&row.tags).unwrap_or_default();
    let tags: Vec<Tag> = tags.iter().map(|name| Tag::named(name)).collect();
    line("risk", &format!("{}  {}", risk(words, row.risk_score), tag::tags(words, &tags)));
    if let Some(missing) = missing {
        line("", &words.say(missing, &[]));
    }
    page.push_str(&because(words, reasons));
    page
}

/// Why today's rules decide as they do, one line for each finding.
fn because(words: &Words, reasons: &[guarda_core::policy::Finding]) -> String {
    let mut page = String::new();
    let because = words.say("registry-because", &[]);
    for finding in reasons {
        // Findings that allow have no translation.
        let objects = finding.verdict > Verdict::Allow || words.language() == Language::English;
        let why = if objects { crate::wording::reason::why(words, finding) } else { String::new() };
        let style = terminal::style(finding.verdict.status());
        page.push_str(&format!(
            "{because:<19} {style}{}{style:#}  {} {FAINT}[{}]{FAINT:#}\n",
            risk(words, finding.risk.into()),
            visible(&why),
            tag::tags(words, &finding.tags)
        ));
    }
    page
}

/// The statistics as a page.
pub(super) fn sums(words: &Words, totals: &Totals, place: &str) -> String {
    let share = crate::registry::evolve::rate(totals.successes, totals.runs) * 100.0;
    let mut page = format!("{FAINT}{place}{FAINT:#}\n");
    for (name, count, style) in [
        ("sum-commands", totals.commands, anstyle::Style::new()),
        ("sum-runs", totals.runs, anstyle::Style::new()),
        ("sum-well", totals.successes, anstyle::Style::new()),
        ("policy-auto-approve", totals.auto_approve, GOOD),
        ("policy-ask", totals.ask, anstyle::Style::new()),
        ("policy-ask-warning", totals.ask_warning, WARY),
        ("policy-always-allow", totals.always_allow, GOOD),
        ("policy-always-ask", totals.always_ask, WARY),
        ("policy-never", totals.never, BAD),
        ("sum-risky", totals.high_risk, WARY),
    ] {
        let beside = match name {
            "sum-well" if totals.runs > 0 => format!("  {}", percent(words, share, 1)),
            _ => String::new(),
        };
        let name = words.say(&format!("registry-{name}"), &[]);
        page.push_str(&format!("{style}{name:<26}{style:#} {:>12}{beside}\n", grouped(count)));
    }
    page
}

/// A share with these decimals, as the language writes it.
fn percent(words: &Words, share: f64, decimals: usize) -> String {
    let number = format!("{share:.decimals$}");
    match words.language() {
        Language::English => format!("{number}%"),
        Language::Portuguese => format!("{}%", number.replace('.', ",")),
        Language::French => format!("{}\u{a0}%", number.replace('.', ",")),
    }
}

/// A risk, as the language writes it.
fn risk(words: &Words, risk: f64) -> String {
    let number = format!("{risk:.2}");
    if words.language() == Language::English { number } else { number.replace('.', ",") }
}

/// A number with thousands separators.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_laid_out() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(cut("abcdef", Some(4)), "abc…");
        assert_eq!(cut("abcd", Some(4)), "abcd");
        assert_eq!(cut("日本語", Some(5)), "日本…");
        assert_eq!(visible("a\nb\u{1b}[31m"), "a⏎ b⟨U+001B⟩[31m");
        assert_eq!(
            [ago(-5), ago(59), ago(61), ago(7200), ago(200_000)],
            ["0 s", "59 s", "1 min", "2 h", "2 d"]
        );
    }
}
