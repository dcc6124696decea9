//! How much of a question a person can know. A yes that comes before enough is known does not count.

/// How much of a question a person can know, and how much a yes takes (`Prompt::takes`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// Nothing: it is neither shown nor spoken.
    Nothing,
    /// Its sentence has begun to be spoken.
    Begun,
    /// Its sentence was spoken to the end, or is shown.
    Sentence,
    /// The whole card was shown, with every change.
    Whole,
}
