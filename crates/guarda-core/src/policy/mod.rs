//! The rules: verdicts, profiles, tables, and the facts that rules may ask about. No paths are opened here.
//!
//! The tables in `rules/` are data, packed by `build.rs`, and this is the mechanism: [`Policy::judge_script`] reads every run of a
//! script twice. The loose reading (`loose/`) finds the rules that ask or block, in any spelling of a command; `search/` looks for
//! what the floor forbids where the line does not name it plainly. The strict reading (`strict/`) admits a run only if every word
//! of it is listed. A run that neither knows is asked about. `line/` is what a line says of its runs and of their words.

pub mod verdict;
pub mod tag;
pub mod origin;
pub mod variable;
pub mod secrets;
pub mod profile;
pub mod rules;
pub mod effect_rules;
pub mod history;
pub mod grant;
pub mod shape;
pub mod situation;
mod line;
pub mod tracked;
pub(crate) mod strict;
mod loose;
mod search;
pub mod command;
mod mark_cause;
pub mod taint;
pub mod corpus;

pub use history::{Hindrance, History};
pub use loose::lists::Lists;
pub use mark_cause::MarkCause;
pub use origin::Origin;
pub use profile::Profile;
pub use rules::table::Layer;
pub use rules::{Bans, PolicyError, PolicyFault, Rule, RuleError, TableFault};
pub use shape::{CommandShape, StandingGrant};
pub use situation::{Found, Frozen, Identity, Listing, ListingQuery, Program, Situation, Stamp, Taint};
pub use tag::Tag;
pub use verdict::{Finding, Verdict};

use crate::network::{Destination, Host};
use crate::places::{Kinds, Place};
use crate::policy::loose::lists;
use crate::policy::rules::rule::Names;
use crate::policy::rules::rule_set;
use std::sync::Arc;

/// A set of rules in force. There is no other way to get one than [`Policy::builtin`] and [`Policy::load`].
#[derive(Debug, Clone)]
pub struct Policy {
    profile: Profile,
    rule_set: Arc<rule_set::RuleSet>,
    lists: lists::ReadyLists,
}

impl Policy {
    /// The rules that are built in, for one profile, with the bans that it has unless it is configured.
    ///
    /// ```
    /// use guarda_core::policy::{Policy, Profile};
    ///
    /// let policy = Policy::builtin(Profile::Workspace)?;
    /// assert!(policy.rule("fork-bomb").is_some_and(|rule| rule.locked));
    /// # Ok::<(), guarda_core::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// If a built-in table is broken.
    pub fn builtin(profile: Profile) -> Result<Self, PolicyError> {
        Self::load(profile, Bans::of(profile).layer().as_slice())
    }

    /// The built-in rules with further layers on top, later ones last.
    ///
    /// The examples of the further layers are tried here; the built-in tables were read when the program was built, and
    /// their examples are tried by the tests, so that a start does not do that work again.
    ///
    /// ```
    /// use guarda_core::policy::{Layer, Policy, Profile};
    ///
    /// let text = "[rules.deploy]\nverdict = \"confirm\"\nmatches = [\"deploy now\"]\nspares = [\"ls deploy\"]";
    /// let policy = Policy::load(Profile::Desktop, &[Layer { name: "mine", text }])?;
    /// assert_eq!(policy.rule("deploy").map(|rule| rule.layer.name()), Some("mine"));
    /// let wrong = Layer { name: "mine", text: "[rules.deploy]\nverdict = \"forbid\"" };
    /// assert!(Policy::load(Profile::Desktop, &[wrong]).is_err_and(|error| error.line == 1));
    /// # Ok::<(), guarda_core::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// If a layer is no TOML, names an unknown key, touches a locked rule, or fails one of its own examples.
    pub fn load(profile: Profile, layers: &[Layer<'_>]) -> Result<Self, PolicyError> {
        let rule_set = Arc::new(rule_set::RuleSet::open(profile, layers)?);
        let policy = Self { profile, rule_set, lists: lists::ReadyLists::default() };
        for layer in layers {
            policy.try_examples(layer)?;
        }
        Ok(policy)
    }

    /// Adds the lists of a configuration file.
    ///
    /// ```
    /// use guarda_core::policy::{Lists, Policy, Profile, Situation};
    ///
    /// let lists = Lists { allowed_dirs: vec!["~/work".to_owned()], ..Lists::default() };
    /// let policy = Policy::builtin(Profile::Desktop)?.with_lists(&lists)?;
    /// let situation = Situation { home: "/home/ana".to_owned(), ..Situation::default() };
    /// assert!(policy.outside("/etc/hosts", &situation) && !policy.outside("/home/ana/work/x", &situation));
    /// # Ok::<(), guarda_core::policy::PolicyError>(())
    /// ```
    ///
    /// # Errors
    /// If an entry cannot be read as a command.
    pub fn with_lists(mut self, lists: &Lists) -> Result<Self, PolicyError> {
        self.lists = lists::ReadyLists::read(lists)?;
        Ok(self)
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The rules in force, by id.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rule_set.rules()
    }

    /// One rule by its id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rule_set.rule(id)
    }

