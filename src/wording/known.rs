//! How much of a question a person can know. A yes before enough is known does not count.

/// How much of a question a person can know. `Prompt::takes` says how much a yes requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// The question is neither shown nor spoken.
    Nothing,
    /// The voice has begun to speak its sentence.
    Begun,
    /// Its sentence was spoken to the end, or is shown.
    Sentence,
    /// The whole card was shown, including every change.
    Whole,
}
