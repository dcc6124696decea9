//! The record of decisions and deeds: the intent before a deed, the outcome after it, in lines that are chained by hashes and
//! whose ends are signed. It is written and verified without the rest of the program.

pub mod trouble;
pub mod warning;
pub mod chain;
pub mod line;
pub mod fate;
mod files;
pub mod anchor;
pub mod proof;
pub mod journal;
pub mod verify;
pub mod read;
pub mod carried;
pub mod traffic;
pub mod export;
pub mod follow;

pub use anchor::Anchors;
pub use carried::{Carried, Grant, GrantStep, GrantTerms, Grants, TrustedFolder, TrustedFolders};
pub use fate::RequestFate;
pub use files::keeping::Retention;
pub use files::queue::lock_briefly;
pub use files::{checkpoints, keeping};
pub use journal::{Journal, JournalConfig, session_of};
pub use line::{Facts, KeptEnd, LineCause, RecordEvent};
pub use proof::{Caller, Ending, HostStep, Open, Receipt, RunLines, Warrant};
pub use trouble::{RecordError, RecordFault, Trouble};
pub use verify::{Evidence, Remark, VerifyReport, verify, verify_against};
pub use warning::{LostPart, RecordWarning};
