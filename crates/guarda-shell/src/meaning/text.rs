//! Text that a shell will read as commands: `eval`, `sh -c`, `trap`, here-documents fed to a shell.

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::words::field::{Field, HOLES, MOST_HOLES, is_hole};
use crate::script::{Dialect, Piece, Reach, Span, UnknownCause};
use crate::syntax::scan::{Map, Reader, Stop};

/// Shells in which plain words and the common operators have the same meaning as in bash, and unknown shells that usually
/// are one of these.
const RELATIVES: [&str; 11] =
    ["zsh", "ksh", "ksh93", "mksh", "lksh", "pdksh", "oksh", "yash", "osh", "ysh", ELSEWHERE];

/// The name of the shell at the other end of a connection.
pub(crate) const ELSEWHERE: &str = "a shell elsewhere";

/// The reader of a text, and its grammar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Listener<'n> {
    pub name: &'n str,
    pub dialect: Dialect,
    /// The text is read in the shell that reads this line: variables and functions are the same.
    pub here: bool,
    /// Another language than the two that are read: its name.
    pub foreign: Option<&'n str>,
    /// The program quotes the items that it fills in.
    pub quotes_items: bool,
}

impl Evaluator<'_> {
    /// Reads the text of these words, joined by blanks.
    pub fn words_as_text(
        &mut self,
        fields: &[Field],
        listener: Listener<'_>,
        id: usize,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let Some(first) = fields.first() else {
            return Ok(());
        };
        let last = fields.last().unwrap_or(first);
        let span = Span { start: first.word.span.start, end: last.word.span.end };
        self.work.spend(fields.len())?;
        let mut text = String::new();
        let mut known = true;
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                text.push(' ');
            }
            known &= !field.splits || listener.quotes_items;
            for piece in &field.word.pieces {
                match piece {
                    Piece::Text(part) => {
                        self.work.spend(part.len() / 8)?;
                        if part.contains(is_hole) && self.holes.is_empty() {
                            return self
                                .unread("characters of a private plane stand in text for a shell", span);
                        }
                        text.push_str(part);
                    }
                    Piece::Home | Piece::Cwd => self.push_hole(&mut text, piece),
                    Piece::Unknown(UnknownCause::Items) if listener.quotes_items => {
                        self.push_hole(&mut text, piece)
                    }
                    Piece::Glob(_) | Piece::Unknown(_) => {
                        known = false;
                        self.push_hole(&mut text, piece);
                    }
                }
            }
        }
        if !known {
            let why = fields
                .iter()
                .flat_map(|field| &field.word.pieces)
                .find_map(|piece| match piece {
                    Piece::Unknown(why) => Some(why.clone()),
                    Piece::Glob(_) => Some(UnknownCause::Other("a pattern in text for a shell".to_owned())),
                    Piece::Text(_) | Piece::Home | Piece::Cwd => None,
                })
                .unwrap_or_else(|| UnknownCause::Other("text for a shell".to_owned()));
            self.doubt(why, span);
        }
        let map = if fields.len() == 1 { self.map_of(&text, span) } else { Map::Within(span) };
        self.text(&text, map, span, listener, id, scope)
    }

    fn push_hole(&mut self, text: &mut String, piece: &Piece) {
        let number = u32::try_from(self.holes.len()).unwrap_or(MOST_HOLES);
        if number < MOST_HOLES
            && let Some(character) = char::from_u32(HOLES + number)
        {
            text.push(character);
            self.holes.push(piece.clone());
        }
    }

    /// The position of a text in the source, if it appears there verbatim.
    fn map_of(&self, text: &str, span: Span) -> Map {
        for (front, back) in [(1, 1), (0, 0), (2, 1)] {
            if self.source.get(span.start + front..span.end.saturating_sub(back)) == Some(text) {
                return Map::Shifted(span.start + front);
            }
        }
        Map::Within(span)
    }

    fn unread(&mut self, reason: &str, span: Span) -> Result<(), Stop> {
        self.unclear(reason, span);
        Ok(())
    }

    /// Reads a text and adds what it runs.
    pub fn text(
        &mut self,
        text: &str,
        map: Map,
        span: Span,
        listener: Listener<'_>,
        id: usize,
        scope: &Scope,
    ) -> Result<(), Stop> {
        self.work.spend(text.len() / 8 + 16)?;
        if let Some(name) = listener.foreign
            && !(RELATIVES.contains(&name) && same_everywhere(text))
        {
            self.doubt(UnknownCause::Foreign(name.to_owned()), span);
        }
        if text.contains('\0') || (listener.here && text.starts_with(['-', '+'])) {
            return self.unread("text for a shell begins like an option", span);
        }
        if scope.depth + 1 >= crate::syntax::scan::DEPTH {
            return Err(Stop::too_deep(span));
        }
        let mut reader = Reader::new(text, map, listener.dialect, scope.depth + 1, self.work);
        reader.extglob = false;
        let list = match reader.script() {
            Ok(list) => list,
            Err(stop) if reader.work.fuel == 0 => return Err(stop),
            Err(stop) => {
                self.unclear(stop.reason.into_owned(), span);
                return Ok(());
            }
        };
        let inner = Scope {
            parent: Some(id),
            reach: Reach::Text(listener.name.to_owned()),
            depth: scope.depth + 1,
            dialect: listener.dialect,
            top: false,
            ..scope.clone()
        };
        if listener.here {
            return self.list(list, &inner);
        }
        self.work.spend(self.vars.count())?;
        let child = self.vars.for_child();
        let vars = std::mem::replace(&mut self.vars, child);
        let functions = std::mem::take(&mut self.functions);
        let moved = self.moved;
        let lost = std::mem::replace(&mut self.arguments_lost, false);
        let inner = Scope { in_function: false, certain: true, ..inner };
        self.list(list, &inner)?;
        self.vars = vars;
        self.functions = functions;
        self.moved = moved;
        self.arguments_lost = lost;
        Ok(())
    }
}

/// True for text that means the same in every shell: plain words, simple quotes, and the common operators.
pub(crate) fn same_everywhere(text: &str) -> bool {
    let mut words = text;
    loop {
        let plain = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || matches!(
                    byte,
                    b' ' | b'-' | b'_' | b'.' | b'/' | b':' | b',' | b'@' | b'%' | b'+' | b'|' | b'&' | b';'
                )
        };
        let length = words.bytes().take_while(|byte| plain(*byte)).count();
        words = words.get(length..).unwrap_or("");
        let Some(rest) = words.strip_prefix('\'') else {
            break;
        };
        let Some((inner, rest)) = rest.split_once('\'') else {
            return false;
        };
        if inner.contains(['\\', '\n', '!']) {
            return false;
        }
        words = rest;
    }
    words.is_empty()
}
