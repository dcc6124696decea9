//! `[undo]`: how long, and how much of, what was there before a change is kept.

use serde::{Deserialize, Serialize};

use super::field;

/// `[undo]`: runs whose writes are held back until their effects were judged, and what is kept of them afterwards
/// (features N4 to N7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Undo {
    /// Whether commands that change files are run with their writes held back. Otherwise they are asked by their words, and
    /// cannot be undone.
    pub stage: bool,
    /// Days for which a change can be undone.
    #[serde(deserialize_with = "field::between::<_, 1, 365>")]
    pub days: u64,
    /// MiB of old versions that are kept on one file system.
    #[serde(deserialize_with = "field::between::<_, 1, 1_048_576>")]
    pub most_mib: u64,
    /// Another folder that may hold what is held back and kept, for file systems on which the state folder is not.
    pub folder: Option<String>,
}

impl Default for Undo {
    fn default() -> Self {
        Self { stage: true, days: 7, most_mib: 2048, folder: None }
    }
}
