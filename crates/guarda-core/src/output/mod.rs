//! Turns raw output into text that may be shown and sent: limits, control characters, redaction, truncation.

pub mod protection;
pub mod failure;
pub mod traffic;
pub mod raw;
pub mod text;
pub mod redact;
pub mod truncate;
pub mod anonymise;
pub mod clean;
pub mod fence;
#[cfg(test)]
mod tests;

pub use anonymise::Anonymiser;
pub use clean::{Options, Output, OutputMetadata, clean, clean_with};
pub use failure::{Failure, FailureKind};
pub use protection::{Lack, Measure, Network, NotHeld, Protection};
pub use raw::{Ended, Now, PlayerState, RawOutput};
pub use redact::{Redacted, RedactionFailure, Stream, keep, redact};
pub use truncate::{Limits, OutputKind, truncate};
