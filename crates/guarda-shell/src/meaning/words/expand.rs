//! From words as written to words as a program gets them.

use std::borrow::Cow;

use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::variables::value::Known;
use crate::meaning::words::braces::{self, BracePart, Unexpanded, unexpanded};
use crate::meaning::words::field::{Atom, Field};
use crate::script::{Dialect, Fault, Piece, Span, UnknownCause};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{Part, Raw};
use crate::syntax::words::literal_word;

impl Evaluator<'_> {
    /// The expansion of these words, in the order of the source.
    pub fn fields(&mut self, words: Vec<Raw>, scope: &Scope) -> Result<Vec<Field>, Stop> {
        let mut fields = Vec::with_capacity(words.len());
        for raw in words {
            match raw {
                Raw::Plain(word) => {
                    self.work.spend(1)?;
                    if self.holes.is_empty() {
                        fields.push(Field::from(word));
                    } else {
                        let span = word.span;
                        let text = word.literal().unwrap_or("").to_owned();
                        let mut field = Field::empty(span);
                        self.push_text(&mut field, &text, false);
                        fields.push(field);
                    }
                }
                Raw::Rich { span, parts } => {
                    let (first, pieced) = (fields.len(), is_pieced(&parts, span));
                    self.rich(parts, span, scope, &mut fields)?;
                    for field in fields.iter_mut().skip(first) {
                        field.pieced = pieced;
                    }
                }
            }
        }
        Ok(fields)
    }

    fn rich(
        &mut self,
        parts: Vec<Part>,
        span: Span,
        scope: &Scope,
        out: &mut Vec<Field>,
    ) -> Result<(), Stop> {
        if self.holes.is_empty() && matches!(parts.as_slice(), [Part::Quoted(_)]) {
            for part in parts {
                if let Part::Quoted(text) = part {
                    self.look_for_code(&text, span);
                    out.push(Field::from(literal_word(text, span)));
                }
            }
            return Ok(());
        }
        if !is_braced(&parts) {
            let atoms = self.atoms(parts, span, scope)?;
            self.work.spend(atoms.len() + 1)?;
            return self.split(atoms, span, out);
        }
        let mut braced = Vec::with_capacity(parts.len());
        for part in parts {
            let bare = matches!(&part, Part::Parameter(parameter) if parameter.bare);
            let atoms = self.atoms(vec![part], span, scope)?;
            braced.extend(atoms.into_iter().map(|atom| BracePart { atom, bare }));
        }
        self.work.spend(braced.len() + 1)?;
        let words = match braces::expand(braced) {
            Ok(words) => words,
            Err(Unexpanded::Unclear) => vec![vec![unexpanded(Vec::new(), false)]],
            Err(Unexpanded::TooMany) => {
                let reason = Cow::Borrowed("a brace expansion of too many words");
                return Err(Stop { reason, span, fault: Fault::Beyond });
            }
        };
        self.work.spend(words.iter().map(Vec::len).sum())?;
        // `sh` expands braces where it is bash.
        let words =
            if scope.dialect == Dialect::Sh { vec![vec![unexpanded(said(&words), false)]] } else { words };
        for atoms in words {
            self.split(atoms, span, out)?;
        }
        Ok(())
    }

    /// Fills in the meaning of each part; what a substitution runs is added to the runs.
    pub fn atoms(&mut self, parts: Vec<Part>, span: Span, scope: &Scope) -> Result<Vec<Atom>, Stop> {
        let mut atoms = Vec::with_capacity(parts.len());
        for part in parts {
            self.work.spend(1)?;
            let atom = match part {
                Part::Parameter(parameter) => {
                    let atom = self.parameter(*parameter, scope)?;
                    if let Atom::Several(several) = atom {
                        atoms.extend(several);
                        continue;
                    }
                    atom
                }
                Part::Text(text) => Atom::Text(text),
                Part::Quoted(text) => {
                    self.look_for_code(&text, span);
                    Atom::Quoted(text)
                }
                Part::Opaque(reason) => Atom::unknown(UnknownCause::Other(reason.to_owned()), true),
                Part::Command { list, quoted } => self.substituted(list, quoted, scope)?,
                Part::Process(list) => {
                    self.substitution(list, scope)?;
                    Atom::Place(Piece::Unknown(UnknownCause::PipeName))
                }
                Part::Arithmetic { inner, quoted } => {
                    self.evaluate(inner, span, scope)?;
                    Atom::Unknown { why: UnknownCause::Arithmetic, quoted, maybe: Vec::new(), number: true }
                }
                Part::Subscript(inner) => {
                    self.evaluate(inner, span, scope)?;
                    self.evaluates = true;
                    Atom::unknown(UnknownCause::Other("a subscript".to_owned()), true)
                }
                Part::Array(items) => {
                    let _ = self.fields(items, scope)?;
                    self.evaluates = true;
                    Atom::unknown(UnknownCause::Other("an array".to_owned()), true)
                }
            };
            atoms.push(atom);
        }
        Ok(atoms)
    }

    /// One word that is never split: the value of an assignment, a here-document, a pattern.
    pub fn single(&mut self, raw: Raw, scope: &Scope, assigned: bool) -> Result<Field, Stop> {
        match raw {
            Raw::Plain(word) => {
                let mut field = Field::empty(word.span);
                let text = word.literal().unwrap_or("").to_owned();
                self.push_text(&mut field, &text, false);
                Ok(field)
            }
            Raw::Rich { span, parts } => {
                let atoms = self.atoms(parts, span, scope)?;
                self.join(atoms, span, assigned)
            }
        }
    }

    /// Joins atoms to one word.
    pub fn join(&mut self, atoms: Vec<Atom>, span: Span, assigned: bool) -> Result<Field, Stop> {
        let number = !atoms.is_empty() && atoms.iter().all(Atom::is_number);
        let mut field = Field { number, ..Field::empty(span) };
        for atom in self.tildes(atoms, assigned) {
            match atom {
                Atom::Text(text) | Atom::Quoted(text) | Atom::Known { text, .. } => {
                    self.work.spend(text.len() / 16)?;
                    self.push_text(&mut field, &text, false);
                }
                Atom::Items { items, .. } => {
                    for (index, item) in items.into_iter().enumerate() {
                        if index > 0 {
                            self.push_text(&mut field, " ", false);
                        }
                        self.push_piece(&mut field, item);
                    }
                }
                Atom::Place(piece) => self.push_piece(&mut field, piece),
                Atom::Several(_) => {}
                Atom::Unknown { why, maybe, .. } => field.push_unknown(why, maybe),
            }
        }
        self.look_in(&field);
        Ok(field)
    }
}

