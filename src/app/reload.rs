//! Reloads the configuration on SIGHUP. If the new one is invalid, reports why and keeps the old one.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::{Config, HooksSection, SecuritySection};
use crate::guard::Guard;
use crate::wording::Message;

use super::load::{self, LoadError, Loaded};
use super::terminal;

/// What a reload needs.
#[derive(Debug)]
pub(crate) struct Reload {
    named: Option<PathBuf>,
    loaded: Loaded,
    guard: Arc<Guard>,
}

impl Reload {
    /// `named` is the file given with `--config`, and `loaded` is the configuration in force.
    pub(crate) fn new(named: Option<PathBuf>, loaded: Loaded, guard: Arc<Guard>) -> Self {
        Self { named, loaded, guard }
    }

    /// Reloads the configuration and reports the result.
    pub(crate) fn again(&mut self) {
        let told = match self.read() {
            Ok(later) if later.is_empty() => load::say("reload-done", &[]),
            Ok(later) => load::say("reload-partly", &[("later", later.join(", "))]),
            Err(trouble) => load::say("reload-kept", &[("why", trouble.told(load::words()))]),
        };
        terminal::note(&told);
    }

    /// Applies the file's rules. Returns the sections whose changes apply only after the next start.
    fn read(&mut self) -> Result<Vec<&'static str>, LoadError> {
        let mut new = load::load(self.named.as_deref())?;
        // The address cannot change while the service runs.
        new.config.server.listen = self.loaded.config.server.listen;
        let policy = new.policy()?;
        self.guard.set_policies(policy, new.hook_policy()?);
        if new.config.language != self.loaded.config.language {
            self.guard.prompter().speak(new.config.language.chosen());
            self.loaded.config.language = new.config.language.clone();
        }
        let digest = new.config.rules_digest();
        if digest != self.loaded.config.rules_digest() {
            self.tell(&changed(&self.loaded.config, &new.config).join(", "), &digest);
        }
        let later = later(&self.loaded.config, &new.config);
        let rules = new.config;
        self.guard.hands().network().set(rules.network.clone());
        // The configuration from now on: the new rules, and everything else as before.
        let security = &mut self.loaded.config.security;
        *security = rules_of(&rules.security, security);
        self.loaded.config.bash = rules.bash;
        self.loaded.config.git = rules.git;
        self.loaded.config.network = rules.network;
        self.loaded.config.rules = rules.rules;
        self.loaded.config.hooks.profile = rules.hooks.profile;
        Ok(later)
    }

    /// Records that the rules changed, and tells the person: any program of the user can write the file.
    fn tell(&self, sections: &str, digest: &str) {
        if let Err(error) = self.guard.journal().reloaded(sections, digest) {
            tracing::warn!(%error, "unrecorded");
        }
        let prompter = self.guard.prompter();
        prompter.tell(&Message::RulesChanged(sections), prompter.language(None));
    }
}

/// The sections with rules that differ.
fn changed(old: &Config, new: &Config) -> Vec<&'static str> {
    let (profile, later) = (new.security.profile, old.security.profile);
    let differ = [
        ("[security]", rules_of(&new.security, &old.security) != old.security),
        ("[bash]", old.bash != new.bash),
        ("[git]", old.git != new.git),
        ("[network]", old.network != new.network),
        ("[hooks]", old.hooks.profile(later) != new.hooks.profile(profile)),
        ("[rules]", old.rules != new.rules),
    ];
    differ.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// Combines two configurations of `[security]`: the keys that are rules come from one, all others from the other.
fn rules_of(rules: &SecuritySection, others: &SecuritySection) -> SecuritySection {
    SecuritySection {
        confirmation_timeout_seconds: others.confirmation_timeout_seconds,
        log_all_commands: others.log_all_commands,
        advanced_mode: others.advanced_mode,
        shared_marks: others.shared_marks,
        ..rules.clone()
    }
}

/// The sections that differ and contain no rules.
fn later(old: &Config, new: &Config) -> Vec<&'static str> {
    let differ = [
        ("[security]", rules_of(&new.security, &old.security) != new.security),
        ("[server]", old.server != new.server),
        ("[speech]", old.speech != new.speech),
        ("[keys]", old.keys != new.keys),
        ("[terminal]", old.terminal != new.terminal),
        ("[run]", old.run != new.run),
        ("[sandbox]", old.sandbox != new.sandbox),
        ("[undo]", old.undo != new.undo),
        ("[record]", old.record != new.record),
        ("[telemetry]", old.telemetry != new.telemetry),
        ("[hooks]", HooksSection { profile: old.hooks.profile, ..new.hooks.clone() } != old.hooks),
        ("[plugins]", old.plugins != new.plugins),
        ("[services]", old.services != new.services),
        ("[endpoint]", old.endpoint != new.endpoint),
        ("[advice]", old.advice != new.advice),
    ];
    differ.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_restart_is_named() {
        let config = |text: &str| Config::parse(text, "x").unwrap();
        let old = config("");
        assert!(
            later(&old, &config("[security]\nprofile = \"container\"\nblocked_commands = [\"x\"]\n"))
                .is_empty()
        );
        assert!(
            later(&old, &config("[bash]\ndenied_commands = [\"x\"]\n[rules.a]\nenabled = false\n"))
                .is_empty()
        );
        let new = config("[security]\nadvanced_mode = true\n[speech]\nrate = 1\n");
        assert_eq!(later(&old, &new), ["[security]", "[speech]"]);
        assert!(changed(&old, &new).is_empty());
        let new = config("[network]\nhosts = [\"example.org\"]\n[rules.a]\nenabled = false\n");
        assert_eq!(changed(&old, &new), ["[network]", "[rules]"]);
    }
}
