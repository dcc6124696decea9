//! Finds secrets by a literal next to them: `ghp_…`, `Authorization: …`, `--password …`.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::output::RedactionFailure;

/// A secret recognised by a literal and the form of what follows.
#[derive(Debug)]
pub(crate) struct LiteralRule {
    pub kind: String,
    pub literals: Vec<String>,
    pub fold: bool,
    pub inside: bool,
    /// Matched directly after the literal.
    pub then: Form,
    /// The number of bytes examined after the literal.
    pub reach: usize,
    pub check: Check,
    /// Whether digits must precede the literal; they belong to the secret.
    pub digits: bool,
    /// Whether words are secrets here, not placeholders: `user:secret@host`.
    pub literally: bool,
}

/// A regular expression that is built on first use: most texts need none of them.
#[derive(Debug)]
pub(crate) struct Form {
    text: String,
    fold: bool,
    built: OnceLock<Result<Regex, String>>,
}

impl Form {
    pub fn new(text: String, fold: bool) -> Self {
        Self { text, fold, built: OnceLock::new() }
    }

    /// The fault as a sentence, for tests.
    #[cfg(test)]
    pub fn fault(&self) -> Option<&String> {
        self.built().as_ref().err()
    }

    fn get(&self) -> Result<&Regex, RedactionFailure> {
        self.built().as_ref().map_err(|_| RedactionFailure)
    }

    fn built(&self) -> &Result<Regex, String> {
        self.built.get_or_init(|| {
            RegexBuilder::new(&format!("^(?:{})", self.text))
                .case_insensitive(self.fold)
                .unicode(false)
                .build()
                .map_err(|error| error.to_string())
        })
    }
}

/// A further condition on a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Check {
    /// The form is enough.
    #[default]
    Form,
    /// Letters and digits mixed.
    Mixed,
    /// Random.
    Random,
}

/// The range that a rule hides: first byte and one past the last.
pub(crate) type Stretch = (usize, usize);

impl LiteralRule {
    /// Examines the literal at `start..end` of the text. Returns the range to hide and the number of bytes
    /// examined.
    ///
    /// # Errors
    /// If the rule's expression cannot be compiled, so that the text was not searched.
    pub fn look(
        &self,
        text: &str,
        (start, end): Stretch,
        covered: usize,
        placeholders: &[String],
    ) -> Result<(Option<Stretch>, usize), RedactionFailure> {
        let literal = text.get(start..end).unwrap_or_default();
        if !self.fold && !self.literals.iter().any(|known| known == literal) {
            return Ok((None, 0));
        }
        let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at)).copied().unwrap_or(b' ');
        let begins_word = literal.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric);
        if !self.inside && begins_word && before.is_ascii_alphanumeric()
            || self.digits && !before.is_ascii_digit()
        {
            return Ok((None, 0));
        }
        // In the middle of base64.
        let further = start
            .checked_sub(2)
            .and_then(|at| text.as_bytes().get(at))
            .is_some_and(u8::is_ascii_alphanumeric);
        let bare = literal.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !self.inside && !self.fold && bare && further && matches!(before, b'+' | b'/') {
            return Ok((None, 0));
        }
        let limit = text.floor_char_boundary(end.saturating_add(self.reach));
        let window = text.as_bytes().get(end..limit).unwrap_or_default();
        let looked = window.len();
        let Some(found) = self.then.get()?.captures(window) else {
            return Ok((None, looked));
        };
        let inner = ["s", "q", "r", "b"].into_iter().find_map(|group| found.name(group));
        let (mut from, mut to) = match inner {
            Some(secret) => (end + secret.start(), end + secret.end()),
            None => (start, end + found.get(0).map_or(0, |whole| whole.end())),
        };
        // Expressions match bytes: their ranges are widened to whole characters.
        from = text.floor_char_boundary(from);
        to = text.ceil_char_boundary(to);
        let bytes = text.as_bytes();
        let body = text.get(if inner.is_some() { from } else { end }..to).unwrap_or_default();
        let drawn = match self.check {
            Check::Form => true,
            Check::Mixed => {
                crate::output::redact::value::is_mixed(body, 12)
                    || crate::output::redact::value::is_random(body, 16)
            }
            Check::Random => crate::output::redact::value::is_random(body, 16),
        };
        // Placeholders of tokens in manuals.
        if self.literally && body.trim_end_matches('=').ends_with("EXAMPLE") {
            return Ok((None, looked));
        }
        let words = if self.literally { &[] } else { placeholders };
        if from == to
            || !drawn
            || (!body.is_empty() && crate::output::redact::value::is_placeholder(body, words))
        {
            return Ok((None, looked));
        }
        if to == limit {
            // The window ended inside the secret: the rest of it is hidden too.
            let rest = bytes.get(to..).unwrap_or_default();
            to += rest.iter().take_while(|byte| crate::output::redact::value::is_token_byte(**byte)).count();
        }
        if inner.is_none() && self.inside {
            let before = bytes.get(covered.min(from)..from).unwrap_or_default();
            from -= before
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(**byte, b'~' | b'-' | b'_'))
                .count();
        }
        Ok((Some((from, to)), looked))
    }
}
