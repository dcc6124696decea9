//! Starts a command: a builtin, a function, a wrapper with an inner command, or a program.

use crate::meaning::commands::names::{self, Meaning};
use crate::meaning::evaluator::{Evaluator, Function, Scope};
use crate::meaning::variables::value::Known;
use crate::meaning::words::field::Field;
use crate::meaning::wrappers::Call;
use crate::script::{Assign, Disguise, Input, Item, Piece, Reach, Redirect, Span, UnknownCause, Word};
use crate::syntax::scan::{DEPTH, Map, Reader, Stop};

/// The limit of readings of one command with different values.
const READINGS: usize = 8;

/// The meaning of a command's name.
enum Kind {
    /// A program that starts no other, as far as the reader knows.
    Plain,
    /// A function that the line defines.
    Function(Function),
    Builtin(Meaning),
    /// A program that starts others.
    Starter(Meaning),
}

impl Evaluator<'_> {
    /// A command whose words are all literal.
    pub fn start_plain(
        &mut self,
        id: usize,
        words: Vec<Word>,
        assigns: Vec<Assign>,
        redirects: Vec<Redirect>,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let first = words.first();
        let named = first.and_then(|first| Some((first.literal()?, first.span)));
        let kind = named.map_or(Kind::Plain, |(name, _)| self.kind(name, scope));
        match kind {
            Kind::Plain | Kind::Builtin(Meaning::Quiet) => {
                if let Some((name, span)) = named {
                    self.note_call(name, span, scope);
                }
                self.put(id, words, assigns, redirects);
                if matches!(kind, Kind::Builtin(_)) {
                    self.mark_builtin(id);
                }
            }
            Kind::Builtin(_) | Kind::Function(_) | Kind::Starter(_) => {
                let fields = words.into_iter().map(Field::from).collect();
                return self.start(id, fields, assigns, redirects, scope);
            }
        }
        Ok(())
    }

    /// Fills in a run, and follows it to what it starts.
    pub fn start(
        &mut self,
        id: usize,
        fields: Vec<Field>,
        assigns: Vec<Assign>,
        redirects: Vec<Redirect>,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let readings = readings(&fields);
        if readings.is_empty() {
            return self.start_as(id, fields, assigns, redirects, scope, 0);
        }
        let span = self.runs.get(id).map_or_else(Span::default, |run| run.span);
        self.start_as(id, fields, assigns.clone(), redirects.clone(), scope, 0)?;
        for fields in readings {
            self.work.spend(fields.len() + redirects.len())?;
            let other = self.reserve(scope, span)?;
            self.start_as(other, fields, assigns.clone(), redirects.clone(), scope, 0)?;
        }
        Ok(())
    }

    /// Fills in a run with one reading of its words, and follows it.
    fn start_as(
        &mut self,
        id: usize,
        fields: Vec<Field>,
        assigns: Vec<Assign>,
        redirects: Vec<Redirect>,
        scope: &Scope,
        steps: u32,
    ) -> Result<(), Stop> {
        let Some(first) = fields.first() else {
            self.put(id, Vec::new(), assigns, redirects);
            return Ok(());
        };
        let span = first.word.span;
        let Some(name) = first.word.literal() else {
            self.put(id, fields.iter().map(|field| field.word.clone()).collect(), assigns, redirects);
            return self.unnamed(fields, scope, steps);
        };
        self.note_call(name, span, scope);
        if first.pieced {
            self.work.disguised(span, Disguise::Name);
        }
        if first.splits {
            self.unclear("a command's name may fall apart", span);
        }
        match self.kind(name, scope) {
            Kind::Plain => {
                self.put(id, fields.into_iter().map(|field| field.word).collect(), assigns, redirects)
            }
            Kind::Function(function) => {
                self.put(id, fields.iter().map(|field| field.word.clone()).collect(), assigns, redirects);
                return self.call(id, fields, function, scope);
            }
            Kind::Builtin(meaning) => {
                self.put(id, fields.iter().map(|field| field.word.clone()).collect(), assigns, redirects);
                self.mark_builtin(id);
                if meaning != Meaning::Quiet {
                    return self.builtin(id, name, &fields, scope, steps);
                }
            }
            Kind::Starter(meaning) => {
                self.put(id, fields.iter().map(|field| field.word.clone()).collect(), assigns, redirects);
                let name = name.rsplit('/').next().unwrap_or(name);
                return self.program(meaning, &Call { id, name, fields: &fields, scope, steps });
            }
        }
        Ok(())
    }

    fn put(&mut self, id: usize, words: Vec<Word>, assigns: Vec<Assign>, redirects: Vec<Redirect>) {
        let Some(run) = self.runs.get_mut(id) else { return };
        run.words = words;
        run.assigns = assigns;
        if redirects.iter().any(|redirect| redirect.fd == 0) {
            run.input = Input::Redirected;
        }
        if run.redirects.is_empty() {
            run.redirects = redirects;
        } else {
            run.redirects.extend(redirects);
        }
    }

    fn mark_builtin(&mut self, id: usize) {
        if let Some(run) = self.runs.get_mut(id) {
            run.builtin = true;
        }
    }

    /// A command that another one starts.
    pub fn child(
        &mut self,
        parent: usize,
        fields: Vec<Field>,
        assigns: Vec<Assign>,
        reach: Reach,
        scope: &Scope,
        steps: u32,
    ) -> Result<(), Stop> {
        let (Some(first), Some(last)) = (fields.first(), fields.last()) else {
            return Ok(());
        };
        if scope.depth + steps >= DEPTH {
            return Err(Stop::too_deep(first.word.span));
        }
        let span = Span { start: first.word.span.start, end: last.word.span.end.max(first.word.span.end) };
        self.work.spend(fields.len() * 8 + 4)?;
        let (redirects, input) = match self.runs.get(parent) {
            Some(run) => (run.redirects.clone(), run.input.clone()),
            None => (Vec::new(), Input::Inherited),
        };
        self.work.spend(redirects.len())?;
        let inner = Scope { parent: Some(parent), reach, redirects, input, top: false, ..scope.clone() };
        let id = self.reserve(&inner, span)?;
        self.start_as(id, fields, assigns, Vec::new(), &inner, steps + 1)
    }

    /// The meaning of a name at its position.
    fn kind(&self, name: &str, scope: &Scope) -> Kind {
        let wrapper = match &scope.reach {
            Reach::Wrapper(wrapper) => Some(wrapper.as_str()),
            Reach::Plain | Reach::Substitution | Reach::Text(_) => None,
        };
        if wrapper.is_none()
            && !self.functions.is_empty()
            && let Some(function) = self.functions.get(name)
        {
            return Kind::Function(*function);
        }
        match names::meaning(name, scope.dialect) {
            None => Kind::Plain,
            // If a program starts it, the name of a builtin means a program.
            Some(Meaning::Quiet | Meaning::Builtin)
                if !matches!(wrapper, None | Some("command" | "builtin")) =>
            {
                Kind::Plain
            }
            Some(meaning @ (Meaning::Quiet | Meaning::Builtin)) => Kind::Builtin(meaning),
            Some(meaning) => Kind::Starter(meaning),
        }
    }

    /// A command with an unknown name.
    fn unnamed(&mut self, fields: Vec<Field>, scope: &Scope, steps: u32) -> Result<(), Stop> {
        let Some(first) = fields.first() else { return Ok(()) };
        let span = first.word.span;
        if let Some(why) = first.word.pieces.iter().find_map(not_a_name) {
            self.doubt(why, span);
        }
        // The word may be empty; then the next one is the name.
        let vanishes = first.splits && matches!(first.word.pieces.as_slice(), [Piece::Unknown(_)]);
        let next = fields.get(1).and_then(Field::literal);
        if vanishes && next.is_some_and(|name| !name.is_empty() && !name.starts_with('-')) {
            self.work.spend(fields.len())?;
            let other = self.reserve(scope, span)?;
            let rest: Vec<Field> = fields.into_iter().skip(1).collect();
            return self.start_as(other, rest, Vec::new(), Vec::new(), scope, steps + 1);
        }
        Ok(())
    }

    /// A call of a function, whose body is read once more with the words that it gets.
    fn call(&mut self, id: usize, fields: Vec<Field>, function: Function, scope: &Scope) -> Result<(), Stop> {
        let Some(first) = fields.first() else { return Ok(()) };
        let (name, span) = (first.word.literal().unwrap_or("").to_owned(), first.word.span);
        if function.certain || self.within.last().is_some_and(|(within, _)| *within == name) {
            self.mark_builtin(id);
        } else {
            self.unclear(format!("a function named {name} may be defined"), span);
        }
        let given = fields.len() > 1 && self.within.iter().all(|(within, _)| *within != name);
        if given {
            let arguments: Vec<Field> = fields.into_iter().skip(1).collect();
            self.replay(id, name, arguments, function.body, scope)?;
        }
        self.vars.forget();
        self.moved = true;
        Ok(())
    }

    /// Reads a function's body with `$1` and so on from a call. At its definition it was read without them:
    /// that result stays where the body cannot be found, or is called too often or too deep; the words are then values that
    /// `$1` may have.
    fn replay(
        &mut self,
        id: usize,
        name: String,
        arguments: Vec<Field>,
        body: Span,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let text = self.source.get(body.start..body.end).unwrap_or("");
        if !text.contains('$') {
            return Ok(());
        }
        self.work.spend(arguments.len() * 3 + 16)?;
        let depth = scope.depth + 1;
        // A function in another text has no position of its own in the source.
        let found = text.starts_with(['{', '(']) && depth < DEPTH;
        let left = self.replays.checked_sub(text.len()).filter(|_| found);
        let list = left.and_then(|left| {
            self.replays = left;
            Reader::new(text, Map::Shifted(body.start), scope.dialect, depth, self.work).script().ok()
        });
        let Some(list) = list else {
            for (at, field) in arguments.into_iter().enumerate() {
                let names = [(at + 1).to_string(), "@".to_owned(), "*".to_owned()];
                self.items.extend(names.map(|of| Item { of, word: field.word.clone() }));
            }
            return Ok(());
        };
        let redirects = self.runs.get(id).map(|run| run.redirects.clone()).unwrap_or_default();
        let inner = Scope {
            depth,
            redirects,
            certain: false,
            in_function: false,
            beside: false,
            arguments: Some(std::rc::Rc::new(arguments)),
            top: false,
            ..scope.clone()
        };
        let lost = std::mem::replace(&mut self.arguments_lost, false);
        let mark = self.vars.mark();
        self.within.push((name, body));
        self.list(list, &inner)?;
        let _ = self.within.pop();
        let _ = self.vars.undo(mark);
        self.arguments_lost = lost;
        Ok(())
    }
}

