//! `keys.yes` and `keys.no`: what is pressed anywhere on the desktop to answer a question.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ConfigFault, field};

/// What is pressed for an answer: something that does not occur in typing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Press {
    /// The answer's own letter (Y, N, or the digit), held for a second.
    #[default]
    Hold,
    /// A chord of the person's choice.
    Chord(Chord),
}

/// A letter with modifiers that no text is typed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chord {
    /// The modifiers.
    pub modifiers: Modifiers,
    /// The letter, in capitals.
    pub letter: char,
}

/// Modifiers that make a letter another key. Shift is not among them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Modifiers {
    /// Control.
    pub control: bool,
    /// Alt.
    pub alt: bool,
    /// Super: the key with the logo.
    pub logo: bool,
}

/// What is pressed for a yes and for a no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Presses {
    /// For a yes.
    pub yes: Press,
    /// For a no.
    pub no: Press,
}

impl Modifiers {
    /// These and those.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            control: self.control || other.control,
            alt: self.alt || other.alt,
            logo: self.logo || other.logo,
        }
    }
}

impl Press {
    /// As a person reads it: `Super+Y`; `None` for the letter that is held.
    #[must_use]
    pub fn chord(self) -> Option<String> {
        match self {
            Self::Hold => None,
            Self::Chord(Chord { modifiers, letter }) => {
                let named = [(modifiers.control, "Ctrl"), (modifiers.alt, "Alt"), (modifiers.logo, "Super")];
                let held = named.into_iter().filter(|(held, _)| *held).map(|(_, name)| name.to_owned());
                Some(held.chain([letter.to_string()]).collect::<Vec<_>>().join("+"))
            }
        }
    }
}

impl std::fmt::Display for Press {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.chord().map_or_else(|| "hold".to_owned(), |chord| chord.to_lowercase()))
    }
}

impl std::str::FromStr for Press {
    type Err = ConfigFault;

    fn from_str(text: &str) -> Result<Self, ConfigFault> {
        let wrong = || ConfigFault::Chord(text.to_owned());
        if text == "hold" {
            return Ok(Self::Hold);
        }
        let (held, letter) = text.rsplit_once('+').ok_or_else(wrong)?;
        let mut modifiers = Modifiers::default();
        for name in held.split('+') {
            let modifier = match name {
                "ctrl" => &mut modifiers.control,
                "alt" => &mut modifiers.alt,
                "super" => &mut modifiers.logo,
                _ => return Err(wrong()),
            };
            if std::mem::replace(modifier, true) {
                return Err(wrong());
            }
        }
        let [letter @ b'a'..=b'z'] = letter.as_bytes() else { return Err(wrong()) };
        // Control alone and Alt alone are keys of editors and shells.
        if !(modifiers.logo || modifiers.control && modifiers.alt) {
            return Err(wrong());
        }
        Ok(Self::Chord(Chord { modifiers, letter: char::from(letter.to_ascii_uppercase()) }))
    }
}

impl Serialize for Press {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Press {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        field::parsed(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_one_that_nobody_types() {
        for text in ["hold", "super+y", "ctrl+alt+n", "ctrl+alt+super+z", "alt+super+a"] {
            assert_eq!(text.parse::<Press>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "y",
            "+",
            "+y",
            "super+",
            "Super+y",
            "super+Y",
            "super+yy",
            "super+1",
            "super+é",
            "super + y",
            "ctrl+y",
            "alt+y",
            "shift+y",
            "super+super+y",
            "super++y",
            "super+escape",
            "twice",
            "hold ",
            "hold-or-twice",
            "single",
            "alt+ctrl+",
            "ctrl+alt",
        ] {
            assert_eq!(text.parse::<Press>(), Err(ConfigFault::Chord(text.to_owned())));
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read_again(text in "(ctrl\\+|alt\\+|super\\+){0,3}[a-z]") {
            if let Ok(press) = text.parse::<Press>() {
                proptest::prop_assert_eq!(press.to_string().parse::<Press>(), Ok(press));
            }
        }
    }
}
