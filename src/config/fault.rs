//! What can be wrong with a configuration. The texts here are English, for logs and programs; [`crate::wording::fault::misconfigured`]
//! says the same to a person.

mod serde_error;

use guarda_core::action::Language;
use guarda_core::action::custody::{SandboxLevel, UnknownSandbox};
use guarda_core::action::language::UnknownLanguage;
use guarda_core::action::slip::is_slip;
use guarda_core::network::BadHost;
use guarda_core::policy::Profile;
use guarda_core::policy::profile::UnknownProfile;
use serde::{Deserialize, Serialize};

/// What is wrong with a configuration, and what is allowed.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    thiserror::Error,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum ConfigFault {
    /// A key that there is not.
    #[error("unknown key {:?}{}", .0.given, .0.allowed_here())]
    UnknownKey(Misspelt),
    /// A name that is not one of the allowed values.
    #[error("{:?} is not a value here{}", .0.given, .0.allowed_here())]
    UnknownValue(Misspelt),
    /// A table without a key that it needs.
    #[error("the key {0:?} is missing")]
    MissingKey(String),
    /// A key, or a table, that is given twice.
    #[error("duplicate key: it is given above already")]
    DuplicateKey,
    /// A value of the wrong type.
    #[error("this must be {expected}, not {given}")]
    Type {
        /// The value.
        given: GivenValue,
        /// What it must be.
        expected: ExpectedType,
    },
    /// No valid TOML.
    #[error("{kind} ({detail})")]
    Syntax {
        /// What is wrong.
        kind: SyntaxFault,
        /// The parser's message.
        detail: String,
    },
    /// A whole number that is out of range.
    #[error("{given} is out of range: write a whole number from {low} to {high}")]
    WholeNumber {
        /// The number.
        given: i64,
        /// The least allowed number.
        low: i64,
        /// The greatest allowed number.
        high: i64,
    },
    /// A number that the program cannot hold, such as a negative one where things are counted.
    #[error("{0} is out of range")]
    Number(String),
    /// A number that is not from 0 to 1.
    #[error("{0} is out of range: write a number from 0 to 1")]
    Share(String),
    /// A number that is neither a risk nor 2.
    #[error("{0} is out of range: write a number from 0 to 1, or 2 for never")]
    Risk(String),
    /// A number that is no risk which a low-trust channel may approve.
    #[error("{0} is out of range: write a number from 0 to 0.9; the gravest is never approved in this way")]
    LowRisk(String),
    /// A text that is no `host:port`.
    #[error("{0:?} is not an address: write address:port, such as 127.0.0.1:4827 or [::1]:0")]
    Address(String),
    /// A search path with a relative or empty folder.
    #[error("{0:?} is not a search path: write absolute folders joined by ':'")]
    SearchPath(String),
    /// A part of a day that cannot be read.
    #[error("{0:?} is not a time range: write it as \"22:00-07:00\", or \"\" for never")]
    Hours(String),
    /// A text that is no chord.
    #[error(
        "{0:?} is not such a key: write \"hold\", or a letter with super, or with ctrl and alt, such as \"super+y\""
    )]
    Chord(String),
    /// One chord for a yes and for a no.
    #[error("keys.yes and keys.no are both \"{0}\": choose another chord for one of them")]
    SameChord(String),
    /// Not the address of a PostgreSQL database. It may contain a password, so it is not repeated.
    #[error("this is not the address of a PostgreSQL: write postgres://user@host/database")]
    Postgres,
    /// A text that is not the address of a collector.
    #[error(
        "{0:?} is not the address of a collector: write http://127.0.0.1:4318, and let a collector on this machine send \
         it on where it has to be encrypted"
    )]
    Collector(String),
    /// A name that no tool can have.
    #[error("{0:?} is not the name of a tool")]
    ToolName(String),
    /// A name that no host can have.
    #[error("{0:?} is not a host name: letters, digits, '.' and '-', without scheme or port")]
    HostName(String),
    /// An entry that names no host.
    #[error("{given:?} is not a host: {cause}")]
    Host {
        /// The entry.
        given: String,
        /// What is wrong with it.
        cause: BadHost,
    },
    /// A text that is not the address of a model server.
    #[error("{0:?} is not an http address: write http://127.0.0.1:11434/v1 or the like")]
    Endpoint(String),
    /// A model server with https.
    #[error(
        "a model server is reached by http, not by https: use a server on this machine, or a tunnel to one (ssh -L)"
    )]
    EndpointHttps,
    /// An address of a model server that contains a key.
    #[error("a key belongs in endpoint.key_file, not in the address")]
    EndpointKey,
    /// A list of questions to a model that is empty or has one twice.
    #[error("name at least one of \"network\", \"folders\", \"injection\", each once")]
    Checks,
    /// A value that no property of a service has.
    #[error("this is not a property of a service: write true, false or \"forbidden\"")]
    Property,
    /// The service would listen on this address, which other machines can reach.
    #[error(
        "server.listen is {0}, which other machines can reach: use 127.0.0.1 or [::1], or set server.allow_remote = true \
         if that is meant"
    )]
    Reachable(String),
    /// The model server at this address is another machine.
    #[error(
        "endpoint.address is {0}, which is not this machine: what is asked would travel there unencrypted; use 127.0.0.1, \
         or set endpoint.allow_remote = true if that is meant"
    )]
    RemoteEndpoint(String),
    /// Second opinions are enabled, and no model is named.
    #[error("advice.enabled = true needs advice.model: the name of a model, as `ollama list` shows it")]
    NoModel,
    /// A message of the parser that is none of these.
    #[error("this cannot be used ({0})")]
    Other(String),
}