/// Why a piece of a command's name leaves it open which program is meant.
fn not_a_name(piece: &Piece) -> Option<UnknownCause> {
    match piece {
        Piece::Unknown(why) => Some(why.clone()),
        Piece::Glob(_) => Some(UnknownCause::Other("a pattern as a program's name".to_owned())),
        Piece::Text(_) | Piece::Home | Piece::Cwd => None,
    }
}

/// The command with the possible values of its words, if the line gives some.
fn readings(fields: &[Field]) -> Vec<Vec<Field>> {
    let most = fields.iter().map(values).max().unwrap_or(0);
    let named = fields.first().is_some_and(|first| {
        first.word.pieces.iter().any(|piece| matches!(piece, Piece::Text(_)))
            && first
                .word
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Unknown(UnknownCause::Variable(_))))
    });
    let count = if named { most.max(1) } else { most }.min(READINGS);
    (0..count)
        .map(|reading| {
            let mut out = Vec::with_capacity(fields.len());
            for (index, field) in fields.iter().enumerate() {
                read_as(field, reading, index == 0 && named, &mut out);
            }
            out
        })
        .collect()
}

/// The number of possible values of one word that the line gives.
fn values(field: &Field) -> usize {
    field.maybe.iter().map(|(_, texts)| texts.len()).max().unwrap_or(0)
}

