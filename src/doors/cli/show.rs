//! Prints plain text, with colours on a terminal.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::wording::Words;
use crate::wording::words::{Precision, moment};

/// For success.
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// For warnings.
pub(super) const WARY: Style = AnsiColor::Yellow.on_default().bold();
/// For errors.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// The indent of a sentence's further lines.
const INDENT: &str = "    ";
/// The least width of a column in which sentences are wrapped.
const NARROW: usize = 24;
/// For details.
pub(super) const FAINT: Style = Style::new().dimmed();

/// A part of the service: its name for a person, and its entry in `/v1/status`.
type Part<'a> = (String, &'a serde_json::Value);

/// The translation of a part's or a state's name, or else the name itself.
fn named(words: &Words, prefix: &str, name: &str) -> String {
    words.find(&format!("{prefix}-{name}"), &[]).unwrap_or_else(|| name.to_owned())
}

fn of<'a>(backend: &'a serde_json::Value, key: &str) -> &'a str {
    backend.get(key).and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// The state of the voice in `/v1/status`. A speech service whose sound goes nowhere speaks to nobody: what is missing then is the
/// sound.
pub(super) fn voice(status: &serde_json::Value) -> Option<&serde_json::Value> {
    let speech = status.get("speech")?;
    let sound = status.pointer("/deeds/volume");
    let no_sound = guarda_core::output::FailureKind::NoSound.name();
    Some(
        sound
            .filter(|sound| of(speech, "state") == "ready" && of(sound, "cause") == no_sound)
            .unwrap_or(speech),
    )
}

/// The parts in `/v1/status`.
fn parts<'a>(words: &Words, status: &'a serde_json::Value) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    for name in ["speech", "record", "registry", "sessions", "advice"] {
        let backend = if name == "speech" { voice(status) } else { status.get(name) };
        parts.extend(backend.map(|backend| (named(words, "part", name), backend)));
    }
    for (group, prefix) in [("answers", "answer"), ("deeds", "part")] {
        let backends = status.get(group).and_then(serde_json::Value::as_object).into_iter().flatten();
        parts.extend(backends.map(|(name, backend)| (named(words, prefix, name), backend)));
    }
    let plugins = status.get("plugins").and_then(serde_json::Value::as_object).into_iter().flatten();
    parts.extend(plugins.map(|(name, plugin)| (format!("plugin {name}"), plugin)));
    parts
}

/// The sentences about parts that do not work.
fn degraded(status: &serde_json::Value, room: usize) -> String {
    let sentences = status.get("degraded").and_then(serde_json::Value::as_array).into_iter().flatten();
    sentences.map(|sentence| notice(sentence.as_str().unwrap_or_default(), room)).collect()
}

/// The state of the service from `/v1/status`, with one line for each part.
pub(super) fn status(words: &Words, status: &serde_json::Value) -> String {
    let parts = parts(words, status);
    let width = parts.iter().map(|(title, _)| title.chars().count()).max().unwrap_or_default();
    let mut page = String::new();
    for (title, backend) in parts {
        let (style, word) = (style(of(backend, "state")), named(words, "state", of(backend, "state")));
        let line = format!("  {title:<width$} {style}{word:<9}{style:#} {}", of(backend, "detail"));
        page.push_str(&(column(&line, width + 13, room()) + "\n"));
    }
    page + &degraded(status, room())
}

/// A sentence about a part that could work better.
fn notice(sentence: &str, room: usize) -> String {
    wrapped(&format!("  {WARY}!{WARY:#} {sentence}"), room, INDENT) + "\n"
}

/// A summary of the state for a terminal of this width: the parts that work, and those that are missing.
pub(super) fn summary(words: &Words, status: &serde_json::Value, room: usize) -> String {
    let parts = parts(words, status);
    let list = |chosen: &dyn Fn(&serde_json::Value) -> bool| {
        let names: Vec<&str> =
            parts.iter().filter(|(_, part)| chosen(part)).map(|(title, _)| title.as_str()).collect();
        names.join(", ")
    };
    let works = list(&|part| of(part, "state") == "ready");
    let works = format!("  {GOOD}{}{GOOD:#} {works}", words.say("banner-works", &[]));
    let mut page = wrapped(&works, room, INDENT) + "\n";
    // A part that the user has switched off does not count as missing.
    let off = guarda_core::output::FailureKind::SwitchedOff.name();
    let gone = |part: &serde_json::Value| {
        matches!(of(part, "state"), "failed" | "absent") && of(part, "cause") != off
    };
    // One line for each thing that a person can do about it.
    let mut steps: Vec<(String, Vec<&str>)> = Vec::new();
    for (title, part) in parts.iter().filter(|(_, part)| gone(part)) {
        let step = crate::wording::next_step(words, of(part, "cause"))
            .unwrap_or_else(|| words.say("banner-next", &[]));
        match steps.iter_mut().find(|(known, _)| *known == step) {
            Some((_, titles)) => titles.push(title),
            None => steps.push((step, vec![title])),
        }
    }
    for (step, titles) in steps {
        let missing = words.say("banner-missing", &[]);
        let line = format!("  {WARY}{missing}{WARY:#} {}. {step}", titles.join(", "));
        page.push_str(&(wrapped(&line, room, INDENT) + "\n"));
    }
    page + &degraded(status, room)
}

