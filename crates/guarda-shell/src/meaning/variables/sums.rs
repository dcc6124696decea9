//! Arithmetic: bash also evaluates the values of variables, and runs the substitutions in their subscripts. So
//! data from a file or another party must not get there, unless it can only be a number.

use foldhash::HashSet;

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::variables::value::Value;
use crate::meaning::words::field::is_hole;
use crate::meaning::words::field::{Atom, Field};
use crate::script::{DATA_MAY_RUN, Piece, Span, UnknownCause};
use crate::syntax::scan::{Stop, is_name};
use crate::syntax::sums::{SumStep, UNKNOWN, steps};
use crate::syntax::tree::{Part, Sets};

/// Variables that bash computes itself until they are unset.
const COUNTERS: [&str; 8] =
    ["RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "BASH_SUBSHELL", "HISTCMD"];
/// The limit of variables that refer to each other.
const MOST_STEPS: usize = 32;

impl Evaluator<'_> {
    /// Arithmetic: what it runs by substitution, what it sets, and whether it evaluates unknown text.
    pub fn evaluate(&mut self, parts: Vec<Part>, span: Span, scope: &Scope) -> Result<(), Stop> {
        let names_nothing = |text: &str| !text.bytes().any(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !parts.iter().all(|part| part.any_text().is_some_and(names_nothing)) {
            self.evaluates = true;
        }
        let mut text = String::new();
        for atom in self.atoms(parts, span, scope)? {
            match atom {
                Atom::Text(part) | Atom::Quoted(part) | Atom::Known { text: part, .. } => {
                    text.push_str(&part)
                }
                Atom::Items { items, .. } => items.iter().for_each(|piece| push(&mut text, piece, false)),
                Atom::Place(piece) => push(&mut text, &piece, false),
                Atom::Unknown { why, number, .. } => push(&mut text, &Piece::Unknown(why), number),
                // Handled earlier.
                Atom::Several(_) => {}
            }
        }
        self.calculate(&text, span)
    }

    /// A word that is evaluated.
    pub fn calculate_word(&mut self, field: &Field) -> Result<(), Stop> {
        let mut text = String::new();
        field.word.pieces.iter().for_each(|piece| push(&mut text, piece, field.number));
        self.evaluates = true;
        self.calculate(&text, field.word.span)
    }

    /// A word that names a variable: a subscript after the name is evaluated.
    pub fn name_word(&mut self, field: &Field) -> Result<(), Stop> {
        match field.literal() {
            Some(text) if is_name(text) || text.is_empty() => Ok(()),
            Some(text) => {
                let index =
                    text.split_once('[').map_or("", |(_, index)| index.trim_end_matches(']')).to_owned();
                self.evaluates = true;
                if matches!(index.as_str(), "@" | "*") {
                    Ok(())
                } else {
                    self.calculate(&index, field.word.span)
                }
            }
            None => {
                self.runs_data(field.word.span);
                Ok(())
            }
        }
    }

    /// Unknown text may run as a command, or name the variable that is set.
    pub fn runs_data(&mut self, span: Span) {
        self.unclear(DATA_MAY_RUN, span);
        self.vars.waver();
    }

    /// Evaluates a text, as far as it is known.
    fn calculate(&mut self, text: &str, span: Span) -> Result<(), Stop> {
        let mut seen = HashSet::default();
        self.calculate_from(text, span, &mut seen, MOST_STEPS)
    }

    fn calculate_from(
        &mut self,
        text: &str,
        span: Span,
        seen: &mut HashSet<String>,
        depth: usize,
    ) -> Result<(), Stop> {
        self.work.spend(text.len() / 4 + 1)?;
        if text.contains(UNKNOWN) || text.contains(is_hole) {
            self.runs_data(span);
        }
        for step in steps(text) {
            match step {
                SumStep::Reads(name) => self.reads(name, span, seen, depth)?,
                SumStep::Counts(name) => self.set(name, Value::Number(Vec::new()), span),
                SumStep::Changes(name) => self.set(name, Value::Unknown, span),
                SumStep::ChangesAny => self.vars.forget_all(),
            }
        }
        Ok(())
    }

    /// The value of a variable is evaluated.
    fn reads(
        &mut self,
        name: &str,
        span: Span,
        seen: &mut HashSet<String>,
        depth: usize,
    ) -> Result<(), Stop> {
        if self.is_number(name) || !seen.insert(name.to_owned()) {
            return Ok(());
        }
        self.work.spend(2)?;
        let texts = match self.vars.get(name).as_deref() {
            Some(Value::Text(text)) if depth > 0 => vec![text.clone()],
            Some(Value::List(texts)) if depth > 0 => texts.clone(),
            _ => {
                self.runs_data(span);
                return Ok(());
            }
        };
        for text in texts {
            self.calculate_from(&text, span, seen, depth - 1)?;
        }
        Ok(())
    }

    /// The variables that a loop sets later, before its first round.
    pub fn before_loop(&mut self, sets: &[Sets]) -> Result<(), Stop> {
        if sets.contains(&Sets::Calculated) {
            self.work.spend(self.vars.count())?;
            self.work.spend(self.vars.weight() / 4)?;
        }
        self.vars.apply(sets);
        Ok(())
    }

    /// Whether a variable holds a number or nothing.
    pub fn is_number(&self, name: &str) -> bool {
        match self.vars.get(name) {
            Some(value) => value.is_number(),
            None => matches!(name, "#" | "?" | "$" | "!") || COUNTERS.contains(&name),
        }
    }

    /// Assigns this to a variable; if bash evaluates it first, it must be known.
    pub fn gets(&mut self, name: &str, field: Option<&Field>, span: Span) -> Result<(), Stop> {
        match field {
            _ if !self.vars.is_integer(name) => Ok(()),
            Some(field) => self.calculate_word(field),
            None => {
                self.runs_data(span);
                Ok(())
            }
        }
    }
}

/// Adds a piece as arithmetic text.
fn push(text: &mut String, piece: &Piece, number: bool) {
    match piece {
        Piece::Text(part) | Piece::Glob(part) => text.push_str(part),
        Piece::Unknown(UnknownCause::Arithmetic) => text.push('0'),
        Piece::Unknown(_) if number => text.push('0'),
        Piece::Unknown(_) | Piece::Home | Piece::Cwd => text.push(UNKNOWN),
    }
}
