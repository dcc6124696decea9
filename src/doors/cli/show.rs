//! Printing: plain text, with colours on a terminal.

use std::io::Write;

use anstyle::{AnsiColor, Style};

/// Good.
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// To be looked at.
pub(super) const WARY: Style = AnsiColor::Yellow.on_default().bold();
/// Bad.
pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
/// Of less weight.
pub(super) const FAINT: Style = Style::new().dimmed();

/// The state of the service, from `/v1/status`.
pub(super) fn status(status: &serde_json::Value) -> String {
    let mut page = String::new();
    let mut line = |name: &str, backend: &serde_json::Value| {
        let of = |key: &str| backend.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
        let (state, detail) = (of("state"), of("detail"));
        let style = style(state);
        page.push_str(&format!("  {name:<24} {style}{state:<9}{style:#} {detail}\n"));
    };
    for name in ["speech", "record", "registry", "sessions", "advice"] {
        line(name, status.get(name).unwrap_or(&serde_json::Value::Null));
    }
    for (group, word) in [("answers", "answer by "), ("deeds", "")] {
        for (name, backend) in status.get(group).and_then(serde_json::Value::as_object).into_iter().flatten()
        {
            line(&format!("{word}{name}"), backend);
        }
    }
    for (name, plugin) in status.get("plugins").and_then(serde_json::Value::as_object).into_iter().flatten() {
        line(&format!("plugin {name}"), plugin);
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
