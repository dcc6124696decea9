//! What a parameter's expansion is worth before anything runs.

use super::expand::Atom;
use super::scan::Stop;
use super::tree::{List, Op, Parameter, Part};
use super::vars::Value;
use super::walk::{Around, Walker};
use crate::action::script::{Piece, Reach, Span, Why};

/// The value of a parameter, as far as it is known.
enum Base {
    Text(String),
    Items(Vec<Piece>),
    Place(Piece),
    Unknown { maybe: Vec<String> },
}

impl Walker<'_> {
    /// The meaning of `$name` or `${…}`.
    pub fn parameter(&mut self, parameter: Parameter, around: &Around) -> Result<Atom, Stop> {
        let Parameter { name, quoted, length, indirect, subscript, op, operand, span, bare: _ } = parameter;
        let subscript = match subscript {
            Some(parts) => Some(self.subscript(parts, span, around)?),
            None => None,
        };
        let unknown = |maybe: Vec<String>| Atom::Unknown { why: Why::Variable(name.clone()), quoted, maybe };
        if indirect {
            return self.indirect(&name, op, operand, quoted, span, around);
        }
        let star = name == "*" || subscript.as_deref() == Some("*");
        let base = match self.base(&name, subscript.as_deref(), around) {
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
            self.evaluate(operand, span, around)?;
            return Ok(match (base, cut) {
                (Base::Text(text), Some((from, most))) if text.is_ascii() => {
                    let end = most.map_or(text.len(), |most| from.saturating_add(most).min(text.len()));
                    Atom::Known { text: text.get(from.min(end)..end).unwrap_or("").to_owned(), quoted }
                }
                _ => unknown(Vec::new()),
            });
        }
        let operand = self.atoms(operand, span, around)?;
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
                Base::Place(piece) => Atom::Place(piece),
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
            (Op::Default { .. } | Op::Assign { .. }, Base::Place(piece)) => Atom::Place(piece),
            (Op::Default { .. } | Op::Assign { .. }, Base::Items(items)) if !items.is_empty() => {
                Atom::Items { items, quoted }
            }
            (Op::Default { .. } | Op::Assign { .. }, base) => {
                let mut maybe = match base {
                    Base::Unknown { maybe } => maybe,
                    Base::Text(_) | Base::Items(_) | Base::Place(_) => Vec::new(),
                };
                maybe.extend(word);
                if let Op::Assign { .. } = op {
                    let value = if maybe.is_empty() { Value::Unknown } else { Value::Maybe(maybe.clone()) };
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
            (Op::Alternative { .. }, _) => unknown(word.into_iter().collect()),
            (Op::CutFront { .. }, Base::Text(text)) if !pattern => match &word {
                Some(cut) => {
                    let text = text.strip_prefix(cut.as_str()).unwrap_or(&text).to_owned();
                    Atom::Known { text, quoted }
                }
                None => unknown(Vec::new()),
            },
            (Op::CutBack { .. }, Base::Text(text)) if !pattern => match &word {
                Some(cut) => {
                    let text = text.strip_suffix(cut.as_str()).unwrap_or(&text).to_owned();
                    Atom::Known { text, quoted }
                }
                None => unknown(Vec::new()),
            },
            (Op::Replace, Base::Text(text)) if !pattern => {
                match word.as_deref().and_then(|word| replace(&text, word)) {
                    Some(text) => Atom::Known { text, quoted },
                    None => unknown(Vec::new()),
                }
            }
            (Op::Case { upper, all }, Base::Text(text)) if word.as_deref() == Some("") => {
                Atom::Known { text: cased(&text, upper, all), quoted }
            }
            (Op::Transform(b'P'), _) => {
                self.doubt(Why::Other("text that is expanded as a prompt".to_owned()), span);
                unknown(Vec::new())
            }
            _ => unknown(Vec::new()),
        })
    }

    fn indirect(
        &mut self,
        name: &str,
        op: Op,
        operand: Vec<Part>,
        quoted: bool,
        span: Span,
        around: &Around,
    ) -> Result<Atom, Stop> {
        let _ = self.atoms(operand, span, around)?;
        self.evaluates = true;
        let target = match (op, self.vars.get(name)) {
            (Op::Nothing, Some(Value::Text(target))) => target.clone(),
            _ => String::new(),
        };
        Ok(match self.vars.get(&target) {
            Some(Value::Text(text)) if super::scan::is_name(&target) => {
                Atom::Known { text: text.clone(), quoted }
            }
            _ => Atom::Unknown { why: Why::Variable(format!("!{name}")), quoted, maybe: Vec::new() },
        })
    }

    /// `"$*"`: the items with the first character of `IFS` between them.
    fn starred(&self, items: Vec<Piece>) -> Base {
        let between = match self.vars.get("IFS") {
            None => Some(" ".to_owned()),
            Some(Value::Text(text)) => Some(text.chars().take(1).collect()),
            Some(Value::List(_) | Value::Maybe(_) | Value::Unknown) => None,
        };
        let texts: Option<Vec<&str>> = items
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Some(text.as_str()),
                Piece::Glob(_) | Piece::Home | Piece::Cwd | Piece::Unknown(_) => None,
            })
            .collect();
        match (texts, between) {
            (Some(texts), Some(between)) => Base::Text(texts.join(&between)),
            _ => Base::Unknown { maybe: Vec::new() },
        }
    }

    /// The value a name has here.
    fn base(&mut self, name: &str, subscript: Option<&str>, around: &Around) -> Base {
        let unknown = Base::Unknown { maybe: Vec::new() };
        if let Some(base) = self.positional(name, around) {
            return base;
        }
        match (self.vars.get(name), subscript) {
            (Some(Value::Text(text)), None | Some("0")) => Base::Text(text.clone()),
            (Some(Value::Text(text)), Some("@" | "*")) => Base::Items(vec![Piece::Text(text.clone())]),
            (Some(Value::List(items)), Some("@")) => {
                Base::Items(items.iter().cloned().map(Piece::Text).collect())
            }
            (Some(Value::List(items)), Some("*")) => {
                Base::Items(items.iter().cloned().map(Piece::Text).collect())
            }
            (Some(Value::List(items)), index) => match index.unwrap_or("0").parse::<usize>() {
                Ok(index) => Base::Text(items.get(index).cloned().unwrap_or_default()),
                Err(_) => unknown,
            },
            (Some(Value::Maybe(texts)), None) => Base::Unknown { maybe: texts.clone() },
            (Some(_), _) => unknown,
            (None, Some(_)) => unknown,
            (None, None) => match name {
                "HOME" => Base::Place(Piece::Home),
                "PWD" if !self.moved => Base::Place(Piece::Cwd),
                "IFS" => Base::Text(" \t\n".to_owned()),
                _ => unknown,
            },
        }
    }

    /// `$1`, `$@` and their like, where the line itself gives them.
    fn positional(&self, name: &str, around: &Around) -> Option<Base> {
        let index = match name {
            "@" | "*" => None,
            _ if name.bytes().all(|byte| byte.is_ascii_digit()) && name != "0" => {
                Some(name.parse::<usize>().ok()?)
            }
            _ => return None,
        };
        let unknown = |maybe: Vec<String>| Some(Base::Unknown { maybe });
        if around.in_function || self.arguments_lost {
            return unknown(Vec::new());
        }
        let Some(arguments) = &around.arguments else {
            // Nobody gives a whole line arguments; still it could be.
            return unknown(vec![String::new()]);
        };
        let Some(index) = index else {
            let mut items = Vec::new();
            for field in arguments.iter() {
                match field.word.literal() {
                    Some(text) if !field.splits => items.push(Piece::Text(text.to_owned())),
                    _ => items.push(first_unknown(field.word.pieces.clone())),
                }
            }
            return Some(Base::Items(items));
        };
        if arguments.iter().take(index).any(|field| field.splits) {
            return unknown(Vec::new());
        }
        Some(match arguments.get(index - 1).map(|field| field.word.pieces.as_slice()) {
            None | Some([]) => Base::Text(String::new()),
            Some([Piece::Text(text)]) => Base::Text(text.clone()),
            Some(pieces) => Base::Items(vec![first_unknown(pieces.to_vec())]),
        })
    }

    fn subscript(&mut self, parts: Vec<Part>, span: Span, around: &Around) -> Result<String, Stop> {
        let atoms = self.atoms(parts, span, around)?;
        let field = self.join(atoms, span, false)?;
        let text = field.word.literal().unwrap_or("?").to_owned();
        if !(text == "@"
            || text == "*"
            || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())))
        {
            self.evaluates = true;
        }
        Ok(text)
    }

    /// Arithmetic: what it runs by substitution, and whether a variable's text could be run by it.
    pub fn evaluate(&mut self, parts: Vec<Part>, span: Span, around: &Around) -> Result<(), Stop> {
        let names_nothing = |text: &str| !text.bytes().any(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let harmless = parts.iter().all(|part| part.any_text().is_some_and(names_nothing));
        if !harmless {
            self.evaluates = true;
        }
        let assigns = |text: &str| text.contains('=') || text.contains("++") || text.contains("--");
        let sets = parts.iter().filter_map(Part::any_text).any(assigns);
        let mixed = parts.len() > 1;
        let mut names: Vec<String> = Vec::new();
        if sets {
            let words = parts.iter().filter_map(Part::any_text).flat_map(|text| {
                text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
            });
            names.extend(words.filter(|name| super::scan::is_name(name)).map(str::to_owned));
        }
        let _ = self.atoms(parts, span, around)?;
        if sets {
            for name in names {
                self.set(&name, Value::Unknown, span);
            }
            if mixed {
                self.vars.forget();
            }
        }
        Ok(())
    }

    /// The commands of a substitution.
    pub fn substitution(&mut self, list: List, around: &Around) -> Result<(), Stop> {
        let inner = around.substituted();
        let mark = self.vars.mark();
        self.list(list, &inner)?;
        let _ = self.vars.undo(mark);
        Ok(())
    }

    /// `$(…)`: its commands join the runs; its output is known only where it is plainly given.
    pub fn substituted(&mut self, list: List, quoted: bool, around: &Around) -> Result<Atom, Stop> {
        let first = self.runs.len();
        let lone = matches!(list.items.as_slice(), [item] if item.rest.is_empty() && !item.background
            && !item.first.negated && item.first.commands.len() == 1);
        self.substitution(list, around)?;
        let output = if lone && self.runs.len() == first + 1 { self.output(first) } else { None };
        Ok(match output {
            Some(text) if self.runs.get(first).is_some_and(|run| run.reach == Reach::Substitution) => {
                Atom::Known { text: text.trim_end_matches('\n').to_owned(), quoted }
            }
            _ => Atom::Unknown { why: Why::Substitution, quoted, maybe: Vec::new() },
        })
    }

    /// `offset` or `offset:length` in plain digits.
    fn slice_bounds(&self, operand: &[Part]) -> Option<(usize, Option<usize>)> {
        let [Part::Text(text)] = operand else { return None };
        match text.split_once(':') {
            Some((from, most)) => Some((from.trim().parse().ok()?, Some(most.trim().parse().ok()?))),
            None => Some((text.trim().parse().ok()?, None)),
        }
    }
}

