//! Why a session got its marks, in words.

use guarda_core::policy::MarkCause;

use crate::wording::describe::recorded;
use crate::wording::localize::told;
use crate::wording::words::Words;

/// The cause of a change of marks, without a full stop. What a caller said stays as it is.
#[must_use]
pub fn cause(words: &Words, cause: &MarkCause) -> String {
    let MarkCause::Action { network, secret, action } = cause else { return told(words, "mark", cause) };
    let what = match (network, secret) {
        (true, true) => "both",
        (_, true) => "secret",
        (_, false) => "network",
    };
    let action = recorded::action(words, action);
    words.say("mark-action", &[("what", what.into()), ("kind", action.into())])
}

#[cfg(test)]
mod tests {
    use super::cause;
    use guarda_core::action::Language;
    use guarda_core::policy::MarkCause;

    #[test]
    fn a_cause_is_told_in_the_readers_language() {
        let text = |text: &str| text.to_owned();
        let action =
            |network, secret, action: &str| MarkCause::Action { network, secret, action: text(action) };
        for (stored, um, un) in [
            (
                action(true, false, "OPEN_URL"),
                "leu da rede (abrir o endereço)",
                "elle a lu sur le réseau (ouvrir l'adresse)",
            ),
            (
                action(true, true, "RUN_COMMAND"),
                "leu da rede, e também o que pode ser segredo (executar um comando)",
                "elle a lu sur le réseau, et aussi ce qui peut être secret (lancer une commande)",
            ),
            (
                MarkCause::Hosts { hosts: text("example.org") },
                "recebeu dados de example.org",
                "elle a reçu des données de example.org",
            ),
            (
                MarkCause::Said { reason: text("it read from the network (X)") },
                "quem pediu disse: it read from the network (X)",
                "le demandeur a dit : it read from the network (X)",
            ),
        ] {
            for (language, told) in [(Language::Portuguese, um), (Language::French, un)] {
                assert_eq!(cause(crate::wording::words(language), &stored), told);
            }
            // The record has the English of programs: only the name of an action differs.
            let english = stored.to_string();
            let english =
                english.replace("OPEN_URL", "open the address").replace("RUN_COMMAND", "run a command");
            assert_eq!(cause(crate::wording::words(Language::English), &stored), english);
        }
    }

    #[test]
    fn every_cause_has_words_in_every_language() {
        let text = || "x".to_owned();
        for language in Language::ALL {
            for stored in [
                MarkCause::Cleaned { secrets: text() },
                MarkCause::Caller,
                MarkCause::Service { name: text() },
                MarkCause::Tool { name: text() },
                MarkCause::Lost,
                MarkCause::NoRoom,
                MarkCause::Removed,
                MarkCause::AllRemoved,
            ] {
                let told = cause(crate::wording::words(language), &stored);
                let english = language == Language::English;
                assert!(!told.is_empty() && (told == stored.to_string()) == english, "{language}: {told}");
            }
        }
    }
}
