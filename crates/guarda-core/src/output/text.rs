//! Converts bytes to text for a terminal, a screen reader or a model: valid UTF-8 without control characters.

use std::borrow::Cow;

/// Decodes bytes to text. Removes terminal escape sequences, invisible characters and characters that change the
/// writing direction. Other control characters become line feeds or are removed.
///
/// ```
/// use guarda_core::output::text::readable;
///
/// assert_eq!(readable(b"a\x1b[2Kb"), "ab");
/// ```
#[must_use]
pub fn readable(bytes: &[u8]) -> String {
    let bytes = narrow(bytes);
    let source = String::from_utf8_lossy(&bytes);
    let mut text = String::with_capacity(source.len());
    let mut rest = source.as_ref();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '\u{1b}' => escape(after),
            // The same introducers as single characters (C1).
            '\u{9b}' => control_sequence(after),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => string_sequence(after),
            '\r' => {
                // `\r
                // ` ends a line. A lone `\r` restarts the line; the text before it stays readable.
                if !after.starts_with('\n') && !text.ends_with('\n') {
                    text.push('\n');
                }
                after
            }
            '\u{8}' => {
                // Overstriking, as in manual pages: it removes the character before.
                if !text.ends_with('\n') {
                    text.pop();
                }
                after
            }
            '\0' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                text.push('\n');
                after
            }
            '\n' | '\t' => {
                text.push(c);
                after
            }
            _ if c.is_control() || is_unseen(c) => after,
            _ => {
                text.push(c);
                after
            }
        };
    }
    text
}

/// The shortest run of characters that is decoded as UTF-16.
const WIDE: usize = 6;

/// Decodes UTF-16 text within the bytes: a character, a zero, a character, a zero. Letters beyond ASCII end such a
/// run and stay unchanged.
fn narrow(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(0, bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let plain = |byte: u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let little = |pair: &[u8]| matches!(pair, [byte, 0] if plain(*byte));
    let big = |pair: &[u8]| matches!(pair, [0, byte] if plain(*byte));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let run = |fits: &dyn Fn(&[u8]) -> bool| rest.chunks_exact(2).take_while(|pair| fits(pair)).count();
        let (low, high) = (run(&little), run(&big));
        if low.max(high) < WIDE {
            // Not examined again: a run that is too short contains no longer one.
            let skip = (2 * low.max(high)).max(1);
            out.extend_from_slice(rest.get(..skip).unwrap_or(rest));
            at += skip;
            continue;
        }
        let (pairs, index) = if low >= high { (low, 0) } else { (high, 1) };
        out.extend(rest.chunks_exact(2).take(pairs).filter_map(|pair| pair.get(index)));
        at += 2 * pairs;
    }
    Cow::Owned(out)
}

/// Invisible characters, and those that only change how others are drawn: variation selectors, musical and shorthand marks.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    guarda_shell::is_invisible(c)
        || matches!(c,
            '\u{fe00}'..='\u{fe0f}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// The characters after ESC.
fn escape(after: &str) -> &str {
    match after.chars().next() {
        Some('[') => control_sequence(after.get(1..).unwrap_or_default()),
        Some(']' | 'P' | 'X' | '^' | '_') => string_sequence(after.get(1..).unwrap_or_default()),
        // Intermediates and a final byte: character sets, keypad modes.
        Some(c) if c.is_ascii_graphic() || c == ' ' => {
            let middle = after.bytes().take_while(|byte| (0x20..=0x2f).contains(byte)).count();
            let last = after.as_bytes().get(middle).is_some_and(|byte| (0x30..=0x7e).contains(byte));
            after.get(middle + usize::from(last)..).unwrap_or_default()
        }
        _ => after,
    }
}

/// The characters after CSI: parameters, intermediates, one final byte.
fn control_sequence(after: &str) -> &str {
    let body = after.bytes().take_while(|byte| (0x20..=0x3f).contains(byte)).count();
    let last = after.as_bytes().get(body).is_some_and(|byte| (0x40..=0x7e).contains(byte));
    after.get(body + usize::from(last)..).unwrap_or_default()
}

/// The characters after OSC, DCS and similar: text up to BEL or ST. An unclosed one ends with its line.
fn string_sequence(after: &str) -> &str {
    for (at, c) in after.char_indices() {
        match c {
            '\u{7}' | '\u{9c}' => return after.get(at + c.len_utf8()..).unwrap_or_default(),
            '\u{1b}' => {
                let rest = after.get(at + 1..).unwrap_or_default();
                return rest.strip_prefix('\\').unwrap_or(after.get(at..).unwrap_or_default());
            }
            '\n' => return after.get(at..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

/// True if the bytes are not text: more than a tenth of the first thousand are control characters or invalid
/// UTF-8 (feature S8).
#[must_use]
pub fn is_binary(bytes: &[u8]) -> bool {
    let head = narrow(bytes.get(..bytes.len().min(1000)).unwrap_or_default());
    let head = head.as_ref();
    let mut odd = 0;
    let mut rest = head;
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                odd += odd_characters(text);
                break;
            }
            Err(error) => {
                let (good, bad) = rest.split_at(error.valid_up_to());
                odd += std::str::from_utf8(good).map_or(0, odd_characters);
                // A character that the limit cuts in two is not an error.
                let Some(len) = error.error_len() else { break };
                odd += len;
                rest = bad.get(len..).unwrap_or_default();
            }
        }
    }
    odd * 10 > head.len()
}

/// Control characters that text does not have. NUL separates the names of `find -print0`, and is allowed if it is
/// rare.
fn odd_characters(text: &str) -> usize {
    text.chars().filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{8}')).count()
}
