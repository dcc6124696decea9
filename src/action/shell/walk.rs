//! From the shape of a script to its runs: what starts, in which surroundings.

use std::collections::HashMap;
use std::rc::Rc;

use super::expand::Field;
use super::scan::{Stop, Work};
use super::tree::{Body, Command, Compound, Given, Item, Kind, Link, List, Loop, Pipeline, Raw, Simple};
use super::vars::{Value, Variables};
use crate::action::script::{
    Assign, Dialect, Doubt, Input, Piece, Reach, Redirect, RedirectKind, Run, Span, Step, When, Why, Word,
};

/// The surroundings of a command.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub parent: Option<usize>,
    pub reach: Reach,
    pub input: Input,
    /// The pipe that standard output goes into; 0 for none.
    pub pipe: usize,
    pub redirects: Vec<Redirect>,
    pub dialect: Dialect,
    pub depth: u32,
    /// What is defined here is certainly defined afterwards.
    pub certain: bool,
    pub in_function: bool,
    /// `$1` and so on, where the line gives them.
    pub arguments: Option<Rc<Vec<Field>>>,
    /// Commands of the whole line, which a plan may hold.
    pub top: bool,
}

impl Around {
    /// The surroundings of commands inside a substitution.
    pub fn substituted(&self) -> Self {
        Self {
            reach: Reach::Substitution,
            input: Input::Inherited,
            pipe: 0,
            redirects: Vec::new(),
            certain: false,
            top: false,
            ..self.clone()
        }
    }

    /// The same surroundings where a command may or may not run.
    pub fn perhaps(&self) -> Self {
        Self { certain: false, top: false, ..self.clone() }
    }
}

/// What has been found so far.
pub(super) struct Walker<'w> {
    pub source: &'w str,
    pub work: &'w mut Work,
    pub runs: Vec<Run>,
    /// The pipe each run writes into, beside `runs`.
    pub pipes: Vec<usize>,
    pub next_pipe: usize,
    pub doubts: Vec<Doubt>,
    pub vars: Variables,
    /// Functions the line defines; true where that is certain.
    pub functions: HashMap<String, bool>,
    /// Which function's body is being read, and who calls whom.
    pub calls: Vec<(String, String, Span)>,
    pub within: Vec<String>,
    /// Values that characters of a text stand for.
    pub holes: Vec<Piece>,
    /// Arithmetic looks at variables somewhere.
    pub evaluates: bool,
    /// Text that arithmetic would run, if it came to see it.
    pub code: Option<Span>,
    pub moved: bool,
    pub arguments_lost: bool,
    pub steps: Option<Vec<Step>>,
}

