//! `[undo]`: how long old versions are kept, and how much space they may take.

use serde::{Deserialize, Serialize};

use crate::config::field;

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
    /// Caches in the home folder (`.npm`, `.cache`) whose changes are kept like those of the project. Changes of all others are
    /// discarded.
    #[serde(deserialize_with = "caches")]
    pub keep_caches: Vec<String>,
}

/// Parses the names for `keep_caches`.
fn caches<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    field::known(from, guarda_core::catalogue::CACHE.iter().copied())
}

impl Default for UndoSection {
    fn default() -> Self {
        Self { stage: true, days: 7, most_mib: 2048, folder: None, keep_caches: Vec::new() }
    }
}
