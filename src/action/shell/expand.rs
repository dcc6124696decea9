//! From words as written to words as a program gets them.

use super::scan::Stop;
use super::tree::{Part, Raw};
use super::vars::Value;
use super::walk::{Around, Walker};
use crate::action::script::{Dialect, Piece, Span, Why, Word};

/// A word of an argument vector, or what may become several.
#[derive(Debug, Clone, Default)]
pub(super) struct Field {
    pub word: Word,
    /// The shell may make any number of words of it, none included.
    pub splits: bool,
    /// For pieces that are not known: their place, and texts that they may be.
    pub maybe: Vec<(usize, Vec<String>)>,
}

/// A part of a word with its meaning filled in.
#[derive(Debug, Clone)]
pub(super) enum Atom {
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
        why: Why,
        quoted: bool,
        maybe: Vec<String>,
    },
}

/// The parameter may be any number of words even in quotes: `"$@"`.
pub(super) fn spreads(name: &str) -> bool {
    matches!(name, "@")
}

impl Walker<'_> {
    /// The words that these words become, in the order of the source.
    pub fn fields(&mut self, words: Vec<Raw>, around: &Around) -> Result<Vec<Field>, Stop> {
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
                Raw::Rich { span, parts } => self.rich(parts, span, around, &mut fields)?,
            }
        }
        Ok(fields)
    }

    fn rich(
        &mut self,
        parts: Vec<Part>,
        span: Span,
        around: &Around,
        out: &mut Vec<Field>,
    ) -> Result<(), Stop> {
        let (braced, hazard) = brace_signs(&parts);
        let atoms = self.atoms(parts, span, around)?;
        self.work.spend(atoms.len() + 1)?;
        if !braced {
            return self.split(atoms, span, out);
        }
        let words = if hazard || around.dialect == Dialect::Sh { None } else { super::braces::expand(atoms) };
        match words {
            Some(words) => {
                self.work.spend(words.iter().map(Vec::len).sum())?;
                for atoms in words {
                    self.split(atoms, span, out)?;
                }
            }
            None => {
                let why = Why::Other("a brace expansion".to_owned());
                out.push(Field {
                    word: Word { pieces: vec![Piece::Unknown(why)], span },
                    splits: true,
                    maybe: Vec::new(),
                });
            }
        }
        Ok(())
    }

    /// Fills in the meaning of each part; what a substitution runs is added to the runs.
    pub fn atoms(&mut self, parts: Vec<Part>, span: Span, around: &Around) -> Result<Vec<Atom>, Stop> {
        let mut atoms = Vec::with_capacity(parts.len());
        for part in parts {
            self.work.spend(1)?;
            let atom = match part {
                Part::Parameter(parameter) => {
                    match self.parameter(*parameter, around)? {
                        Atom::Several(several) => atoms.extend(several),
                        atom => atoms.push(atom),
                    }
                    continue;
                }
                Part::Text(text) => Atom::Text(text),
                Part::Quoted(text) => {
                    self.look_for_code(&text, span);
                    Atom::Quoted(text)
                }
                Part::Opaque(reason) => {
                    Atom::Unknown { why: Why::Other(reason.to_owned()), quoted: true, maybe: Vec::new() }
                }
                Part::Command { list, quoted } => self.substituted(list, quoted, around)?,
                Part::Process(list) => {
                    self.substitution(list, around)?;
                    Atom::Place(Piece::Unknown(Why::PipeName))
                }
                Part::Arithmetic { inner, quoted } => {
                    self.evaluate(inner, span, around)?;
                    Atom::Unknown { why: Why::Arithmetic, quoted, maybe: Vec::new() }
                }
                Part::Subscript(inner) => {
                    self.evaluate(inner, span, around)?;
                    self.evaluates = true;
                    let why = Why::Other("a subscript".to_owned());
                    Atom::Unknown { why, quoted: true, maybe: Vec::new() }
                }
                Part::Array(items) => {
                    let _ = self.fields(items, around)?;
                    self.evaluates = true;
                    Atom::Unknown { why: Why::Other("an array".to_owned()), quoted: true, maybe: Vec::new() }
                }
            };
            atoms.push(atom);
        }
        Ok(atoms)
    }

    /// One word that is never split: the value of an assignment, a here-document, a pattern.
    pub fn single(&mut self, raw: Raw, around: &Around, assigned: bool) -> Result<Field, Stop> {
        match raw {
            Raw::Plain(word) => {
                let mut field =
                    Field { word: Word { pieces: Vec::new(), span: word.span }, ..Field::default() };
                let text = word.literal().unwrap_or("").to_owned();
                self.push_text(&mut field, &text, false);
                Ok(field)
            }
            Raw::Rich { span, parts } => {
                let atoms = self.atoms(parts, span, around)?;
                self.join(atoms, span, assigned)
            }
        }
    }

    /// Atoms put together as one word.
    pub fn join(&mut self, atoms: Vec<Atom>, span: Span, assigned: bool) -> Result<Field, Stop> {
        let mut field = Field { word: Word { pieces: Vec::new(), span }, ..Field::default() };
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

    /// Splits atoms into words, as bash does with what is not quoted.
    fn split(&mut self, atoms: Vec<Atom>, span: Span, out: &mut Vec<Field>) -> Result<(), Stop> {
        let empty = || Field { word: Word { pieces: Vec::new(), span }, ..Field::default() };
        let mut field = empty();
        let mut present = false;
        let lonely = atoms.len() == 1;
        for atom in self.tildes(atoms, false) {
            match atom {
                Atom::Text(text) => {
                    present |= !text.is_empty();
                    self.push_pattern(&mut field, &text, lonely);
                }
                Atom::Quoted(text) | Atom::Known { text, quoted: true } => {
                    present = true;
                    self.work.spend(text.len() / 16)?;
                    self.push_text(&mut field, &text, false);
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
                                out.push(std::mem::replace(&mut field, empty()));
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
                // Taken apart before.
                Atom::Several(_) => {}
                Atom::Unknown { why, quoted, maybe } => {
                    present = true;
                    field.splits |= !quoted || matches!(&why, Why::Variable(name) if spreads(name));
                    push_unknown(&mut field, why, maybe);
                }
            }
        }
        if present {
            self.look_in(&field);
            out.push(field);
        }
        Ok(())
    }

    /// Splits a value at the characters of `IFS`.
    fn split_value(
        &mut self,
        text: &str,
        field: &mut Field,
        present: &mut bool,
        out: &mut Vec<Field>,
        span: Span,
    ) {
        let separators = match self.vars.get("IFS") {
            None => " \t\n".to_owned(),
            Some(Value::Text(text)) => text.clone(),
            Some(Value::List(_) | Value::Maybe(_) | Value::Unknown) => {
                *present = true;
                field.splits = true;
                push_unknown(field, Why::Variable("IFS".to_owned()), Vec::new());
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
                let next = Field { word: Word { pieces: Vec::new(), span }, ..Field::default() };
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
    fn push_pattern(&mut self, field: &mut Field, text: &str, lonely: bool) {
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

    /// Adds text to a word; characters that stand for values not known become those values again.
    pub fn push_text(&mut self, field: &mut Field, text: &str, pattern: bool) {
        if self.holes.is_empty() || !text.contains(super::text::is_hole) {
            return append(field, text, pattern);
        }
        let mut kept = String::new();
        for character in text.chars() {
            match super::text::hole(character).and_then(|index| self.holes.get(index)) {
                Some(piece) => {
                    let piece = piece.clone();
                    append(field, &std::mem::take(&mut kept), pattern);
                    field.splits |= matches!(piece, Piece::Unknown(_));
                    field.word.pieces.push(piece);
                }
                None => kept.push(character),
            }
        }
        append(field, &kept, pattern);
    }

    pub fn push_piece(&mut self, field: &mut Field, piece: Piece) {
        match piece {
            Piece::Text(text) => self.push_text(field, &text, false),
            Piece::Glob(_) | Piece::Home | Piece::Cwd | Piece::Unknown(_) => field.word.pieces.push(piece),
        }
    }

    /// Expands tildes at the beginning of a word, and in a value behind `=` and `:`.
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
                let name = super::words::leading_name(rest);
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

    fn tilde(&mut self, prefix: &str) -> Atom {
        let unknown = |name: &str| Atom::Unknown {
            why: Why::Other(format!("the folder {name}")),
            quoted: true,
            maybe: Vec::new(),
        };
        match prefix {
            "~" => self.folder("HOME", Piece::Home),
            "~+" => self.folder("PWD", Piece::Cwd),
            _ => unknown(prefix),
        }
    }

    /// A folder that a variable names, unless the line has changed it.
    pub fn folder(&mut self, name: &str, piece: Piece) -> Atom {
        match self.vars.get(name) {
            None if piece == Piece::Cwd && self.moved => {
                Atom::Unknown { why: Why::Variable(name.to_owned()), quoted: true, maybe: Vec::new() }
            }
            None => Atom::Place(piece),
            Some(Value::Text(text)) => Atom::Known { text: text.clone(), quoted: true },
            Some(Value::List(_) | Value::Maybe(_) | Value::Unknown) => {
                Atom::Unknown { why: Why::Variable(name.to_owned()), quoted: true, maybe: Vec::new() }
            }
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

    fn look_in(&mut self, field: &Field) {
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
        } else if let Some(text) = field.word.literal() {
            self.look_for_code(text, field.word.span);
        }
    }
}

fn append(field: &mut Field, text: &str, pattern: bool) {
    if text.is_empty() {
        return;
    }
    let pieces = &mut field.word.pieces;
    match (pieces.last_mut(), pattern) {
        (Some(Piece::Text(last)), false) | (Some(Piece::Glob(last)), true) => last.push_str(text),
        (_, false) => pieces.push(Piece::Text(text.to_owned())),
        (_, true) => pieces.push(Piece::Glob(text.to_owned())),
    }
}

pub(super) fn push_unknown(field: &mut Field, why: Why, maybe: Vec<String>) {
    if !maybe.is_empty() {
        field.maybe.push((field.word.pieces.len(), maybe));
    }
    field.word.pieces.push(Piece::Unknown(why));
}

/// Whether a word has braces that bash expands, and whether expanding them could make new names behind `$`.
fn brace_signs(parts: &[Part]) -> (bool, bool) {
    let texts = || parts.iter().filter_map(Part::text);
    if !texts().any(|text| text.contains('{')) || !texts().any(|text| text.contains('}')) {
        return (false, false);
    }
    let braced = texts().any(|text| text.contains(',') || text.contains(".."));
    let hazard = parts.windows(2).any(|pair| match pair {
        [Part::Parameter(parameter), Part::Text(text)] => parameter.bare && text.starts_with(['{', ',', '}']),
        _ => false,
    });
    (braced, hazard)
}
