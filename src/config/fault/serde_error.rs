//! How a [`ConfigFault`] gets through serde, whose errors are texts, and how the texts of serde and the TOML parser become
//! one.

use strum::IntoEnumIterator as _;

use super::{ConfigFault, ExpectedType, GivenValue, Misspelt, SyntaxFault};

/// What a text begins with that holds a [`ConfigFault`] as JSON. No message of a parser begins with a control character.
const MARK: char = '\u{1}';

impl ConfigFault {
    /// The fault as an error of serde. [`ConfigFault::read`] finds it again in the error's message.
    pub(in crate::config) fn raise<E: serde::de::Error>(self) -> E {
        match serde_json::to_string(&self) {
            Ok(json) => E::custom(format_args!("{MARK}{json}")),
            Err(_) => E::custom(self),
        }
    }

    /// Reads the message of a TOML error.
    #[must_use]
    pub fn read(message: &str) -> Self {
        let message = message.trim();
        if let Some(json) = message.strip_prefix(MARK) {
            return serde_json::from_str(json).unwrap_or_else(|_| Self::Other(json.to_owned()));
        }
        of_serde(message).or_else(|| of_toml(message)).unwrap_or_else(|| Self::Other(plain(message)))
    }
}

/// The fault in a message that serde makes.
fn of_serde(message: &str) -> Option<ConfigFault> {
    if let Some(rest) = message.strip_prefix("unknown field ") {
        return misspelt(rest).map(ConfigFault::UnknownKey);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return misspelt(rest).map(ConfigFault::UnknownValue);
    }
    if let Some(key) = message.strip_prefix("missing field ") {
        return Some(ConfigFault::MissingKey(key.trim_matches('`').to_owned()));
    }
    // What is read as a string or table is the name of one of several values.
    if message == "wanted string or table" {
        return Some(ConfigFault::Type { given: GivenValue::Unnamed, expected: ExpectedType::Text });
    }
    // A number of the right type that does not fit, or one that no type here holds.
    if let Some((number, _)) =
        message.strip_prefix("invalid value: integer `").and_then(|rest| rest.split_once('`'))
    {
        return Some(ConfigFault::Number(number.to_owned()));
    }
    if let Some((number, kind)) =
        message.strip_prefix("invalid type: integer `").and_then(|rest| rest.split_once('`'))
        && kind.starts_with(" as ")
    {
        return Some(ConfigFault::Number(number.to_owned()));
    }
    let (given, expected) = message.strip_prefix("invalid type: ")?.rsplit_once(", expected ")?;
    Some(ConfigFault::Type { given: given_value(given), expected: expected_type(expected)? })
}

/// Reads "`given`, expected one of `a`, `b`". The given name may contain anything.
fn misspelt(text: &str) -> Option<Misspelt> {
    let text = text.strip_prefix('`')?;
    let (given, allowed) = match text.rsplit_once("`, expected ") {
        Some((given, names)) => (given, names.split('`').skip(1).step_by(2).map(str::to_owned).collect()),
        None => (text.rsplit_once("`, there are no ")?.0, Vec::new()),
    };
    Some(Misspelt { given: given.to_owned(), allowed })
}

fn given_value(text: &str) -> GivenValue {
    match text.split_once(' ') {
        Some(("string", text)) => GivenValue::Text(text.trim_matches('"').to_owned()),
        Some((_, value)) => {
            GivenValue::Plain(value.trim_start_matches("point ").trim_matches('`').to_owned())
        }
        None if text == "sequence" => GivenValue::List,
        None if text == "map" => GivenValue::Table,
        None => GivenValue::Unnamed,
    }
}

fn expected_type(text: &str) -> Option<ExpectedType> {
    Some(match text {
        "a string" | "path string" => ExpectedType::Text,
        "a boolean" => ExpectedType::Switch,
        "a sequence" => ExpectedType::List,
        "f32" | "f64" => ExpectedType::Number,
        "i8" | "i64" | "u16" | "u64" => ExpectedType::Whole,
        "a map" => ExpectedType::Table,
        _ if text.starts_with("struct ") => ExpectedType::Table,
        _ => ExpectedType::iter().find(|expected| expected.to_string() == text)?,
    })
}

/// The fault in a message of the TOML parser, found by the words that it uses.
fn of_toml(message: &str) -> Option<ConfigFault> {
    if message.starts_with("duplicate key") {
        return Some(ConfigFault::DuplicateKey);
    }
    let words = WORDS.iter().find(|(words, _)| words.iter().any(|words| message.starts_with(words)));
    words.map(|(_, kind)| ConfigFault::Syntax { kind: *kind, detail: plain(message) })
}

/// What the parser's messages begin with.
const WORDS: &[(&[&str], SyntaxFault)] = &[
    (&["string values must be quoted"], SyntaxFault::Unquoted),
    (
        &[
            "invalid basic string",
            "invalid literal string",
            "invalid multi-line",
            "missing escaped value",
            "too few unicode",
        ],
        SyntaxFault::Text,
    ),
    (&["unclosed "], SyntaxFault::Unclosed),
    (&["key with no value", "missing value", "missing assignment"], SyntaxFault::NoValue),
    (&["extra `=`", "unexpected `=`", "extra assignment"], SyntaxFault::Equals),
    (&["missing comma", "extra comma"], SyntaxFault::Comma),
    (
        &[
            "invalid unquoted key",
            "unquoted keys cannot be empty",
            "keys cannot be multi-line",
            "missing key",
        ],
        SyntaxFault::Key,
    ),
    (
        &[
            "invalid integer",
            "invalid float",
            "invalid hexadecimal",
            "invalid octal",
            "invalid binary",
            "unexpected leading zero",
            "unexpected sign",
            "redundant ",
            "radix must",
            "integers with a radix",
            "`_` may only",
        ],
        SyntaxFault::Number,
    ),
    (&["unexpected key or value", "unexpected content"], SyntaxFault::Line),
];

/// The parser's message on one line.
fn plain(message: &str) -> String {
    message.replace('\n', "; ")
}
