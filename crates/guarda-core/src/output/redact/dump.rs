//! Dumps of bytes: the rows of xxd, hexdump, od and similar, decoded to the text that they show.

use super::decode::readable;
use super::view::View;

/// The byte order of a row's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// As written.
    Big,
    /// The last byte of each word first.
    Little,
}

/// The decoded content of dumps. Words of several bytes are read in both orders. Empty if there are no dumps.
pub(super) fn views(text: &str) -> Vec<View> {
    [Order::Big, Order::Little].into_iter().filter_map(|order| view(text, order)).collect()
}

fn view(text: &str, order: Order) -> Option<View> {
    let mut view = View::default();
    let mut rows = Rows::default();
    let mut at = 0;
    for line in text.split_inclusive('\n').chain(["\n"]) {
        if row(line, order, &mut rows.bytes).is_some() {
            rows.ends.push((rows.bytes.len(), at, at + line.trim_end().len()));
        } else {
            rows.flush(&mut view);
        }
        at += line.len();
    }
    (!view.text.is_empty()).then_some(view)
}

/// Successive rows: their bytes, and for each row the end of its bytes and its place in the text.
#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    ends: Vec<(usize, usize, usize)>,
}

impl Rows {
    fn flush(&mut self, view: &mut View) {
        if readable(&self.bytes).is_some() {
            view.part();
            let mut start = 0;
            for (end, from, to) in &self.ends {
                let bytes = self.bytes.get(start..*end).unwrap_or_default().iter();
                let part: String = bytes
                    .map(|byte| if byte.is_ascii() && *byte != 0 { char::from(*byte) } else { '?' })
                    .collect();
                view.whole(&part, *from, *to);
                start = *end;
            }
        }
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Whether a line is a row of a dump.
pub(super) fn is_row(line: &str) -> bool {
    row(line, Order::Big, &mut Vec::new()).is_some()
}

/// Adds the bytes of a row; `None`, and nothing is added, if the line is none.
fn row(line: &str, order: Order, to: &mut Vec<u8>) -> Option<()> {
    let line = line.trim_end();
    if line.len() > 400 || line.len() < 5 {
        return None;
    }
    // An offset first, if there is one.
    let lead = line.trim_start();
    let (head, rest) = lead.split_once(' ').unwrap_or((lead, ""));
    let digits = head.trim_end_matches(':');
    let offset = (6..=16).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && digits.starts_with('0');
    let body = if offset { rest } else { lead };
    let signs = if offset { characters(body) } else { characters(line) };
    if let Some(bytes) = signs.filter(|bytes| bytes.len() >= 2) {
        return (order == Order::Big).then(|| to.extend_from_slice(&bytes));
    }
    let before = to.len();
    let least = if offset { 1 } else { 4 };
    let found = numbers(body, order, to).filter(|()| to.len() - before >= least);
    if found.is_none() {
        to.truncate(before);
    }
    found
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

/// Columns of numbers: hexadecimal of one, two or four bytes, octal, binary or decimal, up to what shows the text.
fn numbers(body: &str, order: Order, to: &mut Vec<u8>) -> Option<()> {
    // Most lines end here: their first word is no number.
    let first = body.split([' ', '\t', ',']).find(|word| !word.is_empty())?;
    let first = if first.contains('x') { first.trim_start_matches("0x") } else { first };
    if !matches!(first.len(), 2 | 3 | 4 | 6 | 8 | 16) || !first.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let shown = body.contains(' ').then(|| {
        body.find(" |").or_else(|| {
            body.find("  ").filter(|at| body.get(at + 2..).is_some_and(|rest| !begins_with_number(rest)))
        })
    });
    let shown = shown.flatten();
    let body = shown.map_or(body, |at| body.get(..at).unwrap_or_default());
    let words = body.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    for word in words {
        let word = if word.contains('x') { word.trim_start_matches("0x") } else { word };
        let all = |radix: u32| word.bytes().all(|byte| char::from(byte).is_digit(radix));
        let before = to.len();
        match word.len() {
            8 if all(2) => to.push(u8::from_str_radix(word, 2).ok()?),
            6 if all(8) && first.len() == 6 => to.extend(u16::from_str_radix(word, 8).ok()?.to_be_bytes()),
            2 | 4 | 8 | 16 if all(16) && word.len() <= first.len() => {
                let digit =
                    |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                let pair = |pair: &[u8]| match pair {
                    [high, low] => Some(digit(high)? << 4 | digit(low)?),
                    _ => None,
                };
                to.extend(word.as_bytes().chunks_exact(2).filter_map(pair));
            }
            3 if all(8) && first.len() == 3 => to.push(u8::from_str_radix(word, 8).ok()?),
            _ => return None,
        }
        if order == Order::Little
            && let Some(word) = to.get_mut(before..)
        {
            word.reverse();
        }
    }
    Some(())
}

fn begins_with_number(rest: &str) -> bool {
    let word = rest.split_ascii_whitespace().next().unwrap_or_default();
    matches!(word.len(), 2 | 4 | 8) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}
