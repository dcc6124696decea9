//! A plugin's answer: one JSON object, and nothing else.

use serde::Deserialize;

/// The longest answer, in bytes.
pub const LIMIT: usize = 64 * 1024;

/// A plugin's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Block the action, even if a person says yes.
    Deny,
    /// Ask a person.
    Ask,
    /// No objection.
    Pass,
}

impl Decision {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The decision.
    pub decision: Decision,
    /// The reason, for the person and the model.
    #[serde(default)]
    pub reason: Option<String>,
}

/// Parses an answer.
///
/// # Errors
/// What is wrong with it. An unreadable answer never counts as *pass*.
pub fn read(text: &[u8]) -> Result<Answer, String> {
    if text.trim_ascii().is_empty() {
        return Err("it said nothing".to_owned());
    }
    serde_json::from_slice(text).map_err(|error| {
        format!("its answer is not {{\"decision\": \"deny|ask|pass\", \"reason\": …}}: {error}")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_an_answer_is_one() {
        for (text, decision, reason) in [
            (r#"{"decision":"deny","reason":"no"}"#, Decision::Deny, Some("no")),
            ("\n {\"decision\": \"ask\"}\n", Decision::Ask, None),
            (r#"{"decision":"pass","reason":null}"#, Decision::Pass, None),
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
