//! `$'…'`: text with escapes.

/// The content between the quotes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub text: String,
    /// True if a letter is needlessly written as a number.
    pub hides: bool,
}

/// Decodes the text between the quotes, as bash does; text after a NUL is lost.
///
/// # Errors
/// The reason, if the bytes are not text, or bash's reading of them depends on more than the text.
pub(crate) fn decode(raw: &[u8]) -> Result<Decoded, &'static str> {
    let mut hides = false;
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some(escape) = rest.next() else {
            bytes.push(b'\\');
            break;
        };
        let mut digits = |radix: u32, most: u32, mut value: u32| {
            let mut count = 0;
            while count < most
                && let Some(digit) = rest.peek().and_then(|byte| char::from(*byte).to_digit(radix))
            {
                value = value.wrapping_mul(radix).wrapping_add(digit);
                let _ = rest.next();
                count += 1;
            }
            (value, count)
        };
        match escape {
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'e' | b'E' => bytes.push(27),
            b'f' => bytes.push(12),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'v' => bytes.push(11),
            b'\\' | b'\'' | b'"' | b'?' => bytes.push(escape),
            b'0'..=b'7' => {
                let (value, _) = digits(8, 2, u32::from(escape - b'0'));
                hides |= is_letter(value);
                bytes.push(value.to_le_bytes()[0]);
            }
            b'x' => {
                let (value, count) = digits(16, 2, 0);
                if count == 0 {
                    return Err("an escape in a quote has no digits");
                }
                hides |= is_letter(value);
                bytes.push(value.to_le_bytes()[0]);
            }
            b'u' | b'U' => {
                let (value, count) = digits(16, if escape == b'u' { 4 } else { 8 }, 0);
                if count == 0 {
                    return Err("an escape in a quote has no digits");
                }
                let Some(character) = char::from_u32(value) else {
                    return Err("an escape in a quote is no character");
                };
                hides |= is_letter(value);
                bytes.extend(character.to_string().bytes());
            }
            b'c' => match rest.next() {
                Some(next) if next.is_ascii_alphabetic() => bytes.push(next & 0x1f),
                _ => return Err("a control character in a quote is written strangely"),
            },
            _ => {
                bytes.push(b'\\');
                bytes.push(escape);
            }
        }
        if bytes.last() == Some(&0) {
            break;
        }
    }
    // Bash ends the text at a NUL.
    if let Some(end) = memchr::memchr(0, &bytes) {
        bytes.truncate(end);
    }
    // Bash marks quotes in its own texts with these two, and doubles or loses them when it reads a text twice.
    if memchr::memchr2(1, 0x7f, &bytes).is_some() {
        return Err("a control character that bash uses for itself");
    }
    let text = String::from_utf8(bytes).map_err(|_| "bytes that are not UTF-8")?;
    Ok(Decoded { text, hides })
}

fn is_letter(value: u32) -> bool {
    char::from_u32(value).is_some_and(|letter| letter.is_ascii_graphic() || letter == ' ')
}

#[cfg(test)]
mod tests {
    #[test]
    fn letters_as_numbers_hide_and_controls_do_not() {
        for (raw, hides) in
            [(r"\x72m", true), (r"\057etc", true), (r"\u0072", true), (r"\x1b[0m", false), (r"\t\n", false)]
        {
            assert_eq!(super::decode(raw.as_bytes()).map(|decoded| decoded.hides), Ok(hides), "{raw}");
        }
    }

    #[test]
    fn escapes_become_what_bash_makes_of_them() {
        for (raw, text) in [
            (r"\x72m", "rm"),
            (r"\162\155", "rm"),
            (r"\u0072\U0000006d", "rm"),
            (r"rm\0zz", "rm"),
            (r"rm\x00zz", "rm"),
            (r"a\tb\nc", "a\tb\nc"),
            (r"\xc3\xa9", "é"),
            (r"\cB\e", "\u{2}\u{1b}"),
            (r"\z\'", "\\z'"),
            (r"\1234", "S4"),
        ] {
            assert_eq!(
                super::decode(raw.as_bytes()).map(|decoded| decoded.text).as_deref(),
                Ok(text),
                "{raw}"
            );
        }
        assert!(super::decode(br"\xff").is_err());
        assert!(super::decode(br"\x").is_err());
    }
}
