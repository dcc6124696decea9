//! From words as written to words as a program gets them.

use std::borrow::Cow;

use crate::meaning::braces::{self, BracePart, Unexpanded, unexpanded};
use crate::meaning::split::push_unknown;
use crate::meaning::sums::counts;
use crate::meaning::value::Known;
use crate::meaning::walk::{Evaluator, Scope};
use crate::script::{Dialect, Fault, Piece, Span, UnknownCause, Word};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{Part, Raw};
use crate::syntax::words::literal_word;

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

impl Evaluator<'_> {
    /// The expansion of these words, in the order of the source.
    pub fn fields(&mut self, words: Vec<Raw>, scope: &Scope) -> Result<Vec<Field>, Stop> {
        let mut fields = Vec::with_capacity(words.len());
        for raw in words {
            match raw {
                Raw::Plain(word) => {
                    self.work.spend(1)?;
                    if self.holes.is_empty() {
                        fields.push(Field { word, ..Field::default() });
                    } else {
                        let span = word.span;
                        let text = word.literal().unwrap_or("").to_owned();
                        let mut field = Field { word: Word { pieces: Vec::new(), span }, ..Field::default() };
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
                    out.push(Field { word: literal_word(text, span), ..Field::default() });
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
                Part::Opaque(reason) => Atom::Unknown {
                    why: UnknownCause::Other(reason.to_owned()),
                    quoted: true,
                    maybe: Vec::new(),
                    number: false,
                },
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
                    let why = UnknownCause::Other("a subscript".to_owned());
                    Atom::Unknown { why, quoted: true, maybe: Vec::new(), number: false }
                }
                Part::Array(items) => {
                    let _ = self.fields(items, scope)?;
                    self.evaluates = true;
                    Atom::Unknown {
                        why: UnknownCause::Other("an array".to_owned()),
                        quoted: true,
                        maybe: Vec::new(),
                        number: false,
                    }
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
                let mut field =
                    Field { word: Word { pieces: Vec::new(), span: word.span }, ..Field::default() };
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
        let number = !atoms.is_empty() && atoms.iter().all(counts);
        let mut field = Field { word: Word { pieces: Vec::new(), span }, number, ..Field::default() };
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
                Atom::Unknown { why, maybe, .. } => push_unknown(&mut field, why, maybe),
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
