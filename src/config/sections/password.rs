//! `[password]`: how the system asks for the password, if `security.advanced_mode` permits it. The guard never has
//! the password.

use serde::{Deserialize, Serialize};

/// `[password]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PasswordSection {
    /// The way.
    pub way: Way,
    /// The pinentry program; default: the first known one that fits.
    pub pinentry: Option<std::path::PathBuf>,
    /// Whether the yes must come through another channel than the password.
    pub double_verification: bool,
}

/// How the system asks for the password.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// `sudo` on the service's terminal; without one, a dialog of the desktop, pinentry, or `pkexec`.
    #[default]
    Auto,
    /// `sudo`, on the service's terminal.
    Terminal,
    /// `sudo`, with a dialog of the desktop.
    Dialog,
    /// `sudo`, with pinentry on the service's terminal or in a window.
    Pinentry,
    /// `pkexec`: the desktop's polkit agent asks.
    Pkexec,
}
