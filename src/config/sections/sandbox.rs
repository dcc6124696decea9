//! `[sandbox]`: how commands are confined.

use serde::{Deserialize, Serialize};

use crate::config::field;
use guarda_core::action::custody::SandboxLevel;
use guarda_core::catalogue;

/// `[sandbox]`: what a command may reach. A caller can demand a stricter sandbox than this, never a looser one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSection {
    /// The sandbox level: `none`, `confined` or `isolated`.
    #[serde(deserialize_with = "field::parsed", serialize_with = "field::shown")]
    pub profile: SandboxLevel,
    /// Whether a command is refused if this machine cannot provide everything that the level promises.
    pub require_sandbox: bool,
    /// Ignored: the tables of hosts say which commands use the network. Accepted so that older files stay valid.
    #[serde(skip_serializing)]
    pub network: Option<crate::config::field::Anything>,
    /// System commands that cannot work in a sandbox, because they speak to the system's services or act on other
    /// processes. They run with `none`, unless the caller demands more.
    pub unconfined: Vec<String>,
    /// Folders that every command may change, in addition to its working folder and a temporary one.
    pub writable: Vec<String>,
}

impl Default for SandboxSection {
    fn default() -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            profile: SandboxLevel::Confined,
            require_sandbox: false,
            network: None,
            unconfined: owned(catalogue::UNCONFINED),
            writable: Vec::new(),
        }
    }
}
