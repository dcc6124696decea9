//! The known value of a variable.

use crate::script::Piece;

/// Known text, including a leading home folder.
pub(crate) type Known = Vec<Piece>;

/// The known state of a variable that the line has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    /// The home folder, followed by this.
    AtHome(String),
    List(Vec<String>),
    /// One of these, or something else.
    Maybe(Vec<Known>),
    /// A number: one of these, or another one.
    Number(Vec<Known>),
    Unknown,
}

impl Value {
    /// The value of a variable after this word is assigned: literal text, or a path below the home folder.
    pub fn of(pieces: &[Piece]) -> Option<Self> {
        match pieces {
            [] => Some(Self::Text(String::new())),
            [Piece::Text(text)] => Some(Self::Text(text.clone())),
            [Piece::Home] => Some(Self::AtHome(String::new())),
            [Piece::Home, Piece::Text(text)] => Some(Self::AtHome(text.clone())),
            _ => None,
        }
    }

    /// The certain text of a variable.
    pub fn known(&self) -> Option<Known> {
        match self {
            Self::Text(text) => Some(vec![Piece::Text(text.clone())]),
            Self::AtHome(text) if text.is_empty() => Some(vec![Piece::Home]),
            Self::AtHome(text) => Some(vec![Piece::Home, Piece::Text(text.clone())]),
            Self::List(_) | Self::Maybe(_) | Self::Number(_) | Self::Unknown => None,
        }
    }

    /// One of these texts or something else; `number`: always a number.
    pub fn of_texts(texts: Vec<Known>, number: bool) -> Self {
        match (number, texts.is_empty()) {
            (true, _) => Self::Number(texts),
            (false, true) => Self::Unknown,
            (false, false) => Self::Maybe(texts),
        }
    }

    /// Whether it can only be a number.
    pub fn is_number(&self) -> bool {
        match self {
            Self::Text(text) => is_number(text),
            Self::Number(_) => true,
            Self::AtHome(_) | Self::List(_) | Self::Maybe(_) | Self::Unknown => false,
        }
    }

    /// The value, or another one of its kind.
    pub fn perhaps(self) -> Self {
        let number = self.is_number();
        match self {
            Self::Maybe(texts) | Self::Number(texts) => Self::of_texts(texts, number),
            value => Self::of_texts(value.known().into_iter().collect(), number),
        }
    }
}

/// Digits, with or without a sign; empty counts as zero.
pub(crate) fn is_number(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}
