//! The expansion of a parameter, as far as it is known before run time.

use crate::meaning::expand::{Atom, Field};
use crate::meaning::value::{Known, Value, is_number};
use crate::meaning::values::{Base, cased, replace};
use crate::meaning::walk::{Evaluator, Scope};
use crate::script::{Piece, Span, UnknownCause};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{Op, Parameter, Part};
use crate::syntax::words::{leading_name, literal_word};

impl Evaluator<'_> {
    /// The meaning of `$name` or `${…}`.
    pub fn parameter(&mut self, parameter: Parameter, scope: &Scope) -> Result<Atom, Stop> {
        let Parameter { name, quoted, length, indirect, subscript, op, operand, span, bare: _ } = parameter;
        let subscript = match subscript {
            Some(parts) => Some(self.subscript(parts, span, scope)?),
            None => None,
        };
        let number = length || subscript.is_none() && keeps_numbers(op, &operand) && self.is_number(&name);
        let unknown = |maybe: Vec<Known>| {
            let why = UnknownCause::Variable(name.clone());
            Atom::Unknown { why, quoted, maybe, number }
        };
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
            base @ (Base::Text(_) | Base::Items(_) | Base::Place(_) | Base::Unknown { .. }) => base,
        };
        if length {
            return Ok(match base {
                Base::Text(text) if text.is_ascii() => Atom::Known { text: text.len().to_string(), quoted },
                Base::Text(_) | Base::Items(_) | Base::Place(_) | Base::Unknown { .. } => unknown(Vec::new()),
            });
        }
        if op == Op::Slice {
            let cut = self.slice_bounds(&operand);
            self.evaluate(operand, span, scope)?;
            return Ok(match (base, cut) {
                (Base::Text(text), Some((from, most))) if text.is_ascii() => {
                    let end = most.map_or(text.len(), |most| from.saturating_add(most).min(text.len()));
                    Atom::Known { text: text.get(from.min(end)..end).unwrap_or("").to_owned(), quoted }
                }
                _ => unknown(Vec::new()),
            });
        }
        let operand = self.atoms(operand, span, scope)?;
        let several: Vec<Atom> = match op {
            Op::Default { .. } | Op::Assign { .. } | Op::Alternative { .. } => {
                let atoms = self.tildes(operand.clone(), false);
                atoms.into_iter().map(|atom| within_word(atom, quoted)).collect()
            }
            Op::Nothing
            | Op::Demand { .. }
            | Op::Slice
            | Op::CutFront { .. }
            | Op::CutBack { .. }
            | Op::Replace
            | Op::Case { .. }
            | Op::Toggle
            | Op::Transform(_) => Vec::new(),
        };
        let pattern = operand
            .iter()
            .any(|atom| matches!(atom, Atom::Text(text) if text.contains(['*', '?', '[', '\\'])));
        let operand = self.join(operand, span, false)?;
        let word = operand.word.literal().map(str::to_owned);
        Ok(match (op, base) {
            (Op::Nothing | Op::Demand { .. }, base) => match base {
                Base::Text(text) => Atom::Known { text, quoted },
                Base::Items(items) => Atom::Items { items, quoted },
                Base::Place(pieces) => place(pieces),
                Base::Unknown { maybe } => unknown(maybe),
            },
            (Op::Default { colon } | Op::Assign { colon }, Base::Text(text)) => {
                if text.is_empty() && colon {
                    if let Op::Assign { .. } = op {
                        self.set(&name, word.clone().map_or(Value::Unknown, Value::Text), span);
                        word.map_or_else(|| unknown(Vec::new()), |text| Atom::Known { text, quoted })
                    } else {
                        Atom::Several(several)
                    }
                } else {
                    Atom::Known { text, quoted }
                }
            }
            (Op::Default { .. } | Op::Assign { .. }, Base::Place(pieces)) => place(pieces),
            (Op::Default { .. } | Op::Assign { .. }, Base::Items(items)) if !items.is_empty() => {
                Atom::Items { items, quoted }
            }
            (Op::Default { .. } | Op::Assign { .. }, base) => {
                let mut maybe = match base {
                    Base::Unknown { maybe } => maybe,
                    Base::Text(_) | Base::Items(_) | Base::Place(_) => Vec::new(),
                };
                maybe.extend(word.map(|text| vec![Piece::Text(text)]));
                if let Op::Assign { .. } = op {
                    let value = Value::of_texts(maybe.clone(), number);
                    self.set(&name, value, span);
                }
                unknown(maybe)
            }
            (Op::Alternative { colon }, Base::Text(text)) => {
                if text.is_empty() && colon {
                    Atom::Known { text: String::new(), quoted }
                } else {
                    Atom::Several(several)
                }
            }
            (Op::Alternative { .. }, _) => {
                unknown(word.into_iter().map(|text| vec![Piece::Text(text)]).collect())
            }
            (Op::Transform(b'P'), _) => {
                self.doubt(UnknownCause::Other("text that is expanded as a prompt".to_owned()), span);
                unknown(Vec::new())
            }
            (op, base) => {
                let word = word.as_deref().filter(|_| !pattern);
                match base {
                    Base::Text(text) => match changed(op, &text, word) {
                        Some(text) => Atom::Known { text, quoted },
                        None => unknown(Vec::new()),
                    },
                    Base::Unknown { maybe } => {
                        let texts = maybe.iter().filter_map(|value| match value.as_slice() {
                            [Piece::Text(text)] => changed(op, text, word),
                            _ => None,
                        });
                        unknown(texts.map(|text| vec![Piece::Text(text)]).collect())
                    }
                    Base::Items(_) | Base::Place(_) => unknown(Vec::new()),
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
            _ => {
                let why = UnknownCause::Variable(format!("!{name}"));
                Atom::Unknown { why, quoted, maybe: Vec::new(), number: false }
            }
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
                let word = Field { word: literal_word(target.clone(), span), ..Field::default() };
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
