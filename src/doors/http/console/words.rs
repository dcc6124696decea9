//! The words of the page in each language, from the messages of the guard.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::wording::words;
use guarda_core::action::Language;

/// Groups of messages: how the page begins their names, and how the files do. The page shares most of them with the
/// command line.
const GROUPS: &[(&str, &str)] = &[
    ("", "page-"),
    ("action-", "action-"),
    ("answer-", "answer-"),
    ("by-", "audit-by-"),
    ("error-", "audit-error-"),
    ("fate-", "audit-fate-"),
    ("grants-", "grants-"),
    ("part-", "part-"),
    ("state-", "state-"),
    ("way-", "audit-way-"),
];

/// What the page fills in itself: `{count}`.
const PLACES: &[&str] = &[
    "all", "code", "count", "file", "files", "hosts", "line", "lines", "profile", "programs", "refused",
    "folder", "session", "shown", "size", "time", "version", "why",
];

/// The words in JSON, by language.
static JSON: LazyLock<[String; 3]> =
    LazyLock::new(|| Language::ALL.map(|language| serde_json::json!(of(language)).to_string()));

/// The words of the page in a language, by their names on the page.
pub(super) fn of(language: Language) -> BTreeMap<String, String> {
    let words = words(language);
    let places: Vec<_> = PLACES.iter().map(|place| (*place, format!("{{{place}}}").into())).collect();
    let group = |(shown, written): &(&str, &str)| -> Vec<(String, String)> {
        let ids = words.ids(written);
        ids.map(|id| (format!("{shown}{}", id.strip_prefix(written).unwrap_or(id)), words.say(id, &places)))
            .collect()
    };
    GROUPS.iter().flat_map(group).collect()
}

/// The file of the page with the words of a language, given by its name.
pub(super) fn file(path: &str) -> Option<&'static str> {
    let tag = path.strip_prefix("words/")?.strip_suffix(".json")?;
    let at = Language::ALL.iter().position(|language| language.tag() == tag)?;
    JSON.get(at).map(String::as_str)
}
