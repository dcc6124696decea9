//! The chain: every line carries the SHA-256 of the previous line, so that no change goes unnoticed.

use sha2::{Digest, Sha256};

/// The SHA-256 of a line without its line feed.
pub type Hash = [u8; 32];

/// The value in a session's first line, which has no previous line.
pub const NOTHING: Hash = [0; 32];

/// The hash of a line; `line` contains no line feed.
#[must_use]
pub fn hash(line: &[u8]) -> Hash {
    Sha256::digest(line).into()
}

/// In lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let mut text = String::with_capacity(2 * bytes.len());
    text.extend(halves.filter_map(|half| char::from_digit(u32::from(half), 16)));
    text
}

/// Parses exactly `N` bytes in hexadecimal.
///
/// ```
/// use guarda_journal::chain::{hash, hex, unhex};
///
/// assert_eq!(unhex(&hex(&hash(b"abc"))), Some(hash(b"abc")));
/// assert_eq!(unhex::<32>("no number"), None);
/// ```
#[must_use]
pub fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0_u8; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        for digit in pair {
            let value = char::from(*digit).to_digit(16)?;
            *byte = *byte << 4 | u8::try_from(value).ok()?;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{NOTHING, hash, hex, unhex};

    #[test]
    fn hexadecimal_goes_there_and_back() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&hash(b"abc")), known);
        assert_eq!(unhex(known), Some(hash(b"abc")));
        assert_eq!(unhex(&hex(&NOTHING)), Some(NOTHING));
        for wrong in ["", "0", "zz", "ba7816", "é"] {
            assert_eq!(unhex::<32>(wrong), None, "{wrong}");
        }
    }
}
