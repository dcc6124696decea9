//! The shape of a script as written, before anything is expanded. Short-lived: the walk consumes it.

use std::cell::RefCell;
use std::rc::Rc;

use crate::script::{RedirectKind, Span, Word};

/// Commands in order.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub(crate) struct AndOr {
    pub first: Pipeline,
    pub rest: Vec<(Link, Pipeline)>,
    pub background: bool,
}

/// The operator between two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    And,
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub negated: bool,
    pub timed: bool,
    pub commands: Vec<Command>,
}

/// One command. `errors` is true if `|&` follows it: standard error then also goes into the pipe.
#[derive(Debug)]
pub(crate) struct Command {
    pub body: Body,
    pub errors: bool,
}

#[derive(Debug)]
pub(crate) enum Body {
    Simple(Simple),
    Compound(Box<Compound>),
}

/// Assignments, words and redirections.
#[derive(Debug, Default)]
pub(crate) struct Simple {
    pub assigns: Vec<Assignment>,
    pub words: Vec<Raw>,
    pub redirects: Vec<Redirection>,
    pub span: Span,
}

/// A compound command with its redirections.
#[derive(Debug)]
pub(crate) struct Compound {
    pub kind: Kind,
    pub redirects: Vec<Redirection>,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Group(List),
    Subshell(List),
    Arithmetic(Vec<Part>),
    Condition { words: Vec<(Raw, Reading)> },
    For { name: String, words: Option<Vec<Raw>>, body: Loop },
    Count { head: Vec<Part>, body: Loop },
    While { test: List, until: bool, body: Loop },
    If { branches: Vec<(List, List)>, otherwise: Option<List> },
    Case { word: Raw, arms: Vec<(Vec<Raw>, List)> },
    Function { name: String, body: Box<Compound> },
    Coprocess { command: Box<Command> },
}

/// The commands of a loop, and the variables that they may set.
#[derive(Debug)]
pub(crate) struct Loop {
    pub list: List,
    pub sets: Vec<Sets>,
}

/// How `[[ … ]]` looks at a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Text,
    /// It is evaluated: `-gt` and similar.
    Sum,
    /// It is the name of a variable: `-v`, `-R`.
    Name,
}

/// A note of the variables that a stretch of text may set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sets {
    Name(String),
    /// The name gets a number.
    Number(String),
    Anything,
    /// An unknown command may set any variable.
    Unnamed,
    /// The assignments in the values of variables, which are evaluated.
    Calculated,
}

