//! The voice.

use super::State;

/// One sentence to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The text. Control characters are taken out before it is spoken.
    pub text: String,
    /// The language tag, such as `pt-BR`.
    pub language: &'static str,
}

/// What has become of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// Not yet begun.
    Waiting,
    /// The first sound was played.
    Began,
    /// Spoken to the end.
    Ended,
    /// Not spoken, or not to the end, or nobody could have heard it.
    Failed(String),
}

/// A future that owns what it needs.
pub type Task = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something that speaks.
pub trait Mouth: Send + Sync {
    /// How it is doing.
    fn state(&self) -> State;
    /// Says one sentence and reports what becomes of it; finishes with `Ended` or `Failed`. Dropping the task falls
    /// silent.
    fn say(&self, sentence: Sentence, heard: tokio::sync::watch::Sender<Heard>) -> Task;
}

/// No voice at all.
#[derive(Debug, Clone)]
pub struct Mute {
    /// Why.
    pub why: String,
}

impl Mouth for Mute {
    fn state(&self) -> State {
        State::Absent {
            why: self.why.clone(),
        }
    }

    fn say(&self, _sentence: Sentence, heard: tokio::sync::watch::Sender<Heard>) -> Task {
        heard.send_replace(Heard::Failed(self.why.clone()));
        Box::pin(async {})
    }
}
