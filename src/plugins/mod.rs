//! The user's own checks: executables in a folder that run on every action after the built-in rules (feature P6).
//! They can only make a judgement stricter. A plugin that fails, answers in another format, or must not be trusted is
//! a reason to ask. The first denial ends the check.

pub mod answer;
pub mod event;
pub mod shelf;
mod run;

use guarda_core::policy::{Origin, Tag};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use guarda_core::judge::Judgement;
use guarda_core::policy::{Finding, Profile, Situation, Verdict};

pub use answer::{PluginAnswer, PluginDecision, PluginFailure};
pub use run::{PluginsConfig, Ran};
pub use shelf::{Distrust, PluginEntry, PluginState, Shelf};

/// The longest reason from a plugin, in characters.
const LONGEST_REASON: usize = 300;

/// The plugins.
#[derive(Debug)]
pub struct Plugins {
    config: PluginsConfig,
    /// The content of the folder when it was last read, and the folder's state then.
    shelf: Mutex<Option<(shelf::Look, Arc<Shelf>)>>,
    /// Why each plugin failed that failed in its last run.
    failed: Mutex<BTreeMap<String, String>>,
}

impl Plugins {
    /// The plugins of a folder, which may be missing.
    #[must_use]
    pub fn new(config: PluginsConfig) -> Self {
        Self { config, shelf: Mutex::default(), failed: Mutex::default() }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.config.folder
    }

    /// The current content of the folder. It is read again if it has changed.
    #[must_use]
    pub fn shelf(&self) -> Arc<Shelf> {
        let look = shelf::Look::at(&self.config.folder);
        let mut kept = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((known, shelf)) if *known == look && look.is_certain() => Arc::clone(shelf),
            Some(_) | None => {
                let shelf = Arc::new(Shelf::read(&self.config.folder));
                *kept = Some((look, Arc::clone(&shelf)));
                shelf
            }
        }
    }

    /// Why a plugin failed in its last run; `None` if it did not.
    #[must_use]
    pub fn failure(&self, name: &str) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Adds the plugins' findings to a judgement. They do not run on a blocked action.
    pub async fn weigh(
        &self,
        judgement: Judgement,
        situation: &Situation,
        profile: Profile,
        door: &str,
    ) -> Judgement {
        let shelf = self.shelf();
        let mut judgement = match &shelf.trouble {
            None => judgement,
            Some(why) => judgement.raise(failed("", why)),
        };
        if shelf.is_empty() || judgement.held() == Verdict::Block {
            return judgement;
        }
        let event = event::text(&judgement, situation, profile, door);
        for found in &shelf.found {
            let said = match &found.state {
                PluginState::Ignored(_) => continue,
                PluginState::Refused(why) => Err(PluginFailure::Distrusted(why.clone())),
                PluginState::Good => self.ask(found, &event).await.answer,
            };
            self.note(&found.name, said.as_ref().err().map(ToString::to_string));
            judgement = heed(judgement, &found.name, said);
            if judgement.held() == Verdict::Block {
                return judgement;
            }
        }
        judgement
    }

    /// Runs one plugin on an event.
    pub async fn ask(&self, found: &PluginEntry, event: &str) -> Ran {
        run::ask(&self.config, found, event).await
    }

    fn note(&self, name: &str, failure: Option<String>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match failure {
            Some(why) => {
                if failed.insert(name.to_owned(), why.clone()).as_ref() != Some(&why) {
                    tracing::warn!(plugin = name, why, "a plugin failed, so a person is asked");
                }
            }
            None => drop(failed.remove(name)),
        }
    }
}

/// Adds one plugin's decision or failure. Never removes anything.
fn heed(judgement: Judgement, name: &str, said: Result<PluginAnswer, PluginFailure>) -> Judgement {
    match said {
        Ok(PluginAnswer { decision: PluginDecision::Pass, .. }) => judgement,
        Ok(PluginAnswer { decision: PluginDecision::Ask, reason }) => {
            judgement.raise(finding("plugin-asks", Verdict::Confirm, name, reason.as_deref()))
        }
        Ok(PluginAnswer { decision: PluginDecision::Deny, reason }) => {
            judgement.raise(finding("plugin-denies", Verdict::Block, name, reason.as_deref()))
        }
        Err(why) => judgement.raise(failed(name, &why.to_string())),
    }
}

fn finding(rule: &str, verdict: Verdict, name: &str, reason: Option<&str>) -> Finding {
    let reason = reason.filter(|reason| !reason.trim().is_empty()).unwrap_or("it does not say why");
    let reason: String = reason.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect();
    let risk = if verdict == Verdict::Block { 0.9 } else { 0.5 };
    let why = format!("the plugin {name} says: {reason}");
    let origin = Origin::Own(format!("plugin:{name}"));
    Finding { tags: vec![Tag::Plugin], ..Finding::new(rule, origin, verdict, risk, why) }
}

fn failed(name: &str, why: &str) -> Finding {
    let failed = finding("plugin-failed", Verdict::Confirm, name, Some(why));
    let who = if name.is_empty() {
        "the plugins cannot be asked".to_owned()
    } else {
        format!("the plugin {name} failed")
    };
    let why: String = why.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect();
    Finding { why: format!("{who}: {why}"), ..failed }
}

#[cfg(test)]
mod tests;
