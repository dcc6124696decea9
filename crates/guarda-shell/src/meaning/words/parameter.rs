//! The expansion of a parameter, as far as it is known before run time.

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::variables::value::{Known, Value, is_number};
use crate::meaning::variables::values::{Base, cased, replace};
use crate::meaning::words::field::{Atom, Field};
use crate::script::{Piece, Span, UnknownCause};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{Op, Parameter, Part};
use crate::syntax::words::{leading_name, literal_word};

/// An expansion whose parameter has been looked up.
struct Expansion {
    name: String,
    quoted: bool,
    /// It can only be a number.
    number: bool,
    op: Op,
    span: Span,
}

impl Expansion {
    fn known(&self, text: String) -> Atom {
        Atom::Known { text, quoted: self.quoted }
    }

    fn unknown(&self, maybe: Vec<Known>) -> Atom {
        let why = UnknownCause::Variable(self.name.clone());
        Atom::Unknown { why, quoted: self.quoted, maybe, number: self.number }
    }
}

impl Evaluator<'_> {
    /// The meaning of `$name` or `${…}`.
    pub fn parameter(&mut self, parameter: Parameter, scope: &Scope) -> Result<Atom, Stop> {
        let Parameter { name, quoted, length, indirect, subscript, op, operand, span, bare: _ } = parameter;
        let subscript = match subscript {
            Some(parts) => Some(self.subscript(parts, span, scope)?),
            None => None,
        };
        let number = length || subscript.is_none() && keeps_numbers(op, &operand) && self.is_number(&name);
        if indirect {
            let _ = self.atoms(operand, span, scope)?;
            self.evaluates = true;
            // `${!name[@]}` and `${!name@}` are names and indices, not what they refer to.
            if !matches!(subscript.as_deref(), Some("@" | "*")) && op != Op::Transform(b'*') {
                self.points(&name, op, span)?;
            }
            return Ok(self.indirect(&name, op, quoted));
        }
        let star = name == "*" || subscript.as_deref() == Some("*");
        let base = match self.base(&name, subscript.as_deref(), scope) {
            Base::Items(items) if star && quoted => self.starred(items),
            base => base,
        };
        let expansion = Expansion { name, quoted, number, op, span };
        if length {
            return Ok(match base {
                Base::Text(text) if text.is_ascii() => expansion.known(text.len().to_string()),
                _ => expansion.unknown(Vec::new()),
            });
        }
        if op == Op::Slice {
            let cut = self.slice_bounds(&operand);
            self.evaluate(operand, span, scope)?;
            return Ok(match (base, cut) {
                (Base::Text(text), Some((from, most))) if text.is_ascii() => {
                    let end = most.map_or(text.len(), |most| from.saturating_add(most).min(text.len()));
                    expansion.known(text.get(from.min(end)..end).unwrap_or("").to_owned())
                }
                _ => expansion.unknown(Vec::new()),
            });
        }
        self.operation(&expansion, base, operand, scope)
    }

    /// What an operation makes of a value.
    fn operation(
        &mut self,
        expansion: &Expansion,
        base: Base,
        operand: Vec<Part>,
        scope: &Scope,
    ) -> Result<Atom, Stop> {
        let Expansion { name, quoted, number, op, span } = expansion;
        let operand = self.atoms(operand, *span, scope)?;
        let several = match op {
            Op::Default { .. } | Op::Assign { .. } | Op::Alternative { .. } => {
                let atoms = self.tildes(operand.clone(), false).into_iter();
                Atom::Several(atoms.map(|atom| within_word(atom, *quoted)).collect())
            }
            _ => Atom::Several(Vec::new()),
        };
        let pattern = operand
            .iter()
            .any(|atom| matches!(atom, Atom::Text(text) if text.contains(['*', '?', '[', '\\'])));
        let word = self.join(operand, *span, false)?.word.literal().map(str::to_owned);
        Ok(match (*op, base) {
            (Op::Default { colon: true }, Base::Text(text)) if text.is_empty() => several,
            (Op::Assign { colon: true }, Base::Text(text)) if text.is_empty() => {
                self.set(name, word.clone().map_or(Value::Unknown, Value::Text), *span);
                word.map_or_else(|| expansion.unknown(Vec::new()), |text| expansion.known(text))
            }
            (Op::Alternative { colon: true }, Base::Text(text)) if text.is_empty() => expansion.known(text),
            (Op::Alternative { .. }, Base::Text(_)) => several,
            (Op::Alternative { .. }, _) => {
                expansion.unknown(word.into_iter().map(|text| vec![Piece::Text(text)]).collect())
            }
            (Op::Default { .. } | Op::Assign { .. }, base) if base.is_open() => {
                let mut maybe = if let Base::Unknown { maybe } = base { maybe } else { Vec::new() };
                maybe.extend(word.map(|text| vec![Piece::Text(text)]));
                if let Op::Assign { .. } = op {
                    self.set(name, Value::of_texts(maybe.clone(), *number), *span);
                }
                expansion.unknown(maybe)
            }
            (Op::Nothing | Op::Demand { .. } | Op::Default { .. } | Op::Assign { .. }, base) => match base {
                Base::Text(text) => expansion.known(text),
                Base::Items(items) => Atom::Items { items, quoted: *quoted },
                Base::Place(pieces) => place(pieces),
                Base::Unknown { maybe } => expansion.unknown(maybe),
            },
            (Op::Transform(b'P'), _) => {
                self.unclear("text that is expanded as a prompt", *span);
                expansion.unknown(Vec::new())
            }
            (op, base) => {
                let word = word.as_deref().filter(|_| !pattern);
                match base {
                    Base::Text(text) => match changed(op, &text, word) {
                        Some(text) => expansion.known(text),
                        None => expansion.unknown(Vec::new()),
                    },
                    Base::Unknown { maybe } => {
                        let texts = maybe.iter().filter_map(|value| match value.as_slice() {
                            [Piece::Text(text)] => changed(op, text, word),
                            _ => None,
                        });
                        expansion.unknown(texts.map(|text| vec![Piece::Text(text)]).collect())
                    }
                    Base::Items(_) | Base::Place(_) => expansion.unknown(Vec::new()),
                }
            }
        })
    }

    fn indirect(&self, name: &str, op: Op, quoted: bool) -> Atom {
        let target = match (op, self.vars.get(name).as_deref()) {
            (Op::Nothing, Some(Value::Text(target))) => target.clone(),
            _ => String::new(),
        };
        match self.vars.get(&target).as_deref() {
            Some(Value::Text(text)) if crate::syntax::scan::is_name(&target) => {
                Atom::Known { text: text.clone(), quoted }
            }
            _ => Atom::unknown(UnknownCause::Variable(format!("!{name}")), quoted),
        }
    }
}

