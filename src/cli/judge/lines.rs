//! JSON Lines: answers each line of standard input with one line on standard output.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::app::CliError;

/// The buffer size for reading and writing, in bytes.
const BULK: usize = 64 * 1024;

/// Passes every non-empty line to `answer`, which writes one line. A closed pipe is not an error.
pub(in crate::cli) fn each(
    input: impl Read,
    output: impl Write,
    mut answer: impl FnMut(&[u8], &mut dyn Write) -> io::Result<()>,
) -> Result<(), CliError> {
    let mut input = BufReader::with_capacity(BULK, input);
    let mut output = BufWriter::with_capacity(BULK, output);
    let mut line = Vec::new();
    let mut work = || -> io::Result<()> {
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return output.flush();
            }
            if !line.trim_ascii().is_empty() {
                answer(&line, &mut output)?;
            }
            // A client that sends one line and waits gets its answer at once; a stream of lines is answered in bulk.
            if input.buffer().is_empty() {
                output.flush()?;
            }
        }
    };
    match work() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::system(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a value and a line feed. The value contains no other line break. Some readers also split at U+0085, U+2028
/// and U+2029, so a command with one of these characters could otherwise forge the answer to another line.
///
/// # Errors
/// If writing fails.
pub(in crate::cli) fn write(out: &mut (impl Write + ?Sized), value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, OneLine)).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Compact JSON with every Unicode line break escaped. Every JSON formatter escapes characters below U+0020.
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
