//! Word splitting, and the pieces of words.

use crate::meaning::evaluator::Evaluator;
use crate::meaning::variables::value::Value;
use crate::meaning::words::field::{Atom, Field, hole, is_hole};
use crate::script::{Piece, Span, UnknownCause};
use crate::syntax::scan::Stop;

impl Evaluator<'_> {
    /// Splits the unquoted parts of atoms into words, as bash does.
    pub fn split(&mut self, atoms: Vec<Atom>, span: Span, out: &mut Vec<Field>) -> Result<(), Stop> {
        let mut field = Field::empty(span);
        let mut present = false;
        let lonely = atoms.len() == 1;
        // A leading `name=` is an operand of `export` and similar builtins.
        let behind_name = matches!(atoms.first(), Some(Atom::Text(text)) if !lonely
            && text.strip_suffix('=').is_some_and(crate::syntax::scan::is_name));
        let number = atoms.len() > usize::from(behind_name)
            && atoms.iter().skip(usize::from(behind_name)).all(Atom::is_number);
        for atom in self.tildes(atoms, false) {
            match atom {
                Atom::Text(text) => {
                    present |= !text.is_empty();
                    self.push_pattern(&mut field, &text, lonely);
                }
                Atom::Quoted(text) | Atom::Known { text, quoted: true } => {
                    present = true;
                    self.work.spend(text.len() / 16)?;
                    let pieces = &mut field.word.pieces;
                    if self.holes.is_empty()
                        && !text.is_empty()
                        && !matches!(pieces.last(), Some(Piece::Text(_)))
                    {
                        pieces.push(Piece::Text(text));
                    } else {
                        self.push_text(&mut field, &text, false);
                    }
                }
                Atom::Known { text, quoted: false } => {
                    self.work.spend(text.len())?;
                    self.split_value(&text, &mut field, &mut present, out, span);
                }
                Atom::Items { items, quoted } => {
                    self.work.spend(items.len())?;
                    for (index, item) in items.into_iter().enumerate() {
                        if index > 0 {
                            if present {
                                out.push(std::mem::replace(&mut field, Field::empty(span)));
                            }
                            present = false;
                        }
                        match item {
                            Piece::Text(text) if !quoted => {
                                self.split_value(&text, &mut field, &mut present, out, span);
                            }
                            Piece::Text(text) => {
                                present = true;
                                self.push_text(&mut field, &text, false);
                            }
                            piece @ (Piece::Glob(_) | Piece::Home | Piece::Cwd | Piece::Unknown(_)) => {
                                present = true;
                                field.splits = true;
                                self.push_piece(&mut field, piece);
                            }
                        }
                    }
                }
                Atom::Place(piece) => {
                    present = true;
                    self.push_piece(&mut field, piece);
                }
                // Handled earlier.
                Atom::Several(_) => {}
                Atom::Unknown { why, quoted, maybe, .. } => {
                    present = true;
                    field.splits |= !quoted || matches!(&why, UnknownCause::Variable(name) if spreads(name));
                    field.push_unknown(why, maybe);
                }
            }
        }
        if present {
            self.look_in(&field);
            field.number = number;
            out.push(field);
        }
        Ok(())
    }

    /// Splits a value at the characters of `IFS`.
    pub fn split_value(
        &mut self,
        text: &str,
        field: &mut Field,
        present: &mut bool,
        out: &mut Vec<Field>,
        span: Span,
    ) {
        let separators = match self.vars.get("IFS").as_deref() {
            None => " \t\n".to_owned(),
            Some(Value::Text(text)) => text.clone(),
            Some(Value::AtHome(_) | Value::List(_) | Value::Maybe(_) | Value::Number(_) | Value::Unknown) => {
                *present = true;
                field.splits = true;
                let whole = vec![vec![Piece::Text(text.to_owned())]];
                field.push_unknown(UnknownCause::Variable("IFS".to_owned()), whole);
                return;
            }
        };
        let mut after_blank = false;
        let mut kept = String::new();
        for character in text.chars() {
            if !separators.contains(character) {
                kept.push(character);
                after_blank = false;
                continue;
            }
            if !kept.is_empty() {
                *present = true;
                self.push_pattern(field, &std::mem::take(&mut kept), false);
            }
            let blank = matches!(character, ' ' | '\t' | '\n');
            if *present || (!blank && !after_blank) {
                let next = Field::empty(span);
                out.push(std::mem::replace(field, next));
            }
            *present = false;
            after_blank = blank;
        }
        if !kept.is_empty() {
            *present = true;
            self.push_pattern(field, &kept, false);
        }
    }

    /// Adds unquoted text, in which patterns are alive.
    pub fn push_pattern(&mut self, field: &mut Field, text: &str, lonely: bool) {
        if memchr::memchr3(b'*', b'?', b'[', text.as_bytes()).is_none() {
            return self.push_text(field, text, false);
        }
        if text.contains('(') {
            return self.push_text(field, text, true);
        }
        let mut rest = text;
        let mut closing = text.contains(']');
        while let Some(at) = rest.find(['*', '?', '[']) {
            let (before, behind) = rest.split_at(at);
            self.push_text(field, before, false);
            let width = if behind.starts_with('[') {
                // A `]` right behind `[` or `[!` belongs to the set.
                let skip = if behind.starts_with("[!") || behind.starts_with("[^") { 3 } else { 2 };
                let found = if closing { behind.get(skip..).and_then(|inner| inner.find(']')) } else { None };
                closing = found.is_some();
                match found {
                    Some(index) => skip + index + 1,
                    None if lonely => 0,
                    None => 1,
                }
            } else {
                1
            };
            if width == 0 {
                self.push_text(field, "[", false);
                rest = behind.get(1..).unwrap_or("");
                continue;
            }
            self.push_text(field, behind.get(..width).unwrap_or(""), true);
            rest = behind.get(width..).unwrap_or("");
        }
        self.push_text(field, rest, false);
    }

    /// Adds text to a word; placeholders become unknown values again.
    pub fn push_text(&mut self, field: &mut Field, text: &str, pattern: bool) {
        if self.holes.is_empty() || !text.contains(is_hole) {
            return field.append(text, pattern);
        }
        let mut kept = String::new();
        for character in text.chars() {
            match hole(character).and_then(|index| self.holes.get(index)) {
                Some(piece) => {
                    let piece = piece.clone();
                    field.append(&std::mem::take(&mut kept), pattern);
                    field.splits |= matches!(piece, Piece::Unknown(_));
                    field.word.pieces.push(piece);
                }
                None => kept.push(character),
            }
        }
        field.append(&kept, pattern);
    }

    pub fn push_piece(&mut self, field: &mut Field, piece: Piece) {
        match piece {
            Piece::Text(text) => self.push_text(field, &text, false),
            Piece::Glob(_) | Piece::Home | Piece::Cwd | Piece::Unknown(_) => field.word.pieces.push(piece),
        }
    }

    /// Notes text that arithmetic would run as a command.
    pub fn look_for_code(&mut self, text: &str, span: Span) {
        if self.code.is_none()
            && memchr::memchr2(b'$', b'`', text.as_bytes()).is_some()
            && (text.contains("$(") || text.contains('`') || text.contains("${"))
        {
            self.code = Some(span);
        }
    }

    pub fn look_in(&mut self, field: &Field) {
        if self.code.is_none() && field.word.pieces.len() > 1 {
            let text: String = field
                .word
                .pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) | Piece::Glob(text) => text.as_str(),
                    Piece::Home | Piece::Cwd | Piece::Unknown(_) => "",
                })
                .collect();
            self.look_for_code(&text, field.word.span);
        } else if let Some(text) = field.literal() {
            self.look_for_code(text, field.word.span);
        }
    }
}

/// The parameter may be any number of words even in quotes: `"$@"`.
pub(crate) fn spreads(name: &str) -> bool {
    matches!(name, "@")
}
