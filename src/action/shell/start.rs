//! What a command with these words starts: a builtin, a function, a wrapper with another command inside, a program.

use super::expand::Field;
use super::scan::Stop;
use super::walk::{Around, Walker};
use crate::action::script::{Assign, Input, Piece, Reach, Redirect, RedirectKind, Run, Span, Why, Word};

/// How many readings of one command with values that it may have are shown.
const READINGS: usize = 8;

impl Walker<'_> {
    /// Fills in a run, and follows it to what it starts.
    pub fn start(
        &mut self,
        id: usize,
        fields: Vec<Field>,
        assigns: Vec<Assign>,
        redirects: Vec<Redirect>,
        around: &Around,
    ) -> Result<(), Stop> {
        for assign in &assigns {
            if assign.name.starts_with("BASH_FUNC_") {
                self.doubt(Why::Variable(assign.name.clone()), assign.value.span);
            }
        }
        let readings = readings(&fields);
        let copies = if readings.is_empty() { None } else { Some((assigns.clone(), redirects.clone())) };
        self.fill(id, &fields, assigns, redirects);
        self.dispatch(id, fields, around, 0)?;
        let Some((assigns, redirects)) = copies else {
            return Ok(());
        };
        let span = self.runs.get(id).map_or_else(Span::default, |run| run.span);
        for fields in readings {
            self.work.spend(fields.len() + redirects.len())?;
            let other = self.reserve(around, span)?;
            self.fill(other, &fields, assigns.clone(), redirects.clone());
            self.dispatch(other, fields, around, 0)?;
        }
        Ok(())
    }

    fn fill(&mut self, id: usize, fields: &[Field], assigns: Vec<Assign>, redirects: Vec<Redirect>) {
        let Some(run) = self.runs.get_mut(id) else { return };
        run.words = fields.iter().map(|field| field.word.clone()).collect();
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

    /// A command that another one starts; `builtins` where a shell's own commands are meant too.
    pub fn child(
        &mut self,
        parent: usize,
        fields: Vec<Field>,
        assigns: Vec<Assign>,
        reach: Reach,
        around: &Around,
        steps: u32,
    ) -> Result<(), Stop> {
        let (Some(first), Some(last)) = (fields.first(), fields.last()) else {
            return Ok(());
        };
        if around.depth + steps >= super::scan::DEPTH {
            return Err(Stop { reason: "nested too deep".into(), span: first.word.span });
        }
        let span = Span { start: first.word.span.start, end: last.word.span.end.max(first.word.span.end) };
        self.work.spend(fields.len() * 8 + 4)?;
        let (redirects, input) = match self.runs.get(parent) {
            Some(run) => (run.redirects.clone(), run.input.clone()),
            None => (Vec::new(), Input::Inherited),
        };
        self.work.spend(redirects.len())?;
        let inner = Around { parent: Some(parent), reach, redirects, input, top: false, ..around.clone() };
        let id = self.reserve(&inner, span)?;
        self.fill(id, &fields, assigns, Vec::new());
        self.dispatch(id, fields, &inner, steps + 1)
    }

    /// Looks at the first word.
    fn dispatch(&mut self, id: usize, fields: Vec<Field>, around: &Around, steps: u32) -> Result<(), Stop> {
        let Some(first) = fields.first() else {
            return Ok(());
        };
        let span = first.word.span;
        let Some(name) = first.word.literal().map(str::to_owned) else {
            if let Some(why) = first.word.pieces.iter().find_map(not_a_name) {
                self.doubt(why, span);
            }
            // The word may be nothing at all; then the next one is the name.
            let vanishes = first.splits && matches!(first.word.pieces.as_slice(), [Piece::Unknown(_)]);
            let next = fields.get(1).and_then(|field| field.word.literal());
            if vanishes && next.is_some_and(|name| !name.is_empty() && !name.starts_with('-')) {
                self.work.spend(fields.len())?;
                let other = self.reserve(around, span)?;
                let rest: Vec<Field> = fields.into_iter().skip(1).collect();
                self.fill(other, &rest, Vec::new(), Vec::new());
                return self.dispatch(other, rest, around, steps + 1);
            }
            return Ok(());
        };
        if first.splits {
            self.doubt(Why::Other("a command's name may fall apart".to_owned()), span);
        }
        let by_program =
            matches!(&around.reach, Reach::Wrapper(name) if !matches!(name.as_str(), "command" | "builtin"));
        if !by_program && !name.contains('/') {
            let skips = matches!(&around.reach, Reach::Wrapper(_));
            if !skips && let Some(certain) = self.functions.get(&name).copied() {
                return self.call(id, &name, certain, span);
            }
            if super::builtins::is_builtin(&name, around.dialect) {
                if let Some(run) = self.runs.get_mut(id) {
                    run.builtin = true;
                }
                return self.builtin(id, &name, fields, around, steps);
            }
        }
        self.program(id, &name, fields, around, steps)
    }

    fn call(&mut self, id: usize, name: &str, certain: bool, span: Span) -> Result<(), Stop> {
        if let Some(caller) = self.within.last() {
            self.calls.push((caller.clone(), name.to_owned(), span));
        }
        if certain || self.within.last().is_some_and(|within| within == name) {
            if let Some(run) = self.runs.get_mut(id) {
                run.builtin = true;
            }
        } else {
            self.doubt(Why::Other(format!("a function named {name} may be defined")), span);
        }
        self.vars.forget();
        self.moved = true;
        Ok(())
    }

    /// What a run prints, where the line says it: `echo` and `printf` with known words, `cat` of text in place.
    pub fn output(&self, id: usize) -> Option<String> {
        let run = self.runs.get(id)?;
        if run.redirects.iter().any(|redirect| redirect.fd == 1) || !run.assigns.is_empty() {
            return None;
        }
        let words: Option<Vec<&str>> = run.words.iter().map(Word::literal).collect();
        let words = words?;
        let (name, arguments) = words.split_first()?;
        if self.functions.contains_key(*name) {
            return None;
        }
        match *name {
            "echo" => echo(arguments),
            "printf" => printf(arguments),
            "cat" if arguments.is_empty() || arguments == ["-"] => given_text(run),
            _ => None,
        }
    }

    /// The whole text that a run gets on its standard input, where the line says it.
    pub fn input_text(&self, id: usize) -> Option<String> {
        let run = self.runs.get(id)?;
        match &run.input {
            Input::Redirected => given_text(run),
            Input::Pipe(from) if !from.is_empty() => from.iter().map(|id| self.output(*id)).collect(),
            Input::Pipe(_) | Input::Inherited => None,
        }
    }
}

