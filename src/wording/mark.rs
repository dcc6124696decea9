//! Why a session got its marks, in words.

use guarda_core::policy::MarkCause;

use crate::wording::describe::recorded::action;
use crate::wording::words::Words;

/// The cause of a mark, as the record stores it, without a full stop. What a caller said stays as it is.
#[must_use]
pub fn cause(words: &Words, stored: &str) -> String {
    match MarkCause::read(stored) {
        MarkCause::Action { network, secret, kind } => {
            let what = match (network, secret) {
                (true, true) => "both",
                (_, true) => "secret",
                (_, false) => "network",
            };
            words.say("mark-action", &[("what", what.into()), ("kind", action(words, &kind).into())])
        }
        MarkCause::Hosts(hosts) => words.say("mark-hosts", &[("hosts", hosts.into())]),
        MarkCause::Said(reason) => words.say("mark-said", &[("reason", reason.into())]),
        MarkCause::Caller => words.say("mark-caller", &[]),
        MarkCause::Service(name) => words.say("mark-service", &[("name", name.into())]),
        MarkCause::Other(text) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::cause;
    use guarda_core::action::Language;

    #[test]
    fn a_cause_is_told_in_the_readers_language() {
        for (stored, um, un) in [
            (
                "it read from the network (OPEN_URL)",
                "leu da rede (abrir o endereço)",
                "elle a lu sur le réseau (ouvrir l'adresse)",
            ),
            (
                "it read from the network, and it read what may be secret (RUN_COMMAND)",
                "leu da rede, e também o que pode ser segredo (executar um comando)",
                "elle a lu sur le réseau, et aussi ce qui peut être secret (lancer une commande)",
            ),
            (
                "it read from example.org",
                "recebeu dados de example.org",
                "elle a reçu des données de example.org",
            ),
            (
                "the caller said: it read from the network (X)",
                "quem pediu disse: it read from the network (X)",
                "le demandeur a dit : it read from the network (X)",
            ),
            ("something else", "something else", "something else"),
        ] {
            for (language, told) in [(Language::Portuguese, um), (Language::French, un)] {
                assert_eq!(cause(crate::wording::words(language), stored), told);
            }
            // The record has the English of programs: only the name of an action differs.
            let english =
                stored.replace("OPEN_URL", "open the address").replace("RUN_COMMAND", "run a command");
            assert_eq!(cause(crate::wording::words(Language::English), stored), english);
        }
    }
}
