//! Text to [`Config`]: one plain struct per edge. Reading the file, and what the file may be, is the devices' part.

mod field;
pub mod advice;
pub mod channels;
mod file;
mod rules;
pub mod place;
pub mod git;
pub mod hooks;
pub mod hours;
pub mod password;
pub mod plugins;
pub mod registry;
pub mod sandbox;
pub mod section;
pub mod services;
pub mod telemetry;
pub mod undo;

pub use advice::{Advice, Ask, Endpoint};
pub use channels::Channels;
pub use git::Git;
pub use hooks::Hooks;
pub use hours::Hours;
pub use password::Password;
pub use plugins::Plugins;
pub use registry::Registry;
pub use sandbox::Sandbox;
pub use section::{Bash, Keys, Language, Record, Run, Security, Server, Speech, Terminal};
pub use services::{Service, Services};
pub use telemetry::Telemetry;
pub use undo::Undo;

/// The whole configuration.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Config {
    /// `[security]`: what is asked, what is blocked, how long a question stands.
    pub security: Security,
    /// `[bash]`: where commands may work, and which are denied.
    pub bash: Bash,
    /// The `[rules.*]` and `[effects.*]` tables, as a text of their own in which every line stands at its old line number;
    /// empty where there are none.
    #[serde(skip)]
    pub rules: String,
    /// `[server]`: where the service listens, and its limits.
    pub server: Server,
    /// `[speech]`: what is said aloud.
    pub speech: Speech,
    /// `[keys]`: answers by a key press on the desktop.
    pub keys: Keys,
    /// `[channels]`: what each way of answering may say yes to.
    pub channels: Channels,
    /// `[password]`: how the system asks for the password.
    pub password: Password,
    /// `[terminal]`: answers on the service's own terminal.
    pub terminal: Terminal,
    /// `[language]`: the language of what is said and shown.
    pub language: Language,
    /// `[run]`: how commands are run.
    pub run: Run,
    /// `[sandbox]`: what commands may reach.
    pub sandbox: Sandbox,
    /// `[undo]`: what is held back, and what is kept of how it was before.
    pub undo: Undo,
    /// `[record]`: where the journal is, and how long it is kept.
    pub record: Record,
    /// `[telemetry]`: where counts and times are sent.
    pub telemetry: Telemetry,
    /// `[registry]`: what the registry of commands goes by.
    pub registry: Registry,
    /// `[hooks]`: coding agents that ask before each of their tools.
    pub hooks: Hooks,
    /// `[services]`: what the tools of agents bring in and can do.
    pub services: Services,
    /// `[plugins]`: executables of the user that are asked about every action.
    pub plugins: Plugins,
    /// `[git]`: what of git is never done by a model.
    pub git: Git,
    /// `[endpoint]`: where language models answer.
    pub endpoint: Endpoint,
    /// `[advice]`: a second opinion on commands, by a language model.
    pub advice: Advice,
    /// `[ask]`: the model of `guarda ask`.
    pub ask: Ask,
    /// What the reader of the file should know, one sentence each: sections of the seed's project that the guard has
    /// no use for, spellings that mean nothing here.
    #[serde(skip)]
    pub notices: Vec<String>,
}

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", if *line == 0 { String::new() } else { format!(", line {line}") })]
pub struct ConfigError {
    /// The file's name, or the environment variable's.
    pub file: String,
    /// The line, from 1; 0 where there is none.
    pub line: usize,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl Config {
    /// Reads a configuration. `file` is the name for messages.
    ///
    /// # Errors
    /// [`ConfigError`] with the line: no TOML, an unknown key, a wrong type, a value out of its range.
    pub fn parse(text: &str, file: &str) -> Result<Self, ConfigError> {
        let wrong = |error: toml::de::Error| ConfigError {
            file: file.to_owned(),
            line: error.span().map_or(0, |span| line_of(text, span.start)),
            message: field::explain(error.message()),
        };
        let (mut config, has_rules) = file::read(text).map_err(wrong)?;
        if has_rules {
            config.rules = rules::cut_out(text).map_err(wrong)?;
        }
        config.check(file)?;
        Ok(config)
    }

    /// The configuration as TOML, with every value that holds.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = toml::to_string(self).unwrap_or_default();
        if !self.rules.is_empty() {
            text.push('\n');
            text.push_str(self.rules.trim_start_matches('\n'));
        }
        text
    }

    /// Looks at what no single value can tell.
    ///
    /// # Errors
    /// If the address is not of this machine alone and nobody said that this is meant; or the sections of the models do
    /// not fit together.
    pub fn check(&self, file: &str) -> Result<(), ConfigError> {
        self.endpoint.check(&self.advice).map_err(|message| ConfigError {
            file: file.to_owned(),
            line: 0,
            message,
        })?;
        let server = &self.server;
        if server.listen.ip().is_loopback() || server.allow_remote {
            return Ok(());
        }
        Err(ConfigError {
            file: file.to_owned(),
            line: 0,
            message: format!(
                "server.listen is {}, which other machines can reach: use 127.0.0.1 or [::1], or set \
                 server.allow_remote = true if that is meant",
                server.listen
            ),
        })
    }

    /// The lists of the seeds, as the policy takes them.
    #[must_use]
    pub fn lists(&self) -> guarda_core::policy::Lists {
        let joined = |one: &[String], other: &[String]| {
            let mut all: Vec<String> = Vec::new();
            for entry in one.iter().chain(other) {
                if !all.contains(entry) {
                    all.push(entry.clone());
                }
            }
            all
        };
        guarda_core::policy::Lists {
            require_confirmation: joined(&self.security.require_confirmation, &[]),
            blocked_commands: joined(&self.security.blocked_commands, &self.security.blacklist_commands),
            allowed_dirs: joined(&self.bash.allowed_dirs, &[]),
            denied_commands: joined(&self.bash.denied_commands, &[]),
            protected_paths: joined(&self.security.protected_paths, &[]),
        }
    }

    /// SHA-256, in hexadecimal, of what decides here: the version, the profile, the lists and the rules. The record names
    /// it with every decision.
    #[must_use]
    pub fn rules_digest(&self) -> String {
        use sha2::Digest as _;
        let said = format!(
            "{}\n{}\n{:?}\n{}\n{}",
            env!("CARGO_PKG_VERSION"),
            self.security.profile,
            self.lists(),
            self.git.rules(),
            self.rules.trim()
        );
        sha2::Sha256::digest(said).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The policy that this configuration asks for.
    ///
    /// # Errors
    /// If a rule or a list entry cannot be used.
    pub fn policy(
        &self,
        file: &str,
    ) -> Result<guarda_core::policy::Policy, guarda_core::policy::PolicyError> {
        self.policy_for(self.security.profile, file)
    }

    /// The same with another profile.
    ///
    /// # Errors
    /// As for [`Config::policy`].
    pub fn policy_for(
        &self,
        profile: guarda_core::policy::Profile,
        file: &str,
    ) -> Result<guarda_core::policy::Policy, guarda_core::policy::PolicyError> {
        let git = self.git.rules();
        let layers = [
            guarda_core::policy::Layer { name: "[git]", text: &git },
            guarda_core::policy::Layer { name: file, text: &self.rules },
        ];
        let layers: Vec<_> = layers.into_iter().filter(|layer| !layer.text.is_empty()).collect();
        guarda_core::policy::Policy::load(profile, &layers)?.with_lists(&self.lists())
    }
}

/// The line of a byte, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