#[derive(Debug)]
pub(crate) struct Assignment {
    pub name: String,
    pub subscript: Option<Vec<Part>>,
    pub append: bool,
    pub value: AssignedValue,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum AssignedValue {
    One(Raw),
    Many(Vec<Raw>),
}

#[derive(Debug)]
pub(crate) struct Redirection {
    pub fd: Option<u32>,
    /// `{name}>`: the variable that gets the number of the descriptor.
    pub picked: Option<String>,
    /// `&>` and `&>>`, and `>&word`: both standard output and standard error.
    pub both: bool,
    pub kind: RedirectKind,
    pub target: Target,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum Target {
    Nothing,
    Word(Raw),
    /// The body of a here-document, filled in when its lines have been read.
    Document(Rc<RefCell<Option<Raw>>>),
}

/// A word as written.
#[derive(Debug)]
pub(crate) enum Raw {
    /// It has no special parts.
    Plain(Word),
    Rich {
        span: Span,
        parts: Vec<Part>,
    },
}

#[derive(Debug)]
pub(crate) enum Part {
    /// Unquoted text: patterns, braces and tildes in it are alive.
    Text(String),
    /// Quoted text.
    Quoted(String),
    /// A quoted value that is known only at run time.
    Opaque(&'static str),
    Parameter(Box<Parameter>),
    Command {
        list: List,
        quoted: bool,
    },
    Process(List),
    Arithmetic {
        inner: Vec<Part>,
        quoted: bool,
    },
    /// `[…]` after the name of an assignment.
    Subscript(Vec<Part>),
    /// `(…)` after the `=` of an assignment.
    Array(Vec<Raw>),
}

/// `$name` or `${…}`.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: String,
    pub quoted: bool,
    /// `$name`, without braces.
    pub bare: bool,
    /// `${#name}`.
    pub length: bool,
    /// `${!name}`.
    pub indirect: bool,
    pub subscript: Option<Vec<Part>>,
    pub op: Op,
    pub operand: Vec<Part>,
    pub span: Span,
}

/// The operation on a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Nothing,
    /// `-`, `:-`
    Default {
        colon: bool,
    },
    /// `=`, `:=`
    Assign {
        colon: bool,
    },
    /// `+`, `:+`
    Alternative {
        colon: bool,
    },
    /// `?`, `:?`
    Demand {
        colon: bool,
    },
    /// `:offset:length`
    Slice,
    /// `#`, `##`
    CutFront {
        longest: bool,
    },
    /// `%`, `%%`
    CutBack {
        longest: bool,
    },
    /// `/`, `//`, `/#`, `/%`
    Replace,
    /// `^`, `^^`, `,`, `,,`
    Case {
        upper: bool,
        all: bool,
    },
    /// `~`, `~~`
    Toggle,
    /// `@Q` and the like: the letter
    Transform(u8),
}

impl Raw {
    pub fn span(&self) -> Span {
        match self {
            Self::Plain(word) => word.span,
            Self::Rich { span, .. } => *span,
        }
    }

    /// The word, if it has no special parts.
    pub fn into_plain(self) -> Option<Word> {
        if let Self::Plain(word) = self { Some(word) } else { None }
    }

    /// The text at the beginning of the word; `None` if it is unknown.
    pub fn begins(&self) -> Option<&str> {
        match self {
            Self::Plain(word) => word.literal(),
            Self::Rich { parts, .. } => match parts.first() {
                Some(part) => part.any_text().filter(|text| !text.is_empty() || parts.len() == 1),
                None => Some(""),
            },
        }
    }

    /// Whether the word is only text.
    pub fn whole(&self) -> bool {
        match self {
            Self::Plain(_) => true,
            Self::Rich { parts, .. } => parts.len() < 2,
        }
    }

    /// The text, if the word has neither quotes nor anything to expand.
    pub fn bare(&self) -> Option<&str> {
        match self {
            Self::Plain(word) => word.literal(),
            Self::Rich { parts, .. } => match parts.as_slice() {
                [Part::Text(text)] => Some(text),
                _ => None,
            },
        }
    }
}

impl Assignment {
    /// Whether it can only be a number, if it was one before: digits, arithmetic, a length.
    pub fn is_number(&self) -> bool {
        let counts = |part: &Part| match part {
            Part::Text(text) | Part::Quoted(text) => text.bytes().all(|byte| byte.is_ascii_digit()),
            Part::Arithmetic { .. } => true,
            Part::Parameter(parameter) => {
                parameter.length
                    || parameter.op == Op::Nothing && matches!(parameter.name.as_str(), "#" | "?" | "$")
            }
            Part::Opaque(_)
            | Part::Command { .. }
            | Part::Process(_)
            | Part::Subscript(_)
            | Part::Array(_) => false,
        };
        match &self.value {
            AssignedValue::One(Raw::Rich { parts, .. }) => {
                self.subscript.is_none() && parts.iter().all(counts)
            }
            AssignedValue::One(Raw::Plain(_)) | AssignedValue::Many(_) => false,
        }
    }
}

impl Part {
    /// The text, if the part is unquoted text.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The text, quoted or not.
    pub fn any_text(&self) -> Option<&str> {
        if let Self::Text(text) | Self::Quoted(text) = self { Some(text) } else { None }
    }
}

impl Default for Raw {
    fn default() -> Self {
        Self::Rich { span: Span::default(), parts: Vec::new() }
    }
}
