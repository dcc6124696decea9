//! The rules of redaction: data with examples, tried before they are used.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

/// The built-in tables.
const TABLES: [(&str, &str); 2] =
    [("tokens.toml", include_str!("tokens.toml")), ("places.toml", include_str!("places.toml"))];
const NAMES: &str = include_str!("names.toml");

/// A rule set in force.
#[derive(Debug)]
pub(super) struct Rules {
    /// Finds every literal and noun in one pass, in any case of letters.
    pub finder: AhoCorasick,
    /// What each pattern of the finder belongs to.
    pub marks: Vec<Mark>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// The nouns.
    pub nouns: Vec<Noun>,
    /// Words that make `key` a secret.
    pub before_key: Vec<String>,
    /// Words that a name ends with when it only speaks about a secret.
    pub about: Vec<String>,
    /// Values that stand in for a secret.
    pub placeholders: Vec<String>,
    /// The same, and those that stand in for what a machine draws.
    pub token_placeholders: Vec<String>,
}

/// What a pattern of the finder belongs to.
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

/// A secret that is known by a literal beside it and the form of what follows.
#[derive(Debug)]
pub(super) struct Rule {
    pub kind: String,
    literals: Vec<String>,
    fold: bool,
    inside: bool,
    /// Matched right behind the literal.
    then: Regex,
    /// How many bytes behind the literal are looked at.
    reach: usize,
    check: Check,
    /// Digits must stand before the literal; they belong to the secret.
    digits: bool,
    /// Words do not stand in for a secret here: `user:secret@host`.
    literally: bool,
}

/// What else a value must be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Check {
    /// The form is enough.
    #[default]
    Form,
    /// Letters and digits mixed.
    Mixed,
    /// Drawn by a machine.
    Random,
}

/// A name that stands beside secrets.
#[derive(Debug, Clone)]
pub(super) struct Noun {
    pub kind: String,
    pub class: Class,
    /// No letter may stand on either side.
    pub whole: bool,
}

/// What kind of value belongs to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Class {
    /// Chosen by a person.
    Password,
    /// Drawn by a machine.
    Token,
    /// Counts only where it looks drawn.
    Weak,
    /// The same, and only behind a clear sign.
    Clear,
    /// The name of a service: only what is surely drawn.
    Service,
    /// The end of a longer word; the same, and longer.
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
    hides: Vec<String>,
    #[serde(default)]
    spares: Vec<String>,
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

/// An example of a rule, to be tried.
#[derive(Debug, Clone)]
pub(super) struct Example {
    pub rule: String,
    /// The text, with the secret in `«…»`; without them it is to be spared.
    pub text: String,
}

impl Rules {
    /// The values that stand in for a secret of this class.
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
    /// Which rule is wrong, in words.
    pub fn builtin() -> Result<(Self, Vec<Example>), String> {
        let mut rules = Vec::new();
        let mut examples = Vec::new();
        for (table, text) in TABLES {
            let read: BTreeMap<String, RuleText> =
                toml::from_str(text).map_err(|error| format!("{table}: {error}"))?;
            for (name, rule) in read {
                for example in rule.hides.iter().chain(&rule.spares) {
                    let marked = example.contains('«');
                    if marked != rule.hides.contains(example) {
                        return Err(format!(
                            "{table}: {name}: an example of `hides` has its secret in «…»: {example}"
                        ));
                    }
                    examples.push(Example { rule: name.clone(), text: expand(example) });
                }
                let then = RegexBuilder::new(&format!("^(?:{})", rule.then))
                    .case_insensitive(rule.fold)
                    .unicode(false)
                    .build()
                    .map_err(|error| format!("{table}: {name}: {error}"))?;
                rules.push(Rule {
                    kind: rule.kind,
                    literals: rule.at,
                    fold: rule.fold,
                    inside: rule.inside,
                    then,
                    reach: rule.reach,
                    check: rule.check,
                    digits: rule.digits,
                    literally: rule.literally || table == "tokens.toml",
                });
            }
        }
        let names: NamesText = toml::from_str(NAMES).map_err(|error| format!("names.toml: {error}"))?;
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
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(patterns.iter().map(|(pattern, _)| pattern))
            .map_err(|error| error.to_string())?;
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
        Ok((rules, examples))
    }
}

/// Where a rule hides something: first byte and one past the last.
pub(super) type Stretch = (usize, usize);

