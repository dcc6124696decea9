//! `[plugins]`: the user's executables that check every action.

use serde::{Deserialize, Serialize};

use crate::config::field;

/// `[plugins]`: the plugin folder, and the time limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginsSection {
    /// Whether plugins are used.
    pub enabled: bool,
    /// The plugin folder; default: `plugins` beside the configuration.
    pub folder: Option<std::path::PathBuf>,
    /// How long each plugin may take, in milliseconds; then a person is asked.
    #[serde(deserialize_with = "field::between::<_, 50, 60_000>")]
    pub timeout_ms: u64,
}

impl Default for PluginsSection {
    fn default() -> Self {
        Self { enabled: true, folder: None, timeout_ms: 2000 }
    }
}
