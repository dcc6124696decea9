//! Signs of a command that hides from its reader: text that is harmless for bash and has no reason but to fool a guard.

use crate::action::script::{Script, Span};

/// Where a line disguises what it says, if it does.
pub(super) fn find(script: &Script) -> Option<(Span, &'static str)> {
    let source = script.source();
    if source.is_ascii() && !source.contains('$') {
        return None;
    }
    ifs_as_blank(source)
        .map(|span| (span, "a variable stands in for a blank"))
        .or_else(|| letters_by_number(source).map(|span| (span, "letters are written as numbers")))
        .or_else(|| cut_from_variable(source).map(|span| (span, "a letter is cut out of a variable")))
        .or_else(|| {
            rewritten_variable(source)
                .map(|span| (span, "a value from elsewhere is rewritten into another text"))
        })
        .or_else(|| invisible(source).map(|span| (span, "there are invisible or look-alike characters")))
}

/// `cat${IFS}x`.
fn ifs_as_blank(source: &str) -> Option<Span> {
    for needle in ["${IFS", "$IFS"] {
        for (at, _) in source.match_indices(needle) {
            let before = source.get(..at).and_then(|head| head.chars().next_back());
            if before.is_some_and(|letter| {
                !letter.is_whitespace() && !matches!(letter, '"' | '\'' | '=' | ';' | '(')
            }) {
                return Some(Span { start: at, end: at + needle.len() });
            }
        }
    }
    None
}

/// `$'\x72\x6d'`, `$'\162'`: letters that could have been written as they are.
fn letters_by_number(source: &str) -> Option<Span> {
    for (at, _) in source.match_indices("$'") {
        let body = source.get(at + 2..).unwrap_or_default();
        let body = body.get(..body.find('\'').unwrap_or(body.len())).unwrap_or_default();
        let bytes = body.as_bytes();
        for (offset, _) in body.match_indices('\\') {
            let digits = |from: usize, radix: u32, most: usize| {
                let mut value = 0u32;
                let mut count = 0usize;
                while count < most {
                    let Some(digit) =
                        bytes.get(from + count).and_then(|byte| char::from(*byte).to_digit(radix))
                    else {
                        break;
                    };
                    value = value * radix + digit;
                    count += 1;
                }
                (count > 0).then_some(value)
            };
            let value = match bytes.get(offset + 1) {
                Some(b'x') => digits(offset + 2, 16, 2),
                Some(b'u') => digits(offset + 2, 16, 4),
                Some(b'U') => digits(offset + 2, 16, 8),
                Some(b'0'..=b'7') => digits(offset + 1, 8, 3),
                _ => None,
            };
            if value.and_then(char::from_u32).is_some_and(|letter| letter.is_ascii_graphic() || letter == ' ')
            {
                return Some(Span { start: at, end: at + 2 + body.len() });
            }
        }
    }
    None
}

/// `${HOME:0:1}`, `${PATH:0:1}`.
fn cut_from_variable(source: &str) -> Option<Span> {
    if !source.contains("${") {
        return None;
    }
    for name in ["HOME", "PATH", "PWD", "SHELL", "USER", "LS_COLORS", "LANG", "BASH", "0"] {
        let needle = format!("${{{name}:");
        if let Some(at) = source.find(&needle) {
            let rest = source.get(at + needle.len()..).unwrap_or_default();
            if rest.starts_with(|letter: char| letter.is_ascii_digit() || letter == '$' || letter == ' ') {
                return Some(Span { start: at, end: at + needle.len() });
            }
        }
    }
    None
}

/// `${x//from/to}` of a variable that the line does not set: what it becomes can be anything.
fn rewritten_variable(source: &str) -> Option<Span> {
    for (at, _) in source.match_indices("${") {
        let rest = source.get(at + 2..).unwrap_or_default();
        let length =
            rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).unwrap_or(0);
        let name = rest.get(..length).unwrap_or_default();
        let behind = rest.get(length..).unwrap_or_default();
        // `${PATH//:/ }`: the same folders, with something else between them.
        let folders = name.ends_with("PATH") || name.ends_with("DIRS");
        if name.is_empty() || !behind.starts_with("//") || folders && behind.starts_with("//:/") {
            continue;
        }
        let set = [
            format!("{name}="),
            format!("for {name}"),
            format!(" {name};"),
            format!(" {name}\n"),
            format!("-v {name}"),
        ]
        .iter()
        .any(|sign| source.contains(sign.as_str()))
            || source.contains("read ")
            || name.bytes().all(|byte| byte.is_ascii_digit());
        if !set {
            return Some(Span { start: at, end: at + 2 + length });
        }
    }
    None
}

/// Characters that are not seen, or that turn the text around.
fn invisible(source: &str) -> Option<Span> {
    if source.is_ascii() {
        return None;
    }
    source.char_indices().find_map(|(at, letter)| {
        let hidden = matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}');
        hidden.then_some(Span { start: at, end: at + letter.len_utf8() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises() {
        for line in ["ls${IFS}-la", "cat$IFS/etc/passwd", "$'\\x72\\x6d' x", "cat $'\\057etc'"] {
            assert!(ifs_as_blank(line).or_else(|| letters_by_number(line)).is_some(), "{line}");
        }
        for line in ["OLD=$IFS", "echo \"$IFS\"", "IFS=$'\\n'", "printf $'\\x1b[0m'", "IFS=$'\\t\\n'"] {
            assert!(ifs_as_blank(line).or_else(|| letters_by_number(line)).is_none(), "{line}");
        }
        assert!(cut_from_variable("cat ${HOME:0:1}etc").is_some());
        assert!(cut_from_variable("echo ${HOME:-/x}").is_none());
        assert!(invisible("l\u{200b}s").is_some());
        assert!(invisible("echo olá").is_none());
    }
}
