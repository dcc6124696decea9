//! Words in the making: the parts that a word is expanded from, and the word that a program gets.

use crate::meaning::variables::value::{Known, is_number};
use crate::script::{Piece, Span, UnknownCause, Word};

/// A word of an argument vector, or what may become several.
#[derive(Debug, Clone, Default)]
pub(crate) struct Field {
    pub word: Word,
    /// The shell may make any number of words of it, including none.
    pub splits: bool,
    /// It is assembled from parts that could have been written as one.
    pub pieced: bool,
    /// Unknown pieces: their index, and their possible texts.
    pub maybe: Vec<(usize, Vec<Known>)>,
    /// It can only be a number.
    pub number: bool,
}

/// A part of a word with its meaning filled in.
#[derive(Debug, Clone)]
pub(crate) enum Atom {
    Text(String),
    Quoted(String),
    Known {
        text: String,
        quoted: bool,
    },
    Items {
        items: Vec<Piece>,
        quoted: bool,
    },
    Place(Piece),
    /// The word inside `${name-word}`, with its own quotes.
    Several(Vec<Atom>),
    Unknown {
        why: UnknownCause,
        quoted: bool,
        maybe: Vec<Known>,
        /// It can only be a number.
        number: bool,
    },
}

impl Field {
    /// A word without text so far.
    pub fn empty(span: Span) -> Self {
        Word { pieces: Vec::new(), span }.into()
    }

    /// The text, if it is known.
    pub fn literal(&self) -> Option<&str> {
        self.word.literal()
    }

    pub fn append(&mut self, text: &str, pattern: bool) {
        if text.is_empty() {
            return;
        }
        let pieces = &mut self.word.pieces;
        match (pieces.last_mut(), pattern) {
            (Some(Piece::Text(last)), false) | (Some(Piece::Glob(last)), true) => last.push_str(text),
            (_, false) => pieces.push(Piece::Text(text.to_owned())),
            (_, true) => pieces.push(Piece::Glob(text.to_owned())),
        }
    }

    pub fn push_unknown(&mut self, why: UnknownCause, maybe: Vec<Known>) {
        if !maybe.is_empty() {
            self.maybe.push((self.word.pieces.len(), maybe));
        }
        self.word.pieces.push(Piece::Unknown(why));
    }
}

/// A word that stands for itself.
impl From<Word> for Field {
    fn from(word: Word) -> Self {
        Self { word, ..Self::default() }
    }
}

impl Atom {
    /// A part that is unknown and has no known value.
    pub fn unknown(why: UnknownCause, quoted: bool) -> Self {
        Self::Unknown { why, quoted, maybe: Vec::new(), number: false }
    }

    /// Whether it consists only of digits.
    pub fn is_number(&self) -> bool {
        match self {
            Self::Text(text) | Self::Quoted(text) | Self::Known { text, .. } => is_number(text),
            Self::Unknown { number, .. } => *number,
            Self::Items { .. } | Self::Place(_) | Self::Several(_) => false,
        }
    }
}

/// The first of the characters that stand for values not known inside a text (a private plane of Unicode).
pub(crate) const HOLES: u32 = 0xF_0000;
/// The number of such characters.
pub(crate) const MOST_HOLES: u32 = 0xFFFD;

pub(crate) fn is_hole(character: char) -> bool {
    hole(character).is_some()
}

/// The number of the value that a character represents.
pub(crate) fn hole(character: char) -> Option<usize> {
    let number = u32::from(character).checked_sub(HOLES)?;
    if number < MOST_HOLES { usize::try_from(number).ok() } else { None }
}
