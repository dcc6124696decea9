//! Compound commands: the runs in them, and the known variables after them.

use crate::meaning::commands::names;
use crate::meaning::commands::simple::errors_to_pipe;
use crate::meaning::evaluator::{Evaluator, Function, Scope};
use crate::meaning::growth;
use crate::meaning::variables::value::Value;
use crate::script::{Input, Item, Span};
use crate::syntax::scan::Stop;
use crate::syntax::tree::{Compound, Kind, List, Loop, Raw};

impl Evaluator<'_> {
    pub fn compound(&mut self, compound: Compound, errors: bool, scope: &Scope) -> Result<(), Stop> {
        let Compound { kind, redirects, span } = compound;
        if scope.top {
            self.steps = None;
        }
        let mut own = self.redirects(redirects, scope)?;
        if errors {
            own.push(errors_to_pipe(span));
        }
        self.work.spend(own.len() + scope.redirects.len() + 1)?;
        let mut inner = Scope { top: false, ..scope.clone() };
        if own.iter().any(|redirect| redirect.fd == 0) {
            inner.input = Input::Redirected;
        }
        let redirected = !own.is_empty();
        inner.redirects.extend(own);
        let before = self.runs.len();
        self.compound_of(kind, span, &inner)?;
        if redirected && self.runs.len() == before {
            // Nothing is started in it, but its files are opened.
            self.reserve(&inner, span)?;
        }
        Ok(())
    }

    fn compound_of(&mut self, kind: Kind, span: Span, scope: &Scope) -> Result<(), Stop> {
        match kind {
            Kind::Group(list) => self.list(list, scope),
            Kind::Subshell(list) => {
                let mark = self.vars.mark();
                self.list(list, &Scope { certain: false, ..scope.clone() })?;
                let _ = self.vars.undo(mark);
                Ok(())
            }
            Kind::Arithmetic(parts) => self.evaluate(parts, span, scope),
            Kind::Condition { words } => self.condition(words, scope),
            Kind::For { name, words, body } => self.for_each(&name, words, body, span, scope),
            Kind::Count { head, body } => {
                self.note_endless(growth::counts_on(&head), &body, span);
                self.evaluate(head, span, scope)?;
                self.repeat(None, body, scope)
            }
            Kind::While { test, until, body } => {
                self.note_endless(growth::is_endless(&test, until), &body, span);
                self.repeat(Some(test), body, scope)
            }
            Kind::If { branches, otherwise } => self.branches(branches, otherwise, scope),
            Kind::Case { word, arms } => self.case(word, arms, scope),
            Kind::Function { name, body } => self.function(&name, *body, span, scope),
            Kind::Coprocess { command } => {
                let mark = self.vars.mark();
                let inside = scope.perhaps();
                let _ = self.command(*command, &inside)?;
                let _ = self.vars.undo(mark);
                self.vars.forget_all();
                Ok(())
            }
        }
    }

    /// Notes an endless loop that leaves its children running.
    fn note_endless(&mut self, endless: bool, body: &Loop, span: Span) {
        if endless && growth::leaves_running(&body.list) {
            self.endless.get_or_insert(span);
        }
    }

    pub fn for_each(
        &mut self,
        name: &str,
        words: Option<Vec<Raw>>,
        body: Loop,
        span: Span,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let mut values: Vec<Value> = Vec::new();
        let mut known = words.is_some();
        let mut number = known;
        for field in self.fields(words.unwrap_or_default(), scope)? {
            match Value::of(&field.word.pieces) {
                Some(value) if !field.splits => {
                    number &= value.is_number();
                    values.push(value);
                }
                _ => {
                    known = false;
                    number &= field.number;
                }
            }
            self.items.push(Item { of: name.to_owned(), word: field.word });
        }
        if self.vars.is_integer(name) && !number {
            self.runs_data(span);
        }
        let old = self.is_number(name);
        self.set(name, Value::Unknown, span);
        self.before_loop(&body.sets)?;
        let some = !values.is_empty();
        let value = match values.len() {
            1 if known => values.pop().unwrap_or(Value::Unknown),
            _ => Value::of_texts(values.iter().filter_map(Value::known).take(8).collect(), number),
        };
        self.vars.set(name, value);
        let mark = self.vars.mark();
        let inside = scope.perhaps();
        self.list(body.list, &inside)?;
        self.vars.blur(mark);
        // Without words, the variable keeps its value.
        let number = number && (old || some) && self.vars.get(name).is_some_and(|value| value.is_number());
        self.vars.set(name, Value::of_texts(Vec::new(), number));
        Ok(())
    }

    pub fn repeat(&mut self, test: Option<List>, body: Loop, scope: &Scope) -> Result<(), Stop> {
        self.before_loop(&body.sets)?;
        let mark = self.vars.mark();
        let inside = scope.perhaps();
        if let Some(test) = test {
            self.list(test, &inside)?;
        }
        self.list(body.list, &inside)?;
        self.vars.blur(mark);
        Ok(())
    }

    pub fn branches(
        &mut self,
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let inside = scope.perhaps();
        let mut changed: Vec<(String, Value)> = Vec::new();
        for (index, (test, body)) in branches.into_iter().enumerate() {
            if index == 0 {
                self.list(test, scope)?;
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

    pub fn case(&mut self, word: Raw, arms: Vec<(Vec<Raw>, List)>, scope: &Scope) -> Result<(), Stop> {
        let _ = self.single(word, scope, false)?;
        let inside = scope.perhaps();
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

    pub fn function(&mut self, name: &str, body: Compound, span: Span, scope: &Scope) -> Result<(), Stop> {
        let certain = scope.certain && self.functions.get(name).is_none_or(|function| function.certain);
        if names::has_meaning(name) {
            self.unclear(format!("the builtin {name} is given another meaning"), span);
        }
        self.functions.insert(name.to_owned(), Function { certain, body: body.span });
        let (lost, losses) = (std::mem::replace(&mut self.vars.lost, true), self.vars.losses);
        let mark = self.vars.mark();
        self.within.push((name.to_owned(), span));
        let inner = Scope {
            in_function: true,
            beside: false,
            input: Input::Inherited,
            certain: false,
            ..scope.clone()
        };
        self.compound(body, false, &inner)?;
        let _ = self.within.pop();
        let _ = self.vars.undo(mark);
        // A function may be called at any time, so a name that it makes unreliable stays unreliable.
        self.vars.lost = lost || self.vars.losses != losses;
        Ok(())
    }
}
