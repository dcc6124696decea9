//! SIGHUP: the configuration is read again. What cannot be used leaves the old one in force, and says why.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::{Config, Security};
use crate::guard::Guard;

use super::load::{self, Loaded};
use super::{Trouble, show};

/// What a reload needs to know.
#[derive(Debug)]
pub(super) struct Reload {
    named: Option<PathBuf>,
    loaded: Loaded,
    guard: Arc<Guard>,
}

impl Reload {
    /// `named` is the file of `--config`; `loaded` is in force now.
    pub(super) fn new(named: Option<PathBuf>, loaded: Loaded, guard: Arc<Guard>) -> Self {
        Self { named, loaded, guard }
    }

    /// Reads the configuration again and says what came of it.
    pub(super) fn again(&mut self) {
        match self.read() {
            Ok(later) if later.is_empty() => {
                show::err("guarda: the configuration was read again and is in force\n")
            }
            Ok(later) => show::err(&format!(
                "guarda: the rules were read again and are in force; {} from the next start on\n",
                later.join(", ")
            )),
            Err(trouble) => show::err(&format!("guarda: the old configuration stays in force: {trouble}\n")),
        }
    }

    /// Puts the rules of the file in force; the sections that hold from the next start on.
    fn read(&mut self) -> Result<Vec<&'static str>, Trouble> {
        let mut new = load::load(self.named.as_deref())?;
        // The address is not changed while the service runs.
        new.config.server.listen = self.loaded.config.server.listen;
        let policy = new.config.policy(&new.name()).map_err(Trouble::new)?;
        self.guard.set_policy(policy);
        if new.config.language != self.loaded.config.language {
            self.guard.prompter().speak(new.config.language.default);
            self.loaded.config.language = new.config.language.clone();
        }
        self.guard.journal().set_policy(&new.config.rules_digest());
        let later = later(&self.loaded.config, &new.config);
        let rules = new.config;
        // What holds now: the new rules, everything else as before.
        let security = &mut self.loaded.config.security;
        *security = rules_of(&rules.security, security);
        self.loaded.config.bash = rules.bash;
        self.loaded.config.git = rules.git;
        self.loaded.config.rules = rules.rules;
        Ok(later)
    }
}

/// The keys of `[security]` that are rules, from one, and the other keys from the other.
fn rules_of(rules: &Security, others: &Security) -> Security {
    Security {
        confirmation_timeout_seconds: others.confirmation_timeout_seconds,
        log_all_commands: others.log_all_commands,
        advanced_mode: others.advanced_mode,
        shared_marks: others.shared_marks,
        ..rules.clone()
    }
}

/// The sections that differ and are not rules.
fn later(old: &Config, new: &Config) -> Vec<&'static str> {
    let differ = [
        ("[security]", rules_of(&new.security, &old.security) != new.security),
        ("[server]", old.server != new.server),
        ("[speech]", old.speech != new.speech),
        ("[keys]", old.keys != new.keys),
        ("[terminal]", old.terminal != new.terminal),
        ("[run]", old.run != new.run),
        ("[record]", old.record != new.record),
        ("[telemetry]", old.telemetry != new.telemetry),
        ("[hooks]", old.hooks != new.hooks),
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
    }
}
