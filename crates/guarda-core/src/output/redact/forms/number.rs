//! Finds numbers of persons and accounts that have check digits: Brazilian CPFs and payment cards.

use super::literal::Stretch;

/// Digits of the shortest card number that is searched: fifteen (American Express). Shorter ones resemble
/// other numbers.
const SHORTEST_CARD: usize = 15;
/// Digits of a CPF.
const CPF: usize = 11;
/// Digits of the longest card number.
const LONGEST_CARD: usize = 19;
/// How far before eleven bare digits the word `cpf` counts, in bytes.
const NEAR: usize = 24;

/// Whether a text has only digits and blanks.
pub(crate) fn is_numbers(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Calls `add` with each number and its kind.
pub(crate) fn find(text: &str, mut add: impl FnMut(Stretch, &'static str)) {
    let bytes = text.as_bytes();
    let part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.');
    let each = super::runs::long(bytes, CPF, part).flat_map(|stretch| numbers(bytes, stretch));
    for (start, end) in each {
        let number = bytes.get(start..end).unwrap_or_default();
        let count = number.iter().filter(|byte| byte.is_ascii_digit()).count();
        if count != CPF && !(SHORTEST_CARD..=LONGEST_CARD).contains(&count) {
            continue;
        }
        if !stands_alone(bytes, start, end) {
            continue;
        }
        let digits: Vec<u8> =
            number.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0').collect();
        if is_cpf(&digits) && (is_written_as_cpf(number) || follows_cpf(text, number, start)) {
            add((start, end), "cpf");
        } else if is_card(&digits) && is_written_as_card(number) {
            add((start, end), "card_number");
        }
    }
}

/// The numbers within a stretch of digits and separators.
fn numbers(bytes: &[u8], (from, to): Stretch) -> impl Iterator<Item = Stretch> {
    let mut at = from;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..to)?.iter().position(u8::is_ascii_digit)?;
        at = start + run(bytes.get(start..to)?);
        Some((start, at))
    })
}

/// The length of a number with single separators between its digits.
fn run(bytes: &[u8]) -> usize {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while digit(end) || (matches!(bytes.get(end), Some(b' ' | b'-' | b'.')) && end > 0 && digit(end + 1)) {
        end += 1;
    }
    end
}

/// True if it is not part of a longer word, path, version or identifier.
fn stands_alone(bytes: &[u8], start: usize, end: usize) -> bool {
    let joins =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'#');
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    let (after, next) = (bytes.get(end), bytes.get(end + 1));
    // A full stop may end a sentence.
    let closed = match after {
        Some(b'.') => next.is_none_or(|byte| !byte.is_ascii_alphanumeric()),
        after => after.is_none_or(|byte| !joins(byte)),
    };
    before.is_none_or(|byte| !joins(byte)) && closed
}

/// Eleven digits that are not all equal. The last two are check digits of the others.
fn is_cpf(digits: &[u8]) -> bool {
    let check = |count: usize| {
        let sum: u32 = digits
            .iter()
            .take(count)
            .zip((2..=count as u32 + 1).rev())
            .map(|(digit, by)| u32::from(*digit) * by)
            .sum();
        digits.get(count).is_some_and(|digit| u32::from(*digit) == sum * 10 % 11 % 10)
    };
    digits.len() == CPF && digits.iter().any(|digit| Some(digit) != digits.first()) && check(9) && check(10)
}

/// `529.982.247-25`.
fn is_written_as_cpf(number: &[u8]) -> bool {
    let shape: Vec<u8> = number.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { *byte }).collect();
    shape == b"000.000.000-00"
}

/// Bare digits after the word `cpf`.
fn follows_cpf(text: &str, number: &[u8], start: usize) -> bool {
    let before = text.get(text.floor_char_boundary(start.saturating_sub(NEAR))..start).unwrap_or_default();
    number.iter().all(u8::is_ascii_digit) && before.to_ascii_lowercase().contains("cpf")
}

/// A card number of a known network whose last digit checks the others (ISO/IEC 7812, Luhn).
fn is_card(digits: &[u8]) -> bool {
    let head = digits.iter().take(4).fold(0_u32, |head, digit| head * 10 + u32::from(*digit));
    let network = match digits.len() {
        15 => matches!(head / 100, 34 | 37),
        16 | 18 | 19 => matches!(
            head,
            4000..=4999 | 5100..=5599 | 2221..=2720 | 6011 | 6440..=6599 | 3528..=3589 | 5067 | 6362 | 6363 | 6062
        ),
        _ => false,
    };
    let luhn: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) => digit * 2 - if digit > 4 { 9 } else { 0 },
        })
        .sum();
    (SHORTEST_CARD..=LONGEST_CARD).contains(&digits.len()) && network && luhn.is_multiple_of(10)
}

/// In one group, in groups of four, or as American Express prints it: four, six and five.
fn is_written_as_card(number: &[u8]) -> bool {
    let groups: Vec<usize> = number.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len).collect();
    let (last, firsts) = groups.split_last().unwrap_or((&0, &[]));
    let same = number.iter().filter(|byte| !byte.is_ascii_digit()).collect::<std::collections::BTreeSet<_>>();
    let fours = firsts.iter().all(|len| *len == 4) && (1..=4).contains(last);
    same.len() <= 1 && !same.contains(&b'.') && (firsts.is_empty() || fours || groups == [4, 6, 5])
}

#[cfg(test)]
mod tests {
    use crate::output::redact::redact;

    #[test]
    fn numbers_of_people_and_cards_are_hidden_and_others_are_not() {
        for (text, shown) in [
            ("o CPF dela é 529.982.247-25.", "o CPF dela é [REDACTED_CPF]."),
            ("cpf: 52998224725", "cpf: [REDACTED_CPF]"),
            ("CPF 52998224725, nome", "CPF [REDACTED_CPF], nome"),
            ("4111 1111 1111 1111", "[REDACTED_CARD_NUMBER]"),
            ("4111-1111-1111-1111", "[REDACTED_CARD_NUMBER]"),
            ("pay with 5555555555554444 today", "pay with [REDACTED_CARD_NUMBER] today"),
            ("3782 822463 10005", "[REDACTED_CARD_NUMBER]"),
            ("carta 6011000990139424\n", "carta [REDACTED_CARD_NUMBER]\n"),
        ] {
            assert_eq!(redact(text).unwrap().text, shown);
        }
        for text in [
            // Wrong check digits.
            "529.982.247-26",
            "111.111.111-11",
            "4111 1111 1111 1112",
            // Eleven digits without the word: a telephone, a time.
            "52998224725",
            "(11) 98765-4321",
            "1732450000123",
            "1732450000123456",
            // Parts of something longer.
            "v4111111111111111",
            "id-4111111111111111",
            "0.4111111111111111",
            "/tmp/4111111111111111/x",
            "4111111111111111.png",
            "41.11111111111111",
            "4111.1111.1111.1111",
            "2024-11-24 11:49:12.648177265",
            "192.168.100.200",
            "978-3-16-148410-0",
        ] {
            assert_eq!(redact(text).unwrap().text, text);
        }
    }
}