/// The possible words for one word that the line gives.
pub(crate) fn words_of(field: &Field) -> Vec<Word> {
    let count = values(field).min(READINGS);
    let mut words = Vec::with_capacity(count);
    for reading in 0..count {
        let mut fields = Vec::new();
        read_as(field, reading, false, &mut fields);
        words.extend(fields.into_iter().map(|field| field.word));
    }
    words
}

/// One word with the values of a reading. Unset variables in a command's name are empty.
fn read_as(field: &Field, reading: usize, name: bool, out: &mut Vec<Field>) {
    if field.maybe.is_empty() && !name {
        out.push(Field { maybe: Vec::new(), ..field.clone() });
        return;
    }
    let value = |index: usize, piece: &Piece| -> Option<Known> {
        let found = field.maybe.iter().find(|(at, _)| *at == index);
        match found {
            Some((_, texts)) => texts.get(reading.min(texts.len().saturating_sub(1))).cloned(),
            None if name && matches!(piece, Piece::Unknown(UnknownCause::Variable(_))) => Some(Known::new()),
            None => None,
        }
    };
    if let ([piece], true) = (field.word.pieces.as_slice(), field.splits)
        && let Some([Piece::Text(text)]) = value(0, piece).as_deref()
    {
        for part in text.split_ascii_whitespace() {
            out.push(Field::from(Word::text(part, field.word.span)));
        }
        return;
    }
    let mut word = Word { pieces: Vec::new(), span: field.word.span };
    for (index, piece) in field.word.pieces.iter().enumerate() {
        for piece in value(index, piece).unwrap_or_else(|| vec![piece.clone()]) {
            match (word.pieces.last_mut(), piece) {
                (_, Piece::Text(text)) if text.is_empty() => {}
                (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
                (_, piece) => word.pieces.push(piece),
            }
        }
    }
    let splits = field.splits && word.unknown();
    if !(word.pieces.is_empty() && field.splits) {
        out.push(Field { word, splits, pieced: field.pieced, maybe: Vec::new(), number: field.number });
    }
}
