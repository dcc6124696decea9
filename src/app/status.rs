//! `/v1/status` as a page for a person: which parts work, and what the others need.

use crate::wording::Words;

use super::terminal::{GOOD, INDENT, WARY, column, room, style, wrapped};

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
pub(crate) fn voice(status: &serde_json::Value) -> Option<&serde_json::Value> {
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
pub(crate) fn status(words: &Words, status: &serde_json::Value) -> String {
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
pub(crate) fn summary(words: &Words, status: &serde_json::Value, room: usize) -> String {
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
}
