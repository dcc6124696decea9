//! What is wrong and what to do next, in whichever language it is told.

use crate::hands::LookError;
use crate::hands::trust::NotTrustable;
use crate::wording::fault::{misread, record};
use crate::wording::remembered::hindrance;
use crate::wording::words::{Value, Words};
use guarda_core::action::{Language, Misread};
use guarda_core::policy::Hindrance;
use guarda_journal::RecordFault;

/// What is wrong with a request, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Detail {
    /// An English text for programs, which only their authors read.
    English(String),
    /// The id of a translated message, and its arguments.
    Message(&'static str, Vec<(&'static str, String)>),
    /// The request is not understood.
    Misread(Box<Misread>),
    /// Why a folder cannot be trusted.
    NotTrustable(NotTrustable),
    /// Why a command cannot be granted beforehand.
    Hindered(Hindrance),
    /// The message with this id, and why the record cannot be written.
    Record(&'static str, Box<RecordFault>),
}

impl Detail {
    /// A message without arguments.
    pub(crate) fn message(id: &'static str) -> Self {
        Self::Message(id, Vec::new())
    }

    /// The language of the text if `wanted` is requested.
    pub(crate) fn language(&self, wanted: Language) -> Language {
        if matches!(self, Self::English(_)) { Language::English } else { wanted }
    }

    /// The text in one language.
    pub(crate) fn say(&self, words: &Words) -> String {
        match self {
            Self::English(text) => text.clone(),
            Self::Message(id, arguments) => {
                let told: Vec<(_, Value<'_>)> = arguments
                    .iter()
                    .map(|(name, text)| match *name {
                        "count" => (*name, Value::try_number(text)),
                        name => (name, text.as_str().into()),
                    })
                    .collect();
                words.say(id, &told)
            }
            Self::Misread(misread) => misread::told(words, misread),
            Self::NotTrustable(why) => {
                let why: &'static str = why.into();
                let why = words.say(&format!("not-trustable-{why}"), &[]);
                words.say("problem-not-trustable", &[("why", why.into())])
            }
            Self::Hindered(why) => {
                words.say("problem-not-grantable", &[("why", hindrance(words, *why).into())])
            }
            Self::Record(id, fault) => words.say(id, &[("why", record::fault(words, fault).into())]),
        }
    }
}

impl<T: Into<String>> From<T> for Detail {
    fn from(text: T) -> Self {
        Self::English(text.into())
    }
}

impl From<&LookError> for Detail {
    fn from(error: &LookError) -> Self {
        match error {
            LookError::NoFolder(name) => Self::Message("problem-no-folder", vec![("name", name.clone())]),
            LookError::TooManyPaths => Self::message("problem-too-many-paths"),
            LookError::TooMuch => Self::message("problem-too-much"),
            LookError::Slow => Self::message("problem-slow-files"),
        }
    }
}
