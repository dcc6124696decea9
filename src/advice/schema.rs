//! Any model that can be restricted to a JSON schema. The schema only helps the model; its answer is parsed just as
//! strictly without it.

use serde_json::{Value, json};

use crate::config::sections::advice::Check;

use super::opinion::Opinion;
use super::prompt::{self, Matter};
use super::unusable::Unusable;

/// The request for one question.
pub(super) fn request(model: &str, check: Check, matter: &Matter, data: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "flagged": { "type": "boolean" },
            "reason": { "type": "string", "pattern": "^[A-Za-z0-9 ,.;:'()/_-]{0,120}$" },
        },
        "required": ["flagged", "reason"],
        "additionalProperties": false,
    });
    json!({
        "model": model,
        "temperature": 0,
        "max_tokens": 256,
        "stream": false,
        "messages": [
            { "role": "system", "content": prompt::system(check) },
            { "role": "user", "content": format!("{}{data}", prompt::beside(check, matter)) },
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": "opinion", "strict": true, "schema": schema },
        },
    })
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    flagged: bool,
    reason: String,
}

/// Parses an answer: exactly one object, with nothing around it.
///
/// # Errors
/// [`Unusable::NoObject`].
pub(super) fn read(text: &str) -> Result<Opinion, Unusable> {
    let word: Word = serde_json::from_str(text.trim()).map_err(|_| Unusable::NoObject)?;
    Ok(if word.flagged { Opinion::flagged(&word.reason) } else { Opinion::Clear })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_object_counts() {
        assert_eq!(read(r#" {"flagged": false, "reason": "reads a file"} "#), Ok(Opinion::Clear));
        assert_eq!(
            read(r#"{"reason":"posts data","flagged":true}"#),
            Ok(Opinion::Flagged("posts data".to_owned()))
        );
        for text in [
            "",
            "NOT SURE",
            "NO",
            "false",
            "{}",
            r#"{"flagged": false}"#,
            r#"{"flagged": "false", "reason": ""}"#,
            r#"{"flagged": 0, "reason": ""}"#,
            r#"{"flagged": null, "reason": ""}"#,
            r#"{"flagged": false, "reason": 1}"#,
            r#"{"flagged": false, "reason": "", "confidence": 1}"#,
            r#"{"flagged": true, "flagged": false, "reason": ""}"#,
            r#"{"flagged": false, "reason": "cut"#,
            r#"{"flagged": false, "reason": ""} or maybe not"#,
            r#"{"flagged": false, "reason": ""}{"flagged": true, "reason": ""}"#,
            r#"Sure! {"flagged": false, "reason": ""}"#,
            "```json\n{\"flagged\": false, \"reason\": \"\"}\n```",
            "<think>fine</think>{\"flagged\": false, \"reason\": \"\"}",
            r#"[{"flagged": false, "reason": ""}]"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,120}|[{}\":,a-z ]{0,40}") {
            let _ = read(&text);
        }
    }
}