/// Wraps the last column of a line, which begins after `at` characters, within itself. Where little room is left beside
/// the others, it goes on at the indent of a sentence.
pub(super) fn column(line: &str, at: usize, room: usize) -> String {
    let indent = if room.saturating_sub(at) < NARROW { INDENT.to_owned() } else { " ".repeat(at) };
    wrapped(line, room, &indent)
}

/// Wraps a line between words, so that the terminal need not break it within one. The further lines begin with `indent`.
pub(super) fn wrapped(line: &str, room: usize, indent: &str) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let wide = anstream::adapter::strip_str(word.trim_end()).to_string().chars().count();
        if used > indent.len() && used + wide > room {
            text.truncate(text.trim_end().len());
            text.push('\n');
            text.push_str(indent);
            used = indent.len();
        }
        text.push_str(word);
        used += wide + usize::from(word.ends_with(' '));
    }
    text
}

/// The width of a column of times that [`local`] tells.
pub(super) const TIME: usize = 21;

/// A time of the record in the local time zone, to the second. A text that is not a time stays unchanged.
pub(super) fn local(words: &Words, time: &str) -> String {
    zoned(time).map_or_else(|| time.to_owned(), |time| moment(words, &time, Precision::Second))
}

/// A time on the wire in the local time zone.
pub(super) fn zoned(time: &str) -> Option<jiff::Zoned> {
    time.parse::<jiff::Timestamp>().ok().map(|time| time.to_zoned(jiff::tz::TimeZone::system()))
}

/// The name of the local time zone: `UTC`, `-03`, `CET`.
pub(super) fn zone() -> String {
    jiff::Zoned::now().strftime("%Z").to_string()
}

/// The width of the terminal. Without a terminal, 100, the greatest width of a card.
pub(super) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).map(|size| usize::from(size.ws_col));
    size.ok().filter(|columns| *columns > 0).unwrap_or(100)
}

/// The width that prose may take: that of the terminal. Other readers wrap it themselves.
pub(super) fn room() -> usize {
    if std::io::IsTerminal::is_terminal(&std::io::stdout()) { columns() } else { usize::MAX }
}

/// Prints to standard output, with colours only if a terminal shows them. A closed pipe is not an error.
pub(super) fn out(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints to standard error.
pub(super) fn err(text: &str) {
    let mut err = anstream::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Prints an error.
pub(super) fn trouble(text: &str) {
    err(&format!("{BAD}guarda:{BAD:#} {text}\n"));
}

/// The style for a status or an outcome.
pub(super) fn style(word: &str) -> Style {
    match word {
        "approved" | "done" | "ready" | "present" => GOOD,
        "blocked" | "failed" | "denied" => BAD,
        _ => WARY,
    }
}

#[cfg(test)]
mod tests {
    /// What is missing for one cause stands in one line with what to do, and a voice that nobody hears is missing.
    #[test]
    fn what_is_missing_is_told_by_what_to_do() {
        let absent = |cause: &str| serde_json::json!({"state": "absent", "cause": cause, "detail": "x"});
        let status = serde_json::json!({
            "speech": {"state": "ready", "cause": null, "detail": "speech-dispatcher"},
            "deeds": {
                "volume": absent("no-sound"), "screen": absent("no-display"), "key presses": absent("no-display"),
                "notifications": absent("no-session-bus"), "undo": {"state": "ready"}, "power": absent("switched-off"),
            },
        });
        let words = crate::wording::words(guarda_core::action::Language::English);
        let page = anstream::adapter::strip_str(&super::summary(words, &status, usize::MAX)).to_string();
        let missing: Vec<&str> = page.lines().filter(|line| line.contains("Missing:")).collect();
        assert_eq!(missing.len(), 2, "{page}");
        assert!(missing[0].contains("voice") && missing[0].ends_with("Run guarda doctor."), "{page}");
        assert!(
            missing[1].contains("screen") && missing[1].ends_with("Start the guard in your session."),
            "{page}"
        );
        assert!(page.starts_with("  Works: ") && !page.lines().next().unwrap().contains("voice"), "{page}");
    }

    #[test]
    fn a_line_is_broken_between_words() {
        let line = "  \u{1b}[1mWorks:\u{1b}[0m voice, answer by key, terminal";
        let told = anstream::adapter::strip_str(&super::wrapped(line, 20, "    ")).to_string();
        assert_eq!(told, "  Works: voice,\n    answer by key,\n    terminal");
        assert_eq!(super::wrapped(line, usize::MAX, "    "), line);
        let step = super::wrapped("   done  a sentence that is long", 20, "   ");
        assert_eq!(step, "   done  a sentence\n   that is long");
        assert_eq!(super::column("  part  ready  it works well", 15, 40), "  part  ready  it works well");
        let part = "  part  ready  it works as well as it ever did";
        assert_eq!(
            super::column(part, 15, 39),
            "  part  ready  it works as well as it\n               ever did"
        );
        assert_eq!(super::column(part, 15, 30), "  part  ready  it works as\n    well as it ever did");
        assert_eq!(super::wrapped("  a_word_that_is_long", 8, "    "), "  a_word_that_is_long");
    }
}
