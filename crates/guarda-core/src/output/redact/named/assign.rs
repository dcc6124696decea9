//! Judges the value next to a name: `password = "x"`, `"apiKey": "x"`, `TOKEN=x`, `--secret x`, `password x`
//! …

use super::beside::{Sign, Value, is_type};
use super::name::Name;
use crate::output::redact::forms::literal::Stretch;
use crate::output::redact::rules::{Class, Noun, Rules};
use crate::output::redact::value::{
    Shape, is_code, is_licence, is_mixed, is_placeholder, is_random, is_token_byte, is_uuid, is_version,
};

/// The cost limit of reading a name, in bytes.
const NAME: usize = 64;

/// Examines the noun at `start..end`. Returns the range to hide, and the number of bytes examined.
pub(crate) fn look(
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
    let joined = text.as_bytes().get(name.end) == Some(&b'-') && value.start == name.end + 1;
    if is_host(text, start, name.end, &value, class) || names_path(shown, &value, class) {
        return (None, looked);
    }
    let hide = is_secret(shown, &value, class, rules)
        && !is_prose(text, &value, shown)
        && !(joined && is_in_path(text, start, shown));
    (hide.then_some((value.start, value.end)), looked)
}

fn is_secret(value: &str, read: &Value, class: Class, rules: &Rules) -> bool {
    let shape = Shape::of(value);
    let letters = shape.lower + shape.upper;
    if is_placeholder(value, rules.words(class)) || is_of_a_program(value, &shape, read) {
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
    let sure = || is_mixed(value, 20) || is_random(value, 20) || is_uuid(value);
    match (class, read.sign) {
        (Class::Password, Sign::Clear | Sign::Compared) => {
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
        (Class::Token, Sign::Clear | Sign::Compared) => {
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
        (Class::Weak | Class::Clear, Sign::Clear | Sign::Compared) => token && !place && drawn,
        (Class::Inner, Sign::Clear | Sign::Compared) => {
            token && !place && (is_mixed(value, 20) || is_uuid(value))
        }
        (Class::Service, _) => {
            // Issued keys have an even length, except 32 bytes in base64 without padding.
            let usual = shape.len.is_multiple_of(2) || shape.len == 43;
            token && usual && !place && !version && sure()
        }
        (Class::Clear | Class::Inner, _) => false,
        (Class::Weak, Sign::Comma) => token && !place && is_random(value, 20),
        (Class::Weak, Sign::Faint) => token && !place && !version && sure(),
    }
}

/// Whether a value is a part of a program or of a style sheet, rather than a text.
fn is_of_a_program(value: &str, shape: &Shape, read: &Value) -> bool {
    // Between two quoted texts of a program, and a selector of a style sheet.
    let between = read.quoted
        && value.starts_with(['+', '.', ',', ')', ';', ' '])
        && !value.trim().bytes().all(is_token_byte);
    let selector = value.starts_with(['#', '.']) && shape.digit == 0 && shape.upper == 0;
    let declared =
        shape.digit == 0 && (is_type(value) || value.ends_with("String") || value.ends_with("Bytes"));
    // A bare word that a name is compared with is a name, too.
    let bare = !read.quoted && (declared || is_code(value) || read.sign == Sign::Compared);
    !value.chars().any(char::is_alphanumeric) || between || selector || bare
}

/// Letters in quotation marks with a symbol among them that no word has: `super$ecret`.
fn is_odd(value: &str, shape: &Shape, read: &Value) -> bool {
    read.quoted
        && shape.len >= 8
        && shape.other > 0
        && value.contains(['$', '!', '@', '#', '%', '^', '*', '+', '='])
}

/// `http://api:8000/v1`, `auth:3000/login`: the name of a machine, and a port.
fn is_host(text: &str, start: usize, end: usize, value: &Value, class: Class) -> bool {
    let port = text.get(end..).and_then(|rest| rest.strip_prefix(':')).unwrap_or_default();
    let digits = port.bytes().take_while(u8::is_ascii_digit).count();
    let behind = port.as_bytes().get(digits).copied();
    let ends =
        matches!(behind, None | Some(b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b')' | b'>' | b',' | b';'))
            || behind.is_some_and(|byte| byte.is_ascii_whitespace());
    let address = text.get(..start).is_some_and(|before| before.ends_with("://"));
    let path = behind == Some(b'/') && class != Class::Password;
    value.start == end + 1 && (2..=5).contains(&digits) && ends && (address || path)
}

/// `cannot access 'dist/index-4f3a9c21.js'`: a path, beside a word that stands in many sentences. Its first folder has a name of small
/// letters, as no drawn value has.
fn names_path(shown: &str, value: &Value, class: Class) -> bool {
    let loose = class == Class::Weak || value.sign != Sign::Clear && class != Class::Password;
    let folder = shown.split_once('/').map(|(folder, _)| folder).unwrap_or_default();
    loose
        && folder.len() >= 2
        && folder.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.'))
}

/// `/assets/password-reset-BxK2f9qL.js`, `/account/password-3f9a0c7e`: a part of a path or the name of a file.
fn is_in_path(text: &str, start: usize, value: &str) -> bool {
    let before = text.get(text.floor_char_boundary(start.saturating_sub(64))..start).unwrap_or_default();
    let word = before.rsplit([' ', '\t', '\n', '"', '\'', '=', ',']).next().unwrap_or_default();
    let file = value.rsplit_once('.').is_some_and(|(_, kind)| {
        (2..=5).contains(&kind.len())
            && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    });
    word.contains('/') || file
}

/// `password: the one you chose`: more words follow.
fn is_prose(text: &str, read: &Value, value: &str) -> bool {
    if read.quoted || !value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-')) {
        return false;
    }
    let rest = text.get(read.end..text.floor_char_boundary(read.end.saturating_add(24))).unwrap_or_default();
    let rest = rest.split('\n').next().unwrap_or_default();
    let mut next = rest.strip_prefix(' ').unwrap_or_default().chars();
    next.next().is_some_and(char::is_alphabetic) && next.next().is_some_and(|c| c.is_alphabetic() || c == ' ')
}