impl Evaluator<'_> {
    /// `${!name}`: the value is the name of another variable, perhaps with a subscript.
    fn points(&mut self, name: &str, op: Op, span: Span) -> Result<(), Stop> {
        let target = match self.vars.get(name).as_deref() {
            Some(Value::Text(target)) => Some(target.clone()),
            _ => None,
        };
        match &target {
            Some(target) => {
                let word = Field::from(literal_word(target.clone(), span));
                self.name_word(&word)?;
            }
            // A number refers to an argument.
            None if self.is_number(name) => {}
            None => self.runs_data(span),
        }
        if let Op::Assign { .. } = op {
            match target {
                Some(target) => self.set(leading_name(&target), Value::Unknown, span),
                None => self.vars.forget_all(),
            }
        }
        Ok(())
    }
}

/// What an operation makes of a text. `word`: its operand, if it is no pattern.
fn changed(op: Op, text: &str, word: Option<&str>) -> Option<String> {
    let word = word?;
    match op {
        Op::CutFront { .. } => Some(text.strip_prefix(word).unwrap_or(text).to_owned()),
        Op::CutBack { .. } => Some(text.strip_suffix(word).unwrap_or(text).to_owned()),
        Op::Replace => replace(text, word),
        Op::Case { upper, all } if word.is_empty() => Some(cased(text, upper, all)),
        _ => None,
    }
}

/// Whether an expansion of a number is a number.
fn keeps_numbers(op: Op, operand: &[Part]) -> bool {
    match op {
        Op::Nothing | Op::Demand { .. } | Op::Slice => true,
        Op::Default { .. } | Op::Assign { .. } => {
            operand.iter().all(|part| part.any_text().is_some_and(is_number))
        }
        Op::Alternative { .. }
        | Op::CutFront { .. }
        | Op::CutBack { .. }
        | Op::Replace
        | Op::Case { .. }
        | Op::Toggle
        | Op::Transform(_) => false,
    }
}

/// A folder and the text after it, as one part of a word.
fn place(pieces: Vec<Piece>) -> Atom {
    let atoms = pieces.into_iter().map(|piece| match piece {
        Piece::Text(text) => Atom::Known { text, quoted: true },
        piece => Atom::Place(piece),
    });
    Atom::Several(atoms.collect())
}

/// A part of the word inside `${name-word}`: its text is split, but its braces are dead.
fn within_word(atom: Atom, quoted: bool) -> Atom {
    if let Atom::Text(text) = atom { Atom::Known { text, quoted } } else { atom }
}
