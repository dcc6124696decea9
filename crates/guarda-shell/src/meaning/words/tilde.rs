//! `~`, and folders that variables name.

use crate::meaning::evaluator::Evaluator;
use crate::meaning::variables::value::Value;
use crate::meaning::words::field::Atom;
use crate::script::{Piece, UnknownCause};

impl Evaluator<'_> {
    /// Expands tildes at the beginning of a word, and in a value after `=` and `:`.
    pub fn tildes(&mut self, mut atoms: Vec<Atom>, assigned: bool) -> Vec<Atom> {
        let has = |atom: &Atom| matches!(atom, Atom::Text(text) if text.contains('~'));
        if !atoms.iter().any(has) {
            return atoms;
        }
        let mut out = Vec::with_capacity(atoms.len() + 1);
        let count = atoms.len();
        let mut assigned = assigned;
        for (index, atom) in atoms.drain(..).enumerate() {
            let Atom::Text(text) = atom else {
                out.push(atom);
                continue;
            };
            let mut due = index == 0;
            let mut rest = text.as_str();
            if index == 0 && !assigned {
                let name = crate::syntax::words::leading_name(rest);
                if !name.is_empty() && rest.get(name.len()..).is_some_and(|behind| behind.starts_with('=')) {
                    assigned = true;
                    let (front, behind) = rest.split_at(name.len() + 1);
                    out.push(Atom::Text(front.to_owned()));
                    rest = behind;
                    due = true;
                }
            }
            loop {
                if due && rest.starts_with('~') {
                    let ends: &[char] = if assigned { &['/', ':'] } else { &['/'] };
                    let end = rest.find(ends).unwrap_or(rest.len());
                    let prefix = rest.get(..end).unwrap_or("");
                    // A tilde's name must be whole and unquoted.
                    if end < rest.len() || index + 1 == count {
                        out.push(self.tilde(prefix));
                        rest = rest.get(end..).unwrap_or("");
                    }
                }
                let stop = if assigned { rest.find(":~").map(|at| at + 1) } else { None };
                let (front, behind) = rest.split_at(stop.unwrap_or(rest.len()));
                if !front.is_empty() {
                    out.push(Atom::Text(front.to_owned()));
                }
                if behind.is_empty() {
                    break;
                }
                rest = behind;
                due = true;
            }
        }
        out
    }

    pub fn tilde(&mut self, prefix: &str) -> Atom {
        let unknown = |name: &str| {
            let user = name.trim_start_matches('~');
            // `~-` and `~1` are earlier folders of the shell.
            let why = if user.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
                UnknownCause::HomeOf(user.to_owned())
            } else {
                UnknownCause::Other(format!("the folder {name}"))
            };
            Atom::Unknown { why, quoted: true, maybe: Vec::new(), number: false }
        };
        match prefix {
            "~" => self.folder("HOME", Piece::Home),
            "~+" => self.folder("PWD", Piece::Cwd),
            _ => unknown(prefix),
        }
    }

    /// A folder that a variable names, unless the line has changed it.
    pub fn folder(&mut self, name: &str, piece: Piece) -> Atom {
        match self.vars.get(name).as_deref() {
            None if piece == Piece::Cwd && self.moved => Atom::Unknown {
                why: UnknownCause::Variable(name.to_owned()),
                quoted: true,
                maybe: Vec::new(),
                number: false,
            },
            None => Atom::Place(piece),
            Some(Value::Text(text)) => Atom::Known { text: text.clone(), quoted: true },
            Some(Value::AtHome(_) | Value::List(_) | Value::Maybe(_) | Value::Number(_) | Value::Unknown) => {
                Atom::Unknown {
                    why: UnknownCause::Variable(name.to_owned()),
                    quoted: true,
                    maybe: Vec::new(),
                    number: false,
                }
            }
        }
    }
}
