//! Reads the value next to a name, in the notations of many languages: `= "x"`, `: x`, `=> 'x'`, `>x<` …

use super::name::is_name_byte;
use crate::output::redact::forms::literal::Stretch;
use crate::output::redact::value::is_mixed;

/// The longest value that is examined.
pub(crate) const VALUE: usize = 2048;

/// A value beside a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value {
    pub start: usize,
    pub end: usize,
    /// Whether it was in quotation marks.
    pub quoted: bool,
    pub sign: Sign,
}

/// The separator between a name and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// `=`, `:`, `=>` …
    Clear,
    /// `==`, `!=` …: a comparison.
    Compared,
    /// A comma, after a quotation mark.
    Comma,
    /// A dash or a blank.
    Faint,
}

impl Value {
    pub fn read(text: &str, at: usize, name_quoted: bool) -> Option<Self> {
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
        // `password: |` and `password: >-`: a block of YAML below.
        let block = sign == Sign::Clear && matches!(get(after), b'|' | b'>');
        let head = after + usize::from(block) + usize::from(block && matches!(get(after + 1), b'-' | b'+'));
        if block && matches!(get(head), b'\n' | b'\r') {
            return Self::line_below(text, head, sign);
        }
        if matches!(get(after), b'\n' | b'\r') {
            match next_line(bytes, after, sign) {
                Some(quoted) => after = quoted,
                None => return Self::line_below(text, after, sign).filter(|read| read.stands_alone(text)),
            }
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
        // `environ.get("PASSWORD", None) or "x"`.
        if sign == Sign::Comma && matches!(word, "None" | "null" | "nil" | "undefined") {
            let next = blanks(bytes, read.end);
            let next = if get(next) == b')' { blanks(bytes, next + 1) } else { next };
            if let Some(len) = otherwise(bytes.get(next..)?) {
                return Self::one(text, next + len, Sign::Clear);
            }
        }
        Some(read)
    }

    /// The next line with text, at most three blank lines below.
    fn line_below(text: &str, at: usize, sign: Sign) -> Option<Self> {
        if sign != Sign::Clear {
            return None;
        }
        let rest = text.get(at..text.floor_char_boundary(at.saturating_add(VALUE)))?;
        let skip = rest.len() - rest.trim_start().len();
        let feeds = rest.get(..skip)?.matches('\n').count();
        let line = rest.get(skip..)?.lines().next()?.trim_end();
        ((1..=4).contains(&feeds) && !line.is_empty()).then_some(Self {
            start: at + skip,
            end: at + skip + line.len(),
            quoted: false,
            sign,
        })
    }

    /// True if the value is alone on its line, a single word, and not itself a name.
    fn stands_alone(&self, text: &str) -> bool {
        let word = text.get(self.start..self.end).unwrap_or_default();
        let shape = crate::output::redact::value::Shape::of(word);
        !word.contains(char::is_whitespace)
            && !word.contains(['=', ':', '(', '{', '<', '['])
            && !word.starts_with(['-', '#', '/', '.', '@'])
            && shape.digit > 0
            && shape.lower + shape.upper > 1
    }

    /// Reads one value that begins at `at`.
    fn one(text: &str, at: usize, sign: Sign) -> Option<Self> {
        let bytes = text.as_bytes();
        let get = |index: usize| bytes.get(index).copied().unwrap_or(b'\n');
        let mut at = at;
        let mut escaped = false;
        // `b"`, `@"`, `N'`, `["`, `\"`: the prefixes of a quotation mark.
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
            // An unclosed quotation mark: the value ends at the next blank.
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
        // `a=b&c=d` and `a=b;c=d` continue with another name.
        let next = value.char_indices().skip(1).find(|(index, c)| {
            matches!(c, '&' | ';' | ',' | '|')
                && (*c == ';'
                    || (*c == '&' && *index >= 16 && is_mixed(value.get(..*index).unwrap_or_default(), 16))
                    || value.get(index + 1..).is_some_and(|rest| rest.is_empty() || names_another(rest)))
        });
        len = next.map_or(len, |(index, _)| index);
        len = value.find("%26").unwrap_or(len).min(len);
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

/// Reads the separator at `at`; `gap` is the start of the blanks before it.
fn sign(bytes: &[u8], at: usize, gap: usize, quoted: bool) -> Option<(Sign, usize)> {
    const CLEAR: [&[u8]; 18] = [
        b"::=", b"===", b"!==", b"||=", b":=", b"==", b"!=", b"=>", b"->", b"?=", b"<-", b"~=", b"=:", b"=~",
        b"%3D", b"%3d", b"=", b":",
    ];
    let rest = bytes.get(at..)?;
    for sign in &CLEAR {
        if rest.starts_with(sign) {
            let after = rest.get(sign.len()).copied().unwrap_or(b'\n');
            // `a::b` is a path and `x://` an address.
            if *sign == b":" && (after == b':' || rest.starts_with(b"://")) {
                return None;
            }
            let compares = matches!(*sign, b"===" | b"!==" | b"==" | b"!=" | b"=~");
            return Some((if compares { Sign::Compared } else { Sign::Clear }, at + sign.len()));
        }
    }
    if let Some(len) = otherwise(rest) {
        return Some((Sign::Clear, at + len));
    }
    match rest.first()? {
        b',' if quoted => Some((Sign::Comma, at + 1)),
        b'|' => Some((Sign::Faint, at + 1)),
        b'-' => Some((Sign::Faint, at + 1)),
        // `password of the database: x`, `password is: x`.
        _ if at > gap && words_then_sign(rest).is_some() => Some((Sign::Faint, at + words_then_sign(rest)?)),
        _ if let Some(verb) = IS.iter().find(|verb| rest.starts_with(verb.as_bytes())) => {
            Some((Sign::Faint, at + verb.len()))
        }
        _ if at > gap => Some((Sign::Faint, at)),
        _ => None,
    }
}

/// The verbs between a name and its value in a sentence: `my password is x`, `minha senha é x`, `mon mot de passe est x`.
const IS: [&str; 4] = ["is ", "to ", "é ", "est "];

/// `or "x"`, `|| "x"`, `?? "x"`: a fallback value. Returns the length of the operator.
fn otherwise(rest: &[u8]) -> Option<usize> {
    let signs: [&[u8]; 3] = [b"or ", b"|| ", b"?? "];
    let sign = signs.iter().find(|sign| rest.starts_with(sign))?;
    matches!(rest.get(sign.len()), Some(b'"' | b'\'' | b'`')).then_some(sign.len())
}

/// The length of up to four small words and a separator after them.
fn words_then_sign(rest: &[u8]) -> Option<usize> {
    let len = rest.iter().take(40).take_while(|byte| byte.is_ascii_lowercase() || **byte == b' ').count();
    let words = rest.get(..len)?.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).count();
    let sign = rest.get(len..)?;
    let ends = matches!(sign, [b':' | b'=', b' ' | b'"' | b'\'', ..]);
    ((1..=4).contains(&words) && ends).then_some(len + 1)
}

/// A value on the line below: a block of YAML (`|`, `>`), or a quotation mark.
fn next_line(bytes: &[u8], at: usize, sign: Sign) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let skip = rest.iter().take(64).take_while(|byte| byte.is_ascii_whitespace()).count();
    let first = rest.get(skip)?;
    (matches!(sign, Sign::Clear) && matches!(first, b'"' | b'\'')).then_some(at + skip)
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

pub(crate) fn is_type(word: &str) -> bool {
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
