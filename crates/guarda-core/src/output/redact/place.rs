//! What is to be hidden in a text.

/// A text could not be made safe to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the text could not be made safe to show")]
pub struct RedactionFailure;

/// A range to hide.
#[derive(Debug, Clone)]
pub(super) struct SecretRange {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: String,
    /// If two places overlap, the kind with the greater weight is reported.
    pub(super) weight: u8,
}
