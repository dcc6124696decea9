//! `[undo]`: how long old versions are kept, and how much space they may take.

use serde::{Deserialize, Serialize};

use super::field;

/// `[undo]`: whether writes are held back until their effects are judged, and how old versions are kept (features N4
/// to N7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UndoSection {
    /// Whether writes of commands that change files are held back. Otherwise the question is about the command's
    /// words, and nothing can be undone.
    pub stage: bool,
    /// How long a change can be undone, in days.
    #[serde(deserialize_with = "field::between::<_, 1, 365>")]
    pub days: u64,
    /// How much space old versions may take on one file system, in MiB.
    #[serde(deserialize_with = "field::between::<_, 1, 1_048_576>")]
    pub most_mib: u64,
    /// Another folder for held-back changes and old versions, for file systems other than that of the state folder.
    pub folder: Option<String>,
}

impl Default for UndoSection {
    fn default() -> Self {
        Self { stage: true, days: 7, most_mib: 2048, folder: None }
    }
}
