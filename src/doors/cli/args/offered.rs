//! Values that a shell completes. What is accepted is said by the reader alone, which may know more spellings.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;

/// A value, the words that are offered for it, and how it is read.
#[derive(Clone)]
pub(in crate::doors::cli) struct OfferedValue<T> {
    words: fn() -> Vec<&'static str>,
    read: fn(&str) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OfferedValue<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<T, clap::Error> {
        let read = value.to_str().ok_or_else(|| "it is no text".to_owned()).and_then(self.read);
        read.map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n")).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// A profile.
pub(in crate::doors::cli) fn profile() -> OfferedValue<guarda_core::policy::Profile> {
    OfferedValue {
        words: || guarda_core::policy::Profile::ALL.map(guarda_core::policy::Profile::name).to_vec(),
        read: |name| {
            name.parse().map_err(|error: guarda_core::policy::profile::UnknownProfile| error.to_string())
        },
    }
}

/// A language.
pub(in crate::doors::cli) fn language() -> OfferedValue<guarda_core::action::Language> {
    OfferedValue {
        words: || guarda_core::action::Language::ALL.map(guarda_core::action::Language::tag).to_vec(),
        read: |tag| {
            tag.parse().map_err(|error: guarda_core::action::language::UnknownLanguage| error.to_string())
        },
    }
}

/// The name of an action. Which ones there are is for the service to say.
pub(in crate::doors::cli) fn action() -> OfferedValue<String> {
    OfferedValue {
        words: || {
            let all = guarda_core::action::vocabulary::VOCABULARY.iter().map(|entry| entry.name);
            all.filter(|name| *name != "UNKNOWN").collect()
        },
        read: |name| Ok(name.to_owned()),
    }
}

/// A layout of keyboards.
pub(in crate::doors::cli) fn layout() -> OfferedValue<String> {
    OfferedValue { words: || vec!["qwerty", "qwertz", "azerty", "dvorak"], read: |name| Ok(name.to_owned()) }
}
