use std::collections::{BTreeMap, BTreeSet};

use strum::{IntoEnumIterator as _, VariantArray as _};

use super::*;
use guarda_core::action::Language;
use guarda_core::action::vocabulary::VOCABULARY;
use guarda_core::effects::ChangeKind;
use guarda_core::policy::Verdict;
use guarda_core::policy::history::{Learned, OverrideKind};
use guarda_journal::RequestFate;

/// The scripts and the page itself.
fn page() -> String {
    FILES.iter().map(|it| it.2).collect()
}

/// The causes of failures in the record.
const ERRORS: [&str; 12] = [
    "unknown",
    "not_begun",
    "timeout",
    "cancelled",
    "signalled",
    "not_found",
    "no_player",
    "unavailable",
    "failed",
    "changed_since_approval",
    "redaction_failure",
    "password_not_possible",
];

/// The names that the page makes from what the service sends, by their beginnings.
fn sent() -> BTreeMap<&'static str, BTreeSet<String>> {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let policies = Learned::ALL.iter().map(|learned| learned.name().to_owned());
    let policies = policies.chain(OverrideKind::ALL.iter().map(|kind| kind.name().to_owned()));
    let verdicts = [Verdict::Allow, Verdict::Confirm, Verdict::Password, Verdict::Block];
    let totals = serde_json::to_value(crate::registry::Totals::default()).unwrap();
    let shown = |total: &&String| !["ask", "ask_warning"].contains(&total.as_str());
    let totals: BTreeSet<String> = totals
        .as_object()
        .unwrap()
        .keys()
        .filter(shown)
        .flat_map(|name| [name.clone(), format!("{name}-one")])
        .collect();
    BTreeMap::from([
        ("action", VOCABULARY.iter().map(|row| row.name.to_owned()).collect()),
        ("by", own(&["person", "policy", "grant", "nobody", "fate", "rule", "kind"])),
        ("error", own(&ERRORS)),
        ("fate", RequestFate::VARIANTS.iter().map(|fate| fate.name().to_owned()).collect()),
        (
            "grants",
            own(&[
                "what",
                "end",
                "until",
                "uses",
                "gone",
                "commands-turn",
                "commands-session",
                "commands-today",
                "commands-always",
                "hosts-session",
                "folder-session",
                "folder-always",
                "always-always",
                "learned-always",
                "ask-always",
                "never-always",
            ]),
        ),
        ("mark", ChangeKind::iter().map(|mark| mark.name().to_owned()).collect()),
        ("policy", policies.collect()),
        ("risk", own(&["low", "middle", "high"])),
        ("state", own(&["ready", "starting", "failed", "absent"])),
        ("status", verdicts.iter().map(|verdict| verdict.status().to_owned()).collect()),
        ("total", totals),
        (
            "way",
            own(&crate::config::sections::channels::WAYS)
                .into_iter()
                .chain(own(&["mcp", "remote"]))
                .collect(),
        ),
        (
            "word",
            own(&["always_allow-what", "always_ask-what", "never-what", "reset", "reset-what", "reason"]),
        ),
    ])
}

#[test]
fn nothing_that_the_service_sends_is_shown_by_its_name() {
    for language in Language::ALL {
        let words = words::of(language);
        for (prefix, names) in sent() {
            let known = words.keys().filter_map(|id| id.strip_prefix(prefix)?.strip_prefix('-'));
            let known: BTreeSet<String> = known.map(str::to_owned).collect();
            assert_eq!(known, names, "{language}: {prefix}");
        }
    }
}

#[test]
fn every_word_of_the_page_is_there_and_used() {
    let (page, built, words) = (page(), sent(), words::of(Language::English));
    for id in words.keys().map(|id| id.strip_suffix("-one").unwrap_or(id)) {
        let used = page.contains(&format!("\"{id}\"")) || page.contains(&format!("'{id}'"));
        let prefix = id.split('-').next().unwrap();
        assert!(
            used || built.contains_key(prefix) || ["part", "answer"].contains(&prefix),
            "{id} is not used"
        );
    }
    let named = page
        .split("data-word=\"")
        .chain(page.split("data-word-label=\""))
        .chain(page.split("word(\""))
        .skip(1);
    for id in named.filter_map(|part| part.split('"').next()).filter(|id| id.len() < 40 && !id.contains(' '))
    {
        assert!(words.contains_key(id) || id.ends_with('-') || id.contains('<'), "{id} has no words");
    }
}

#[test]
fn the_page_carries_the_words_of_its_language() {
    let (_, _, page) = FILES.iter().find(|it| it.0.is_empty()).unwrap();
    assert!(page.contains("<html lang=\"pt-BR\">"));
    let words = words::of(Language::Portuguese);
    let mut found = 0;
    for rest in page.split("data-word=\"").skip(1) {
        let (id, rest) = rest.split_once('"').unwrap();
        let shown = rest.split_once('>').unwrap().1.split('<').next().unwrap();
        assert_eq!(shown, words[id], "{id}");
        found += 1;
    }
    for rest in page.split("data-word-label=\"").skip(1) {
        let (id, rest) = rest.split_once('"').unwrap();
        assert!(rest.starts_with(&format!(" aria-label=\"{}\"", words[id])), "{id}");
        found += 1;
    }
    assert!(found > 50, "{found}");
}