impl Walker<'_> {
    pub fn doubt(&mut self, why: Why, span: Span) {
        let doubt = Doubt { why, span };
        if self.doubts.last() != Some(&doubt) {
            self.doubts.push(doubt);
        }
    }

    /// Gives a variable a value; a doubt where that changes what later names mean.
    pub fn set(&mut self, name: &str, value: Value, span: Span) {
        if super::builtins::changes_names(name) {
            self.doubt(Why::Variable(name.to_owned()), span);
        }
        self.vars.set(name, value);
    }

    pub fn list(&mut self, list: List, around: &Around) -> Result<(), Stop> {
        for item in list.items {
            self.work.spend(1)?;
            self.item(item, around)?;
        }
        Ok(())
    }

    fn item(&mut self, item: Item, around: &Around) -> Result<(), Stop> {
        if item.background {
            self.steps = None;
            let mark = self.vars.mark();
            let inner = around.perhaps();
            self.chain(item, &inner)?;
            let _ = self.vars.undo(mark);
            return Ok(());
        }
        self.chain(item, around)
    }

    fn chain(&mut self, item: Item, around: &Around) -> Result<(), Stop> {
        self.step(When::Always, item.first, around)?;
        let start = self.vars.mark();
        let mut flows = true;
        for (link, pipeline) in item.rest {
            let when = match link {
                Link::And => When::Success,
                Link::Or => When::Failure,
            };
            flows &= link == Link::And;
            if !flows {
                self.vars.blur(start);
            }
            if around.top {
                let inner = Around { certain: false, ..around.clone() };
                self.step(when, pipeline, &inner)?;
            } else {
                let inner = around.perhaps();
                self.step(when, pipeline, &inner)?;
            }
        }
        self.vars.blur(start);
        Ok(())
    }

    fn step(&mut self, when: When, pipeline: Pipeline, around: &Around) -> Result<(), Stop> {
        let negated = pipeline.negated;
        let plannable = around.top && self.steps.is_some() && !pipeline.timed;
        let runs = self.pipeline(pipeline, around)?;
        if around.top {
            match (&mut self.steps, runs) {
                (Some(steps), Some(runs)) if plannable => steps.push(Step { when, negated, runs }),
                _ => self.steps = None,
            }
        }
        Ok(())
    }

    /// Runs a pipeline; the runs of its commands if all of them are simple.
    fn pipeline(&mut self, pipeline: Pipeline, around: &Around) -> Result<Option<Vec<usize>>, Stop> {
        if pipeline.commands.len() == 1 {
            let mut ids = None;
            for command in pipeline.commands {
                ids = self.command(command, around)?.map(|id| vec![id]);
            }
            return Ok(ids);
        }
        let mut ids = Some(Vec::new());
        let mut input = around.input.clone();
        let count = pipeline.commands.len();
        for (index, command) in pipeline.commands.into_iter().enumerate() {
            let last = index + 1 == count;
            let pipe = if last {
                around.pipe
            } else {
                self.next_pipe += 1;
                self.next_pipe
            };
            let weight = match &input {
                Input::Pipe(from) => from.len(),
                Input::Inherited | Input::Redirected => 0,
            };
            self.work.spend(weight + around.redirects.len() + 1)?;
            let inner = Around { input, pipe, certain: false, ..around.clone() };
            let first = self.runs.len();
            let mark = self.vars.mark();
            match (self.command(command, &inner)?, &mut ids) {
                (Some(id), Some(ids)) => ids.push(id),
                _ => ids = None,
            }
            let _ = self.vars.undo(mark);
            let pipes = self.pipes.get(first..).unwrap_or(&[]);
            self.work.spend(pipes.len())?;
            input = Input::Pipe(
                pipes.iter().enumerate().filter(|(_, to)| **to == pipe).map(|(at, _)| first + at).collect(),
            );
        }
        Ok(ids)
    }

    /// One command; the run's place if it is a simple one.
    fn command(&mut self, command: Command, around: &Around) -> Result<Option<usize>, Stop> {
        match command.body {
            Body::Simple(simple) => self.simple(simple, command.errors, around).map(Some),
            Body::Compound(compound) => {
                self.compound(*compound, command.errors, around)?;
                Ok(None)
            }
        }
    }

    fn compound(&mut self, compound: Compound, errors: bool, around: &Around) -> Result<(), Stop> {
        let Compound { kind, redirects, span } = compound;
        if around.top {
            self.steps = None;
        }
        let mut own = self.redirects(redirects, around)?;
        if errors {
            own.push(errors_to_pipe(span));
        }
        self.work.spend(own.len() + around.redirects.len() + 1)?;
        let mut inner = Around { top: false, ..around.clone() };
        if own.iter().any(|redirect| redirect.fd == 0) {
            inner.input = Input::Redirected;
        }
        inner.redirects.extend(own);
        match kind {
            Kind::Group(list) => self.list(list, &inner),
            Kind::Subshell(list) => {
                let mark = self.vars.mark();
                inner.certain = false;
                self.list(list, &inner)?;
                let _ = self.vars.undo(mark);
                Ok(())
            }
            Kind::Arithmetic(parts) => self.evaluate(parts, span, &inner),
            Kind::Condition { words, arithmetic } => {
                self.evaluates |= arithmetic;
                for word in words {
                    let _ = self.single(word, &inner, false)?;
                }
                Ok(())
            }
            Kind::For { name, words, body } => self.for_each(&name, words, body, span, &inner),
            Kind::Count { head, body } => {
                self.evaluate(head, span, &inner)?;
                self.repeat(None, body, &inner)
            }
            Kind::While { test, body } => self.repeat(Some(test), body, &inner),
            Kind::If { branches, otherwise } => self.branches(branches, otherwise, &inner),
            Kind::Case { word, arms } => self.case(word, arms, &inner),
            Kind::Function { name, body } => self.function(&name, *body, span, &inner),
            Kind::Coprocess { command } => {
                let mark = self.vars.mark();
                let inside = inner.perhaps();
                let _ = self.command(*command, &inside)?;
                let _ = self.vars.undo(mark);
                self.vars.forget();
                Ok(())
            }
        }
    }

    fn for_each(
        &mut self,
        name: &str,
        words: Option<Vec<Raw>>,
        body: Loop,
        span: Span,
        around: &Around,
    ) -> Result<(), Stop> {
        let mut values = Vec::new();
        let mut known = words.is_some();
        for field in self.fields(words.unwrap_or_default(), around)? {
            match field.word.literal() {
                Some(text) if !field.splits => values.push(text.to_owned()),
                _ => known = false,
            }
        }
        self.set(name, Value::Unknown, span);
        self.vars.apply(&body.sets);
        let value = match values.len() {
            1 if known => Value::Text(values.pop().unwrap_or_default()),
            0 => Value::Unknown,
            _ => {
                values.truncate(8);
                Value::Maybe(values)
            }
        };
        self.vars.set(name, value);
        let mark = self.vars.mark();
        let inside = around.perhaps();
        self.list(body.list, &inside)?;
        self.vars.blur(mark);
        self.vars.set(name, Value::Unknown);
        Ok(())
    }

    fn repeat(&mut self, test: Option<List>, body: Loop, around: &Around) -> Result<(), Stop> {
        self.vars.apply(&body.sets);
        let mark = self.vars.mark();
        let inside = around.perhaps();
        if let Some(test) = test {
            self.list(test, &inside)?;
        }
        self.list(body.list, &inside)?;
        self.vars.blur(mark);
        Ok(())
    }

    fn branches(
        &mut self,
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
        around: &Around,
    ) -> Result<(), Stop> {
        let inside = around.perhaps();
        let mut changed: Vec<(String, Value)> = Vec::new();
        for (index, (test, body)) in branches.into_iter().enumerate() {
            if index == 0 {
                self.list(test, around)?;
            } else {
                let mark = self.vars.mark();
                self.list(test, &inside)?;
                self.vars.blur(mark);
            }
            let mark = self.vars.mark();
            self.list(body, &inside)?;
            changed.extend(self.vars.undo(mark));
        }
        if let Some(list) = otherwise {
            let mark = self.vars.mark();
            self.list(list, &inside)?;
            changed.extend(self.vars.undo(mark));
        }
        for (name, value) in changed {
            self.vars.doubt(&name, Some(value));
        }
        Ok(())
    }

    fn case(&mut self, word: Raw, arms: Vec<(Vec<Raw>, List)>, around: &Around) -> Result<(), Stop> {
        let _ = self.single(word, around, false)?;
        let inside = around.perhaps();
        for (patterns, list) in arms {
            for pattern in patterns {
                let _ = self.single(pattern, &inside, false)?;
            }
            let mark = self.vars.mark();
            self.list(list, &inside)?;
            // An arm may fall through to the next one.
            for (name, value) in self.vars.undo(mark) {
                self.vars.doubt(&name, Some(value));
            }
        }
        Ok(())
    }

    fn function(&mut self, name: &str, body: Compound, span: Span, around: &Around) -> Result<(), Stop> {
        let certain = around.certain && self.functions.get(name) != Some(&false);
        if !is_new_name(name) {
            self.doubt(Why::Other(format!("the builtin {name} is given another meaning")), span);
        }
        self.functions.insert(name.to_owned(), certain);
        let lost = std::mem::replace(&mut self.vars.lost, true);
        let mark = self.vars.mark();
        self.within.push(name.to_owned());
        let inner = Around { in_function: true, input: Input::Inherited, certain: false, ..around.clone() };
        self.compound(body, false, &inner)?;
        let _ = self.within.pop();
        let _ = self.vars.undo(mark);
        self.vars.lost = lost;
        Ok(())
    }

    /// A simple command.
    fn simple(&mut self, simple: Simple, errors: bool, around: &Around) -> Result<usize, Stop> {
        let Simple { assigns, words, redirects, span } = simple;
        let id = self.reserve(around, span)?;
        let inner = Around { parent: Some(id), ..around.clone() };
        let bare = words.is_empty();
        let fields = self.fields(words, &inner)?;
        let mut redirects = self.redirects(redirects, &inner)?;
        if errors {
            redirects.push(errors_to_pipe(span));
        }
        let mut given = Vec::with_capacity(assigns.len());
        for assignment in assigns {
            given.push(self.assignment(assignment, bare && fields.is_empty(), &inner)?);
        }
        self.start(id, fields, given, redirects, around)?;
        Ok(id)
    }

    /// Makes a place among the runs, so that what a word starts comes behind it.
    pub fn reserve(&mut self, around: &Around, span: Span) -> Result<usize, Stop> {
        let weight = match &around.input {
            Input::Pipe(from) => from.len(),
            Input::Inherited | Input::Redirected => 0,
        };
        self.work.spend(8 + around.redirects.len() + weight)?;
        let id = self.runs.len();
        self.runs.push(Run {
            words: Vec::new(),
            assigns: Vec::new(),
            redirects: around.redirects.clone(),
            reach: around.reach.clone(),
            parent: around.parent,
            input: around.input.clone(),
            piped: around.pipe != 0,
            builtin: false,
            span,
        });
        self.pipes.push(around.pipe);
        Ok(id)
    }

    fn assignment(
        &mut self,
        assignment: super::tree::Assignment,
        keep: bool,
        around: &Around,
    ) -> Result<Assign, Stop> {
        let super::tree::Assignment { name, subscript, append, value, span } = assignment;
        let subscripted = subscript.is_some();
        let mut full = name.clone();
        if let Some(parts) = subscript {
            let literal: Option<String> = parts.iter().map(super::tree::Part::any_text).collect();
            self.evaluate(parts, span, around)?;
            self.evaluates = true;
            full.push_str(&literal.map_or("[…]".to_owned(), |text| format!("[{text}]")));
        }
        let (word, value) = match value {
            Given::One(raw) => {
                let field = self.single(raw, around, true)?;
                let value = match (field.word.literal(), field.word.pieces.as_slice()) {
                    (Some(text), _) => Value::Text(text.to_owned()),
                    (None, [Piece::Unknown(_)]) => match field.maybe.first() {
                        Some((_, texts)) => Value::Maybe(texts.clone()),
                        None => Value::Unknown,
                    },
                    _ => Value::Unknown,
                };
                (field.word, value)
            }
            Given::Many(items) => {
                let odd = items.iter().any(|item| match item {
                    Raw::Plain(_) => false,
                    Raw::Rich { parts, .. } => matches!(parts.first(), Some(super::tree::Part::Subscript(_))),
                });
                self.evaluates |= odd;
                let fields = self.fields(items, around)?;
                let mut texts = Vec::with_capacity(fields.len());
                let mut known = !odd;
                for field in &fields {
                    match field.word.literal() {
                        Some(text) if !field.splits => texts.push(text.to_owned()),
                        _ => known = false,
                    }
                }
                let pieces = if known {
                    vec![Piece::Text(texts.join(" "))]
                } else {
                    vec![Piece::Unknown(Why::Other("an array".to_owned()))]
                };
                (Word { pieces, span }, if known { Value::List(texts) } else { Value::Unknown })
            }
        };
        let (word, value) = if append { self.appended(&name, word, value) } else { (word, value) };
        if keep {
            self.set(&name, if subscripted { Value::Unknown } else { value }, span);
        } else if super::builtins::changes_names(&name) {
            self.doubt(Why::Variable(name.clone()), span);
        }
        Ok(Assign { name: full, value: word })
    }

    /// `name+=value`.
    fn appended(&mut self, name: &str, word: Word, value: Value) -> (Word, Value) {
        let span = word.span;
        match (self.vars.get(name).cloned(), value) {
            (Some(Value::Text(old)), Value::Text(new)) => {
                let text = old + &new;
                let _ = self.work.spend(text.len() / 8);
                (super::words::literal_word(text.clone(), span), Value::Text(text))
            }
            (Some(Value::List(mut old)), Value::List(new)) => {
                let _ = self.work.spend(old.len());
                old.extend(new);
                (Word { pieces: vec![Piece::Text(old.join(" "))], span }, Value::List(old))
            }
            _ => {
                let mut pieces = vec![Piece::Unknown(Why::Variable(name.to_owned()))];
                pieces.extend(word.pieces);
                (Word { pieces, span }, Value::Unknown)
            }
        }
    }

    /// Redirections with their targets filled in.
    pub fn redirects(
        &mut self,
        list: Vec<super::tree::Redirection>,
        around: &Around,
    ) -> Result<Vec<Redirect>, Stop> {
        let mut out = Vec::with_capacity(list.len());
        for redirection in list {
            let span = super::redirect::target_span(&redirection);
            let super::tree::Redirection { fd, picked, both, kind, target, .. } = redirection;
            let target = match target {
                super::tree::Target::Nothing => Word { pieces: Vec::new(), span },
                super::tree::Target::Document(slot) => {
                    let raw = slot.borrow_mut().take().unwrap_or_default();
                    self.single(raw, around, false)?.word
                }
                super::tree::Target::Word(raw) if kind == RedirectKind::Text => {
                    let mut word = self.single(raw, around, false)?.word;
                    // A here-string ends with a newline.
                    match word.pieces.last_mut() {
                        Some(Piece::Text(text)) => text.push('\n'),
                        _ => word.pieces.push(Piece::Text("\n".to_owned())),
                    }
                    word
                }
                super::tree::Target::Word(raw) => {
                    let mut fields = self.fields(vec![raw], around)?;
                    match (fields.len(), fields.pop()) {
                        (1, Some(field)) => field.word,
                        _ => {
                            let why = Why::Other("a redirection to no file or to several".to_owned());
                            Word { pieces: vec![Piece::Unknown(why)], span }
                        }
                    }
                }
            };
            if picked {
                self.vars.forget();
                self.steps = None;
            }
            let default = if matches!(kind, RedirectKind::Read | RedirectKind::ReadWrite | RedirectKind::Text)
            {
                0
            } else {
                1
            };
            // Bash picks a descriptor from 10 upwards.
            let fd = if picked { 10 } else { fd.unwrap_or(default) };
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

/// What `|&` adds.
fn errors_to_pipe(span: Span) -> Redirect {
    Redirect { fd: 2, kind: RedirectKind::Duplicate, target: Word::text("1", span) }
}

/// True if a function of this name hides nothing that the reader gives a meaning.
fn is_new_name(name: &str) -> bool {
    !super::builtins::has_meaning(name)
}
