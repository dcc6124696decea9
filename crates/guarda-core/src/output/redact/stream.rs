//! Redacts a stream line by line, and holds back only what the next line could still reveal.

use std::borrow::Cow;

use super::super::text::{is_binary, readable};
use super::hold::Hold;
use super::{BUILTIN, DEPTH, Known, Lines, find_within, hide};

/// The limit of held bytes.
pub const HELD: usize = 64 * 1024;

/// About how many bytes are searched at once. One search of many lines costs less than one for each; if it finds
/// something, it was in vain.
const GROUP: usize = 8 * 1024;

/// Complete parts that follow one another in the held bytes.
#[derive(Debug, Default)]
struct Group {
    start: usize,
    /// The end of each.
    ends: Vec<usize>,
}

/// The replacement of lines that could not be made safe.
const WITHHELD: &[u8] = b"[REDACTED_TEXT]\n";

/// Hides the secrets of text that arrives in pieces. The result does not depend on the pieces. For whole
/// lines it equals that of [`super::redact`], except that a value revealed only by a later line has already
/// been passed on.
///
/// Lines without a secret pass byte for byte, including colours. Bytes that are not text pass unchanged.
#[derive(Debug, Default)]
pub struct Stream {
    held: Vec<u8>,
    /// The start of the incomplete line.
    line: usize,
    /// The position up to which a line feed was searched.
    seen: usize,
    hold: Hold,
    known: Known,
    /// True while the lines of a private key that exceeded the limit are dropped.
    swallow: bool,
}

impl Stream {
    /// A stream that has not received anything yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and returns the ones that may be passed on.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::with_capacity(self.held.len());
        let mut group = Group::default();
        let mut from = 0;
        while let Some((end, in_key)) = self.next_end(from) {
            let part = self.held.get(from..end).unwrap_or_default();
            let alone =
                in_key || self.swallow || memchr::memchr(b'\n', part).is_some_and(|at| at + 1 < part.len());
            if alone || end - group.start >= GROUP {
                self.pass(&group, &mut out);
                group = Group { start: from, ends: Vec::new() };
            }
            group.ends.push(end);
            if alone {
                self.pass(&group, &mut out);
                group = Group { start: end, ends: Vec::new() };
            }
            from = end;
            self.line = end;
            self.seen = end;
            self.swallow |= in_key;
        }
        self.pass(&group, &mut out);
        self.held.drain(..from);
        self.line -= from;
        self.seen -= from;
        out
    }

    /// Passes complete parts on: as they are if they hold nothing to hide together, otherwise each by itself, so that
    /// the result does not depend on what arrived at once. Several parts are lines that stand for themselves.
    fn pass(&mut self, group: &Group, out: &mut Vec<u8>) {
        let Some(end) = group.ends.last() else { return };
        let whole = self.held.get(group.start..*end).unwrap_or_default();
        if group.ends.len() > 1 && self.known.is_harmless(whole) {
            out.extend_from_slice(whole);
            return;
        }
        let mut start = group.start;
        for end in &group.ends {
            let segment = self.held.get(start..*end).unwrap_or_default().to_vec();
            self.clean(&segment, out);
            start = *end;
        }
    }

    /// Takes the end of the text and returns the rest.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let rest = std::mem::take(&mut self.held);
        self.clean(&rest, &mut out);
        out
    }

    /// The end of the part that begins at `from`, if it is complete, and whether it is within a private key.
    fn next_end(&mut self, from: usize) -> Option<(usize, bool)> {
        loop {
            let limit = self.held.len().min(from + HELD);
            let rest = self.held.get(self.seen..limit).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', rest) {
                let end = self.seen + at + 1;
                let line = self.held.get(self.line..end).unwrap_or_default();
                // Nearly every line is text, and to see that is faster than to make it so.
                let line =
                    std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
                self.line = end;
                self.seen = end;
                if self.hold.closes_after(&line) {
                    return Some((end, false));
                }
                continue;
            }
            self.seen = limit;
            if limit < from + HELD {
                return None;
            }
            // The limit is exceeded: whole lines are passed on, or the longest part of a line without a name at its end.
            let in_key = self.hold.in_private_key();
            self.hold = Hold::default();
            let held = self.held.get(from..limit).unwrap_or_default();
            let end = if self.line > from { self.line } else { from + part_of_line(held) };
            return Some((end, in_key));
        }
    }

    fn clean(&mut self, segment: &[u8], out: &mut Vec<u8>) {
        let mut rest = segment;
        while self.swallow && !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at(end);
            let line = String::from_utf8_lossy(line);
            self.swallow = super::forms::block::is_body(&line);
            if !self.swallow && !line.contains("-----END ") {
                break;
            }
            rest = after;
        }
        if rest.is_empty() {
            return;
        }
        let whole = std::str::from_utf8(rest);
        if is_binary(rest) && (whole.is_err() || rest.contains(&0)) {
            out.extend_from_slice(&super::values::blanked(rest).unwrap_or_else(|| rest.to_vec()));
            return;
        }
        let hidden = match (BUILTIN.as_ref(), whole) {
            (Ok(rules), Ok(text)) if is_plain(text) => hide(rules, text, Some(&mut self.known)),
            (Ok(rules), _) => hide(rules, &readable(rest), Some(&mut self.known)),
            (Err(_), _) => Err(super::RedactionFailure),
        };
        match hidden {
            Ok((redacted, _)) if redacted.count == 0 => out.extend_from_slice(rest),
            Ok((redacted, _)) => out.extend_from_slice(redacted.text.as_bytes()),
            Err(_) => out.extend_from_slice(WITHHELD),
        }
    }
}

