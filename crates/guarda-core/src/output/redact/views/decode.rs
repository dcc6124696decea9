//! Decodes other notations: escapes, hexadecimal, base64, base32, and folded lines. Each gives another
//! reading of the text, which is searched for the same secrets.

use super::view::View;
use crate::encoding::{BASE32, BASE64, HEX, Notation, escape};
use crate::output::redact::value::{is_random, is_token_byte};

/// The shortest run of letters and digits that is decoded.
const RUN: usize = 20;
/// The shortest run at the end of a line that may continue on the next one.
const FOLD: usize = 16;
/// The shortest line that may have been folded.
const WIDE: usize = 40;

/// The text with resolved escapes: `%41`, `\x41`, `\u0041`, `\u{41}`, `\101`, `&#65;`, `&quot;`. `None` where it
/// has none.
pub(crate) fn escapes(text: &str) -> Option<View> {
    let bytes = text.as_bytes();
    let mut view = View::default();
    let (mut at, mut plain, mut any) = (0, 0, false);
    while let Some(skip) = memchr::memchr3(b'%', b'\\', b'&', bytes.get(at..)?) {
        let start = at + skip;
        // Letters of several bytes are escaped byte by byte.
        let (mut end, mut decoded) = (start, Vec::new());
        while let Some((byte, len)) = escape(bytes.get(end..)?) {
            decoded.extend_from_slice(byte.encode_utf8(&mut [0; 4]).as_bytes());
            end += len;
            if decoded.len() >= 4 {
                break;
            }
        }
        if end == start {
            at = start + 1;
            continue;
        }
        any = true;
        view.plain(text, plain, start);
        // One character at a time, so that each keeps its own position.
        let mut from = start;
        while let Some((c, len)) = bytes.get(from..end).and_then(escape) {
            view.whole(c.encode_utf8(&mut [0; 4]), from, from + len);
            from += len;
        }
        plain = end;
        at = end;
    }
    view.plain(text, plain, text.len());
    any.then_some(view)
}

/// The text with its folded lines joined. `None` if no
/// line continues.
pub(crate) fn unfolded(text: &str) -> Option<View> {
    let mut view = View::default();
    let (mut from, mut at, mut any) = (0, 0, false);
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let end = at + line.len();
        if let Some(kept) = may_go_on(line)
            && let Some(next) = lines.peek()
        {
            let lead = next.len() - next.trim_start_matches([' ', '\t', '>', '|', '"', '\'', '+']).len();
            let goes_on = next.get(lead..).is_some_and(|rest| !begins_with_word(rest));
            if goes_on {
                view.plain(text, from, at + kept);
                from = end + lead;
                any = true;
            }
        }
        at = end;
    }
    view.plain(text, from, text.len());
    any.then_some(view)
}

