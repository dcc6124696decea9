//! The tables of rules as they are written: TOML in, [`RuleText`]s out. `build.rs` includes this file.

use std::collections::BTreeMap;

/// One rule as it is written, about commands or about what a staged run changed. The notation is described in
/// `rules/README.md`; a field that is not given is `None`.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleText {
    /// Program names, separated by white space; by default the rule's id.
    pub programs: Option<String>,
    /// `allow`, `review`, `confirm`, `password` or `block`.
    pub verdict: Option<String>,
    /// The profiles in which the rule is in force; by default all.
    pub profiles: Option<String>,
    /// Flags that may stand before the sub-command.
    pub before: Option<String>,
    /// Sub-commands, separated by `|`.
    pub sub: Option<String>,
    /// Sub-commands to which the rule does not apply.
    pub spare_sub: Option<String>,
    /// Flags: for `allow` the only ones, otherwise any of them.
    pub flags: Option<String>,
    /// Flags with which the rule does not apply.
    pub without: Option<String>,
    /// The kinds of the operands.
    pub operands: Option<String>,
    /// Operands. At least one must be present literally.
    pub words: Option<String>,
    /// Classes of places. A word must name one of them. In a rule about changes: the place of the change, also as path patterns,
    /// `guard`, `settings`, `protected`, `confined-away`, `inside` or `outside`; anywhere if it is not given.
    pub at: Option<String>,
    /// The same for the last operand (or the value of a flag that names the target).
    pub at_last: Option<String>,
    /// The same for the operands before the last.
    pub at_sources: Option<String>,
    /// The same for a file that is written by redirection.
    pub writes_to: Option<String>,
    /// The same for a file that is read by redirection.
    pub reads_from: Option<String>,
    /// The rule applies if one of these programs feeds this one by a pipe or a substitution.
    pub fed_by: Option<String>,
    /// A fact: `question-open`, `corrupted`, `secret`, `keeps`, `elsewhere`; of a change, one that `effect_rules/fact.rs` names.
    pub when: Option<String>,
    /// In a rule about changes: the kinds of change. Default: any.
    pub changes: Option<String>,
    /// In a rule about changes: it applies only if more files than this are affected.
    pub more_than: Option<u64>,
    /// The same for bytes. If both are given, either is enough.
    pub more_bytes: Option<u64>,
    /// True if no argument makes the program write, execute or send anything.
    pub tame: Option<bool>,
    /// True if the rule may allow a command by its words alone, where no cell confines it.
    pub by_words: Option<bool>,
    /// True if the program cannot reach the network, whatever its arguments are (feature P2).
    pub local: Option<bool>,
    /// True if a cell that writes nothing and reads no secret makes the rule's objection void.
    pub contained: Option<bool>,
    /// A further check in code: `git`, `unless-read` …
    pub check: Option<String>,
    /// The reason, in one English sentence.
    pub why: Option<String>,
    /// The suggested alternative.
    pub instead: Option<String>,
    /// From 0 to 1.
    pub risk: Option<f32>,
    /// Short words.
    pub tags: Option<String>,
    /// True for a rule that no later layer may touch.
    pub locked: Option<bool>,
    /// False to disable the rule.
    pub enabled: Option<bool>,
    /// Command lines, or changes, that the rule must match.
    pub matches: Option<Vec<String>>,
    /// Those that it must not match.
    pub spares: Option<Vec<String>>,
}

macro_rules! overlay {
    ($old:ident, $new:ident; $($field:ident)*) => { $( if $new.$field.is_some() { $old.$field = $new.$field; } )* };
}
macro_rules! given {
    ($rule:ident; $($field:ident)*) => { $( $rule.$field.is_some() )||* };
}

impl RuleText {
    /// Lays the fields that `new` gives over this one.
    pub fn overlay(&mut self, new: Self) {
        let old = self;
        overlay!(old, new; programs verdict profiles before sub spare_sub flags without operands words
            at at_last at_sources writes_to reads_from fed_by when changes more_than more_bytes by_words tame local contained
            check why instead risk tags locked enabled matches spares);
    }

