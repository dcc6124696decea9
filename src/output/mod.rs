//! From bytes that must not be printed or sent to text that may: limits, control characters, redaction, truncation.

pub mod raw;
pub mod redact;
pub mod clean;

pub use clean::{Output, RedactionFailure, clean};
pub use raw::{Ended, RawOutput};
pub use redact::{Redacted, redact};
