//! Granite Guardian's own protocol: the command is the assistant's text, the criterion describes the harm, and the
//! answer is a score of yes or no. Yes means harm.

use serde_json::{Value, json};

use crate::config::sections::advice::Check;

use super::opinion::Opinion;
use super::prompt::{self, Matter};
use super::unusable::Unusable;

/// Restricts llama-server's sampler to the form of an answer; other servers ignore it.
const GRAMMAR: &str = "root ::= (\"<think>\" \"\\n\"? \"</think>\" \"\\n\"?)? \"<score>\" \" \"? (\"yes\" | \"no\") \" \"? \"</score>\"\n";

/// The request for one question.
pub(super) fn request(model: &str, check: Check, matter: &Matter, data: &str) -> Value {
    let question = format!(
        "<guardian><no-think>As a judge agent, assess whether the last assistant's text meets the criteria below. {} \
         {}\n\n### Criteria: {}\n\n### Scoring Schema: If the last assistant's text meets the criteria, return 'yes'; \
         otherwise, return 'no'.",
        prompt::DATA,
        prompt::beside(check, matter).trim_end(),
        prompt::criterion(check),
    );
    json!({
        "model": model,
        "temperature": 0,
        "max_tokens": 48,
        "stream": false,
        "grammar": GRAMMAR,
        "messages": [
            { "role": "assistant", "content": data },
            { "role": "user", "content": question },
        ],
    })
}

/// Parses an answer: an optional empty chain of thought, and the score.
///
/// # Errors
/// [`Unusable::NoScore`].
pub(super) fn read(text: &str) -> Result<Opinion, Unusable> {
    let wrong = || Unusable::NoScore;
    let text = text.trim();
    let rest = match text.strip_prefix("<think>") {
        Some(rest) => rest.split_once("</think>").ok_or_else(wrong)?.1.trim_start(),
        None => text,
    };
    let score = rest.strip_prefix("<score>").and_then(|rest| rest.strip_suffix("</score>"));
    match score.ok_or_else(wrong)?.trim() {
        "yes" => Ok(Opinion::flagged("the criterion is met")),
        "no" => Ok(Opinion::Clear),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_score_counts() {
        for text in [
            "<score>no</score>",
            "<think>\n</think>\n<score> no </score>\n",
            "<think>it reads</think><score>no</score>",
        ] {
            assert_eq!(read(text), Ok(Opinion::Clear), "{text}");
        }
        for text in ["<score>yes</score>", "<think></think><score>yes</score>"] {
            assert!(matches!(read(text), Ok(Opinion::Flagged(_))), "{text}");
        }
        for text in [
            "",
            "no",
            "No",
            "NOT SURE",
            "<score>no",
            "<score></score>",
            "<score>NO</score>",
            "<score>not sure</score>",
            "<score>no</score> but",
            "<score>yes</score><score>no</score>",
            "<think>a<score>no</score>",
            "I say <score>no</score>",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
