//! Tells a person what the record holds of an action.

use crate::wording::reason::why_of;
use crate::wording::words::Words;
use guarda_core::action::vocabulary::ActionKind;
use guarda_core::policy::Origin;
use guarda_journal::line::{Facts, RecordedReason};

/// The name of a kind of action, given by its name on the wire. A name from a newer service stays as it is.
#[must_use]
pub fn action(words: &Words, wire: &str) -> String {
    words.find(&format!("action-{wire}"), &[]).unwrap_or_else(|| wire.to_owned())
}

/// What was to be done: a command line, or the kind of action with its object.
#[must_use]
pub fn what(words: &Words, facts: &Facts) -> String {
    // The record writes the object of another action behind its name.
    let object =
        facts.command.strip_prefix(&facts.kind).filter(|_| facts.kind != ActionKind::RunCommand.name());
    match (object, words.find(&format!("action-{}", facts.kind), &[])) {
        (Some(""), Some(name)) => name,
        (Some(object), Some(name)) if object.starts_with(' ') => words.labelled(&name, object.trim_start()),
        _ => facts.command.clone(),
    }
}

/// Why a rule asked or decided.
#[must_use]
pub fn why(words: &Words, reason: &RecordedReason) -> String {
    let tags: Vec<&str> = reason.tags.iter().map(String::as_str).collect();
    why_of(words, (&Origin::named(&reason.layer), &reason.rule), &tags, (&reason.why, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Language;
    use guarda_core::action::vocabulary::VOCABULARY;

    #[test]
    fn no_action_is_told_by_its_name_on_the_wire() {
        for language in Language::ALL {
            let words = crate::wording::words(language);
            for row in VOCABULARY {
                assert_ne!(action(words, row.name), row.name, "{language}");
                let facts =
                    |command: String| Facts { kind: row.name.to_owned(), command, ..Facts::default() };
                for command in [format!("{} /home/ana/a.txt", row.name), row.name.to_owned()] {
                    let told = what(words, &facts(command.clone()));
                    // A command line is what the person knows it by.
                    let same = row.kind == ActionKind::RunCommand;
                    assert_eq!(told.contains(row.name), same, "{language}: {told}");
                    assert_eq!(
                        told.contains("/home/ana/a.txt"),
                        command.contains("/home"),
                        "{language}: {told}"
                    );
                }
            }
        }
        let words = crate::wording::words(Language::French);
        let named = |kind: &str, command: &str| {
            what(words, &Facts { kind: kind.to_owned(), command: command.to_owned(), ..Facts::default() })
        };
        assert_eq!(named("FILE_DELETE", "FILE_DELETE ~/a.txt"), "supprimer\u{a0}: ~/a.txt");
        assert_eq!(named("LOCK", "LOCK"), "verrouiller l'écran");
        // A program may be called like an action.
        assert_eq!(named("RUN_COMMAND", "LOCK now"), "LOCK now");
        assert_eq!(named("FILE_DELETE", "FILE_DELETED"), "FILE_DELETED");
    }
}
