//! Reads what stands beside a name: `password = "x"`, `"apiKey": "x"`, `TOKEN=x`, `--secret x`, `password x` …

use super::rules::{Class, Noun, Rules, Stretch};
use super::value::{
    Shape, is_code, is_licence, is_mixed, is_placeholder, is_random, is_token_byte, is_uuid, is_version,
};

/// How far a name goes to either side of its noun, in bytes.
const NAME: usize = 64;
/// The longest value that is looked at.
const VALUE: usize = 2048;

/// Looks at the noun at `start..end`. Says what to hide, and how many bytes were looked at.
pub(super) fn look(
    text: &str,
    start: usize,
    end: usize,
    noun: &Noun,
    rules: &Rules,
) -> (Option<Stretch>, usize) {
    let Some((name, class)) = Name::read(text, start, end, noun, rules) else {
        return (None, NAME);
    };
    let Some(value) = Value::read(text, name.end, name.quoted) else {
        return (None, NAME);
    };
    let looked = NAME + (value.end - name.end);
    let shown = text.get(value.start..value.end).unwrap_or_default();
    let hide = is_secret(shown, &value, class, rules) && !is_prose(text, &value, shown);
    (hide.then_some((value.start, value.end)), looked)
}

/// A name and where the reading goes on behind it.
struct Name {
    end: usize,
    /// A quotation mark stands behind it.
    quoted: bool,
}

impl Name {
    fn read(text: &str, start: usize, end: usize, noun: &Noun, rules: &Rules) -> Option<(Self, Class)> {
        let bytes = text.as_bytes();
        let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
        let first = at(start);
        let before = if start == 0 { b' ' } else { at(start - 1) };
        // `monkey` and `samplekey`: the noun is only the end of a longer word.
        let inner = noun.whole
            && before.is_ascii_alphabetic()
            && !(before.is_ascii_lowercase() && first.is_ascii_uppercase());
        if inner && noun.class == Class::Password {
            return None;
        }
        // What follows the noun within the name.
        let last = at(end - 1);
        let rest_len = bytes.get(end..)?.iter().take(NAME).take_while(|byte| is_name_byte(**byte)).count();
        let rest = text.get(end..end + rest_len)?;
        let next = rest.bytes().next().unwrap_or(b' ');
        let mut tail = rest;
        if next.is_ascii_alphabetic() && (next.is_ascii_lowercase() || last.is_ascii_uppercase()) {
            // The word goes on: only a plural is still the noun.
            let plural = rest.strip_prefix(['s', 'S'])?;
            if plural.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic()) {
                return None;
            }
            tail = plural;
        }
        let mut name_end = end + rest_len;
        // `KEY-123e4567`: a dash before what looks drawn is a sign, not a part of the name.
        if let Some(value) = tail
            .strip_prefix(['-', ':'])
            .filter(|value| is_mixed(value, 16) || is_random(value, 16) || is_uuid(value))
        {
            name_end = end + rest_len - value.len() - 1;
            tail = "";
        }
        // `keyMeshing` speaks of something else than a key.
        if noun.whole
            && tail.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && words(tail).first().is_some_and(|word| !is_shade(word))
        {
            return None;
        }
        if words(tail).last().is_some_and(|word| rules.about.iter().any(|about| about == word)) {
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

/// What may follow a noun without changing what it names.
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

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The words of a name, small: split at dashes, dots, blanks and humps.
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

/// A value beside a name.
#[derive(Debug, Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    quoted: bool,
    sign: Sign,
}

/// What stands between a name and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// `=`, `:`, `=>` …
    Clear,
    /// A comma, after a quotation mark.
    Comma,
    /// A dash or a blank.
    Faint,
}