fn first_unknown(pieces: Vec<Piece>) -> Piece {
    pieces
        .into_iter()
        .find(|piece| matches!(piece, Piece::Unknown(_)))
        .unwrap_or_else(|| Piece::Unknown(Why::Other("an argument".to_owned())))
}

/// A part of the word inside `${name-word}`: its text is split, but its braces are dead.
fn within_word(atom: Atom, quoted: bool) -> Atom {
    match atom {
        Atom::Text(text) => Atom::Known { text, quoted },
        atom => atom,
    }
}

/// `${text/from/to}` with plain texts.
fn replace(text: &str, operand: &str) -> Option<String> {
    let (all, operand) = match operand.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, operand),
    };
    if operand.starts_with(['#', '%']) {
        return None;
    }
    let (from, to) = operand.split_once('/').unwrap_or((operand, ""));
    if from.is_empty() || to.contains('&') {
        return None;
    }
    Some(if all { text.replace(from, to) } else { text.replacen(from, to, 1) })
}

/// `${text^^}` and its kin, for letters of ASCII.
fn cased(text: &str, upper: bool, all: bool) -> String {
    let change = |letter: char| if upper { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    text.chars()
        .enumerate()
        .map(|(index, letter)| if all || index == 0 { change(letter) } else { letter })
        .collect()
}
