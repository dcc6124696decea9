//! Runs a command that replaces the shell of an agent's client (feature N3).

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::devices::filesystem::paths::Walk;
use guarda_core::policy::{Program, Situation};
use guarda_sandbox::capture::Tap;

use crate::hands::{commands::environment, facts::words};

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

    /// The environment of the command: the shell's, without secrets and without variables that start or load something.
    pub(in crate::hands) fn environment(&self, home: &str) -> Vec<(String, String)> {
        let passing = self.environment.iter().filter(|(name, value)| environment::passes(name, value));
        let mut all: Vec<(String, String)> = passing.filter(|(name, _)| name != "HOME").cloned().collect();
        all.push(("HOME".to_owned(), home.to_owned()));
        all
    }

    /// A program name that this shell would resolve to another file than the judged one.
    pub(in crate::hands) fn elsewhere<'a>(&self, situation: &'a Situation) -> Option<&'a str> {
        let path =
            self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str())?;
        let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
        if folders.iter().any(|folder| !folder.is_absolute()) {
            return Some("PATH");
        }
        let mut walk = Walk::default();
        let bare = situation.programs.iter().filter(|(name, _)| !name.contains('/'));
        let mut other = bare.filter(|(name, judged)| {
            let now = words::find(&mut walk, &folders, name);
            match (judged, now) {
                (
                    Program::System(was) | Program::Elsewhere(was),
                    Program::System(is) | Program::Elsewhere(is),
                ) => Path::new(was) != Path::new(&is),
                (Program::Missing, Program::Missing) => false,
                _ => true,
            }
        });
        other.next().map(|(name, _)| name.as_str())
    }
}
