//! `[password]`: how the system asks for the password, where `security.advanced_mode` lets it. The guard never has it.

use serde::{Deserialize, Serialize};

/// `[password]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Password {
    /// The way.
    pub way: Way,
    /// The pinentry to use; where nothing is written, the first known one that fits.
    pub pinentry: Option<std::path::PathBuf>,
    /// Whether the yes must come by another channel than the one on which the password is typed.
    pub double_verification: bool,
}

/// How the password is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// `sudo`, on the service's terminal; where there is none by a dialog of the desktop, by pinentry, or by `pkexec`.
    #[default]
    Auto,
    /// `sudo`, on the service's terminal.
    Terminal,
    /// `sudo`, by a dialog of the desktop.
    Dialog,
    /// `sudo`, by pinentry: on the service's terminal, or in a window.
    Pinentry,
    /// `pkexec`: the desktop's polkit agent asks.
    Pkexec,
}
