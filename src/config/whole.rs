//! The configuration as a whole, and what follows from several of its sections.

use super::{
    AdviceSection, AskSection, BashSection, ChannelsSection, ConfigFault, ConfigNotice, EndpointSection,
    GitSection, HooksSection, KeysSection, LanguageSection, NetworkSection, PasswordSection, PluginsSection,
    RecordSection, RegistrySection, RunSection, SandboxSection, SecuritySection, ServerSection,
    ServicesSection, SpeechSection, TelemetrySection, TerminalSection, UndoSection, WyomingSection,
};

/// The whole configuration.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Config {
    /// `[security]`: what requires a question, what is blocked, how long a question waits.
    pub security: SecuritySection,
    /// `[bash]`: where commands may work, and which are blocked.
    pub bash: BashSection,
    /// The `[rules.*]` and `[effects.*]` tables as a text in which every line keeps its line number; empty if there
    /// are none.
    #[serde(skip)]
    pub rules: String,
    /// `[server]`: the address of the service, and its limits.
    pub server: ServerSection,
    /// `[speech]`: what is spoken.
    pub speech: SpeechSection,
    /// `[keys]`: answers by a key press on the desktop.
    pub keys: KeysSection,
    /// `[channels]`: what each way of answering may approve.
    pub channels: ChannelsSection,
    /// `[password]`: how the system asks for the password.
    pub password: PasswordSection,
    /// `[terminal]`: answers on the service's own terminal.
    pub terminal: TerminalSection,
    /// `[language]`: the language of what is said and shown.
    pub language: LanguageSection,
    /// `[run]`: how commands are run.
    pub run: RunSection,
    /// `[sandbox]`: what commands may reach.
    pub sandbox: SandboxSection,
    /// `[network]`: which hosts commands may reach.
    pub network: NetworkSection,
    /// `[undo]`: which changes are held back, and how long old versions are kept.
    pub undo: UndoSection,
    /// `[record]`: the journal's folder, and how long it is kept.
    pub record: RecordSection,
    /// `[telemetry]`: where counts and request times are sent.
    pub telemetry: TelemetrySection,
    /// `[registry]`: the thresholds of the registry of commands.
    pub registry: RegistrySection,
    /// `[hooks]`: how tool calls of coding agents are checked.
    pub hooks: HooksSection,
    /// `[services]`: what the tools of agents read and can do.
    pub services: ServicesSection,
    /// `[plugins]`: the user's executables that check every action.
    pub plugins: PluginsSection,
    /// `[wyoming]`: a conversation agent for programs that speak Wyoming.
    pub wyoming: WyomingSection,
    /// `[git]`: git operations that are blocked.
    pub git: GitSection,
    /// `[endpoint]`: the address of a model server.
    pub endpoint: EndpointSection,
    /// `[advice]`: a second opinion on commands from a language model.
    pub advice: AdviceSection,
    /// `[ask]`: the model of `guarda ask`.
    pub ask: AskSection,
    /// What the file contains and the guard does not use.
    #[serde(skip)]
    pub notices: Vec<ConfigNotice>,
}

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {fault}", if *line == 0 { String::new() } else { format!(", line {line}") })]
pub struct ConfigError {
    /// The name of the file, the option or the environment variable.
    pub file: String,
    /// The line, from 1; 0 if there is none.
    pub line: usize,
    /// What is wrong, and what is allowed.
    pub fault: ConfigFault,
}

impl Config {
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
        let wrong = |fault| ConfigError { file: file.to_owned(), line: 0, fault };
        self.endpoint.check(&self.advice).map_err(wrong)?;
        self.keys.check().map_err(wrong)?;
        let server = &self.server;
        if server.listen.ip().is_loopback() || server.allow_remote {
            return Ok(());
        }
        Err(wrong(ConfigFault::Reachable(server.listen.to_string())))
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
            "{}\n{}\n{}\n{:?}\n{:?}\n{:?}\n{}\n{}",
            env!("CARGO_PKG_VERSION"),
            self.security.profile,
            self.hooks.profile(self.security.profile),
            self.bash.bans,
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
        let bans = self.bash.bans.of(profile).layer();
        let layers: Vec<_> =
            bans.into_iter().chain(layers.into_iter().filter(|layer| !layer.text.is_empty())).collect();
        guarda_core::policy::Policy::load(profile, &layers)?.with_lists(&self.lists())
    }
}