impl Value {
    fn read(text: &str, at: usize, name_quoted: bool) -> Option<Self> {
        let bytes = text.as_bytes();
        let get = |index: usize| bytes.get(index).copied().unwrap_or(b'\n');
        let mut at = at;
        let mut closers = 0;
        while closers < 16
            && matches!(get(at), b'"' | b'\'' | b'`' | b']' | b')' | b'\\' | b'*' | b'}' | b'>' | b'[')
        {
            at += 1;
            closers += 1;
        }
        let gap = at;
        at = blanks(bytes, at);
        let (mut sign, mut after) = sign(bytes, at, gap, name_quoted)?;
        after = blanks(bytes, after);
        if matches!(get(after), b'\n' | b'\r') {
            after = next_line(bytes, after, sign)?;
        }
        // `password: str = "x"`, `password | "x"`: a type first, then the value.
        let mut read = Self::one(text, after, sign)?;
        let word = text.get(read.start..read.end)?;
        if !read.quoted && is_type(word) {
            let next = blanks(bytes, read.end);
            if get(next) == b'=' && get(next + 1) != b'=' {
                sign = Sign::Clear;
                read = Self::one(text, blanks(bytes, next + 1), sign)?;
            }
        }
        Some(read)
    }

    /// Reads one value that begins at `at`.
    fn one(text: &str, at: usize, sign: Sign) -> Option<Self> {
        let bytes = text.as_bytes();
        let get = |index: usize| bytes.get(index).copied().unwrap_or(b'\n');
        let mut at = at;
        let mut escaped = false;
        // `b"`, `@"`, `N'`, `["`, `\"`: what may stand before a quotation mark.
        for _ in 0..16 {
            let (here, next) = (get(at), get(at + 1));
            let quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
            let opens = quote(next) || matches!(next, b'\\' | b'{' | b'[' | b'(' | b'@');
            match here {
                b'\\' if opens => escaped = true,
                b'b' | b'r' | b'u' | b'f' | b'N' | b'L' | b'@' if quote(next) => {}
                b'[' | b'{' | b'(' if opens => {}
                _ => break,
            }
            at += 1;
        }
        if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"&quot;")) {
            at += 6;
        }
        let mark = get(at);
        let limit = at.saturating_add(VALUE).min(bytes.len());
        if matches!(mark, b'"' | b'\'' | b'`') {
            let start = at + 1;
            let line = bytes.get(start..limit)?;
            let stop = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
            let mut end = None;
            let mut index = 0;
            while index < stop {
                let byte = line.get(index).copied().unwrap_or(b'\n');
                if byte == b'\\' && !escaped {
                    index += 2;
                    continue;
                }
                if byte == mark {
                    end = Some(index);
                    break;
                }
                index += 1;
            }
            // A mark that is never closed: the value is what stands up to the next blank.
            let end =
                end.unwrap_or_else(|| line.iter().take_while(|byte| !byte.is_ascii_whitespace()).count());
            let slash = line.get(..end)?.iter().rev().take_while(|byte| escaped && **byte == b'\\').count();
            let end = start + end - slash;
            return (end > start && text.is_char_boundary(end)).then_some(Self {
                start,
                end,
                quoted: true,
                sign,
            });
        }
        let line = bytes.get(at..limit)?;
        let mut len = line
            .iter()
            .take_while(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'`'))
            .count();
        let value = text.get(at..at + len)?;
        // `a=b&c=d` and `a=b;c=d` go on with another name.
        let next = value.char_indices().skip(1).find(|(index, c)| {
            matches!(c, '&' | ';' | ',' | '|')
                && (*c == ';'
                    || (*c == '&' && *index >= 16 && is_mixed(value.get(..*index).unwrap_or_default(), 16))
                    || value.get(index + 1..).is_some_and(|rest| rest.is_empty() || names_another(rest)))
        });
        len = next.map_or(len, |(index, _)| index);
        len = value.find("%26").unwrap_or(len).min(len);
        if len == limit - at {
            len += bytes
                .get(limit..)
                .unwrap_or_default()
                .iter()
                .take_while(|byte| is_token_byte(**byte))
                .count();
        }
        let value = text.get(at..at + len)?.trim_end_matches([';', ',', '\'', ')', ']', '}', '.', '<', '>']);
        let call = default_of_call(text, at, at + len.max(value.len()));
        if let Some((start, end)) = call {
            return Some(Self { start, end, quoted: true, sign });
        }
        (!value.is_empty()).then_some(Self { start: at, end: at + value.len(), quoted: false, sign })
    }
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take(32)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// Reads the sign at `at`; `gap` is where the blanks before it begin.
fn sign(bytes: &[u8], at: usize, gap: usize, quoted: bool) -> Option<(Sign, usize)> {
    const CLEAR: [&[u8]; 18] = [
        b"::=", b"===", b"!==", b"||=", b":=", b"==", b"!=", b"=>", b"->", b"?=", b"<-", b"~=", b"=:", b"=~",
        b"%3D", b"%3d", b"=", b":",
    ];
    let rest = bytes.get(at..)?;
    for sign in CLEAR {
        if rest.starts_with(sign) {
            let after = rest.get(sign.len()).copied().unwrap_or(b'\n');
            // `a::b` is a path and `x://` an address.
            if sign == b":" && (after == b':' || rest.starts_with(b"://")) {
                return None;
            }
            return Some((Sign::Clear, at + sign.len()));
        }
    }
    match rest.first()? {
        b',' if quoted => Some((Sign::Comma, at + 1)),
        b'|' => Some((Sign::Faint, at + 1)),
        b'-' => Some((Sign::Faint, at + 1)),
        _ if rest.starts_with(b"is ") || rest.starts_with(b"to ") => Some((Sign::Faint, at + 3)),
        _ if at > gap => Some((Sign::Faint, at)),
        _ => None,
    }
}

