//! The rules: verdicts, profiles, tables, and the facts that rules may ask about. No paths are opened here.
//!
//! The tables in `rules/` are data; what is here is the mechanism: [`Policy::judge_script`] reads every run of a
//! script twice. The loose reading (`open`) finds the rules that ask or block, however a command is spelt. The strict
//! reading (`closed`) lets a run through only if every word of it is listed. What neither knows is asked.

pub mod verdict;
pub mod situation;
pub mod history;
pub mod profile;
pub mod table;
pub mod grammar;
pub mod places;
pub mod rule;
mod scene;
mod check;
mod closed;
mod open;
mod shape;
mod evasion;
mod opaque;
mod hidden;
mod listing;
mod local;
mod unasked;
mod bomb;
mod lists;
pub mod command;
pub mod learning;
pub mod examples;
pub mod corpus;

pub use history::History;
pub use profile::Profile;
pub use rule::Rule;
pub use situation::{Program, Situation, Stamp};
pub use verdict::{Finding, Verdict};

use crate::policy::places::{Class, Place};
use crate::policy::rule::Names;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

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
    /// Folders in which nothing is changed without a question (`[security] protected_paths`, seed 002's example file).
    pub protected_paths: Vec<String>,
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

/// The built-in tables, in the order in which they are laid over each other.
const BUILT_IN: &[(&str, &str)] = &[
    ("floor.toml", include_str!("rules/floor.toml")),
    ("lists.toml", include_str!("rules/lists.toml")),
    ("places.toml", include_str!("rules/places.toml")),
    ("ask.toml", include_str!("rules/ask.toml")),
    ("shell.toml", include_str!("rules/shell.toml")),
    ("files.toml", include_str!("rules/files.toml")),
    ("text.toml", include_str!("rules/text.toml")),
    ("system.toml", include_str!("rules/system.toml")),
    ("network.toml", include_str!("rules/network.toml")),
    ("develop.toml", include_str!("rules/develop.toml")),
    ("cloud.toml", include_str!("rules/cloud.toml")),
    ("rare.toml", include_str!("rules/rare.toml")),
    ("tail.toml", include_str!("rules/tail.toml")),
];

/// A set of rules in force. There is no other way to get one than [`Policy::builtin`] and [`Policy::load`].
#[derive(Debug, Clone)]
pub struct Policy {
    profile: Profile,
    book: Arc<Book>,
    lists: lists::Ready,
}

/// The rules, and the ways to find them.
#[derive(Debug, Default)]
struct Book {
    rules: Vec<Rule>,
    by_name: HashMap<Box<str>, Vec<usize>>,
    /// Rules for `name*`.
    by_head: Vec<(Box<str>, usize)>,
    everywhere: Vec<usize>,
    names: Names,
    words: HashMap<&'static str, std::collections::HashSet<Box<str>>>,
    secret: Class,
}

