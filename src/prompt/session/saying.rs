//! What is said while a question stands, besides the question: what a person wants to hear, and the words of a yes by voice.

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::devices::sound::speech::Sentence;
use crate::prompt::code::Code;
use crate::prompt::code::spoken::SpokenWords;
use crate::prompt::pending_questions::Wish;
use crate::prompt::question::Prompt;
use crate::wording::plain::sentence;
use crate::wording::words::words;

/// What is spoken of a question, the words of a yes last.
pub(super) fn spoken(prompt: &Prompt, aloud: Option<&SpokenWords>) -> Sentence {
    let text = match aloud {
        Some(_) => format!("{} {}", prompt.spoken, told_words(prompt, aloud)),
        None => prompt.spoken.clone(),
    };
    Sentence { text, language: prompt.language.tag() }
}

pub(super) fn told_words(prompt: &Prompt, aloud: Option<&SpokenWords>) -> String {
    let told =
        |aloud: &SpokenWords| words(prompt.language).say("ask-words", &[("words", aloud.told().into())]);
    aloud.map(told).unwrap_or_default()
}

/// What somebody wants to hear; `None` if there is nothing to say.
pub(super) fn wished(
    prompt: &Prompt,
    (code, aloud): (Option<&Code>, Option<&SpokenWords>),
    wish: Wish,
) -> Option<String> {
    let words = words(prompt.language);
    Some(match wish {
        Wish::Code => words.say("card-code", &[("code", code?.spoken().into())]),
        Wish::Words => told_words(prompt, aloud),
        Wish::Repeat => spoken(prompt, aloud).text,
        Wish::Spell => crate::wording::spell::spell(words, &prompt.object),
        Wish::Help => prompt.how_in_full(),
        Wish::What => {
            let reasons = prompt.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>();
            sentence(&format!("{}. {}.", prompt.effect, reasons.join("; ")))
        }
    })
}

/// The next wish; never, if there can be none.
pub(super) async fn next(wishes: &mut Option<mpsc::Receiver<Wish>>) -> Option<Wish> {
    match wishes {
        Some(wishes) => wishes.recv().await,
        None => std::future::pending().await,
    }
}

/// Waits until this time; for ever, if there is none.
pub(super) async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}
