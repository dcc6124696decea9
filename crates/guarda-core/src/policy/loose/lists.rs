//! The lists of the configuration: programs to ask about, commands to block, folders to stay in.
//!
//! An entry is read as a command and compared by meaning: `rm -rf /` is met by `rm -r -f //`, and not by
//! `rm -rf /tmp/x`; `mkfs` is met by `mkfs.ext4`.

use crate::places::{Kinds, Place};
use crate::policy::{PolicyError, PolicyFault};
use guarda_shell::script::{Dialect, Script};

/// The lists of the configuration. They can only tighten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// Programs that are asked wherever they would run (`[security] require_confirmation`, feature M4).
    pub require_confirmation: Vec<String>,
    /// Commands that are blocked by meaning (`[security] blocked_commands`, feature M3).
    pub blocked_commands: Vec<String>,
    /// Folders to which commands are confined; empty for no confinement (`[bash] allowed_dirs`, feature D5).
    pub allowed_dirs: Vec<String>,
    /// Programs or commands that are blocked (`[bash] denied_commands`, feature D6).
    pub denied_commands: Vec<String>,
    /// Folders in which nothing is changed without a question (`[security] protected_paths`, feature M4).
    pub protected_paths: Vec<String>,
}

/// The lists, read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadyLists {
    pub(super) ask: Vec<ListEntry>,
    pub(super) block: Vec<ListEntry>,
    pub(super) dirs: Vec<String>,
    pub(super) protected: Vec<String>,
}

/// One command of a list.
#[derive(Debug, Clone)]
pub(super) struct ListEntry {
    pub(super) text: String,
    pub(super) script: Script,
    pub(super) bomb: bool,
}

impl ReadyLists {
    pub(crate) fn read(lists: &Lists) -> Result<Self, PolicyError> {
        let entries = |key: &str, texts: &[String]| {
            texts
                .iter()
                .filter(|text| !text.trim().is_empty())
                .map(|text| {
                    guarda_shell::read(text, Dialect::Bash)
                        .map(|script| ListEntry {
                            text: text.clone(),
                            bomb: script.growth().is_some(),
                            script,
                        })
                        .map_err(|unsure| PolicyError {
                            layer: key.to_owned(),
                            line: 0,
                            fault: PolicyFault::NoCommand { text: text.clone(), why: unsure.to_string() },
                        })
                })
                .collect::<Result<Vec<_>, _>>()
        };
        let mut block = entries("[security] blocked_commands", &lists.blocked_commands)?;
        block.extend(entries("[bash] denied_commands", &lists.denied_commands)?);
        let mut dirs: Vec<String> = lists.allowed_dirs.clone();
        dirs.sort();
        dirs.dedup();
        let ask = entries("[security] require_confirmation", &lists.require_confirmation)?;
        Ok(Self { ask, block, dirs, protected: lists.protected_paths.clone() })
    }

    /// The folders to which commands are confined.
    pub(crate) fn dirs(&self) -> &[String] {
        &self.dirs
    }

    /// True if the place is in none of the folders; always false where there are none.
    pub(crate) fn outside(&self, place: &Place, home: &str) -> bool {
        !self.dirs.is_empty()
            && !self.dirs.iter().any(|dir| within(place, dir, home))
            && !place.inside("/tmp")
            && !place.is_stream()
    }

    /// Whether the place is outside of the folders, or in one that is protected.
    pub(crate) fn kinds_of(&self, place: &Place, home: &str) -> Kinds {
        let mut kinds = Kinds::NONE;
        if self.outside(place, home) {
            kinds |= Kinds::OUTSIDE;
        }
        if self.protected.iter().any(|dir| within(place, dir, home)) && !place.is_stream() {
            kinds |= Kinds::PROTECTED;
        }
        kinds
    }
}

/// True if the place is in a folder that the configuration names, `~` for the home folder.
fn within(place: &Place, dir: &str, home: &str) -> bool {
    match dir.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => place.inside(&format!("{home}{rest}")),
        _ => place.inside(dir),
    }
}
