//! Classifies a piece of text: a secret, a placeholder for one, or neither.

use super::word::{is_wordy, longest_word};

/// The characters of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Shape {
    pub len: usize,
    pub lower: usize,
    pub upper: usize,
    pub digit: usize,
    /// ASCII characters that are neither letters nor digits, and everything that is not ASCII.
    pub other: usize,
    /// The number of different bytes.
    pub distinct: usize,
    /// The number of changes between small letters, capitals, digits and others.
    pub turns: usize,
    /// Whether all are hexadecimal digits.
    pub hex: bool,
}

impl Shape {
    pub fn of(text: &str) -> Self {
        let mut shape = Self { len: text.len(), hex: !text.is_empty(), ..Self::default() };
        let mut seen = [false; 256];
        let mut before = 0_u8;
        for byte in text.bytes() {
            let class = match byte {
                b'a'..=b'z' => 1,
                b'A'..=b'Z' => 2,
                b'0'..=b'9' => 3,
                _ => 4,
            };
            match class {
                1 => shape.lower += 1,
                2 => shape.upper += 1,
                3 => shape.digit += 1,
                _ => shape.other += 1,
            }
            shape.turns += usize::from(before != 0 && before != class);
            shape.hex &= byte.is_ascii_hexdigit();
            before = class;
            if let Some(slot) = seen.get_mut(usize::from(byte)) {
                *slot = true;
            }
        }
        shape.distinct = seen.iter().filter(|seen| **seen).count();
        shape
    }
}

/// The characters of tokens.
pub(super) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'=' | b'~' | b':' | b'%')
}

/// True if it is random rather than written by a person: letters and digits mixed, hardly a word. `least` is
/// the minimum length.
pub(super) fn is_random(text: &str, least: usize) -> bool {
    let text = text.trim_end_matches('=');
    let shape = Shape::of(text);
    if shape.len < least || !text.bytes().all(is_token_byte) {
        return false;
    }
    let letters = shape.lower + shape.upper;
    if shape.digit == 0 {
        return shape.other == 0 && shape.len >= 16 && is_scrambled(text, &shape);
    }
    if letters == 0 || is_version(text) {
        return false;
    }
    // Words joined by dots, dashes and slashes (paths, host names, versions) change class rarely.
    let enough = if shape.len >= 32 { 8 } else { 6 };
    shape.distinct >= enough.max(shape.len.min(40) / 4)
        && longest_word(text) <= 9
        && (is_restless(&shape) || !is_wordy(text))
        && shape.turns * 6 >= shape.len.min(60)
}

/// More digits than a name has, or a change between small letters, capitals and digits at every second character. Such a
/// text is no word, whatever its pairs of letters are: one random text in some ten thousand reads like words.
fn is_restless(shape: &Shape) -> bool {
    shape.digit * 4 >= shape.lower + shape.upper || shape.turns * 2 >= shape.len
}

/// Only letters, but no word: too many different ones of one case, or a random mix of cases.
fn is_scrambled(text: &str, shape: &Shape) -> bool {
    if shape.upper == 0 || shape.lower == 0 {
        return shape.distinct >= 9 && !is_wordy(text);
    }
    let case = |pair: &[u8]| matches!(pair, [a, b] if a.is_ascii_uppercase() == b.is_ascii_uppercase());
    let mut longest = 0;
    let mut run = 0;
    for pair in text.as_bytes().windows(2) {
        run = if case(pair) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest <= 5 && shape.turns * 4 >= shape.len && !is_wordy(text)
}

/// `1.2.3`: numbers separated by dots.
pub(super) fn is_version(text: &str) -> bool {
    text.len() < 40
        && text
            .as_bytes()
            .windows(3)
            .any(|three| matches!(three, [a, b'.', c] if a.is_ascii_digit() && c.is_ascii_digit()))
}

/// `ABCDE-12345-FGHIJ-…`: at least four parts of the same length.
pub(super) fn is_licence(text: &str) -> bool {
    let mut parts = text.split('-');
    let len = parts.next().map_or(0, str::len);
    let plain =
        |part: &str| part.len() == len && part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    (4..=8).contains(&len) && text.split('-').all(plain) && parts.count() >= 3
}

/// Letters and digits mixed in a run of at least `least`, or in most parts of a longer value. Weaker than
/// [`is_random`]: for places where a secret is expected.
pub(super) fn is_mixed(text: &str, least: usize) -> bool {
    let value = text.trim_matches(['=', '+']);
    if value.len() < least || !value.bytes().all(is_token_byte) {
        return false;
    }
    if Shape::of(value).distinct * 4 < value.len().min(32) {
        return false;
    }
    let both = |part: &str| {
        let shape = Shape::of(part);
        let letters = shape.lower + shape.upper;
        shape.digit >= 2 && letters >= 2 && (is_restless(&shape) || !is_wordy(part))
    };
    let mut parts = 0;
    let mut mixed = 0;
    for part in value.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        if part.len() >= least.min(16) && both(part) && longest_word(part) <= 10 {
            return true;
        }
        parts += 1;
        mixed += usize::from(both(part));
    }
    parts >= 3 && mixed * 4 >= parts * 3 && value.len() >= least.max(20)
}

