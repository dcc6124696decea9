//! Reads the name around a noun (`DB_PASSWORD`, `secret_key_base`) and what its other words say about it.

use crate::output::redact::rules::{Class, Noun, Rules};
use crate::output::redact::value::{is_mixed, is_random, is_uuid};

/// The most bytes of a name after its noun.
const NAME: usize = 64;

/// A name, and where reading continues after it.
pub(crate) struct Name {
    /// One past its last byte.
    pub end: usize,
    /// Whether a quotation mark follows it.
    pub quoted: bool,
}

impl Name {
    pub fn read(text: &str, start: usize, end: usize, noun: &Noun, rules: &Rules) -> Option<(Self, Class)> {
        let bytes = text.as_bytes();
        let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
        let first = at(start);
        let before = if start == 0 { b' ' } else { at(start - 1) };
        // `monkey` and `samplekey`: the noun is only the end of a longer word.
        let inner = noun.whole
            && before.is_ascii_alphabetic()
            && !(before.is_ascii_lowercase() && first.is_ascii_uppercase());
        if inner && noun.class != Class::Weak {
            return None;
        }
        // The words after the noun within the name.
        let last = at(end - 1);
        let rest_len = bytes.get(end..)?.iter().take(NAME).take_while(|byte| is_name_byte(**byte)).count();
        let rest = text.get(end..end + rest_len)?;
        let next = rest.bytes().next().unwrap_or(b' ');
        let mut tail = rest;
        if next.is_ascii_alphabetic() && (next.is_ascii_lowercase() || last.is_ascii_uppercase()) {
            // The word continues: only a plural is still the noun.
            let plural = rest.strip_prefix(['s', 'S'])?;
            if plural.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) {
                return None;
            }
            tail = plural;
        }
        let mut name_end = end + rest_len;
        // `KEY-123e4567`: a dash before a random string is a separator, not a part of the name.
        if let Some(value) = tail
            .strip_prefix(['-', ':'])
            .filter(|value| is_mixed(value, 16) || is_random(value, 16) || is_uuid(value))
        {
            name_end = end + rest_len - value.len() - 1;
            tail = "";
        }
        // `keyMeshing` is not a key.
        if noun.whole
            && tail.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && words(tail).first().is_some_and(|word| !is_shade(word))
        {
            return None;
        }
        let about = |word: &str| rules.about.iter().any(|about| about == word);
        if words(tail).last().is_some_and(|word| about(word) || about(word.trim_end_matches('s'))) {
            return None;
        }
        let left = left_words(text, start);
        if left.iter().any(|word| {
            matches!(word.as_str(), "public" | "pub" | "foreign" | "fingerprint" | "publickey" | "ssh-rsa")
        }) {
            return None;
        }
        let mut class = if inner { Class::Inner } else { noun.class };
        if class == Class::Weak
            && noun.whole
            && left
                .last()
                .is_some_and(|word| rules.before_key.iter().any(|known| word.ends_with(known.as_str())))
        {
            class = Class::Token;
        }
        let quoted = matches!(at(name_end), b'"' | b'\'' | b'`' | b'\\');
        // `pwd` between backquotes is the command.
        if noun.whole && (before == b'`' || before == b'(') && matches!(at(end), b'`' | b')') {
            return None;
        }
        Some((Self { end: name_end, quoted }, class))
    }
}

/// Words that may follow a noun without changing its meaning.
fn is_shade(word: &str) -> bool {
    const SHADES: &[&str] = &[
        "value",
        "data",
        "base64",
        "b64",
        "string",
        "text",
        "hex",
        "prod",
        "test",
        "dev",
        "live",
        "secret",
        "primary",
        "secondary",
    ];
    SHADES.contains(&word)
}

pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The words of a name in lower case: split at dashes, dots, blanks and humps.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = '_';
    for c in name.chars() {
        let hump = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if !c.is_alphanumeric() || hump {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// The last two words before the noun, on the same line and part of the same name (or one blank before it).
fn left_words(text: &str, start: usize) -> Vec<String> {
    let from = text.floor_char_boundary(start.saturating_sub(32));
    let before = text.get(from..start).unwrap_or_default();
    let part = before
        .rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ')))
        .next()
        .unwrap_or_default();
    let mut words = words(part);
    let keep = words.len().saturating_sub(2);
    words.drain(..keep);
    words
}
