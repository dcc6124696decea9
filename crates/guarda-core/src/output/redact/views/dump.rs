//! Dumps of bytes: the rows of xxd, hexdump, od and similar, decoded to the text that they show.

use super::decode::readable;
use super::view::View;

/// The decoded content of dumps. Words of several bytes are read in both orders. Empty if there are no dumps.
pub(crate) fn views(text: &str) -> Vec<View> {
    let (mut big, mut little) = (Reading::default(), Reading::default());
    let mut row = Row::default();
    let (mut at, mut swaps) = (0, false);
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).chain([text.len()]);
    let lines = ends.scan(0, |start, end| text.get(std::mem::replace(start, end)..end));
    for line in lines.chain(["\n"]) {
        if row.read(line) {
            let place = (at, at + line.trim_end().len());
            big.add(place, |to| to.extend_from_slice(&row.bytes));
            if row.words.is_empty() {
                little.flush();
            } else {
                swaps |= row.bytes.len() > row.words.len();
                little.add(place, |to| row.swapped(to));
            }
        } else {
            big.flush();
            little.flush();
        }
        at += line.len();
    }
    // Where each word is one byte, both orders are the same.
    let readings = [Some(big), Some(little).filter(|_| swaps)];
    readings.into_iter().flatten().map(|reading| reading.view).filter(|view| !view.text.is_empty()).collect()
}

/// The text that successive rows show in one order.
#[derive(Default)]
struct Reading {
    bytes: Vec<u8>,
    /// For each row the end of its bytes and its place in the text.
    ends: Vec<(usize, (usize, usize))>,
    view: View,
}

impl Reading {
    fn add(&mut self, place: (usize, usize), row: impl FnOnce(&mut Vec<u8>)) {
        row(&mut self.bytes);
        self.ends.push((self.bytes.len(), place));
    }

    fn flush(&mut self) {
        if readable(&self.bytes).is_some() {
            self.view.part();
            let mut start = 0;
            for (end, (from, to)) in &self.ends {
                let bytes = self.bytes.get(start..*end).unwrap_or_default().iter();
                let part: String = bytes
                    .map(|byte| if byte.is_ascii() && *byte != 0 { char::from(*byte) } else { '?' })
                    .collect();
                self.view.whole(&part, *from, *to);
                start = *end;
            }
        }
        self.bytes.clear();
        self.ends.clear();
    }
}

/// One row of a dump.
#[derive(Debug, Default)]
pub(crate) struct Row {
    /// Its bytes as written.
    bytes: Vec<u8>,
    /// The ends of its words, each of one or more bytes. Empty for a row of characters, which have no other order.
    words: Vec<usize>,
}

impl Row {
    /// Whether a line is a row; what was read before is gone.
    pub(crate) fn read(&mut self, line: &str) -> bool {
        self.bytes.clear();
        self.words.clear();
        self.row(line).is_some()
    }

    fn row(&mut self, line: &str) -> Option<()> {
        let line = line.trim_ascii_end();
        if line.len() > 400 || line.len() < 5 {
            return None;
        }
        // An offset first, if there is one.
        let lead = line.trim_ascii_start();
        let offset = lead.as_bytes().first() == Some(&b'0');
        let offset = offset.then(|| lead.split_once(' ').unwrap_or((lead, ""))).filter(|(head, _)| {
            let digits = head.trim_end_matches(':');
            (6..=16).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let (body, all, least) = offset.map_or((lead, line, 4), |(_, rest)| (rest, rest, 1));
        if let Some(bytes) = characters(all).filter(|bytes| bytes.len() >= 2) {
            self.bytes = bytes;
            return Some(());
        }
        self.numbers(body.as_bytes()).filter(|()| self.bytes.len() >= least)
    }

    /// Adds its bytes with the last byte of each word first.
    fn swapped(&self, to: &mut Vec<u8>) {
        let mut start = 0;
        for end in &self.words {
            to.extend(self.bytes.get(start..*end).unwrap_or_default().iter().rev());
            start = *end;
        }
    }

    /// Columns of numbers: hexadecimal of one, two or four bytes, octal, binary or decimal, up to what shows the text.
    fn numbers(&mut self, body: &[u8]) -> Option<()> {
        // Most lines end here: their first word is no number. The digits after the first are looked at below.
        let first = words(body).next()?;
        if !matches!(first.len(), 2 | 3 | 4 | 6 | 8 | 16) || !first.first().is_some_and(u8::is_ascii_hexdigit)
        {
            return None;
        }
        let body = body.get(..shown(body)).unwrap_or(body);
        for word in words(body) {
            let octal = || word.iter().all(|byte| matches!(byte, b'0'..=b'7'));
            let number = |radix| u16::from_str_radix(std::str::from_utf8(word).ok()?, radix).ok();
            match word.len() {
                8 if word.iter().all(|byte| matches!(byte, b'0' | b'1')) => {
                    self.bytes.push(u8::try_from(number(2)?).ok()?);
                }
                6 if first.len() == 6 && octal() => self.bytes.extend(number(8)?.to_be_bytes()),
                2 | 4 | 8 | 16 if word.len() <= first.len() => {
                    for pair in word.chunks_exact(2) {
                        let [high, low] = pair else { return None };
                        self.bytes.push(digit(*high)? << 4 | digit(*low)?);
                    }
                }
                3 if first.len() == 3 && octal() => self.bytes.push(u8::try_from(number(8)?).ok()?),
                _ => return None,
            }
            self.words.push(self.bytes.len());
        }
        Some(())
    }
}

/// The words of a row, without `0x`.
fn words(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = body.split(|byte| matches!(byte, b' ' | b'\t' | b',')).filter(|word| !word.is_empty());
    words.map(|mut word| {
        while let [b'0', b'x', rest @ ..] = word {
            word = rest;
        }
        word
    })
}

/// Where the numbers of a row end and its text is shown.
fn shown(body: &[u8]) -> usize {
    if memchr::memchr(b' ', body).is_none() {
        return body.len();
    }
    memchr::memmem::find(body, b" |").unwrap_or_else(|| {
        let gap = memchr::memmem::find(body, b"  ");
        gap.filter(|at| !begins_with_number(body.get(at + 2..).unwrap_or_default())).unwrap_or(body.len())
    })
}

/// A hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn begins_with_number(rest: &[u8]) -> bool {
    let word = rest.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
    matches!(word.len(), 2 | 4 | 8) && word.iter().all(u8::is_ascii_hexdigit)
}

/// `od -c`, `od -a`: one character per column of four.
fn characters(body: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut single = 0;
    // Most lines end here at their first word, which is longer than a column.
    for word in body.split_ascii_whitespace() {
        let byte = match word.as_bytes() {
            [byte] => {
                single += 1;
                *byte
            }
            [b'\\', b'n'] | [b'n', b'l'] | [b'l', b'f'] => b'\n',
            [b'\\', b't'] | [b'h', b't'] => b'\t',
            [b'\\', b'0'] => 0,
            [b'\\', _] => b'?',
            [b's', b'p'] => b' ',
            [b'0'..=b'3', b'0'..=b'7', b'0'..=b'7'] => u8::from_str_radix(word, 8).ok()?,
            _ => return None,
        };
        bytes.push(byte);
    }
    let wide = body.len() >= bytes.len() * 3;
    (wide && (1..=64).contains(&bytes.len()) && single * 2 >= bytes.len()).then_some(bytes)
}
