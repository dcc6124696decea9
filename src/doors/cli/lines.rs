//! JSON by the line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Writes a value and the end of the line. Nothing in it ends a line for any reader: some also split where Unicode does
/// (U+0085, U+2028, U+2029), and a command that holds one of these could else forge the answer to another line.
///
/// # Errors
/// As writing does.
pub(super) fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, OneLine)).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Compact, with every end of a line escaped; what stands below U+0020 is escaped by all formatters.
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        for piece in fragment.split_inclusive(ends) {
            let plain = piece.trim_end_matches(ends);
            out.write_all(plain.as_bytes())?;
            for end in piece.chars().rev().take_while(|letter| ends(*letter)) {
                write!(out, "\\u{:04x}", u32::from(end))?;
            }
        }
        Ok(())
    }
}

fn ends(letter: char) -> bool {
    matches!(letter, '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_reader_sees_more_than_one_line() {
        for text in
            ["a\u{2028}b\u{2029}\u{85}", "\u{85}", "\u{2028}\u{2028}x", "a\r\nb\u{b}\u{c}\u{1c}\u{1e}", "é"]
        {
            let mut out = Vec::new();
            super::write(&mut out, &text).unwrap();
            let line = String::from_utf8(out).unwrap();
            let ends = |letter: char| matches!(letter, '\u{a}'..='\u{d}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
            assert_eq!(line.chars().filter(|letter| ends(*letter)).count(), 1, "{line:?}");
            assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        }
    }
}
