//! Builtins that set variables, and those that evaluate their names.

use crate::meaning::evaluator::Evaluator;
use crate::meaning::variables::value::Value;
use crate::meaning::variables::vars::changes_names;
use crate::meaning::words::field::Field;
use crate::script::{Piece, Span, UnknownCause};
use crate::syntax::scan::{Stop, is_name};
use crate::syntax::words::{leading_name, literal_word};

/// The arguments of a builtin: the values of options, and its operands.
struct Given {
    values: Vec<(char, Field)>,
    operands: Vec<Field>,
    /// An unknown word may be an option.
    open: bool,
}

impl Evaluator<'_> {
    /// Builtins that set variables, or evaluate their names.
    pub fn sets(&mut self, name: &str, rest: &[Field], span: Span) -> Result<(), Stop> {
        for field in rest {
            let Some(text) = field.literal() else { continue };
            let target = text.split_once('=').map_or(text, |(target, _)| target);
            let target = target.strip_suffix('+').unwrap_or(target);
            let printed =
                name == "printf" && !rest.first().is_some_and(|first| first.word.prefix().starts_with("-v"));
            if !printed && !matches!(name, "test" | "[") && changes_names(target) {
                self.doubt(UnknownCause::Variable(target.to_owned()), field.word.span);
            }
            // The subscript of a name is arithmetic, and runs the commands in it, however it is quoted.
            if !matches!(name, "printf" | "test" | "[") && text.contains('[') && substitutes(text) {
                self.doubt(UnknownCause::Arithmetic, field.word.span);
            }
        }
        match name {
            "test" | "[" => self.tests(rest),
            "printf" => self.prints_into(rest, span),
            "wait" => {
                let given = given(rest, "p");
                if given.open || given.operands.iter().any(|field| field.word.unknown() && !field.number) {
                    self.runs_data(span);
                    self.vars.forget_all();
                }
                self.fill_all(given.values.iter().map(|(_, field)| field), true)
            }
            "read" => {
                let given = given(rest, "adinNptu");
                if given.open {
                    self.runs_data(span);
                    self.vars.forget_all();
                }
                let arrays = given.values.iter().filter(|(letter, _)| *letter == 'a').map(|(_, field)| field);
                self.vars.set("REPLY", Value::Unknown);
                self.fill_all(arrays.chain(&given.operands), false)
            }
            "mapfile" | "readarray" => {
                let given = given(rest, "dnOsuCc");
                let calls = given.values.iter().any(|(letter, _)| *letter == 'C');
                if calls || given.open {
                    self.unclear(format!("{name} may run its arguments"), span);
                    self.vars.forget_all();
                }
                self.vars.set("MAPFILE", Value::Unknown);
                self.fill_all(given.operands.iter(), false)
            }
            "getopts" => {
                self.vars.set("OPTARG", Value::Unknown);
                self.vars.set("OPTIND", Value::Number(Vec::new()));
                if rest.iter().take(2).any(|field| field.splits) {
                    self.runs_data(span);
                    self.vars.forget_all();
                }
                self.fill_all(rest.iter().skip(1).take(1), false)
            }
            "let" => rest.iter().try_for_each(|field| self.calculate_word(field)),
            "unset" => self.unsets(rest, span),
            _ => self.declares(name, rest, span),
        }
    }

    /// These names get unknown values.
    fn fill_all<'f>(&mut self, names: impl Iterator<Item = &'f Field>, number: bool) -> Result<(), Stop> {
        for field in names {
            self.fill(field, number)?;
        }
        Ok(())
    }

    /// The name in this word gets an unknown value. `number`: it is a number.
    fn fill(&mut self, field: &Field, number: bool) -> Result<(), Stop> {
        let span = field.word.span;
        self.name_word(field)?;
        match field.literal() {
            Some(text) => {
                let name = leading_name(text);
                if !number {
                    self.gets(name, None, span)?;
                }
                self.set(name, Value::of_texts(Vec::new(), number && is_name(text)), span);
            }
            None => self.vars.forget_all(),
        }
        Ok(())
    }

    /// `printf -v NAME`.
    fn prints_into(&mut self, rest: &[Field], span: Span) -> Result<(), Stop> {
        let Some(first) = rest.first() else { return Ok(()) };
        match first.word.literal() {
            Some("-v") => match rest.get(1) {
                Some(name) if name.splits => {
                    self.runs_data(span);
                    self.vars.forget_all();
                    Ok(())
                }
                Some(name) => {
                    self.fill(name, rest.get(2).and_then(|format| format.word.literal()) == Some("%d"))
                }
                None => Ok(()),
            },
            Some(text) => match text.strip_prefix("-v") {
                Some(name) => self.fill(&literal(name, first), false),
                None => Ok(()),
            },
            None if may_begin_with_dash(first) && (first.splits || rest.len() > 1) => {
                self.runs_data(span);
                self.vars.forget_all();
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn unsets(&mut self, rest: &[Field], span: Span) -> Result<(), Stop> {
        let given = given(rest, "");
        let odd = rest.iter().any(|field| {
            field.literal().is_none_or(|text| {
                self.functions.contains_key(text) || text.starts_with('-') && text.contains(['f', 'n'])
            })
        });
        if odd {
            self.unclear("a function is taken away", span);
        }
        self.fill_all(given.operands.iter(), false)
    }

    fn declares(&mut self, name: &str, rest: &[Field], span: Span) -> Result<(), Stop> {
        let options: String =
            rest.iter().filter_map(|field| field.literal()?.strip_prefix('-').map(str::to_owned)).collect();
        let quiet = options.bytes().all(|byte| matches!(byte, b'x' | b'r' | b'g' | b'p' | b'-'));
        if !quiet {
            self.evaluates = true;
            self.vars.forget_all();
        }
        let refers = options.contains('n') && matches!(name, "declare" | "typeset" | "local");
        if refers {
            self.vars.lose();
        }
        if options.contains('f') && name == "export" {
            self.unclear("a function is given to other shells", span);
        }
        let counts = options.contains('i') && name != "export";
        let fixed = name == "readonly" || options.contains('r');
        // `local` fails outside a function.
        let fails = name == "local" && self.within.is_empty();
        for field in rest {
            if let Some((target, value)) = assigned(field).filter(|_| quiet) {
                self.gets(target, Some(&value_of(field, target)), span)?;
                self.vars.set(target, value);
                if fixed {
                    self.vars.freeze(target);
                }
                if fails {
                    self.vars.doubt(target, None);
                }
                continue;
            }
            let Some(text) = field.literal() else {
                self.evaluates = true;
                self.declares_unknown(field, counts || refers)?;
                continue;
            };
            if text.starts_with(['-', '+']) {
                continue;
            }
            let target = leading_name(text);
            if counts {
                self.vars.make_integer(target);
            }
            match text.split_once('=') {
                Some((front, value)) => {
                    self.evaluates = true;
                    if front.trim_end_matches('+') != target {
                        self.name_word(&literal(front.trim_end_matches('+'), field))?;
                    }
                    if counts || self.vars.is_integer(target) {
                        self.calculate_word(&literal(value, field))?;
                    }
                    self.vars.distrust(target);
                }
                None if !quiet || fixed => self.vars.distrust_later(text, quiet),
                None => {}
            }
        }
        Ok(())
    }

    /// `declare "$x"`, `export x="$y"`. `read`: the value is evaluated, or is a name.
    fn declares_unknown(&mut self, field: &Field, read: bool) -> Result<(), Stop> {
        let span = field.word.span;
        let target = leading_name(field.word.prefix());
        let rest = field.word.prefix().get(target.len()..).unwrap_or("");
        if target.is_empty() || !(rest.starts_with('=') || rest.starts_with("+=")) {
            self.runs_data(span);
            self.vars.forget_all();
            return Ok(());
        }
        if changes_names(target) {
            self.doubt(UnknownCause::Variable(target.to_owned()), span);
        }
        let value = value_of(field, target);
        if read {
            self.vars.make_integer(target);
        }
        self.gets(target, Some(&value), span)?;
        if field.splits && !field.number {
            // Another of its words may be a name.
            self.vars.forget();
        }
        if field.number && !self.vars.is_integer(target) {
            self.set(target, Value::Number(Vec::new()), span);
        } else {
            self.vars.distrust(target);
        }
        Ok(())
    }
}

/// Removes options and their values.
fn given(rest: &[Field], valued: &str) -> Given {
    let mut given = Given { values: Vec::new(), operands: Vec::new(), open: false };
    let mut fields = rest.iter();
    while let Some(field) = fields.next() {
        let letters = match field.literal() {
            Some("--") => break,
            Some(text) if text.len() > 1 => text.strip_prefix('-'),
            Some(_) => None,
            None => {
                given.open |= may_begin_with_dash(field) && !field.number;
                None
            }
        };
        let Some(letters) = letters else {
            given.operands.push(field.clone());
            break;
        };
        let Some((at, letter)) = letters.char_indices().find(|(_, letter)| valued.contains(*letter)) else {
            continue;
        };
        let attached = letters.get(at + letter.len_utf8()..).unwrap_or("");
        if !attached.is_empty() {
            given.values.push((letter, literal(attached, field)));
        } else if let Some(value) = fields.next() {
            given.open |= value.splits;
            given.values.push((letter, value.clone()));
        }
    }
    given.operands.extend(fields.cloned());
    given
}

fn literal(text: &str, field: &Field) -> Field {
    Field::from(literal_word(text.to_owned(), field.word.span))
}

/// The text after the name and its operator.
fn value_of(field: &Field, target: &str) -> Field {
    let mut value = field.clone();
    if let Some(Piece::Text(front)) = value.word.pieces.first_mut() {
        let rest = front.get(target.len()..).unwrap_or("");
        let rest = rest.strip_prefix('+').unwrap_or(rest);
        *front = rest.strip_prefix('=').unwrap_or(rest).to_owned();
    }
    value
}

fn may_begin_with_dash(field: &Field) -> bool {
    field.splits || field.word.prefix().is_empty() || field.word.prefix().starts_with('-')
}

/// True for a text in which a shell would run a command if it expanded it.
fn substitutes(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${")
}

/// `name=text` and `name=~/path`: the name and its value.
fn assigned(field: &Field) -> Option<(&str, Value)> {
    let (Piece::Text(front), rest) = field.word.pieces.split_first()? else { return None };
    let (target, text) = front.split_once('=')?;
    let value = match rest {
        [] => Value::Text(text.to_owned()),
        place if text.is_empty() && !field.splits => Value::of(place)?,
        _ => return None,
    };
    is_name(target).then_some((target, value))
}
