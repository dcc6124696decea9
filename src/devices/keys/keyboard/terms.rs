//! `/etc/guarda/keys.toml`: who may ask the helper, and what it accepts. Written by root; the guard's user cannot.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use crate::devices::filesystem::own::{FileError, FileFault};

/// The helper's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeyboardTerms {
    /// The users who may ask, by name or number.
    pub users: Vec<String>,
    /// The layout of the keyboards.
    pub layout: Layout,
    /// A setting of earlier versions; ignored.
    #[serde(skip_serializing, rename = "grab")]
    pub(super) _grab: Option<bool>,
    /// Bluetooth keyboards that count, as `guarda keys status` names them.
    pub enrolled: Vec<String>,
}

impl KeyboardTerms {
    /// Reads the settings. Without a file, the defaults apply, and nobody may ask.
    ///
    /// # Errors
    /// If the file cannot be read, is writable by others, or is invalid.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        match crate::devices::filesystem::own::read_config(path)? {
            None => Ok(Self::default()),
            Some(text) => toml::from_str(&text)
                .map_err(|error| FileError::new(path, FileFault::Unreadable(error.to_string()))),
        }
    }

    /// Whether this user may ask.
    #[must_use]
    pub fn admits(&self, uid: u32) -> bool {
        self.users.iter().any(|user| match user.parse::<u32>() {
            Ok(number) => number == uid,
            Err(_) => {
                let found = nix::unistd::User::from_name(user).ok().flatten();
                found.is_some_and(|found| found.uid.as_raw() == uid)
            }
        })
    }

    /// The file's text.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).unwrap_or_default();
        format!(
            "# Who may ask guarda-keys what was pressed, and which keyboards it believes. See docs/keys.md.\n{text}"
        )
    }
}
