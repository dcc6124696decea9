//! Explains to a person why a request was not understood.

use crate::wording::localize::named;
use crate::wording::words::{Value, Words};
use guarda_core::action::{Language, Misread};

/// What is wrong with a request. The English text is also the one for programs and models.
#[must_use]
pub fn told(words: &Words, misread: &Misread) -> String {
    if words.language() == Language::English {
        return misread.to_string();
    }
    let say = |id: &str, arguments: &[(&'static str, Value<'_>)]| words.say(id, arguments);
    match misread {
        Misread::Missing(field) => say("misread-missing", &[("field", (*field).into())]),
        Misread::Type { field, expected } => say(
            "misread-type",
            &[("field", (*field).into()), ("hint", named(words, "hint", *expected).into())],
        ),
        Misread::Value { field, value, hint: meant } => {
            let meant = named(words, "hint", *meant);
            let told = [("field", (*field).into()), ("value", value.as_str().into()), ("hint", meant.into())];
            say("misread-value", &told)
        }
        Misread::Unread { field, meant: None } => say("misread-unread", &[("field", field.as_str().into())]),
        Misread::Unread { field, meant: Some(meant) } => {
            say("misread-unread-meant", &[("field", field.as_str().into()), ("meant", (*meant).into())])
        }
        Misread::EmptyCommand => say("misread-empty", &[]),
        Misread::Twice => say("misread-twice", &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::action::Hint;
    use strum::IntoEnumIterator as _;

    #[test]
    fn every_hint_has_words_in_every_language() {
        for hint in Hint::iter() {
            let name: &'static str = hint.into();
            let [english, others @ ..] = [Language::English, Language::Portuguese, Language::French]
                .map(|language| crate::wording::words(language).say(&format!("hint-{name}"), &[]));
            assert_eq!(english, hint.to_string(), "{name}");
            for other in others {
                assert!(!other.is_empty(), "{name}");
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_told_in_each_language() {
        let [portuguese, english, french] = Language::ALL.map(crate::wording::words);
        let slip = Misread::Unread { field: "ammount".to_owned(), meant: Some("amount") };
        assert_eq!(told(portuguese, &slip), "esta ação não aceita “ammount”; você quis dizer “amount”?");
        assert_eq!(told(english, &slip), slip.to_string());
        assert_eq!(
            told(french, &slip),
            "cette action n'accepte pas « ammount » ; vouliez-vous dire « amount » ?"
        );
        let value = Misread::Value { field: "value", value: "loud".to_owned(), hint: Hint::Percent };
        assert_eq!(told(portuguese, &value), "“loud” não serve em “value”: um número de 0 a 100");
        assert_eq!(told(french, &value), "« loud » ne convient pas à « value » : un nombre de 0 à 100");
    }
}
