//! The values of parameters, as far as they are known.

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::variables::value::{Known, Value, is_number};
use crate::script::{Piece, Span, UnknownCause};
use crate::syntax::scan::Stop;
use crate::syntax::tree::Part;

/// The value of a parameter, as far as it is known.
pub(crate) enum Base {
    Text(String),
    Items(Vec<Piece>),
    /// The home or the working folder, and what follows it.
    Place(Vec<Piece>),
    Unknown {
        maybe: Vec<Known>,
    },
}

impl Base {
    /// True if the parameter may be unset, so that a default takes its place.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Unknown { .. } => true,
            Self::Items(items) => items.is_empty(),
            Self::Text(_) | Self::Place(_) => false,
        }
    }
}

impl Evaluator<'_> {
    /// The value of a name at this point.
    pub fn base(&mut self, name: &str, subscript: Option<&str>, scope: &Scope) -> Base {
        let unknown = Base::Unknown { maybe: Vec::new() };
        if let Some(base) = self.positional(name, scope) {
            return base;
        }
        match (self.vars.get(name).as_deref(), subscript) {
            (Some(Value::Text(text)), None | Some("0")) => Base::Text(text.clone()),
            (Some(value @ Value::AtHome(_)), None | Some("0")) => {
                Base::Place(value.known().unwrap_or_default())
            }
            // It may be an array of which this is the first element.
            (Some(Value::Text(text)), Some("@" | "*")) => {
                Base::Unknown { maybe: vec![vec![Piece::Text(text.clone())]] }
            }
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
            (Some(Value::Maybe(texts) | Value::Number(texts)), None) => {
                Base::Unknown { maybe: texts.clone() }
            }
            (Some(_), _) => unknown,
            (None, Some(_)) => unknown,
            (None, None) => match name {
                "HOME" => Base::Place(vec![Piece::Home]),
                "PWD" if !self.moved => Base::Place(vec![Piece::Cwd]),
                "IFS" => Base::Text(" \t\n".to_owned()),
                _ => unknown,
            },
        }
    }

    /// `"$*"`: the items with the first character of `IFS` between them.
    pub fn starred(&self, items: Vec<Piece>) -> Base {
        let between = match self.vars.get("IFS").as_deref() {
            None => Some(" ".to_owned()),
            Some(Value::Text(text)) => Some(text.chars().take(1).collect()),
            Some(Value::AtHome(_) | Value::List(_) | Value::Maybe(_) | Value::Number(_) | Value::Unknown) => {
                None
            }
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

    /// `$1`, `$@` and similar, if the line itself gives them.
    pub fn positional(&self, name: &str, scope: &Scope) -> Option<Base> {
        let index = match name {
            "@" | "*" => None,
            _ if name.bytes().all(|byte| byte.is_ascii_digit()) && name != "0" => {
                Some(name.parse::<usize>().ok()?)
            }
            _ => return None,
        };
        let unknown = |maybe: Vec<Known>| Some(Base::Unknown { maybe });
        if scope.in_function || self.arguments_lost {
            return unknown(Vec::new());
        }
        let Some(arguments) = &scope.arguments else {
            // A whole line normally gets no arguments, but it could.
            return unknown(vec![vec![Piece::Text(String::new())]]);
        };
        let Some(index) = index else {
            let mut items = Vec::new();
            for field in arguments.iter() {
                match field.literal() {
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
            Some(pieces @ ([Piece::Home | Piece::Cwd] | [Piece::Home | Piece::Cwd, Piece::Text(_)])) => {
                Base::Place(pieces.to_vec())
            }
            Some(pieces) => Base::Items(vec![first_unknown(pieces.to_vec())]),
        })
    }

    /// `offset` or `offset:length` in plain digits.
    pub fn slice_bounds(&self, operand: &[Part]) -> Option<(usize, Option<usize>)> {
        let [Part::Text(text)] = operand else { return None };
        match text.split_once(':') {
            Some((from, most)) => Some((from.trim().parse().ok()?, Some(most.trim().parse().ok()?))),
            None => Some((text.trim().parse().ok()?, None)),
        }
    }

    pub fn subscript(&mut self, parts: Vec<Part>, span: Span, scope: &Scope) -> Result<String, Stop> {
        let atoms = self.atoms(parts, span, scope)?;
        let field = self.join(atoms, span, false)?;
        let text = field.literal().unwrap_or("?").to_owned();
        if !matches!(text.as_str(), "@" | "*") && !is_number(&text) {
            self.calculate_word(&field)?;
        }
        Ok(text)
    }
}

pub(crate) fn first_unknown(pieces: Vec<Piece>) -> Piece {
    pieces
        .into_iter()
        .find(|piece| matches!(piece, Piece::Unknown(_)))
        .unwrap_or_else(|| Piece::Unknown(UnknownCause::Other("an argument".to_owned())))
}

/// `${text/from/to}` with plain texts.
pub(crate) fn replace(text: &str, operand: &str) -> Option<String> {
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

/// `${text^^}` and similar, for ASCII letters.
pub(crate) fn cased(text: &str, upper: bool, all: bool) -> String {
    let change = |letter: char| if upper { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    text.chars()
        .enumerate()
        .map(|(index, letter)| if all || index == 0 { change(letter) } else { letter })
        .collect()
}
