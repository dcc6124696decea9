//! The redaction rules: data, parsed when the first text is redacted. Tests try every example.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::forms::literal::{Check, Form, LiteralRule};

/// The built-in tables.
pub(super) const TABLES: [(&str, &str); 5] = [
    ("tokens_clouds.toml", include_str!("tokens_clouds.toml")),
    ("tokens_builds.toml", include_str!("tokens_builds.toml")),
    ("tokens_services.toml", include_str!("tokens_services.toml")),
    ("commands.toml", include_str!("commands.toml")),
    ("places.toml", include_str!("places.toml")),
];
const NAMES: &str = include_str!("names.toml");

/// A built-in table that cannot be read: its name, and the parser's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct BrokenTable(String);

/// A loaded rule set.
#[derive(Debug)]
pub(super) struct Rules {
    /// Finds every literal and noun in one pass, in any case of letters.
    pub finder: AhoCorasick,
    /// The owner of each pattern in the finder.
    pub marks: Vec<Mark>,
    /// The rules.
    pub rules: Vec<LiteralRule>,
    /// The nouns.
    pub nouns: Vec<Noun>,
    /// Words that make `key` a secret.
    pub before_key: Vec<String>,
    /// Last words of names that are only about a secret.
    pub about: Vec<String>,
    /// Placeholders of secrets.
    pub placeholders: Vec<String>,
    /// Placeholders, including those of random values.
    pub token_placeholders: Vec<String>,
}

/// The owner of a pattern in the finder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mark {
    /// A literal of a rule.
    Rule(usize),
    /// A noun.
    Noun(usize),
    /// The beginning or end of an armoured block.
    Armour,
    /// A manifest that may hold secrets.
    Manifest,
}

/// A name beside secrets.
#[derive(Debug, Clone)]
pub(super) struct Noun {
    pub kind: String,
    pub class: Class,
    /// True if no letter may precede or follow it.
    pub whole: bool,
}

/// The kind of value that belongs to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Class {
    /// Chosen by a person.
    Password,
    /// Random.
    Token,
    /// Counts only if it looks random.
    Weak,
    /// Counts only if it looks random and follows a clear separator.
    Clear,
    /// The name of a service; counts only if certainly random.
    Service,
    /// The end of a longer word; counts only if certainly random and longer still.
    Inner,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    kind: String,
    at: Vec<String>,
    then: String,
    #[serde(default)]
    fold: bool,
    #[serde(default)]
    inside: bool,
    #[serde(default)]
    check: Check,
    #[serde(default)]
    digits: bool,
    #[serde(default)]
    literally: bool,
    #[serde(default = "usual_reach")]
    reach: usize,
    /// Examples; the tests try them.
    #[serde(rename = "hides")]
    _hides: IgnoredAny,
    #[serde(default, rename = "spares")]
    _spares: IgnoredAny,
}

fn usual_reach() -> usize {
    512
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesText {
    nouns: BTreeMap<String, NounText>,
    strong: StrongText,
    placeholders: PlaceholderText,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NounText {
    kind: String,
    class: Class,
    #[serde(default)]
    whole: bool,
    words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct StrongText {
    before_key: Vec<String>,
    about: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceholderText {
    always: Vec<String>,
    token: Vec<String>,
}

impl Rules {
    /// The placeholders of a secret of this class.
    pub fn words(&self, class: Class) -> &[String] {
        match class {
            Class::Password => &self.placeholders,
            Class::Token | Class::Weak | Class::Clear | Class::Service | Class::Inner => {
                &self.token_placeholders
            }
        }
    }

    /// Reads the built-in tables.
    ///
    /// # Errors
    /// [`BrokenTable`], with the faulty rule.
    pub fn builtin() -> Result<Self, BrokenTable> {
        let mut rules = Vec::new();
        for (table, text) in TABLES {
            let read: BTreeMap<String, RuleText> =
                toml::from_str(text).map_err(|error| BrokenTable(format!("{table}: {error}")))?;
            for rule in read.into_values() {
                rules.push(LiteralRule {
                    kind: rule.kind,
                    literals: rule.at,
                    fold: rule.fold,
                    inside: rule.inside,
                    then: Form::new(rule.then, rule.fold),
                    reach: rule.reach,
                    check: rule.check,
                    digits: rule.digits,
                    literally: rule.literally || table.starts_with("tokens"),
                });
            }
        }
        let names: NamesText =
            toml::from_str(NAMES).map_err(|error| BrokenTable(format!("names.toml: {error}")))?;
        let mut patterns: Vec<(String, Mark)> = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            patterns.extend(rule.literals.iter().map(|literal| (literal.clone(), Mark::Rule(index))));
        }
        let mut nouns = Vec::new();
        for noun in names.nouns.into_values() {
            let index = nouns.len();
            patterns.extend(noun.words.into_iter().map(|word| (word, Mark::Noun(index))));
            nouns.push(Noun { kind: noun.kind, class: noun.class, whole: noun.whole });
        }
        patterns.extend(["-----BEGIN ", "-----END "].map(|line| (line.to_owned(), Mark::Armour)));
        patterns.push(("kind".to_owned(), Mark::Manifest));
        // A text of digits and blanks alone is not searched for them.
        if let Some((pattern, _)) =
            patterns.iter().find(|(pattern, _)| super::forms::number::is_numbers(pattern))
        {
            return Err(BrokenTable(format!("{pattern:?} has only digits")));
        }
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(patterns.iter().map(|(pattern, _)| pattern))
            .map_err(|error| BrokenTable(error.to_string()))?;
        let rules = Self {
            finder,
            marks: patterns.into_iter().map(|(_, mark)| mark).collect(),
            rules,
            nouns,
            before_key: names.strong.before_key,
            about: names.strong.about,
            token_placeholders: [names.placeholders.always.clone(), names.placeholders.token].concat(),
            placeholders: names.placeholders.always,
        };
        Ok(rules)
    }
}
