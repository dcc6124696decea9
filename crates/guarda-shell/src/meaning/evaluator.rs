//! What is known of a script while it is evaluated, and the scope of each command.

use foldhash::HashMap;
use std::rc::Rc;

use crate::meaning::growth::{self, BodyCall};
use crate::meaning::variables::value::Value;
use crate::meaning::variables::vars::{Variables, changes_names};
use crate::meaning::words::field::Field;
use crate::script::{
    Dialect, Input, Item, Piece, Reach, Redirect, Run, Span, Step, Uncertainty, UnknownCause,
};
use crate::syntax::scan::{Stop, Work};

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
    pub items: Vec<Item>,
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

    /// Adds a doubt for this reason.
    pub fn unclear(&mut self, reason: impl Into<String>, span: Span) {
        self.doubt(UnknownCause::Other(reason.into()), span);
    }

    /// Gives a variable a value. If that changes what later names mean, adds a doubt.
    pub fn set(&mut self, name: &str, value: Value, span: Span) {
        if changes_names(name) {
            self.doubt(UnknownCause::Variable(name.to_owned()), span);
        }
        self.vars.set(name, value);
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

    /// Notes that a command of this name is started, for the enclosing functions.
    pub fn note_call(&mut self, name: &str, at: Span, scope: &Scope) {
        let Some((from, defined)) = self.within.last() else { return };
        // A name that another program starts is not a function.
        if matches!(scope.reach, Reach::Wrapper(_)) || name.contains('/') {
            return;
        }
        let (from, defined) = (from.clone(), *defined);
        self.calls.push(BodyCall { from, defined, to: name.to_owned(), at, beside: scope.beside });
    }

    /// The position where the line multiplies endlessly, if it does.
    pub fn growth(&self) -> Option<Span> {
        self.endless.or_else(|| growth::growth(&self.calls))
    }
}
