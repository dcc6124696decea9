//! Simple commands: their words, assignments and redirections, filled in.

use crate::meaning::commands::start::words_of;
use crate::meaning::evaluator::{Evaluator, Scope};
use crate::meaning::variables::value::Value;
use crate::meaning::variables::vars::changes_names;
use crate::meaning::words::field::Field;
use crate::script::{Assign, Item, Piece, Redirect, RedirectKind, Span, UnknownCause, Word};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{AssignedValue, Raw, Simple};

impl Evaluator<'_> {
    /// A simple command.
    pub fn simple(&mut self, simple: Simple, errors: bool, scope: &Scope) -> Result<usize, Stop> {
        let Simple { assigns, words, redirects, span } = simple;
        let id = self.reserve(scope, span)?;
        let inner = Scope { parent: Some(id), ..scope.clone() };
        let bare = words.is_empty();
        let plain = self.holes.is_empty() && words.iter().all(|word| matches!(word, Raw::Plain(_)));
        let (words, fields) = if plain {
            self.work.spend(words.len())?;
            (words.into_iter().filter_map(Raw::into_plain).collect(), Vec::new())
        } else {
            (Vec::new(), self.fields(words, &inner)?)
        };
        let mut redirects = self.redirects(redirects, &inner)?;
        if errors {
            redirects.push(errors_to_pipe(span));
        }
        let mut given = Vec::with_capacity(assigns.len());
        for assignment in assigns {
            given.push(self.assignment(assignment, bare || (!plain && fields.is_empty()), &inner)?);
        }
        if plain {
            self.start_plain(id, words, given, redirects, scope)?;
        } else {
            self.start(id, fields, given, redirects, scope)?;
        }
        Ok(id)
    }

    pub fn assignment(
        &mut self,
        assignment: crate::syntax::tree::Assignment,
        keep: bool,
        scope: &Scope,
    ) -> Result<Assign, Stop> {
        let crate::syntax::tree::Assignment { name, subscript, append, value, span } = assignment;
        let subscripted = subscript.is_some();
        let mut full = name.clone();
        if let Some(parts) = subscript {
            let literal: Option<String> = parts.iter().map(crate::syntax::tree::Part::any_text).collect();
            self.evaluate(parts, span, scope)?;
            self.evaluates = true;
            full.push_str(&literal.map_or("[…]".to_owned(), |text| format!("[{text}]")));
        }
        let (word, value) = match value {
            AssignedValue::One(raw) => {
                let field = self.single(raw, scope, true)?;
                self.gets(&name, Some(&field), span)?;
                let value = match (Value::of(&field.word.pieces), field.word.pieces.as_slice()) {
                    (Some(value), _) => value,
                    (None, [Piece::Unknown(_)]) => {
                        let texts = field.maybe.first().map(|(_, texts)| texts.clone());
                        Value::of_texts(texts.unwrap_or_default(), field.number)
                    }
                    _ => Value::of_texts(Vec::new(), field.number),
                };
                (field.word, value)
            }
            AssignedValue::Many(items) => {
                let odd = items.iter().any(|item| match item {
                    Raw::Plain(_) => false,
                    Raw::Rich { parts, .. } => {
                        matches!(parts.first(), Some(crate::syntax::tree::Part::Subscript(_)))
                    }
                });
                self.evaluates |= odd;
                let fields = self.fields(items, scope)?;
                for field in &fields {
                    self.gets(&name, Some(field), span)?;
                }
                let mut texts = Vec::with_capacity(fields.len());
                let mut known = !odd;
                for field in &fields {
                    match field.literal() {
                        Some(text) if !field.splits => texts.push(text.to_owned()),
                        _ => known = false,
                    }
                }
                let pieces = if known {
                    vec![Piece::Text(texts.join(" "))]
                } else {
                    vec![Piece::Unknown(UnknownCause::Other("an array".to_owned()))]
                };
                let of = |field: Field| Item { of: name.clone(), word: field.word };
                self.items.extend(fields.into_iter().map(of));
                (Word { pieces, span }, if known { Value::List(texts) } else { Value::Unknown })
            }
        };
        let (word, value) = if append { self.appended(&name, word, value) } else { (word, value) };
        if keep {
            self.set(&name, if subscripted { Value::Unknown } else { value }, span);
        } else if changes_names(&name) {
            self.doubt(UnknownCause::Variable(name.clone()), span);
        }
        Ok(Assign { name: full, value: word })
    }

    /// `name+=value`.
    pub fn appended(&mut self, name: &str, word: Word, value: Value) -> (Word, Value) {
        let span = word.span;
        match (self.vars.get(name).map(std::borrow::Cow::into_owned), value) {
            (Some(Value::Text(old)), Value::Text(new)) => {
                let text = old + &new;
                let _ = self.work.spend(text.len() / 8);
                (crate::syntax::words::literal_word(text.clone(), span), Value::Text(text))
            }
            (Some(Value::List(mut old)), Value::List(new)) => {
                let _ = self.work.spend(old.len());
                old.extend(new);
                (Word { pieces: vec![Piece::Text(old.join(" "))], span }, Value::List(old))
            }
            (old, new) => {
                let number = old.is_some_and(|old| old.is_number()) && new.is_number();
                let mut pieces = vec![Piece::Unknown(UnknownCause::Variable(name.to_owned()))];
                pieces.extend(word.pieces);
                (Word { pieces, span }, Value::of_texts(Vec::new(), number))
            }
        }
    }

    /// Redirections with their targets filled in.
    pub fn redirects(
        &mut self,
        list: Vec<crate::syntax::tree::Redirection>,
        scope: &Scope,
    ) -> Result<Vec<Redirect>, Stop> {
        let mut out = Vec::with_capacity(list.len());
        for redirection in list {
            let span = crate::syntax::redirect::target_span(&redirection);
            let crate::syntax::tree::Redirection { fd, picked, both, kind, target, .. } = redirection;
            let mut others = Vec::new();
            let target = match target {
                crate::syntax::tree::Target::Nothing => Word { pieces: Vec::new(), span },
                crate::syntax::tree::Target::Document(slot) => {
                    let raw = slot.borrow_mut().take().unwrap_or_default();
                    self.single(raw, scope, false)?.word
                }
                crate::syntax::tree::Target::Word(raw) if kind == RedirectKind::Text => {
                    let mut word = self.single(raw, scope, false)?.word;
                    // A here-string ends with a newline.
                    match word.pieces.last_mut() {
                        Some(Piece::Text(text)) => text.push('\n'),
                        _ => word.pieces.push(Piece::Text("\n".to_owned())),
                    }
                    word
                }
                crate::syntax::tree::Target::Word(raw) => {
                    let mut fields = self.fields(vec![raw], scope)?;
                    match (fields.len(), fields.pop()) {
                        (1, Some(field)) => {
                            others = words_of(&field);
                            field.word
                        }
                        _ => {
                            let why =
                                UnknownCause::Other("a redirection to no file or to several".to_owned());
                            Word { pieces: vec![Piece::Unknown(why)], span }
                        }
                    }
                }
            };
            if let Some(name) = &picked {
                self.set(name, Value::Number(Vec::new()), span);
                self.steps = None;
            }
            let default = if matches!(kind, RedirectKind::Read | RedirectKind::ReadWrite | RedirectKind::Text)
            {
                0
            } else {
                1
            };
            // Bash picks a descriptor from 10 upwards.
            let fd = if picked.is_some() { 10 } else { fd.unwrap_or(default) };
            // The file may be one of several: each is listed beside the unknown one.
            out.extend(others.into_iter().map(|target| Redirect { fd, kind, target }));
            if both {
                out.push(Redirect { fd: 1, kind, target: target.clone() });
                out.push(Redirect { fd: 2, kind, target });
            } else {
                out.push(Redirect { fd, kind, target });
            }
        }
        Ok(out)
    }
}

/// The redirection that `|&` adds.
pub(crate) fn errors_to_pipe(span: Span) -> Redirect {
    Redirect { fd: 2, kind: RedirectKind::Duplicate, target: Word::text("1", span) }
}
