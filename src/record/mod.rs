//! What was decided and done, written down: the intent before the deed, the outcome after it.

pub mod journal;
pub mod proof;

pub use journal::{Journal, JournalConfig, RecordError};
pub use proof::{Caller, Open, Receipt, Warrant};