/// 8-4-4-4-12 hexadecimal (or alphanumeric) digits.
pub(super) fn is_uuid(text: &str) -> bool {
    let mut parts = text.split('-');
    let fits = [8, 4, 4, 4, 12].into_iter().all(|len| {
        parts.next().is_some_and(|part| part.len() == len && part.bytes().all(|b| b.is_ascii_alphanumeric()))
    });
    fits && parts.next().is_none()
}

/// Whether it is a placeholder of a secret, or a reference to one.
pub(super) fn is_placeholder(text: &str, words: &[String]) -> bool {
    let text = text.trim().trim_start_matches('\\');
    if text.is_empty() || text.contains("[REDACTED") || text.contains("...") || text.contains('…') {
        return true;
    }
    let first = text.as_bytes().first().copied().unwrap_or_default();
    let last = text.as_bytes().last().copied().unwrap_or_default();
    let reference = match first {
        b'$' => is_variable(text),
        b'%' => text.len() <= 3 || last == b'%' || text.starts_with("%(") || text.starts_with("%{"),
        b'{' => {
            text.starts_with("{{")
                || text.starts_with("{%")
                || (last == b'}' && !text.contains(|c: char| c.is_ascii_digit()))
        }
        b'<' => {
            last == b'>'
                || text.starts_with("<%")
                || text.bytes().skip(1).all(|byte| byte.is_ascii_alphabetic())
        }
        b'&' => text.starts_with("&lt;"),
        b'[' => last == b']',
        b'@' | b'#' => text.starts_with("@{") || text.starts_with("#{"),
        b'E' => text.starts_with("ENC["),
        // A tag of YAML.
        b'!' => {
            let tag = text.get(1..).and_then(|rest| rest.split([' ', '/', '[']).next()).unwrap_or_default();
            text.contains(' ')
                || [
                    "vault",
                    "secret",
                    "Ref",
                    "Sub",
                    "GetAtt",
                    "ImportValue",
                    "reference",
                    "env",
                    "env_var",
                    "include",
                ]
                .contains(&tag)
        }
        _ => is_template(text, "${", "}") || is_template(text, "{{", "}}"),
    };
    if reference {
        return true;
    }
    let shape = Shape::of(text);
    // `xxxxxxxx`, `********`, `XXXX-XXXX`, `000000`.
    let filler = |byte: u8| {
        matches!(byte, b'x' | b'X' | b'*' | b'.' | b'-' | b'_' | b'#' | b'?' | b'~' | b' ' | b'=' | b'+')
    };
    if shape.distinct <= 1 && shape.len >= 3 || text.bytes().all(filler) {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    words.iter().any(|word| match word.strip_suffix('*') {
        Some(part) => lower.contains(part),
        None => lower == *word,
    })
}

/// `x{{ name }}y`, `x${name}y`.
fn is_template(text: &str, open: &str, close: &str) -> bool {
    let inside = text.split_once(open).and_then(|(_, rest)| rest.split_once(close)).map(|(inside, _)| inside);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-' | '$' | '|');
    inside.is_some_and(|inside| inside.chars().all(plain))
}

/// `$NAME`, `${NAME}`, `$(command)`, `$_POST["x"]`; but not `$6$salt$hash`, `$ecret1`.
fn is_variable(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('$') else {
        return false;
    };
    let rest = rest.trim_end_matches(['"', '\'', ';', ',', ')']);
    let bytes = rest.as_bytes();
    match bytes.first() {
        None => true,
        Some(b'{' | b'(' | b'_') => true,
        Some(first) if first.is_ascii_alphabetic() => {
            let plain = |byte: &u8| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b':' | b'-' | b'>' | b'.' | b'[' | b']' | b'\'' | b'"' | b'/')
            };
            bytes.iter().all(plain)
        }
        Some(_) => rest.len() <= 2,
    }
}

/// Text of a program rather than a value: a call, an index, a member, a type.
pub(super) fn is_code(text: &str) -> bool {
    let text = text.trim_end_matches([';', ',']);
    if text.ends_with(['[', '(', '{']) || text.contains("::") {
        return true;
    }
    let index = text.find('[').is_some_and(|at| at > 0 && is_name(text.get(..at).unwrap_or_default()));
    let call = index
        || text.contains("()")
        || text.find('(').is_some_and(|at| at > 0 && is_name(text.get(..at).unwrap_or_default()));
    if call || text.starts_with('(') || text.contains("[\"") || text.contains("['") || text.contains("->") {
        return true;
    }
    // `self.password`, `config.database.password`, `process.env.SECRET`.
    let mut parts = text.split('.');
    let members = text.contains('.') && parts.all(|part| !part.is_empty() && is_name(part));
    members && !is_random(text, 20)
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let head = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'));
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    head && digits <= 2
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':'))
}
