//! Turns the shape of a script into its runs: what starts, in which scope.

use foldhash::HashMap;
use std::rc::Rc;

use crate::meaning::expand::Field;
use crate::meaning::growth::BodyCall;
use crate::meaning::value::Value;
use crate::meaning::vars::Variables;
use crate::script::{
    Dialect, Input, Item as Element, Piece, Reach, Redirect, Run, Span, Step, Uncertainty, UnknownCause, When,
};
use crate::syntax::scan::{Stop, Work};
use crate::syntax::tree::{AndOr, Body, Command, Link, List, Pipeline};

/// The scope of a command.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub parent: Option<usize>,
    pub reach: Reach,
    pub input: Input,
    /// The pipe that standard output goes into; 0 for none.
    pub pipe: usize,
    pub redirects: Vec<Redirect>,
    pub dialect: Dialect,
    pub depth: u32,
    /// True if definitions here certainly hold afterwards.
    pub certain: bool,
    pub in_function: bool,
    /// True if commands here run in parallel: in the background, or in a pipeline.
    pub beside: bool,
    /// `$1` and so on, if the line gives them.
    pub arguments: Option<Rc<Vec<Field>>>,
    /// Commands of the whole line, which a plan may hold.
    pub top: bool,
}

impl Scope {
    /// The scope of commands inside a substitution.
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

    /// The same scope where a command may or may not run.
    pub fn perhaps(&self) -> Self {
        Self { certain: false, top: false, ..self.clone() }
    }
}

/// A function that the line defines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function {
    /// Whether its name certainly means it from then on.
    pub certain: bool,
    /// The position of its body.
    pub body: Span,
}

/// The results so far.
pub(crate) struct Evaluator<'w> {
    pub source: &'w str,
    pub work: &'w mut Work,
    pub runs: Vec<Run>,
    /// The pipe that each run writes into, parallel to `runs`.
    pub pipes: Vec<usize>,
    pub next_pipe: usize,
    pub doubts: Vec<Uncertainty>,
    /// The items of loops, and the elements of arrays.
    pub items: Vec<Element>,
    pub vars: Variables,
    /// The functions that the line defines.
    pub functions: HashMap<String, Function>,
    /// The remaining bytes of function bodies that may be read again.
    pub replays: usize,
    /// The function whose body is being read, and where it is defined.
    pub within: Vec<(String, Span)>,
    /// The inputs that shells around this place read their commands from.
    pub inputs: Vec<Span>,
    /// The commands that functions start.
    pub calls: Vec<BodyCall>,
    /// An endless loop that leaves its children running.
    pub endless: Option<Span>,
    /// The values that placeholder characters represent.
    pub holes: Vec<Piece>,
    /// Whether arithmetic reads variables anywhere.
    pub evaluates: bool,
    /// Text that arithmetic would run if it reached it.
    pub code: Option<Span>,
    pub moved: bool,
    pub arguments_lost: bool,
    pub steps: Option<Vec<Step>>,
}

impl Evaluator<'_> {
    pub fn doubt(&mut self, why: UnknownCause, span: Span) {
        let doubt = Uncertainty { why, span };
        if self.doubts.last() != Some(&doubt) {
            self.doubts.push(doubt);
        }
    }

    /// Gives a variable a value. If that changes what later names mean, adds a doubt.
    pub fn set(&mut self, name: &str, value: Value, span: Span) {
        if crate::meaning::names::changes_names(name) {
            self.doubt(UnknownCause::Variable(name.to_owned()), span);
        }
        self.vars.set(name, value);
    }

    pub fn list(&mut self, list: List, scope: &Scope) -> Result<(), Stop> {
        for item in list.items {
            self.work.spend(1)?;
            self.item(item, scope)?;
        }
        Ok(())
    }

    fn item(&mut self, item: AndOr, scope: &Scope) -> Result<(), Stop> {
        if item.background {
            self.steps = None;
            let mark = self.vars.mark();
            let inner = Scope { beside: true, ..scope.perhaps() };
            self.chain(item, &inner)?;
            let _ = self.vars.undo(mark);
            return Ok(());
        }
        self.chain(item, scope)
    }

    fn chain(&mut self, item: AndOr, scope: &Scope) -> Result<(), Stop> {
        self.step(When::Always, item.first, scope)?;
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
            if scope.top {
                let inner = Scope { certain: false, ..scope.clone() };
                self.step(when, pipeline, &inner)?;
            } else {
                let inner = scope.perhaps();
                self.step(when, pipeline, &inner)?;
            }
        }
        self.vars.blur(start);
        Ok(())
    }

    fn step(&mut self, when: When, pipeline: Pipeline, scope: &Scope) -> Result<(), Stop> {
        let negated = pipeline.negated;
        let plannable = scope.top && self.steps.is_some() && !pipeline.timed;
        let runs = self.pipeline(pipeline, scope)?;
        if scope.top {
            match (&mut self.steps, runs) {
                (Some(steps), Some(runs)) if plannable => steps.push(Step { when, negated, runs }),
                _ => self.steps = None,
            }
        }
        Ok(())
    }

    /// Evaluates a pipeline. Returns the runs of its commands if all of them are simple.
    fn pipeline(&mut self, pipeline: Pipeline, scope: &Scope) -> Result<Option<Vec<usize>>, Stop> {
        if pipeline.commands.len() == 1 {
            let mut ids = None;
            for command in pipeline.commands {
                ids = self.command(command, scope)?.map(|id| vec![id]);
            }
            return Ok(ids);
        }
        let mut ids = Some(Vec::new());
        let mut input = scope.input.clone();
        let count = pipeline.commands.len();
        for (index, command) in pipeline.commands.into_iter().enumerate() {
            let last = index + 1 == count;
            let pipe = if last {
                scope.pipe
            } else {
                self.next_pipe += 1;
                self.next_pipe
            };
            let weight = match &input {
                Input::Pipe(from) => from.len(),
                Input::Inherited | Input::Redirected => 0,
            };
            self.work.spend(weight + scope.redirects.len() + 1)?;
            let inner = Scope { input, pipe, certain: false, beside: true, ..scope.clone() };
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

    /// Evaluates one command. Returns the run's index if it is a simple one.
    pub fn command(&mut self, command: Command, scope: &Scope) -> Result<Option<usize>, Stop> {
        match command.body {
            Body::Simple(simple) => self.simple(simple, command.errors, scope).map(Some),
            Body::Compound(compound) => {
                self.compound(*compound, command.errors, scope)?;
                Ok(None)
            }
        }
    }

    /// Reserves an index among the runs, so that programs which its words start come after it.
    pub fn reserve(&mut self, scope: &Scope, span: Span) -> Result<usize, Stop> {
        let weight = match &scope.input {
            Input::Pipe(from) => from.len(),
            Input::Inherited | Input::Redirected => 0,
        };
        self.work.spend(8 + scope.redirects.len() + weight)?;
        let id = self.runs.len();
        self.runs.push(Run {
            words: Vec::new(),
            assigns: Vec::new(),
            redirects: scope.redirects.clone(),
            reach: scope.reach.clone(),
            parent: scope.parent,
            input: scope.input.clone(),
            piped: scope.pipe != 0,
            builtin: false,
            span,
        });
        self.pipes.push(scope.pipe);
        Ok(id)
    }
}
