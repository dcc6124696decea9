//! Runs a command that replaces the shell of an agent's client (feature N3).

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use guarda_sandbox::capture::Tap;

use crate::hands::commands::environment::Passing;

/// The client's shell, and where the output goes.
#[derive(Debug)]
pub struct ClientShell {
    environment: Vec<(String, String)>,
    pub(in crate::hands) output: Tap,
    /// The folder in which the line that replaces it ended, if that is known.
    stood: Stood,
}

/// The folder in which a line ended, once that is known.
#[derive(Debug, Clone, Default)]
pub struct Stood(Arc<Mutex<Option<PathBuf>>>);

impl Stood {
    /// The folder; `None` if it is gone or not known.
    #[must_use]
    pub fn folder(&self) -> Option<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, folder: Option<PathBuf>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = folder;
    }
}

impl ClientShell {
    /// A shell with this environment. Output is passed to `output` as it arrives.
    #[must_use]
    pub fn new(environment: Vec<(String, String)>, output: Tap) -> Self {
        Self { environment, output, stood: Stood::default() }
    }

    /// Where the folder in which the line ended will be known. It does not keep the output open, as the shell itself does.
    #[must_use]
    pub fn stood(&self) -> Stood {
        self.stood.clone()
    }

    pub(in crate::hands) fn stands(&self, folder: Option<PathBuf>) {
        self.stood.set(folder);
    }

    /// The variables that pass to the command, but for its search path and its home folder.
    pub(in crate::hands) fn passing(&self, what: Passing<'_>) -> impl Iterator<Item = &(String, String)> {
        self.environment.iter().filter(move |(name, value)| what.passes(name, value))
    }

    /// Its search path; `None` if it has none. What an empty or a relative entry means would depend on the folder.
    pub(in crate::hands) fn search_path(&self) -> Option<Vec<PathBuf>> {
        let path = self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value)?;
        Some(std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect())
    }
}
