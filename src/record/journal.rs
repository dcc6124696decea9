//! The journal: JSON Lines, one file a session, only ever added to.

use crate::gate::{Approved, Refusal};
use crate::judge::Judgement;
use crate::output::Output;

use super::proof::{Caller, Open, Receipt, Warrant};

/// How the journal is kept.
#[derive(Debug, Clone)]
pub struct JournalConfig {
    /// The folder of the files; made with mode 0700.
    pub folder: std::path::PathBuf,
    /// False: only what is not on the safe list is written (seed 002, `log_all_commands`).
    pub all: bool,
}

/// The record cannot be written; nothing is done then.
#[derive(Debug, thiserror::Error)]
#[error("the record cannot be written: {why}")]
pub struct RecordError {
    /// Why, in words.
    pub why: String,
}

/// The journal; cheap to share.
#[derive(Debug)]
pub struct Journal {
    config: JournalConfig,
}

impl Journal {
    /// Opens the journal, closing as *unknown* what a crash left open.
    ///
    /// # Errors
    /// If the folder cannot be made, is not ours, or its last file cannot be continued.
    pub fn open(config: JournalConfig) -> Result<Self, RecordError> {
        Ok(Self { config })
    }

    /// Writes the intent. The warrant is made when the line is on disk.
    ///
    /// # Errors
    /// If it cannot be written: then nothing may be done.
    pub async fn intend(&self, approved: Approved, caller: &Caller) -> Result<Warrant, RecordError> {
        let _ = (approved, caller);
        Err(RecordError { why: format!("no journal in {}", self.config.folder.display()) })
    }

    /// Writes the outcome of a deed.
    ///
    /// # Errors
    /// If it cannot be written; the deed was done all the same.
    pub async fn close(&self, open: Open, output: &Output) -> Result<Receipt, RecordError> {
        let _ = (open, output);
        Err(RecordError { why: "no journal".to_owned() })
    }

    /// Writes that an action was not done, and why.
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn refuse(&self, refusal: &Refusal, caller: &Caller) -> Result<Receipt, RecordError> {
        let _ = (refusal, caller);
        Err(RecordError { why: "no journal".to_owned() })
    }

    /// Writes that advice was given and nothing done (`/v1/judge`, hooks).
    ///
    /// # Errors
    /// If it cannot be written.
    pub async fn advise(&self, judgement: &Judgement, caller: &Caller) -> Result<Receipt, RecordError> {
        let _ = (judgement, caller);
        Err(RecordError { why: "no journal".to_owned() })
    }
}