/// Whether a line begins with something other than random text: a plain word, or no letter at all.
fn begins_with_word(line: &str) -> bool {
    let run = line.bytes().take_while(|byte| is_token_byte(*byte)).count();
    let (run, rest) = line.split_at(run);
    run.is_empty() || rest.starts_with(' ') && run.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether a line ends within random text: its length up to there.
pub(crate) fn may_go_on(line: &str) -> Option<usize> {
    if line.len() < FOLD {
        return None;
    }
    let body = line.trim_end();
    let body = body.trim_end_matches(['\\', '"', '\'', '+', ' ']);
    let run = body.bytes().rev().take_while(|byte| is_token_byte(*byte)).count();
    if run < FOLD || (body.len() < WIDE && body.trim_start().len() != run) {
        return None;
    }
    let tail = body.get(body.len() - run..)?;
    // Counted first, since that settles most lines of text and most paths.
    let count = |fits: fn(&u8) -> bool| tail.bytes().filter(fits).count();
    let mixed = count(u8::is_ascii_digit) >= 2
        || count(u8::is_ascii_uppercase) >= 4 && count(u8::is_ascii_lowercase) >= 4;
    (mixed && is_random(tail, FOLD)).then_some(body.len())
}

/// The runs of letters and digits decoded as hexadecimal, base32 and base64, if they are text. `None` if
/// there are none.
pub(crate) fn runs(text: &str) -> Option<View> {
    let bytes = text.as_bytes();
    let in_run = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-');
    let mut view = View::default();
    for (start, end) in crate::output::redact::forms::runs::long(bytes, RUN, in_run) {
        run(bytes.get(start..end)?, start, &mut view);
    }
    (!view.text.is_empty()).then_some(view)
}

fn run(run: &[u8], start: usize, view: &mut View) {
    let mut add = |notation: &Notation, skip: usize, signs: usize, bytes: usize| {
        let (rest, from) = (run.get(skip..).unwrap_or_default(), start + skip);
        if !is_promising(notation, rest) {
            return false;
        }
        let decoded = notation.decode(rest);
        if is_private_key(&decoded) {
            view.part();
            view.whole(BLOCK, from, start + run.len());
            return true;
        }
        let Some(part) = readable(&decoded) else { return false };
        view.part();
        view.scaled(&part, from, start + run.len(), signs, bytes);
        true
    };
    if run.iter().all(u8::is_ascii_hexdigit) {
        for skip in [0, 1] {
            if add(&HEX, skip, 2, 1) {
                return;
            }
        }
    }
    if run.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7'))
        && add(&BASE32, 0, 8, 5)
    {
        return;
    }
    // Characters before the run may belong to it by chance: `/v1/dXNl…`.
    for skip in 0..4 {
        if add(&BASE64, skip, 4, 3) {
            return;
        }
    }
}

/// The header that is put before a key without one.
const BLOCK: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----";

/// The beginning of a private key: a sequence whose first part is the version, or the magic of OpenSSH.
fn is_private_key(decoded: &[u8]) -> bool {
    let version = |rest: &[u8]| matches!(rest, [0x02, 0x01, 0x00 | 0x01, 0x02 | 0x04 | 0x30, ..]);
    decoded.len() >= 48
        && match decoded {
            [0x30, 0x82, _, _, rest @ ..] | [0x30, 0x81, _, rest @ ..] => version(rest),
            [0x30, 0..=0x7f, rest @ ..] => version(rest),
            _ => decoded.starts_with(b"openssh-key-v1"),
        }
}

/// Whether the decoded bytes can be a key or text, looked at only as far as it takes to tell: most runs are paths and
/// words, which stand for noise.
fn is_promising(notation: &Notation, signs: &[u8]) -> bool {
    let total = notation.len(signs.len());
    let mut odd = 0;
    for (at, byte) in notation.bytes(signs).enumerate() {
        let Some(byte) = byte else { return false };
        if at == 0 && (byte == KEY_BYTES.0 || byte == KEY_BYTES.1) {
            return true;
        }
        odd += usize::from(is_odd(byte));
        if odd * 10 > total {
            return false;
        }
    }
    true
}

/// The first byte of a key in DER and of one in OpenSSH's own form: see [`is_private_key`].
const KEY_BYTES: (u8, u8) = (0x30, b'o');

/// Whether a byte does not belong in text.
fn is_odd(byte: u8) -> bool {
    !(byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t'))
}

/// The decoded bytes as text, if they are text; each byte stays one.
pub(crate) fn readable(decoded: &[u8]) -> Option<String> {
    if decoded.len() < 8 {
        return None;
    }
    let odd = decoded.iter().filter(|byte| is_odd(**byte)).count();
    let letters = decoded.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let sign = |byte: &u8| match byte {
        // UTF-16, in which shells of Windows encode their commands: every second byte is zero.
        0 => '\r',
        byte if byte.is_ascii() => char::from(*byte),
        _ => '?',
    };
    (odd * 10 <= decoded.len() && letters * 2 >= decoded.len()).then(|| decoded.iter().map(sign).collect())
}