/// Whether a word is needlessly written in parts: inner quotes or escapes, braces, a command's output.
fn is_pieced(parts: &[Part], span: Span) -> bool {
    let quotes = |part: &Part| matches!(part, Part::Text(_) | Part::Quoted(_));
    match parts {
        [Part::Command { .. }] => true,
        // `\ls` skips an alias.
        [Part::Quoted(first), Part::Text(rest)] if span.end - span.start == first.len() + rest.len() + 1 => {
            false
        }
        [_, _, ..] if parts.iter().all(quotes) || parts.iter().any(stands_in) => true,
        parts => is_braced(parts),
    }
}

/// True for `$(…)`, and for `$IFS` in place of a blank.
fn stands_in(part: &Part) -> bool {
    match part {
        Part::Command { .. } => true,
        Part::Parameter(parameter) => parameter.name == "IFS" && !parameter.quoted,
        _ => false,
    }
}

/// Whether a word has braces that bash expands.
fn is_braced(parts: &[Part]) -> bool {
    let texts = || parts.iter().filter_map(Part::text);
    let has = |sign: &str| texts().any(|text| text.contains(sign));
    has("{") && has("}") && (has(",") || has(".."))
}

/// The words as one text, if they are known.
fn said(words: &[Vec<Atom>]) -> Vec<Known> {
    let text = |atom: &Atom| match atom {
        Atom::Text(text) | Atom::Quoted(text) | Atom::Known { text, .. } => Some(text.clone()),
        Atom::Items { .. } | Atom::Place(_) | Atom::Several(_) | Atom::Unknown { .. } => None,
    };
    let words: Option<Vec<String>> = words.iter().map(|word| word.iter().map(text).collect()).collect();
    words.map(|words| vec![Piece::Text(words.join(" "))]).into_iter().collect()
}
