//! The shell of an agent's client, in whose place a command is run (feature N3).

use std::path::{Path, PathBuf};

use crate::devices::paths::Walk;
use guarda_core::policy::{Program, Situation};
use guarda_sandbox::capture::Tap;

use super::{environment, look};

/// What is known of it, and where its output goes.
#[derive(Debug)]
pub struct ClientShell {
    environment: Vec<(String, String)>,
    pub(super) output: Tap,
}

impl ClientShell {
    /// A shell with this environment; what is written goes to `output` as it comes.
    #[must_use]
    pub fn new(environment: Vec<(String, String)>, output: Tap) -> Self {
        Self { environment, output }
    }

    /// The environment of what is run: the shell's own, less what starts or loads something by itself and what is secret.
    pub(super) fn environment(&self, home: &str) -> Vec<(String, String)> {
        let passing = self.environment.iter().filter(|(name, value)| environment::passes(name, value));
        let mut all: Vec<(String, String)> = passing.filter(|(name, _)| name != "HOME").cloned().collect();
        all.push(("HOME".to_owned(), home.to_owned()));
        all
    }

    /// A program that means another file to this shell than it meant when the line was judged.
    pub(super) fn elsewhere<'a>(&self, situation: &'a Situation) -> Option<&'a str> {
        let path =
            self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_str())?;
        let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
        if folders.iter().any(|folder| !folder.is_absolute()) {
            return Some("PATH");
        }
        let mut walk = Walk::default();
        let bare = situation.programs.iter().filter(|(name, _)| !name.contains('/'));
        let mut other = bare.filter(|(name, judged)| {
            let now = look::find(&mut walk, &folders, name);
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