/// The named lists that the code itself asks for.
const ASKED_FOR: &[&str] = &[
    "builtins",
    "launchers",
    "downloaders",
    "short-help",
    "decoders",
    "harmless-variables",
    "commanding-variables",
    "getopt",
    "carriers",
    "interpreters",
    "shells",
    "writers",
    "runners",
    "doers",
    "managers",
    "doing-words",
    "shown-nouns",
    "showing-verbs",
    "showing-flags",
];

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
    /// The examples of the further layers are tried here; those of the built-in tables are tried by the tests, so that
    /// a start does not do that work again.
    ///
    /// # Errors
    /// If a layer is no TOML, names an unknown key, touches a locked rule, or fails one of its own examples.
    pub fn load(profile: Profile, layers: &[Layer<'_>]) -> Result<Self, PolicyError> {
        let profile_table = match profile {
            Profile::Desktop => ("profiles/desktop.toml", include_str!("profiles/desktop.toml")),
            Profile::Workspace => ("profiles/workspace.toml", include_str!("profiles/workspace.toml")),
            Profile::Forensics => ("profiles/forensics.toml", include_str!("profiles/forensics.toml")),
            Profile::Container => ("profiles/container.toml", include_str!("profiles/container.toml")),
        };
        let mut merged: BTreeMap<String, (String, table::RuleText)> = BTreeMap::new();
        let mut names = Names::default();
        let built_in = BUILT_IN.iter().map(|(name, text)| (*name, *text, "built-in"));
        let profiles = std::iter::once((profile_table.0, profile_table.1, "profile"));
        for (file, text, layer) in built_in.chain(profiles) {
            let table = table::read(file, text)?;
            names.lists.extend(table.lists);
            for (name, patterns) in table.places {
                names.places.insert(name, Class::read(&patterns));
            }
            for (id, rule) in table.rules {
                let layer = if rule.locked == Some(true) { "floor" } else { layer };
                lay(&mut merged, id, layer, rule);
            }
        }
        for layer in layers {
            let table = table::read(layer.name, layer.text)?;
            names
                .lists
                .extend(table.lists.into_iter().map(|(name, list)| (format!("{}.{name}", layer.name), list)));
            for (id, rule) in table.rules {
                let fault = |message: String| PolicyError {
                    layer: layer.name.to_owned(),
                    line: table::line_of(layer.text, &id),
                    message,
                };
                if merged.get(&id).is_some_and(|(_, old)| old.locked == Some(true)) {
                    return Err(fault(format!(
                        "the rule {id:?} belongs to the floor and cannot be changed; give yours another name"
                    )));
                }
                if rule.locked == Some(true) {
                    return Err(fault(format!(
                        "only the built-in floor is locked; leave `locked` out of {id:?}"
                    )));
                }
                lay(&mut merged, id, layer.name, rule);
            }
        }
        let mut book = Book { names, ..Book::default() };
        for (id, (layer, text)) in merged {
            if text.enabled == Some(false)
                || !text
                    .profiles
                    .as_deref()
                    .is_none_or(|names| names.split_ascii_whitespace().any(|name| name == profile.name()))
            {
                continue;
            }
            let origin = layers.iter().find(|known| known.name == layer);
            let line = origin.map_or(0, |origin| table::line_of(origin.text, &id));
            let fault = |message: String| PolicyError { layer: layer.clone(), line, message };
            let rule = Rule::new(id.clone(), layer.clone(), text)
                .map_err(|why| fault(format!("rule {id:?}: {why}")))?;
            if origin.is_some() {
                rule.ready(&book.names).map_err(|why| fault(format!("rule {id:?}: {why}")))?;
                if rule.text.check.as_deref().is_some_and(|name| !check::known(name)) {
                    return Err(fault(format!("rule {id:?}: there is no check of that name")));
                }
            }
            book.add(rule).map_err(|why| fault(format!("rule {id:?}: {why}")))?;
        }
        for name in ASKED_FOR {
            let list = book.names.words(&format!("@{name}"), 0).unwrap_or_default();
            book.words.insert(name, list.into_iter().map(Into::into).collect());
        }
        book.secret = book.names.places.get("secret").cloned().unwrap_or_default();
        let policy = Self { profile, book: Arc::new(book), lists: lists::Ready::default() };
        for layer in layers {
            policy.try_examples(layer)?;
        }
        Ok(policy)
    }

    /// Adds the lists of a configuration file.
    ///
    /// # Errors
    /// If an entry cannot be read as a command.
    pub fn with_lists(mut self, lists: &Lists) -> Result<Self, PolicyError> {
        self.lists = lists::Ready::read(lists, &self)?;
        Ok(self)
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The rules in force, by id.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.book.rules.iter()
    }

    /// One rule by its id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.book
            .rules
            .binary_search_by(|rule| rule.id.as_str().cmp(id))
            .ok()
            .and_then(|at| self.book.rules.get(at))
    }

    /// True if the contents of the file may hold a secret: keys, tokens, `.env`, browser profiles, shell history.
    ///
    /// The path is absolute, or begins with `~`.
    #[must_use]
    pub fn secret(&self, path: &str, situation: &Situation) -> bool {
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| self.secret_place(&place, situation))
    }

    /// True if the path lies outside the folders to which commands are confined; never where none are.
    #[must_use]
    pub fn outside(&self, path: &str, situation: &Situation) -> bool {
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| self.lists.outside(&place, &situation.home))
    }

    /// True if the path is one of the guard's own files, or a folder that holds one.
    #[must_use]
    pub fn guards(&self, path: &str, situation: &Situation) -> bool {
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| self.guard_place(&place, situation, true))
    }

    /// True if the path is in one of the named classes of places (`system`, `home`, `device`, `vital` …), or is
    /// everything directly in one.
    #[must_use]
    pub fn in_class(&self, class: &str, path: &str, situation: &Situation) -> bool {
        let Some(class) = self.book.names.places.get(class) else { return false };
        Place::from_text(path, Some(&situation.cwd), &situation.home)
            .is_some_and(|place| class.has_whole(&place, &situation.home))
    }

    fn secret_place(&self, place: &Place, situation: &Situation) -> bool {
        let home = &situation.home;
        self.book.secret.has(place, home)
            || place.exact().and_then(|path| situation.links.get(path)).is_some_and(|real| {
                Place::from_text(real, None, home).is_some_and(|place| self.book.secret.has(&place, home))
            })
    }

    #[allow(clippy::unused_self, reason = "it stands beside its sisters")]
    fn guard_place(&self, place: &Place, situation: &Situation, above: bool) -> bool {
        situation
            .guard
            .iter()
            .any(|own| own.starts_with('/') && (place.inside(own) || above && place.holds(own)))
    }

    fn names(&self) -> &Names {
        &self.book.names
    }

    fn listed(&self, list: &str, word: &str) -> bool {
        self.book.words.get(list).is_some_and(|words| words.contains(word))
    }

    fn is_builtin(&self, name: &str) -> bool {
        self.listed("builtins", name)
    }

    /// True for a variable that tells programs what to run or load, or where to look.
    fn commanding_variable(&self, name: &str) -> bool {
        const HEADS: &[&str] = &[
            "LD_",
            "DYLD_",
            "BASH_",
            "GIT_",
            "PYTHON",
            "PERL",
            "RUBY",
            "NODE_",
            "JAVA_",
            "SSH_",
            "NPM_",
            "CARGO",
            "RUST",
            "MALLOC_",
            "GCONV_",
            "LESS",
            "PIP_",
            "DOCKER_",
            "KUBE",
            "AWS_",
            "GTK_",
            "QT_",
            "XDG_",
            "DBUS_",
            "GCC_",
            "GLIBC_",
            "CLASSPATH",
        ];
        self.listed("commanding-variables", name)
            || HEADS.iter().any(|head| name.starts_with(head))
            || name.to_ascii_lowercase().ends_with("_proxy")
            || name.ends_with("PAGER")
            || name.ends_with("EDITOR")
    }

    /// True for a variable whose value had better not be shown.
    #[allow(clippy::unused_self, reason = "it stands beside its sisters")]
    fn secret_variable(&self, name: &str) -> bool {
        let upper = name.to_ascii_uppercase();
        ["SECRET", "TOKEN", "PASSW", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL"]
            .iter()
            .any(|part| upper.contains(part))
            && name == upper
    }

    /// The rules that may speak of a program of this name, in the order of their ids within each group.
    fn rules_for(&self, name: Option<&str>) -> impl Iterator<Item = &Rule> {
        let book = &*self.book;
        let named = name.and_then(|name| book.by_name.get(name)).map(Vec::as_slice).unwrap_or_default();
        let headed = book
            .by_head
            .iter()
            .filter(move |(head, _)| name.is_some_and(|name| name.starts_with(&**head)))
            .map(|(_, at)| at);
        book.everywhere.iter().chain(named).chain(headed).filter_map(|at| book.rules.get(*at))
    }
}

fn lay(
    merged: &mut BTreeMap<String, (String, table::RuleText)>,
    id: String,
    layer: &str,
    rule: table::RuleText,
) {
    match merged.get_mut(&id) {
        Some((old_layer, old)) => {
            layer.clone_into(old_layer);
            old.overlay(rule);
        }
        None => {
            merged.insert(id, (layer.to_owned(), rule));
        }
    }
}

impl Book {
    /// Adds a rule; they come in the order of their ids.
    fn add(&mut self, rule: Rule) -> Result<(), String> {
        let at = self.rules.len();
        for token in rule.programs().split_ascii_whitespace() {
            for name in self.names.words(token, 0)? {
                if name == "*" {
                    self.everywhere.push(at);
                } else if let Some(head) = name.strip_suffix('*') {
                    self.by_head.push((head.into(), at));
                } else if let Some(known) = self.by_name.get_mut(name.as_str()) {
                    known.push(at);
                } else {
                    self.by_name.insert(name.into(), vec![at]);
                }
            }
        }
        self.rules.push(rule);
        Ok(())
    }
}
