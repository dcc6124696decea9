//! The rules: verdicts, profiles, tables, and the facts that rules may ask about. No paths are opened here.

pub mod verdict;
pub mod situation;
pub mod profile;
pub mod command;

pub use profile::Profile;
pub use situation::{Program, Situation};
pub use verdict::{Finding, Verdict};

/// A text of rules in TOML, and where it comes from.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// The name for messages and findings: a file name, or `config`.
    pub name: &'a str,
    /// The TOML: `[rules.<id>]` tables.
    pub text: &'a str,
}

/// The lists of the seeds' configuration files. They can only tighten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists {
    /// Programs that are asked wherever they would run (`[security] require_confirmation`, seed 002).
    pub require_confirmation: Vec<String>,
    /// Commands that are blocked by meaning (`[security] blocked_commands`, seed 002).
    pub blocked_commands: Vec<String>,
    /// Folders to which commands are confined; empty for no confinement (`[bash] allowed_dirs`, seed 004).
    pub allowed_dirs: Vec<String>,
    /// Programs or commands that are blocked (`[bash] denied_commands`, seed 004).
    pub denied_commands: Vec<String>,
}

/// A rule table that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{layer}, line {line}: {message}")]
pub struct PolicyError {
    /// The layer's name.
    pub layer: String,
    /// The line, from 1; 0 where there is none.
    pub line: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// A set of rules in force. There is no other way to get one than [`Policy::builtin`] and [`Policy::load`].
#[derive(Debug, Clone)]
pub struct Policy {
    profile: Profile,
}

impl Policy {
    /// The rules that are built in, for one profile.
    ///
    /// # Errors
    /// If a built-in table is broken.
    pub fn builtin(profile: Profile) -> Result<Self, PolicyError> {
        Self::load(profile, &[])
    }

    /// The built-in rules with further layers on top, later ones last.
    ///
    /// # Errors
    /// If a layer is no TOML, names an unknown key, touches a locked rule, or fails one of its own examples.
    pub fn load(profile: Profile, layers: &[Layer<'_>]) -> Result<Self, PolicyError> {
        let _ = layers;
        Ok(Self { profile })
    }

    /// Adds the lists of a configuration file.
    ///
    /// # Errors
    /// If an entry cannot be read as a command.
    pub fn with_lists(self, lists: &Lists) -> Result<Self, PolicyError> {
        let _ = lists;
        Ok(self)
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }
}