/// A value on the line below: a block of YAML (`|`, `>`), or a quotation mark.
fn next_line(bytes: &[u8], at: usize, sign: Sign) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let skip = rest.iter().take(64).take_while(|byte| byte.is_ascii_whitespace()).count();
    let first = rest.get(skip)?;
    (sign == Sign::Clear && matches!(first, b'"' | b'\'')).then_some(at + skip)
}

fn names_another(rest: &str) -> bool {
    let len =
        rest.bytes().take(40).take_while(|byte| is_name_byte(*byte) || matches!(byte, b' ' | b'.')).count();
    len > 0 && rest.as_bytes().get(len).copied().is_some_and(|byte| matches!(byte, b'=' | b':'))
}

/// `getenv("NAME", "value")`: the second text of a call.
fn default_of_call(text: &str, start: usize, end: usize) -> Option<Stretch> {
    let head = text.get(start..end)?;
    let open = head.find('(')?;
    if open == 0 || !head.get(..open)?.bytes().all(|byte| is_name_byte(byte) || matches!(byte, b'.' | b':')) {
        return None;
    }
    let limit = text.floor_char_boundary((start + open).saturating_add(256));
    let call = text.get(start + open..limit)?;
    let call = call.split('\n').next()?;
    let comma = call.find(',')?;
    let rest = call.get(comma + 1..)?;
    let lead = rest.len() - rest.trim_start().len();
    let mark = rest.trim_start().chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let from = start + open + comma + 1 + lead + 1;
    let value = text.get(from..limit)?;
    let len = value.find(mark)?;
    (len > 0).then_some((from, from + len))
}

fn is_type(word: &str) -> bool {
    const TYPES: &[&str] = &[
        "str",
        "string",
        "&str",
        "String",
        "&'static",
        "char",
        "char*",
        "bytes",
        "any",
        "Optional[str]",
        "text",
        "varchar",
        "SecretStr",
    ];
    TYPES.contains(&word)
        || word.starts_with("Option")
        || word.starts_with("*const")
        || word.starts_with("*mut")
}

