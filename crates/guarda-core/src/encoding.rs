//! Decoders for other notations of bytes: hexadecimal, base32, base64, and escapes in text.

/// A notation that writes a fixed number of bits with each character.
pub(crate) struct Notation {
    width: u32,
    value: fn(u8) -> Option<u8>,
}

/// Two digits a byte.
pub(crate) const HEX: Notation = Notation { width: 4, value: hex };
/// RFC 4648, in capital letters.
pub(crate) const BASE32: Notation = Notation { width: 5, value: base32 };
/// RFC 4648, with either alphabet.
pub(crate) const BASE64: Notation = Notation { width: 6, value: base64 };

impl Notation {
    /// Decodes text without padding. The result is empty if a character is not in the alphabet.
    pub(crate) fn decode(&self, text: &[u8]) -> Vec<u8> {
        self.bytes(text).collect::<Option<_>>().unwrap_or_default()
    }

    /// The bytes of text without padding, one by one; `None` in place of a character that is not in the alphabet.
    pub(crate) fn bytes(&self, text: &[u8]) -> impl Iterator<Item = Option<u8>> {
        let mut signs = text.iter();
        let (mut held, mut count) = (0_u32, 0);
        std::iter::from_fn(move || {
            while count < 8 {
                let Some(value) = (self.value)(*signs.next()?) else { return Some(None) };
                held = held << self.width | u32::from(value);
                count += self.width;
            }
            count -= 8;
            Some(Some(u8::try_from(held >> count & 0xff).unwrap_or_default()))
        })
    }

    /// How many bytes this many characters stand for.
    pub(crate) fn len(&self, signs: usize) -> usize {
        signs * self.width as usize / 8
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn base32(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    }
}

fn base64(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// The character that an escape at the beginning stands for, and the escape's length.
pub(crate) fn escape(rest: &[u8]) -> Option<(char, usize)> {
    let digits = |from: usize, len: usize, radix: u32| -> Option<u32> {
        let text = std::str::from_utf8(rest.get(from..from + len)?).ok()?;
        (len > 0 && text.bytes().all(|byte| char::from(byte).is_digit(radix)))
            .then(|| u32::from_str_radix(text, radix).ok())?
    };
    let count = |from: usize, most: usize, radix: u32| {
        rest.get(from..)
            .unwrap_or_default()
            .iter()
            .take(most)
            .take_while(|byte| char::from(**byte).is_digit(radix))
            .count()
    };
    let letter = |code: u32, len: usize| {
        let c = char::from_u32(code)?;
        Some((if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c }, len))
    };
    match rest {
        // `%25` first, for doubly escaped text.
        [b'%', b'2', b'5', ..] if digits(3, 2, 16).is_some() => letter(digits(3, 2, 16)?, 5),
        [b'%', ..] => letter(digits(1, 2, 16)?, 3),
        [b'\\', b'\\', b'u', ..] => letter(digits(3, 4, 16)?, 7),
        [b'\\', b'u', b'{', ..] => {
            let len = count(3, 6, 16);
            (rest.get(3 + len) == Some(&b'}')).then(|| letter(digits(3, len, 16)?, 4 + len))?
        }
        [b'\\', b'u', ..] => letter(digits(2, 4, 16)?, 6),
        [b'\\', b'U', ..] => letter(digits(2, 8, 16)?, 10),
        [b'\\', b'\\', b'x', ..] => letter(digits(3, 2, 16)?, 5),
        [b'\\', b'x', ..] => letter(digits(2, 2, 16)?, 4),
        [b'\\', b'0'..=b'3', ..] => letter(digits(1, 3, 8)?, 4),
        [b'&', b'#', b'x' | b'X', ..] => {
            let len = count(3, 6, 16);
            letter(digits(3, len, 16)?, 3 + len + usize::from(rest.get(3 + len) == Some(&b';')))
        }
        [b'&', b'#', ..] => {
            let len = count(2, 7, 10);
            letter(digits(2, len, 10)?, 2 + len + usize::from(rest.get(2 + len) == Some(&b';')))
        }
        [b'&', ..] => {
            let named = [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&apos;", '\''), ("&equals;", '=')];
            named.iter().find(|(name, _)| rest.starts_with(name.as_bytes())).map(|(name, c)| (*c, name.len()))
        }
        _ => None,
    }
}
