//! Strict parser for the answer of an OpenAI-compatible server: exactly one complete choice, and its text.

use serde::Deserialize;

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
/// As an English clause: it is not such an answer, or it was cut off.
pub fn text(body: &[u8]) -> Result<String, String> {
    let answer: Answer =
        serde_json::from_slice(body).map_err(|_| "its answer is not of the form of the API".to_owned())?;
    let [choice] = answer.choices.as_slice() else {
        return Err(format!("it gave {} answers", answer.choices.len()));
    };
    match choice.finish_reason.as_deref() {
        Some("stop") => {}
        Some("length") => return Err("its answer was cut off".to_owned()),
        other => return Err(format!("its answer did not come to an end ({})", other.unwrap_or("no reason"))),
    }
    choice.message.content.clone().ok_or_else(|| "it gave no text".to_owned())
}