fn is_secret(value: &str, read: &Value, class: Class, rules: &Rules) -> bool {
    let shape = Shape::of(value);
    let letters = shape.lower + shape.upper;
    if !value.chars().any(char::is_alphanumeric) || is_placeholder(value, rules.words(class)) {
        return false;
    }
    // Between two quoted texts of a program, and a selector of a style sheet.
    let between = read.quoted
        && value.starts_with(['+', '.', ',', ')', ';', ' '])
        && !value.trim().bytes().all(is_token_byte);
    let selector = value.starts_with(['#', '.']) && shape.digit == 0 && shape.upper == 0;
    let declared = !read.quoted
        && shape.digit == 0
        && (is_type(value) || value.ends_with("String") || value.ends_with("Bytes"));
    if between || selector || declared || (!read.quoted && is_code(value)) {
        return false;
    }
    let value = value.trim();
    let mixed = shape.digit > 0 && letters > 0
        || shape.upper > 0 && shape.lower > 0 && shape.turns >= 4
        || shape.other > 0 && shape.digit > 0;
    let place = value.starts_with(['/', '.', '~']) && value.contains('/')
        || value.contains("://")
        || value.starts_with("\\\\");
    let version = is_version(value);
    let token = value.bytes().all(is_token_byte);
    let plain = !value.contains([' ', '?', '(', '<', '[', '`']);
    let drawn = is_random(value, 16) || is_uuid(value) || is_mixed(value, 16) || is_licence(value);
    let long_number = shape.digit == shape.len && shape.len >= 16;
    match (class, read.sign) {
        (Class::Password, Sign::Clear) => {
            shape.len >= 4 && !(read.quoted && value.contains("://")) && (!place || mixed)
        }
        (Class::Password, Sign::Comma) => read.quoted && shape.len >= 4 && !value.contains(' ') && mixed,
        (Class::Password, Sign::Faint) if read.quoted => {
            shape.len >= 4 && plain && !version && (mixed || (shape.len >= 8 && shape.other * 4 < shape.len))
        }
        (Class::Password, Sign::Faint) => {
            shape.len >= 6
                && letters >= 2
                && shape.digit > 0
                && !place
                && !version
                && !value.contains(['/', ':', '`', '('])
        }
        (Class::Token, Sign::Clear) => {
            let strange = shape.other >= 4 && !is_code(value) && !value.contains(' ');
            let fits = token
                || (read.quoted && (strange || plain))
                || (shape.other >= 8 && strange && !value.contains([',', '"']));
            let short = shape.len >= 8 && mixed && shape.digit > usize::from(!read.quoted) && !version;
            let worded = read.quoted && shape.len >= 8 && shape.digit == 0 && value.contains('-');
            fits && !place
                && shape.len >= 6
                && (drawn || short || worded || long_number || is_odd(value, &shape, read))
        }
        (Class::Token, Sign::Comma) => {
            read.quoted
                && (token || plain)
                && !place
                && (drawn || (shape.len >= 10 && mixed && shape.digit > 0))
        }
        (Class::Token, Sign::Faint) => {
            let short = shape.other == 0 && shape.len >= 12 && shape.digit >= 3 && letters >= 3;
            (token || (read.quoted && plain))
                && !place
                && !version
                && (drawn
                    || short
                    || (long_number && shape.len >= 20)
                    || (read.quoted && shape.len >= 8 && shape.digit > 0 && letters > 0))
        }
        (Class::Weak | Class::Clear, Sign::Clear) => token && !place && drawn,
        (Class::Inner, Sign::Clear) => token && !place && (is_mixed(value, 20) || is_uuid(value)),
        (Class::Service, _) => {
            token && !place && !version && (is_mixed(value, 20) || is_random(value, 20) || is_uuid(value))
        }
        (Class::Clear | Class::Inner, _) => false,
        (Class::Weak, Sign::Comma) => token && !place && is_random(value, 20),
        (Class::Weak, Sign::Faint) => {
            token && !place && !version && (is_mixed(value, 20) || is_random(value, 20) || is_uuid(value))
        }
    }
}

/// Letters with a sign among them that no word has, in quotation marks: `super$ecret`.
fn is_odd(value: &str, shape: &Shape, read: &Value) -> bool {
    read.quoted
        && shape.len >= 8
        && shape.other > 0
        && value.contains(['$', '!', '@', '#', '%', '^', '*', '+', '='])
}

/// `password: the one you chose`: words go on behind a word.
fn is_prose(text: &str, read: &Value, value: &str) -> bool {
    if read.quoted || !value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-')) {
        return false;
    }
    let rest = text.get(read.end..text.floor_char_boundary(read.end.saturating_add(24))).unwrap_or_default();
    let rest = rest.split('\n').next().unwrap_or_default();
    let mut next = rest.strip_prefix(' ').unwrap_or_default().chars();
    next.next().is_some_and(char::is_alphabetic) && next.next().is_some_and(|c| c.is_alphabetic() || c == ' ')
}
