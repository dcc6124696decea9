//! Strict parser for the answer of an OpenAI-compatible server: exactly one complete choice, and its text.

use serde::Deserialize;

use super::unusable::Unusable;

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    finish_reason: Option<String>,
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

/// The text of the only choice.
///
/// # Errors
/// [`Unusable`]: it is not such an answer, or it was cut off.
pub fn text(body: &[u8]) -> Result<String, Unusable> {
    let answer: Answer = serde_json::from_slice(body).map_err(|_| Unusable::NotTheApi)?;
    let [choice] = answer.choices.as_slice() else {
        return Err(Unusable::Choices(answer.choices.len()));
    };
    match choice.finish_reason.as_deref() {
        Some("stop") => {}
        Some("length") => return Err(Unusable::CutOff),
        other => return Err(Unusable::Unfinished(other.unwrap_or("no reason").to_owned())),
    }
    choice.message.content.clone().ok_or(Unusable::NoText)
}