/// Whether a text has only characters that are seen: any other may divide a secret.
fn is_plain(text: &str) -> bool {
    let seen =
        |c: char| matches!(c, '\n' | '\r' | '\t') || !(c.is_control() || super::super::text::is_unseen(c));
    let printed = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    // Without a branch for each byte, the compiler compares many at once.
    let all = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & printed(byte));
    text.as_bytes().chunks(64).all(all) || text.chars().all(seen)
}

impl Known {
    /// Whether lines of a stream that stand for themselves hold nothing to hide. One with a mark or an end of an armoured
    /// block is looked at alone: what surrounds a value then decides.
    fn is_harmless(&mut self, bytes: &[u8]) -> bool {
        let (Ok(rules), Ok(text)) = (BUILTIN.as_ref(), std::str::from_utf8(bytes)) else { return false };
        let stands = |sign: &str| memchr::memmem::find(bytes, sign.as_bytes()).is_some();
        is_plain(text)
            && !stands("[REDACTED_")
            && !stands("-----")
            && !self.stands_in(text)
            && find_within(rules, text, DEPTH, Lines::Single).is_ok_and(|(places, _)| places.is_empty())
    }
}

/// How much of an overlong line is passed on: up to a character that no token contains, not near a name of
/// secrets, and before an unfinished armoured block.
fn part_of_line(line: &[u8]) -> usize {
    const NEAR: usize = 64;
    const BACK: usize = 8 * 1024;
    let Ok(rules) = BUILTIN.as_ref() else { return line.len() };
    let tail = line.len().saturating_sub(2 * BACK);
    let open = memchr::memmem::rfind(line, b"-----BEGIN ").filter(|at| {
        *at > tail && memchr::memmem::find(line.get(*at..).unwrap_or_default(), b"-----END ").is_none()
    });
    let most = open.unwrap_or(line.len().saturating_sub(NEAR));
    let tail = most.saturating_sub(BACK);
    let mut named = tail;
    // The ranges near a name, in order; the cut is in the last gap that has such a character.
    let mut cut = None;
    let mut look = |from: usize, to: usize| {
        let gap = line.get(from..to).unwrap_or_default();
        if let Some(at) = gap.iter().rposition(|byte| byte.is_ascii() && !super::value::is_token_byte(*byte))
        {
            cut = Some(from + at + 1);
        }
    };
    for hit in rules.finder.find_overlapping_iter(line.get(tail..).unwrap_or_default()) {
        look(named, (tail + hit.start()).min(most));
        named = named.max(tail + hit.end() + NEAR);
        if named >= most {
            break;
        }
    }
    look(named, most);
    let plain = || {
        let whole = line.len() - line.iter().rev().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        whole.saturating_sub(usize::from(whole < line.len()))
    };
    cut.or(open).filter(|cut| *cut > 0).unwrap_or_else(plain)
}
