//! Maps keys to letters. The kernel numbers keys by position (`linux/input-event-codes.h`); digits have the same one in
//! every layout.

use crate::devices::keys::gesture::Modifiers;

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

impl Layout {
    /// The letter of a key, in capitals, or its digit, in the upper row and on the number pad.
    #[must_use]
    pub fn letter(self, key: u16) -> Option<char> {
        let rows = match self {
            Self::Qwerty => ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"],
            Self::Qwertz => ["QWERTZUIOP", "ASDFGHJKL", "YXCVBNM"],
            Self::Azerty => ["AZERTYUIOP", "QSDFGHJKLM", "WXCVBN"],
            Self::Dvorak => ["',.PYFGCRL", "AOEUIDHTNS", ";QJKXBMWVZ"],
        };
        let [upper, middle, lower] = rows;
        let all = [
            (2, "1234567890"),
            (16, upper),
            (30, middle),
            (44, lower),
            (71, "789"),
            (75, "456"),
            (79, "1230"),
        ];
        all.into_iter().find_map(|(first, row)| {
            let place = usize::from(key.checked_sub(first)?);
            row.chars().nth(place).filter(char::is_ascii_alphanumeric)
        })
    }
}

/// The modifier that this key is, if it may be part of a chord. The right Alt types signs in many layouts.
pub fn modifier(key: u16) -> Option<Modifiers> {
    let none = Modifiers::default();
    Some(match key {
        29 | 97 => Modifiers { control: true, ..none },
        56 => Modifiers { alt: true, ..none },
        125 | 126 => Modifiers { logo: true, ..none },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_letters() {
        for (layout, key, letter) in [
            (Layout::Qwerty, 21, Some('Y')),
            (Layout::Qwerty, 49, Some('N')),
            (Layout::Qwerty, 50, Some('M')),
            (Layout::Qwertz, 44, Some('Y')),
            (Layout::Qwertz, 21, Some('Z')),
            (Layout::Azerty, 16, Some('A')),
            (Layout::Azerty, 39, Some('M')),
            (Layout::Azerty, 50, None),
            (Layout::Dvorak, 20, Some('Y')),
            (Layout::Dvorak, 38, Some('N')),
            (Layout::Dvorak, 50, Some('M')),
            (Layout::Dvorak, 16, None),
            (Layout::Qwerty, 11, Some('0')),
            (Layout::Qwerty, 8, Some('7')),
            (Layout::Qwerty, 71, Some('7')),
            (Layout::Azerty, 82, Some('0')),
            (Layout::Qwerty, 1, None),
            (Layout::Qwerty, 42, None),
            (Layout::Qwerty, 74, None),
            (Layout::Qwerty, 83, None),
        ] {
            assert_eq!(layout.letter(key), letter, "{layout:?} {key}");
        }
    }
}
