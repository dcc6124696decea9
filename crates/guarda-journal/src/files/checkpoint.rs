//! What is known of a file of the record at its last signature.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::chain::{Hash, unhex};

/// The state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileState {
    /// Lines are being added.
    Open,
    /// It has no open entry and no writer.
    Closed,
    /// Archived; it accepts no more lines.
    Archived,
    /// Archived because something is wrong with it.
    Damaged,
    /// Deleted by retention.
    Pruned,
}

/// The extent of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its state.
    pub state: FileState,
    /// The number of lines.
    pub lines: u64,
    /// The size of the lines in bytes, uncompressed.
    pub bytes: u64,
    /// The hash of the last one, in hexadecimal.
    pub hash: String,
    /// The greatest request number.
    pub sequence: u64,
    /// When it was last written to or archived, in seconds since 1970.
    pub time: i64,
}

/// Every file that exists or existed: session, file number, checkpoint. Of deleted files, only the last of each session.
pub type Checkpoints = BTreeMap<String, BTreeMap<u32, Checkpoint>>;

impl Checkpoint {
    pub(crate) fn hash(&self) -> Option<Hash> {
        unhex(&self.hash)
    }
}
