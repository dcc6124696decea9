//! Printing: plain text, with colours on a terminal.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::human::Words;

/// Good.
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// To be looked at.
pub(super) const WARY: Style = AnsiColor::Yellow.on_default().bold();
/// Bad.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Of less weight.
pub(super) const FAINT: Style = Style::new().dimmed();

/// The state of the service, from `/v1/status`, in the words of a language.
pub(super) fn status(words: &Words, status: &serde_json::Value) -> String {
    let named = |prefix: &str, name: &str| {
        words.find(&format!("{prefix}-{name}"), &[]).unwrap_or_else(|| name.to_owned())
    };
    let mut lines: Vec<(String, &serde_json::Value)> = Vec::new();
    for name in ["speech", "record", "registry", "sessions", "advice"] {
        lines.extend(status.get(name).map(|backend| (named("part", name), backend)));
    }
    for (group, prefix) in [("answers", "answer"), ("deeds", "part")] {
        let backends = status.get(group).and_then(serde_json::Value::as_object).into_iter().flatten();
        lines.extend(backends.map(|(name, backend)| (named(prefix, name), backend)));
    }
    let plugins = status.get("plugins").and_then(serde_json::Value::as_object).into_iter().flatten();
    lines.extend(plugins.map(|(name, plugin)| (format!("plugin {name}"), plugin)));
    let width = lines.iter().map(|(title, _)| title.chars().count()).max().unwrap_or_default();
    let mut page = String::new();
    for (title, backend) in lines {
        let of = |key: &str| backend.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let (style, word) = (style(of("state")), named("state", of("state")));
        page.push_str(&format!("  {title:<width$} {style}{word:<9}{style:#} {}\n", of("detail")));
    }
    for sentence in status.get("degraded").and_then(serde_json::Value::as_array).into_iter().flatten() {
        page.push_str(&format!("  {WARY}!{WARY:#} {}\n", sentence.as_str().unwrap_or_default()));
    }
    page
}

/// Prints to standard output. A closed pipe is not an error. Colours are left out unless a terminal shows them.
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

/// The style of a status or an outcome.
pub(super) fn style(word: &str) -> Style {
    match word {
        "approved" | "done" | "ready" | "present" => GOOD,
        "blocked" | "failed" | "denied" => BAD,
        _ => WARY,
    }
}
