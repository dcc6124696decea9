//! `[plugins]`: executables of the user that are asked about every action.

use serde::{Deserialize, Serialize};

use super::field;

/// `[plugins]`: where they lie, and how long each may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plugins {
    /// Whether they are asked at all.
    pub enabled: bool,
    /// Their folder; where nothing is written, `plugins` beside the configuration.
    pub folder: Option<std::path::PathBuf>,
    /// Milliseconds that each may take; then a person is asked.
    #[serde(deserialize_with = "field::between::<_, 50, 60_000>")]
    pub timeout_ms: u64,
}

impl Default for Plugins {
    fn default() -> Self {
        Self { enabled: true, folder: None, timeout_ms: 2000 }
    }
}