impl Rule {
    /// Looks at the literal that stands at `start..end` of the text. Says what to hide, and how many bytes were
    /// looked at.
    pub fn look(
        &self,
        text: &str,
        (start, end): Stretch,
        covered: usize,
        placeholders: &[String],
    ) -> (Option<Stretch>, usize) {
        let literal = text.get(start..end).unwrap_or_default();
        if !self.fold && !self.literals.iter().any(|known| known == literal) {
            return (None, 0);
        }
        let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at)).copied().unwrap_or(b' ');
        let begins_word = literal.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if !self.inside && begins_word && before.is_ascii_alphanumeric()
            || self.digits && !before.is_ascii_digit()
        {
            return (None, 0);
        }
        // In the middle of base64.
        let further = start
            .checked_sub(2)
            .and_then(|at| text.as_bytes().get(at))
            .is_some_and(u8::is_ascii_alphanumeric);
        let bare = literal.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !self.inside && !self.fold && bare && further && matches!(before, b'+' | b'/') {
            return (None, 0);
        }
        let limit = text.floor_char_boundary(end.saturating_add(self.reach));
        let window = text.as_bytes().get(end..limit).unwrap_or_default();
        let looked = window.len();
        let Some(found) = self.then.captures(window) else {
            return (None, looked);
        };
        let inner = ["s", "q", "r", "b"].into_iter().find_map(|group| found.name(group));
        let (mut from, mut to) = match inner {
            Some(secret) => (end + secret.start(), end + secret.end()),
            None => (start, end + found.get(0).map_or(0, |whole| whole.end())),
        };
        // The forms speak of bytes: what they cut is widened to whole characters.
        from = text.floor_char_boundary(from);
        to = text.ceil_char_boundary(to);
        let bytes = text.as_bytes();
        if to == limit {
            // The window ended inside the secret: the rest of it goes too.
            let rest = bytes.get(to..).unwrap_or_default();
            to += rest.iter().take_while(|byte| super::value::is_token_byte(**byte)).count();
        }
        let body = text.get(if inner.is_some() { from } else { end }..to).unwrap_or_default();
        let drawn = match self.check {
            Check::Form => true,
            Check::Mixed => super::value::is_mixed(body, 12) || super::value::is_random(body, 16),
            Check::Random => super::value::is_random(body, 16),
        };
        let words = if self.literally { &[] } else { placeholders };
        if from == to || !drawn || (!body.is_empty() && super::value::is_placeholder(body, words)) {
            return (None, looked);
        }
        if inner.is_none() && self.inside {
            let before = bytes.get(covered.min(from)..from).unwrap_or_default();
            from -= before
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(**byte, b'~' | b'-' | b'_'))
                .count();
        }
        (Some((from, to)), looked)
    }
}

/// Writes an example out: `{w36}` stands for 36 letters and digits, `{h32}` for hexadecimal digits, `{d9}` for digits,
/// `{u16}` for capitals and digits, `{l20}` for small letters and digits, `{b44}` for base64.
pub(super) fn expand(example: &str) -> String {
    let mut text = String::new();
    let mut rest = example;
    while let Some(at) = rest.find('{') {
        let (before, tail) = rest.split_at(at);
        text.push_str(before);
        let order = tail.strip_prefix('{').and_then(|tail| tail.split_once('}'));
        let drawn = order.and_then(|(inside, after)| {
            let alphabet = match inside.get(..1)? {
                "w" => "q7RkT2mZ9xLp4VbN8sYd3HfJ6wGc5XtKz1PvMnQ0aSeDrBu",
                "h" => "3f9a0c7e5b1d8264",
                "d" => "7390418265",
                "u" => "K7Q2ZL9XW4B8RT5V3NM6YJ",
                "l" => "k7q2zl9xw4b8rt5v3nm6yj0ahc",
                "b" => "q7R/kT2m+Z9xLp4VbN8sYd3HfJ6wGc5XtKz1PvMnQ0aSeDrBu",
                _ => return None,
            };
            let count = inside.get(1..)?.parse().ok()?;
            Some((alphabet.chars().cycle().take(count).collect::<String>(), after))
        });
        match drawn {
            Some((drawn, after)) => {
                text.push_str(&drawn);
                rest = after;
            }
            None => {
                text.push('{');
                rest = tail.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    text
}
