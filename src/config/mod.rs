//! Parses text into a [`Config`]: one plain struct per section. Reading the file is the command line's part.

mod field;
pub mod advice;
pub mod channels;
mod file;
mod rules;
pub mod place;
pub mod git;
pub mod hooks;
pub mod hours;
pub mod network;
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
pub use network::Network;
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
    /// `[security]`: what requires a question, what is blocked, how long a question waits.
    pub security: Security,
    /// `[bash]`: where commands may work, and which are blocked.
    pub bash: Bash,
    /// The `[rules.*]` and `[effects.*]` tables as a text in which every line keeps its line number; empty if there
    /// are none.
    #[serde(skip)]
    pub rules: String,
    /// `[server]`: the address of the service, and its limits.
    pub server: Server,
    /// `[speech]`: what is spoken.
    pub speech: Speech,
    /// `[keys]`: answers by a key press on the desktop.
    pub keys: Keys,
    /// `[channels]`: what each way of answering may approve.
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
    /// `[network]`: which hosts commands may reach.
    pub network: Network,
    /// `[undo]`: which changes are held back, and how long old versions are kept.
    pub undo: Undo,
    /// `[record]`: the journal's folder, and how long it is kept.
    pub record: Record,
    /// `[telemetry]`: where counts and request times are sent.
    pub telemetry: Telemetry,
    /// `[registry]`: the thresholds of the registry of commands.
    pub registry: Registry,
    /// `[hooks]`: how tool calls of coding agents are checked.
    pub hooks: Hooks,
    /// `[services]`: what the tools of agents read and can do.
    pub services: Services,
    /// `[plugins]`: the user's executables that check every action.
    pub plugins: Plugins,
    /// `[git]`: git operations that are blocked.
    pub git: Git,
    /// `[endpoint]`: the address of a model server.
    pub endpoint: Endpoint,
    /// `[advice]`: a second opinion on commands from a language model.
    pub advice: Advice,
    /// `[ask]`: the model of `guarda ask`.
    pub ask: Ask,
    /// Notices for the user, one sentence each: sections of Mascate's configuration that the guard does not use, and
    /// spellings that have no meaning here.
    #[serde(skip)]
    pub notices: Vec<String>,
}

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", if *line == 0 { String::new() } else { format!(", line {line}") })]
pub struct ConfigError {
    /// The name of the file or the environment variable.
    pub file: String,
    /// The line, from 1; 0 if there is none.
    pub line: usize,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl Config {
    /// Parses a configuration. `file` is the name for messages.
    ///
    /// # Errors
    /// [`ConfigError`] with the line number, if the TOML is invalid or has an unknown key, a wrong type or a value
    /// out of range.
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

    /// The configuration as TOML, with every value in force.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = toml::to_string(self).unwrap_or_default();
        if !self.rules.is_empty() {
            text.push('\n');
            text.push_str(self.rules.trim_start_matches('\n'));
        }
        text
    }

    /// Checks conditions between several values.
    ///
    /// # Errors
    /// If the address is reachable from other machines without `allow_remote`, or the sections about models
    /// contradict each other.
    pub fn check(&self, file: &str) -> Result<(), ConfigError> {
        self.endpoint.check(&self.advice, file)?;
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

    /// The lists of the configuration, in the form of the policy.
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

    /// SHA-256, in hexadecimal, of everything that decides: the version, the profile, the lists and the rules. Every
    /// decision in the record names it.
    #[must_use]
    pub fn rules_digest(&self) -> String {
        use sha2::Digest as _;
        let said = format!(
            "{}\n{}\n{:?}\n{:?}\n{}\n{}",
            env!("CARGO_PKG_VERSION"),
            self.security.profile,
            self.lists(),
            self.network,
            self.git.rules(),
            self.rules.trim()
        );
        sha2::Sha256::digest(said).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The policy of this configuration.
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

/// The line of a byte offset, from 1.
fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
