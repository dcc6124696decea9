//! Values that a shell can complete. The parser alone decides which values are valid; it may accept other spellings.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// A value: the words offered for completion, and its parser.
#[derive(Clone)]
pub(in crate::cli) struct OfferedValue<T> {
    words: fn() -> Vec<&'static str>,
    read: fn(&str) -> Option<T>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OfferedValue<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<T, clap::Error> {
        if let Some(read) = value.to_str().and_then(self.read) {
            return Ok(read);
        }
        let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
        let text = |text: String| ContextValue::String(text);
        let words = (self.words)().into_iter().map(str::to_owned).collect();
        error.insert(ContextKind::InvalidArg, text(arg.map(ToString::to_string).unwrap_or_default()));
        error.insert(ContextKind::InvalidValue, text(value.to_string_lossy().into_owned()));
        error.insert(ContextKind::ValidValue, ContextValue::Strings(words));
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// A profile.
pub(in crate::cli) fn profile() -> OfferedValue<guarda_core::policy::Profile> {
    OfferedValue {
        words: || guarda_core::policy::Profile::ALL.map(guarda_core::policy::Profile::name).to_vec(),
        read: |name| name.parse().ok(),
    }
}

/// A language.
pub(in crate::cli) fn language() -> OfferedValue<guarda_core::action::Language> {
    OfferedValue {
        words: || guarda_core::action::Language::ALL.map(guarda_core::action::Language::tag).to_vec(),
        read: |tag| tag.parse().ok(),
    }
}

/// The name of an action. The service decides which names exist.
pub(in crate::cli) fn action() -> OfferedValue<String> {
    OfferedValue {
        words: || {
            let all = guarda_core::action::vocabulary::VOCABULARY.iter().map(|entry| entry.name);
            all.filter(|name| *name != "UNKNOWN").collect()
        },
        read: |name| Some(name.to_owned()),
    }
}

/// A layout of keyboards.
pub(in crate::cli) fn layout() -> OfferedValue<String> {
    OfferedValue {
        words: || vec!["qwerty", "qwertz", "azerty", "dvorak"],
        read: |name| Some(name.to_owned()),
    }
}
