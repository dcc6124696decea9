//! Maps letters to keys. The kernel numbers keys by position. Only the letters that answer need a position
//! here; digits have the same one in every layout.

/// The keyboard's layout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// American, Brazilian (ABNT2), British, Spanish, Italian, Portuguese …
    #[default]
    Qwerty,
    /// German, Austrian, Swiss, Czech, Hungarian.
    Qwertz,
    /// French, Belgian.
    Azerty,
    /// Dvorak's.
    Dvorak,
}

/// Escape.
pub const ESCAPE: u16 = 1;

impl Layout {
    /// The key's number (`linux/input-event-codes.h`) for one of the letters `A M N O S Y`, in capitals.
    #[must_use]
    pub fn key(self, letter: char) -> Option<u16> {
        const A: u16 = 30;
        const L: u16 = 38;
        const M: u16 = 50;
        const N: u16 = 49;
        const O: u16 = 24;
        const Q: u16 = 16;
        const S: u16 = 31;
        const SEMICOLON: u16 = 39;
        const T: u16 = 20;
        const Y: u16 = 21;
        const Z: u16 = 44;
        Some(match (self, letter) {
            (Self::Qwertz, 'Y') => Z,
            (Self::Azerty, 'A') => Q,
            (Self::Azerty, 'M') => SEMICOLON,
            (Self::Dvorak, 'Y') => T,
            (Self::Dvorak, 'S') => SEMICOLON,
            (Self::Dvorak, 'O') => S,
            (Self::Dvorak, 'N') => L,
            (_, 'A') => A,
            (_, 'M') => M,
            (_, 'N') => N,
            (_, 'O') => O,
            (_, 'S') => S,
            (_, 'Y') => Y,
            _ => return None,
        })
    }

    /// The keys of a digit: in the upper row and on the number pad.
    #[must_use]
    pub fn digit(digit: char) -> Option<[u16; 2]> {
        Some(match digit {
            '1' => [2, 79],
            '2' => [3, 80],
            '3' => [4, 81],
            '4' => [5, 75],
            '5' => [6, 76],
            '6' => [7, 77],
            '7' => [8, 71],
            '8' => [9, 72],
            '9' => [10, 73],
            '0' => [11, 82],
            _ => return None,
        })
    }
}
