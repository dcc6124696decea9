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
    let mut rows: Vec<(Vec<u8>, usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n').chain(["\n"]) {
        match row(line, order) {
            Some(bytes) => rows.push((bytes, at, at + line.trim_end().len())),
            None => flush(&mut rows, &mut view),
        }
        at += line.len();
    }
    (!view.text.is_empty()).then_some(view)
}

fn flush(rows: &mut Vec<(Vec<u8>, usize, usize)>, view: &mut View) {
    let all: Vec<u8> = rows.iter().flat_map(|(bytes, ..)| bytes.iter().copied()).collect();
    if readable(all).is_some() {
        view.part();
        for (bytes, from, to) in rows.iter() {
            let part: String = bytes
                .iter()
                .map(|byte| if byte.is_ascii() && *byte != 0 { char::from(*byte) } else { '?' })
                .collect();
            view.whole(&part, *from, *to);
        }
    }
    rows.clear();
}

/// Whether a line is a row of a dump.
pub(super) fn is_row(line: &str) -> bool {
    row(line, Order::Big).is_some()
}

/// The bytes of a row.
fn row(line: &str, order: Order) -> Option<Vec<u8>> {
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
        return (order == Order::Big).then_some(bytes);
    }
    numbers(body, order).filter(|bytes| bytes.len() >= if offset { 1 } else { 4 })
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
fn numbers(body: &str, order: Order) -> Option<Vec<u8>> {
    // Most lines end here: their first word is no number.
    let first = body.split([' ', '\t', ',']).find(|word| !word.is_empty())?.trim_start_matches("0x");
    if !matches!(first.len(), 2 | 3 | 4 | 6 | 8 | 16) || !first.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let shown = body.find(" |").or_else(|| {
        body.find("  ").filter(|at| body.get(at + 2..).is_some_and(|rest| !begins_with_number(rest)))
    });
    let body = shown.map_or(body, |at| body.get(..at).unwrap_or_default());
    let mut bytes = Vec::new();
    let words = body.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    for word in words {
        let word = word.trim_start_matches("0x");
        let all = |radix: u32| word.bytes().all(|byte| char::from(byte).is_digit(radix));
        let value = match word.len() {
            8 if all(2) => vec![u8::from_str_radix(word, 2).ok()?],
            6 if all(8) && first.len() == 6 => u16::from_str_radix(word, 8).ok()?.to_be_bytes().to_vec(),
            2 | 4 | 8 | 16 if all(16) && word.len() <= first.len() => {
                let pairs = word.as_bytes().chunks_exact(2);
                pairs
                    .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                    .collect()
            }
            3 if all(8) && first.len() == 3 => vec![u8::from_str_radix(word, 8).ok()?],
            _ => return None,
        };
        match order {
            Order::Big => bytes.extend(value),
            Order::Little => bytes.extend(value.into_iter().rev()),
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

fn begins_with_number(rest: &str) -> bool {
    let word = rest.split_ascii_whitespace().next().unwrap_or_default();
    matches!(word.len(), 2 | 4 | 8) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}
