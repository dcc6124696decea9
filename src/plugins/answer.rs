//! A plugin's answer: one JSON object, and nothing else.

use serde::Deserialize;

use super::shelf::Distrust;

/// The longest answer, in bytes.
pub const LIMIT: usize = 64 * 1024;

/// A plugin's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "lowercase")]
pub enum PluginDecision {
    /// Block the action, even if a person says yes.
    Deny,
    /// Ask a person.
    Ask,
    /// No objection.
    Pass,
}

impl PluginDecision {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PluginAnswer {
    /// The decision.
    pub decision: PluginDecision,
    /// The reason, for the person and the model.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Why there is no usable answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginFailure {
    /// The file must not be trusted, so it was not started.
    #[error("{0}")]
    Distrusted(#[from] Distrust),
    /// No sandbox could be made for it, or the system did not start it.
    #[error("it could not be started: {0}")]
    NotStarted(String),
    /// It took longer than `plugins.timeout_ms`, given in milliseconds.
    #[error("it did not answer within {0} ms")]
    Late(u128),
    /// It ended with this status.
    #[error("it ended with status {0}")]
    Exited(i32),
    /// This signal ended it.
    #[error("signal {0} ended it")]
    Signalled(i32),
    /// Its answer is longer than [`LIMIT`].
    #[error("its answer is longer than {} KiB", LIMIT / 1024)]
    TooLong,
    /// It printed nothing.
    #[error("it said nothing")]
    Empty,
    /// Its output is not one answer; holds the parser's message.
    #[error("its answer is not {{\"decision\": \"deny|ask|pass\", \"reason\": …}}: {0}")]
    Malformed(String),
}

/// Parses an answer.
///
/// # Errors
/// [`PluginFailure::Empty`] or [`PluginFailure::Malformed`]. An unreadable answer never counts as *pass*.
pub fn read(text: &[u8]) -> Result<PluginAnswer, PluginFailure> {
    if text.trim_ascii().is_empty() {
        return Err(PluginFailure::Empty);
    }
    serde_json::from_slice(text).map_err(|error| PluginFailure::Malformed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_an_answer_is_one() {
        for (text, decision, reason) in [
            (r#"{"decision":"deny","reason":"no"}"#, PluginDecision::Deny, Some("no")),
            ("\n {\"decision\": \"ask\"}\n", PluginDecision::Ask, None),
            (r#"{"decision":"pass","reason":null}"#, PluginDecision::Pass, None),
        ] {
            let answer = read(text.as_bytes()).unwrap();
            assert_eq!((answer.decision, answer.reason.as_deref()), (decision, reason), "{text}");
        }
        for text in [
            "",
            " \n",
            "pass",
            "{}",
            "[]",
            r#"{"decision":"allow"}"#,
            r#"{"decision":"PASS"}"#,
            r#"{"decision":"pass"}{"decision":"pass"}"#,
            r#"{"decision":"pass"} trailing"#,
            r#"{"decision":"deny","decision":"pass"}"#,
            r#"{"decision":"pass","allowed":true}"#,
            r#"{"reason":"x"}"#,
            r#"{"decision":["pass"]}"#,
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn noise_is_never_an_answer_that_was_not_written(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let object = bytes.trim_ascii().starts_with(&[0x7b]);
            prop_assert!(read(&bytes).is_err() || object);
        }
    }
}