/// A name that is not one of the allowed ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misspelt {
    /// The name as it is written.
    pub given: String,
    /// The allowed names; empty if there are none, or they are not known.
    pub allowed: Vec<String>,
}

impl Misspelt {
    /// The allowed name from which this one differs by one slip of the hand.
    #[must_use]
    pub fn meant(&self) -> Option<&str> {
        self.allowed.iter().map(String::as_str).find(|name| is_slip(&self.given, name))
    }

    /// What to write instead, in English.
    fn allowed_here(&self) -> String {
        match self.meant() {
            Some(meant) => format!("; did you mean {meant:?}?"),
            None if self.allowed.is_empty() => String::new(),
            None => format!("; allowed here: {}", self.allowed.join(", ")),
        }
    }
}

/// A value of the wrong type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GivenValue {
    /// A string, with its escapes.
    Text(String),
    /// An integer, a float or a boolean, as TOML writes it.
    Plain(String),
    /// An array.
    List,
    /// A table.
    Table,
    /// A value that the parser does not tell.
    Unnamed,
}

impl std::fmt::Display for GivenValue {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(out, "the string \"{text}\""),
            Self::Plain(value) => write!(out, "{value}"),
            Self::List => out.write_str("a list"),
            Self::Table => out.write_str("a table"),
            Self::Unnamed => out.write_str("what is written"),
        }
    }
}

/// The type that a value must have.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    thiserror::Error,
    strum::IntoStaticStr,
    strum::EnumIter,
)]
#[strum(serialize_all = "kebab-case")]
pub enum ExpectedType {
    /// A string.
    #[error("a string")]
    Text,
    /// An integer.
    #[error("a whole number")]
    Whole,
    /// A float or an integer.
    #[error("a number")]
    Number,
    /// A boolean.
    #[error("true or false")]
    Switch,
    /// An array.
    #[error("a list")]
    List,
    /// A table.
    #[error("a table")]
    Table,
    /// An array of strings, or a boolean.
    #[error("a list of program names, or true or false")]
    Names,
    /// A string, or a table with `host`.
    #[error("a host, or a table with a host")]
    Host,
}

/// Why a text is not valid TOML.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    thiserror::Error,
    strum::IntoStaticStr,
    strum::EnumIter,
)]
#[strum(serialize_all = "kebab-case")]
pub enum SyntaxFault {
    /// A string without quotation marks.
    #[error("a string needs quotation marks")]
    Unquoted,
    /// A string that does not end, or contains what must be escaped.
    #[error("this string does not end, or has a character that must be escaped")]
    Text,
    /// A table, an array or a header that does not end.
    #[error("a bracket or brace is not closed")]
    Unclosed,
    /// A key without a value.
    #[error("a key needs = and a value")]
    NoValue,
    /// A second `=`.
    #[error("there is one = too many")]
    Equals,
    /// A comma that is missing, or is one too many.
    #[error("a comma is missing here, or there is one too many")]
    Comma,
    /// A key with characters that need quotation marks.
    #[error("this is not a key: letters, digits, - and _, or a string in quotation marks")]
    Key,
    /// A number that is not written as TOML demands.
    #[error("this is not how a number is written")]
    Number,
    /// Something after the end of a setting.
    #[error("a setting ends here: the next one needs a line of its own")]
    Line,
}

impl From<UnknownProfile> for ConfigFault {
    fn from(UnknownProfile(given): UnknownProfile) -> Self {
        unknown(given, Profile::ALL.map(Profile::name))
    }
}

impl From<UnknownSandbox> for ConfigFault {
    fn from(UnknownSandbox(given): UnknownSandbox) -> Self {
        unknown(given, SandboxLevel::ALL.map(SandboxLevel::name))
    }
}

impl From<UnknownLanguage> for ConfigFault {
    fn from(UnknownLanguage(given): UnknownLanguage) -> Self {
        unknown(given, Language::ALL.map(Language::tag))
    }
}

fn unknown<const N: usize>(given: String, allowed: [&str; N]) -> ConfigFault {
    ConfigFault::UnknownValue(Misspelt { given, allowed: allowed.map(str::to_owned).to_vec() })
}