/// The text of the here-document or here-string that a run reads.
fn given_text(run: &Run) -> Option<String> {
    let last = run.redirects.iter().rfind(|redirect| redirect.fd == 0)?;
    match last.kind {
        RedirectKind::Text => last.target.literal().map(str::to_owned),
        RedirectKind::Read
        | RedirectKind::Write
        | RedirectKind::Append
        | RedirectKind::ReadWrite
        | RedirectKind::Duplicate
        | RedirectKind::Close => None,
    }
}

fn echo(arguments: &[&str]) -> Option<String> {
    let mut rest = arguments;
    let mut newline = true;
    while let Some((first, behind)) = rest.split_first()
        && let Some(letters) = first.strip_prefix('-')
        && !letters.is_empty()
        && letters.bytes().all(|byte| matches!(byte, b'n' | b'e' | b'E'))
    {
        newline &= !letters.contains('n');
        rest = behind;
    }
    let text = rest.join(" ");
    // Whether backslashes mean something depends on the shell.
    if text.contains('\\') {
        return None;
    }
    Some(if newline { text + "\n" } else { text })
}

fn printf(arguments: &[&str]) -> Option<String> {
    let (format, values) = arguments.split_first()?;
    if format.starts_with('-') {
        return None;
    }
    let mut text = String::new();
    let mut values = values.iter();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => match letters.next()? {
                's' => text.push_str(values.next().copied().unwrap_or("")),
                '%' => text.push('%'),
                _ => return None,
            },
            '\\' => match letters.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                '\\' => text.push('\\'),
                _ => return None,
            },
            _ => text.push(letter),
        }
    }
    if values.next().is_some() { None } else { Some(text) }
}

/// Why a piece of a command's name leaves it open which program is meant.
fn not_a_name(piece: &Piece) -> Option<Why> {
    match piece {
        Piece::Unknown(why) => Some(why.clone()),
        Piece::Glob(_) => Some(Why::Other("a pattern as a program's name".to_owned())),
        Piece::Text(_) | Piece::Home | Piece::Cwd => None,
    }
}

/// The command read with values that its words may have, where the line names some.
fn readings(fields: &[Field]) -> Vec<Vec<Field>> {
    let open = |field: &Field| field.maybe.iter().map(|(_, texts)| texts.len()).max().unwrap_or(0);
    let most = fields.iter().map(open).max().unwrap_or(0);
    let named = fields.first().is_some_and(|first| {
        first.word.pieces.iter().any(|piece| matches!(piece, Piece::Text(_)))
            && first.word.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(Why::Variable(_))))
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

/// One word with the values of a reading; variables of a command's name that nobody sets are empty.
fn read_as(field: &Field, reading: usize, name: bool, out: &mut Vec<Field>) {
    if field.maybe.is_empty() && !name {
        out.push(Field { maybe: Vec::new(), ..field.clone() });
        return;
    }
    let value = |index: usize, piece: &Piece| -> Option<String> {
        let found = field.maybe.iter().find(|(at, _)| *at == index);
        match found {
            Some((_, texts)) => texts.get(reading.min(texts.len().saturating_sub(1))).cloned(),
            None if name && matches!(piece, Piece::Unknown(Why::Variable(_))) => Some(String::new()),
            None => None,
        }
    };
    if let ([piece], true) = (field.word.pieces.as_slice(), field.splits)
        && let Some(text) = value(0, piece)
    {
        for part in text.split_ascii_whitespace() {
            out.push(Field { word: Word::text(part, field.word.span), ..Field::default() });
        }
        return;
    }
    let mut word = Word { pieces: Vec::new(), span: field.word.span };
    for (index, piece) in field.word.pieces.iter().enumerate() {
        let piece = value(index, piece).map_or_else(|| piece.clone(), Piece::Text);
        match (word.pieces.last_mut(), piece) {
            (_, Piece::Text(text)) if text.is_empty() => {}
            (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
            (_, piece) => word.pieces.push(piece),
        }
    }
    let splits = field.splits && word.unknown();
    if !(word.pieces.is_empty() && field.splits) {
        out.push(Field { word, splits, maybe: Vec::new() });
    }
}