    /// True if the contents of the file may hold a secret: keys, tokens, `.env`, browser profiles, shell history.
    ///
    /// The path is absolute, or begins with `~`.
    #[must_use]
    pub fn secret(&self, path: &str, situation: &Situation) -> bool {
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| self.kinds_of(&place, situation).any(Kinds::SECRET))
    }

    /// True if the secrets of an absolute path are used through a service of the session: `~/.gnupg`, the keyrings.
    #[must_use]
    pub fn is_kept_by_agent(&self, path: &str, situation: &Situation) -> bool {
        let has = |place: Place| self.names().atlas().has(&place, &situation.home);
        Place::from_text(path, None, &situation.home)
            .is_some_and(|place| has(place).any(self.names().own.agent_kept))
    }

    /// The folders to which commands are confined, as the configuration names them; empty: not confined.
    #[must_use]
    pub fn allowed_dirs(&self) -> &[String] {
        self.lists.dirs()
    }

    /// True if commands are confined to folders and the path lies outside them.
    #[must_use]
    pub fn outside(&self, path: &str, situation: &Situation) -> bool {
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| self.lists.outside(&place, &situation.home))
    }

    /// True if the path is one of the guard's own files, or a folder that holds one.
    #[must_use]
    pub fn guards(&self, path: &str, situation: &Situation) -> bool {
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| self.kinds_of(&place, situation).any(Kinds::ABOVE_GUARD))
    }

    /// True if the path is in one of the named classes of places (`system`, `home`, `device`, `vital` …), or is
    /// everything directly in one.
    #[must_use]
    pub fn in_class(&self, class: &str, path: &str, situation: &Situation) -> bool {
        let Ok(class) = self.names().class(class) else { return false };
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| self.names().atlas().has_whole(&place, &situation.home).any(class))
    }

    /// True if a web address may have a query: it is a search where everybody searches (`searches` of `programs.toml`), or of a host
    /// that the configuration lets every program reach.
    #[must_use]
    pub(crate) fn is_known(&self, url: &url::Url, host: Host, situation: &Situation) -> bool {
        let page = url.as_str().split(['?', '#']).next().unwrap_or_default();
        let by_person = || {
            let to = url.port_or_known_default().and_then(|port| Destination::new(host, port).ok());
            let mut rules = situation.network.allowed.iter().filter(|(of, _)| of.is_none());
            to.is_some_and(|to| rules.any(|(_, rule)| rule.admits(&to)))
        };
        self.listed("searches", page) || by_person()
    }

    fn names(&self) -> &Names {
        self.rule_set.names()
    }

    fn listed(&self, list: &str, word: &str) -> bool {
        self.rule_set.listed(list, word)
    }

    /// True for a variable that controls what programs run or load, or where they look.
    fn commanding_variable(&self, name: &str) -> bool {
        let heads = self.names().lists.get("commanding-heads");
        self.listed("commanding-variables", name)
            || heads.is_none_or(|heads| heads.split_ascii_whitespace().any(|head| name.starts_with(head)))
            || name.to_ascii_lowercase().ends_with("_proxy")
            || variable::names_a_program(name)
    }

    /// The rules that may apply to a program of this name, ordered by id within each group.
    fn rules_for(&self, name: Option<&str>) -> impl Iterator<Item = &Rule> {
        self.rule_set.rules_for(name)
    }
}