    /// The programs that it applies to, as written; by default the rule's id.
    #[must_use]
    pub fn programs<'a>(&'a self, id: &'a str) -> &'a str {
        self.programs.as_deref().unwrap_or(id)
    }

    /// True if it is in force in this profile.
    #[must_use]
    pub fn in_force(&self, profile: &str) -> bool {
        let named = |names: &str| names.split_ascii_whitespace().any(|name| name == profile);
        self.enabled != Some(false) && self.profiles.as_deref().is_none_or(named)
    }

    /// True if it has a field of the other kind of rules: `changes` in a rule about commands, `programs` in one about changes.
    fn is_mixed(&self, about_changes: bool) -> bool {
        if about_changes {
            return given!(self; programs before sub spare_sub flags without operands words at_last at_sources writes_to
                reads_from fed_by by_words tame local contained check instead);
        }
        given!(self; changes more_than more_bytes)
    }
}

/// One file of rules.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Fields that every rule of the file has unless it gives its own.
    #[serde(default)]
    pub defaults: RuleText,
    /// Named lists of programs, flags or words: `@name` in the rules.
    #[serde(default)]
    pub lists: BTreeMap<String, String>,
    /// Named classes of places.
    #[serde(default)]
    pub places: BTreeMap<String, String>,
    /// The rules by id.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleText>,
    /// The rules about what a staged run changed, by id without its `effects-`.
    #[serde(default)]
    pub effects: BTreeMap<String, RuleText>,
}

/// An error in a file of rules, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// The line, from 1; 0 if unknown.
    pub line: usize,
    /// The error.
    pub fault: TableFault,
}

/// What is wrong with a file of rules. The texts are English clauses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableFault {
    /// The TOML is invalid or has an unknown key; holds the parser's message.
    #[error("{0}")]
    Toml(String),
    /// The rule of this id has fields of both kinds of rules.
    #[error("{0:?} mixes what is said of commands with what is said of changes")]
    Mixed(String),
}

/// Reads one file of rules.
///
/// # Errors
/// The line and the reason, if the TOML is invalid or has an unknown key.
pub fn read(text: &str) -> Result<Table, TableError> {
    let mut table: Table = toml::from_str(text).map_err(|error| TableError {
        line: error.span().map_or(0, |span| line_at(text, span.start)),
        fault: TableFault::Toml(error.message().to_owned()),
    })?;
    for (about_changes, rules) in [(false, &mut table.rules), (true, &mut table.effects)] {
        for (id, rule) in rules {
            if rule.is_mixed(about_changes) {
                let line = if about_changes { line_of_effect(text, id) } else { line_of(text, id) };
                return Err(TableError { line, fault: TableFault::Mixed(id.clone()) });
            }
            let given = std::mem::replace(rule, table.defaults.clone());
            rule.overlay(given);
        }
    }
    Ok(table)
}

/// The line in which a rule begins, from 1; 0 if it is not found.
#[must_use]
pub fn line_of(text: &str, id: &str) -> usize {
    line_in(text, "rules", id)
}

/// The same for a rule about what a staged run changed.
#[must_use]
pub fn line_of_effect(text: &str, id: &str) -> usize {
    line_in(text, "effects", id)
}

fn line_in(text: &str, section: &str, id: &str) -> usize {
    let headers = [format!("[{section}.{id}]"), format!("[{section}.\"{id}\"]")];
    text.lines()
        .position(|line| headers.iter().any(|header| line.trim_start().starts_with(header.as_str())))
        .map_or(0, |index| index + 1)
}

fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

/// A text of rules in TOML, and where it comes from.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// The name for messages and findings: a file name, or `config`.
    pub name: &'a str,
    /// The TOML: `[rules.<id>]` tables.
    pub text: &'a str,
}
