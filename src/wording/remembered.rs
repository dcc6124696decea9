//! What the registry of commands stores, in words. It stores English clauses; what an older version stored, and what a
//! person wrote, stays as it is.

use guarda_core::policy::Hindrance;
use guarda_core::policy::history::channel_of;

use crate::registry::evolve::ChangeReason;
use crate::wording::localize::unit;
use crate::wording::words::Words;

/// Why no permission given beforehand covers a command.
#[must_use]
pub fn hindrance(words: &Words, why: Hindrance) -> String {
    unit(words, "hindrance", why)
}

/// Why a command's runs earn no promotion, as stored.
#[must_use]
pub fn held_back(words: &Words, stored: &str) -> String {
    stored.parse().map_or_else(|_unknown| stored.to_owned(), |why| hindrance(words, why))
}

/// Why the learned policy of a command changed, as stored.
#[must_use]
pub fn policy_reason(words: &Words, stored: &str) -> String {
    let Ok(why) = stored.parse::<ChangeReason>() else { return stored.to_owned() };
    unit(words, "learned", why)
}

/// Who set an override, as stored: a person with the channel, or a user's name.
#[must_use]
pub fn said_by(words: &Words, stored: &str) -> String {
    let Some(channel) = channel_of(stored) else { return stored.to_owned() };
    let channel = words.find(&format!("audit-way-{channel}"), &[]).unwrap_or_else(|| channel.to_owned());
    words.say("learned-person", &[("channel", channel.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Language;
    use guarda_core::policy::history::by_person;
    use strum::VariantArray as _;

    #[test]
    fn what_is_stored_has_words_in_every_language() {
        for language in [Language::Portuguese, Language::French] {
            let words = crate::wording::words(language);
            for why in Hindrance::VARIANTS {
                let told = held_back(words, &why.to_string());
                assert!(!told.is_empty() && told != why.to_string(), "{language} {why}");
            }
            for why in ChangeReason::VARIANTS {
                let told = policy_reason(words, why.text());
                assert!(!told.is_empty() && told != why.text(), "{language} {why:?}");
            }
        }
        let words = crate::wording::words(Language::Portuguese);
        assert_eq!(said_by(words, &by_person("keys")), "você (teclas)");
        for own in ["ana", "it sends", "a person", ""] {
            assert_eq!([said_by(words, own), held_back(words, own), policy_reason(words, own)], [own; 3]);
        }
    }
}
