//! The record of decisions and deeds: the intent before a deed, the outcome after it.

pub mod trouble;
pub mod warning;
mod evidence;
pub mod chain;
pub mod line;
pub mod fate;
mod folder;
mod scan;
pub mod checkpoints;
pub mod anchor;
mod log_file;
pub mod keeping;
pub mod proof;
mod facts;
pub mod journal;
pub mod verify;
pub mod read;
pub mod carried;
mod segment_store;
mod writer;
mod queue;
pub mod traffic;
pub mod export;
pub mod follow;
pub mod registry;

pub use anchor::Anchors;
pub use carried::{Carried, Grant, GrantStep, Grants};
pub use evidence::{Evidence, Remark};
pub use fate::RequestFate;
pub use journal::{Journal, JournalConfig, session_of};
pub use keeping::Retention;
pub use line::{Facts, LineCause, RecordEvent};
pub use proof::{Caller, Ending, HostStep, Open, Receipt, RunLines, Warrant};
pub use trouble::{RecordError, RecordFault, Trouble};
pub use verify::{VerifyReport, verify, verify_against};
pub use warning::{LostPart, RecordWarning};
