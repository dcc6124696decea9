//! Prints plain text, with colours on a terminal.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::wording::Words;
use crate::wording::words::{Precision, moment};

/// For success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// For warnings.
pub(crate) const WARY: Style = AnsiColor::Yellow.on_default().bold();
/// For errors.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// The indent of a sentence's further lines.
pub(super) const INDENT: &str = "    ";
/// The least width of a column in which sentences are wrapped.
const NARROW: usize = 24;
/// For details.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Wraps the last column of a line, which begins after `at` characters, within itself. Where little room is left beside
/// the others, it goes on at the indent of a sentence.
pub(crate) fn column(line: &str, at: usize, room: usize) -> String {
    let indent = if room.saturating_sub(at) < NARROW { INDENT.to_owned() } else { " ".repeat(at) };
    wrapped(line, room, &indent)
}

/// Wraps a line between words, so that the terminal need not break it within one. The further lines begin with `indent`.
pub(crate) fn wrapped(line: &str, room: usize, indent: &str) -> String {
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
pub(crate) const TIME: usize = 21;

/// A time of the record in the local time zone, to the second. A text that is not a time stays unchanged.
pub(crate) fn local(words: &Words, time: &str) -> String {
    zoned(time).map_or_else(|| time.to_owned(), |time| moment(words, &time, Precision::Second))
}

/// A time on the wire in the local time zone.
pub(crate) fn zoned(time: &str) -> Option<jiff::Zoned> {
    time.parse::<jiff::Timestamp>().ok().map(|time| time.to_zoned(jiff::tz::TimeZone::system()))
}

/// The name of the local time zone: `UTC`, `-03`, `CET`.
pub(crate) fn zone() -> String {
    jiff::Zoned::now().strftime("%Z").to_string()
}

/// The width of the terminal. Without a terminal, 100, the greatest width of a card.
pub(crate) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).map(|size| usize::from(size.ws_col));
    size.ok().filter(|columns| *columns > 0).unwrap_or(100)
}

/// The width that prose may take: that of the terminal. Other readers wrap it themselves.
pub(crate) fn room() -> usize {
    if std::io::IsTerminal::is_terminal(&std::io::stdout()) { columns() } else { usize::MAX }
}

/// Prints to standard output, with colours only if a terminal shows them. A closed pipe is not an error.
pub(crate) fn out(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints to standard error.
pub(crate) fn err(text: &str) {
    let mut err = anstream::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// Prints a line of the program to standard error.
pub(crate) fn note(text: &str) {
    err(&format!("guarda: {text}\n"));
}

/// Shows how far long work is, in a line that the next call replaces; an empty text removes it. Nothing if standard error is no
/// terminal.
pub(crate) fn progress(text: &str) {
    if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        err(&format!("\r{text}\x1b[K"));
    }
}

/// Prints an error.
pub(crate) fn trouble(text: &str) {
    err(&format!("{BAD}guarda:{BAD:#} {text}\n"));
}

/// The style for a status or an outcome.
pub(crate) fn style(word: &str) -> Style {
    match word {
        "approved" | "done" | "ready" | "present" => GOOD,
        "blocked" | "failed" | "denied" => BAD,
        _ => WARY,
    }
}

#[cfg(test)]
mod tests {
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
