//! How a command ends: with an exit status, or with an error that says what is wrong and what to do.

use std::fmt::Display;
use std::path::Path;

use guarda_core::action::{Language, Misread};

use crate::devices::endpoint::EndpointFault;
use crate::devices::fault::DeviceFault;
use crate::devices::filesystem::own::{FileError, FileFault};
use crate::devices::process::socket_activation::NotActivated;
use crate::doors::client::NoAnswer;
use crate::doors::detail::Detail;
use crate::doors::telemetry::NoTelemetry;
use crate::hands::LookError;
use crate::registry::StoreError;
use crate::wording::fault::{file, misread, record, unusable};
use crate::wording::message::lack;
use crate::wording::{Words, words};
use guarda_journal::RecordError;

use super::load::LoadError;

/// The exit status. The numbers are stable, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// The action is done, or approved.
    Good,
    /// The action failed.
    Failed,
    /// The command line or the request is wrong.
    Usage,
    /// The rules forbid it.
    Blocked,
    /// A person would be asked (`check`).
    Asked,
    /// A person said no, nobody answered in time, or the request was withdrawn.
    Denied,
    /// The exit status of the command that ran.
    Command(u8),
}

impl ExitStatus {
    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Blocked => 3,
            Self::Asked => 4,
            Self::Denied => 5,
            Self::Command(status) => status,
        }
    }
}

/// An error that ends a command. [`CliError::told`] is the sentence for a person.
#[derive(Debug, thiserror::Error)]
#[error("{kind}")]
pub struct CliError {
    #[source]
    kind: Box<ErrorKind>,
    /// What to do about it, where the cause does not say so itself.
    hints: Vec<Detail>,
}

/// Any cause.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The cause of an error. The texts are English, for programs; [`ErrorKind::told`] has a person's words.
#[derive(Debug, thiserror::Error)]
enum ErrorKind {
    /// What is wrong, in the program's own words or in those that the service or a plugin chose.
    #[error("{}", .0.say(words(Language::English)))]
    Detail(Detail),
    #[error("{0}")]
    Service(#[from] NoAnswer),
    #[error("{0}")]
    Load(#[from] LoadError),
    #[error("{0}")]
    File(#[from] FileError),
    /// The record cannot be read.
    #[error("{0}")]
    Unreadable(#[source] RecordError),
    /// The record cannot be written.
    #[error("{0}")]
    Unwritable(#[from] RecordError),
    #[error("{0}")]
    Endpoint(#[from] EndpointFault),
    #[error("{0}")]
    Device(#[from] DeviceFault),
    #[error("{0}")]
    NotActivated(#[from] NotActivated),
    #[error("{0}")]
    NoTelemetry(#[from] NoTelemetry),
    #[error("{0}")]
    Misread(#[from] Misread),
    #[error("{0}")]
    Look(#[from] LookError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Another library's error.
    #[error("{0}")]
    System(#[source] Cause),
    /// An error about one file or program.
    #[error("{about}: {cause}")]
    At {
        about: String,
        #[source]
        cause: Cause,
    },
}

impl CliError {
    /// A message of the words, with its arguments.
    pub(crate) fn say(id: &'static str, arguments: &[(&'static str, &dyn Display)]) -> Self {
        ErrorKind::Detail(detail(id, arguments)).into()
    }

    /// A sentence in the person's language.
    pub(crate) fn text(sentence: impl Into<String>) -> Self {
        ErrorKind::Detail(Detail::English(sentence.into())).into()
    }

    /// The record cannot be read.
    pub(crate) fn unreadable(error: RecordError) -> Self {
        ErrorKind::Unreadable(error).into()
    }

    /// An error of the system or a library.
    pub(crate) fn system(cause: impl Into<Cause>) -> Self {
        ErrorKind::System(cause.into()).into()
    }

    /// The same about one file or program.
    pub(crate) fn at(about: impl AsRef<Path>, cause: impl Into<Cause>) -> Self {
        ErrorKind::At { about: about.as_ref().display().to_string(), cause: cause.into() }.into()
    }

    /// Why a file cannot be read or written.
    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::NotFound {
            return LoadError::NoFile(path.to_owned()).into();
        }
        let failure = (crate::devices::fault::kind(error.kind()), error.to_string()).into();
        FileError { path: path.to_owned(), fault: FileFault::System(failure) }.into()
    }

    /// Adds the next step.
    #[must_use]
    pub(crate) fn hint(mut self, id: &'static str) -> Self {
        self.hints.push(Detail::message(id));
        self
    }

    /// The cause and the next step, in a person's language.
    pub(crate) fn told(&self, words: &Words) -> String {
        let hints = self.hints.iter().map(|hint| hint.say(words));
        words.listed(&std::iter::once(self.kind.told(words)).chain(hints).collect::<Vec<_>>())
    }
}

fn detail(id: &'static str, arguments: &[(&'static str, &dyn Display)]) -> Detail {
    Detail::Message(id, arguments.iter().map(|(name, value)| (*name, value.to_string())).collect())
}

impl ErrorKind {
    fn told(&self, words: &Words) -> String {
        match self {
            Self::Detail(detail) => detail.say(words),
            Self::Service(why) => why.told(words),
            Self::Load(error) => error.told(words),
            Self::File(error) => file::told(words, error),
            Self::Unreadable(error) => record::fault(words, &error.why),
            Self::Unwritable(error) => {
                words.say("record-unwritable", &[("why", record::fault(words, &error.why).into())])
            }
            Self::Endpoint(fault) => unusable::endpoint_fault(words, fault),
            Self::Device(fault) => lack(words, fault.failure()),
            Self::NotActivated(NotActivated::Unknown(number)) => {
                words.say("serve-socket-unknown", &[("number", number.to_string().into())])
            }
            Self::NotActivated(NotActivated::Twice) => words.say("serve-socket-twice", &[]),
            Self::NotActivated(NotActivated::System(error)) => {
                words.say("serve-socket-system", &[("why", error.to_string().into())])
            }
            Self::NoTelemetry(NoTelemetry::Address { endpoint, why }) => words.say(
                "serve-telemetry-address",
                &[("endpoint", endpoint.as_str().into()), ("why", why.as_str().into())],
            ),
            Self::NoTelemetry(NoTelemetry::NotBuilt) => words.say("serve-telemetry-not-built", &[]),
            Self::Misread(error) => misread::told(words, error),
            Self::Look(error) => Detail::from(error).say(words),
            Self::Store(_) | Self::Io(_) | Self::Json(_) | Self::System(_) | Self::At { .. } => {
                self.to_string()
            }
        }
    }
}

impl<E: Into<ErrorKind>> From<E> for CliError {
    fn from(cause: E) -> Self {
        Self { kind: Box::new(cause.into()), hints: Vec::new() }
    }
}
