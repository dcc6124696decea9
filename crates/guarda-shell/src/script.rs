//! The meaning of a command line, read once: every program that may run, with its words, and how it is reached.
//!
//! Only [`crate::read`] makes a [`Script`]. It answers two questions: *what may run?* ([`Script::runs`], for the
//! judge) and *can it run without a shell?* ([`Script::plan`], for the hands). Positions are byte offsets into
//! [`Script::source`].

/// A stretch of the command line, in bytes, end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// The grammar a text is read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Dialect {
    /// GNU bash, as `bash -c` reads it.
    #[default]
    Bash,
    /// POSIX `sh`: dash on Debian.
    Sh,
}

/// One word of a command, with quotes removed and everything that is known before run time filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Word {
    /// The parts in order; an empty list is the empty word.
    pub pieces: Vec<Piece>,
    /// The word's position in the source of the whole script (the outermost text).
    pub span: Span,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Literal text: quotes and escapes already removed.
    Text(String),
    /// An unquoted pathname pattern, as written (`*`, `?`, `[a-z]`, `@(a|b)`).
    Glob(String),
    /// The user's home folder: `~`, `$HOME`.
    Home,
    /// The working folder: `$PWD`, `~+`.
    Cwd,
    /// A value that is known only at run time.
    Unknown(UnknownCause),
}

impl Piece {
    /// The text, if it is known; `home` and `cwd` are the folders that it may mean.
    #[must_use]
    pub fn known(&self, home: &str, cwd: &str) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Home => Some(home.to_owned()),
            Self::Cwd => Some(cwd.to_owned()),
            Self::Glob(_) | Self::Unknown(_) => None,
        }
    }
}

/// The doubt about an unknown value in a place where the shell would run text in its brackets, or set the variable
/// that it names.
pub const DATA_MAY_RUN: &str = "data that the shell may run as a command";

/// Why a value, or a stretch of text, is not known before run time.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum UnknownCause {
    /// A variable or parameter that the line itself does not set: its name.
    Variable(String),
    /// The output of a command or process substitution; its programs are among the runs.
    Substitution,
    /// The result of arithmetic.
    Arithmetic,
    /// The name of a pipe made by `<(…)` or `>(…)`: one word, a path below /dev/fd.
    PipeName,
    /// The items that `xargs`, `find`, `parallel` and similar programs fill in.
    Items,
    /// The home folder of a named user (`~ana`): the name.
    HomeOf(String),
    /// Text in a language that this reader does not read (`python -c`, another machine's shell).
    Foreign(String),
    /// Another cause, in words (English, lower case, no full stop).
    Other(String),
}

/// A variable that is set before a command, or for the rest of the line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Assign {
    /// The name, with its subscript if there is one.
    pub name: String,
    /// The value given.
    pub value: Word,
}

/// A word that a loop goes through, or that an array holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Item {
    /// The variable of the loop, or the array.
    pub of: String,
    /// The word, as written in the line.
    pub word: Word,
}

/// A redirection of one descriptor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Redirect {
    /// The descriptor that is redirected (0 for `<`, 1 for `>` if none is written; `&>` is two redirects).
    pub fd: u32,
    /// The kind of redirection.
    pub kind: RedirectKind,
    /// The file, the text of a here-string or here-document, or the descriptor's number.
    pub target: Word,
}

/// The kind of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RedirectKind {
    /// `<`: reads a file.
    Read,
    /// `>` or `>|`: truncates or creates a file and writes to it.
    Write,
    /// `>>`: appends to a file.
    Append,
    /// `<>`: opens for reading and writing; creates the file if it is missing.
    ReadWrite,
    /// `<<`, `<<-` or `<<<`: text given in place.
    Text,
    /// `>&2`, `<&3`: a copy of another descriptor.
    Duplicate,
    /// `>&-`, `<&-`: closed.
    Close,
}

impl RedirectKind {
    /// Whether a file is opened by name.
    #[must_use]
    pub fn opens(self) -> bool {
        match self {
            Self::Read | Self::Write | Self::Append | Self::ReadWrite => true,
            Self::Text | Self::Duplicate | Self::Close => false,
        }
    }
}

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reach {
    /// It is a separate command of the line (in a list, pipeline, group, loop, condition, function …).
    Plain,
    /// Inside `$(…)`, backquotes, `<(…)` or `>(…)`.
    Substitution,
    /// A wrapper starts it: the wrapper's base name (`sudo`, `xargs`, `find`, `env`, `ssh`, `docker` …).
    Wrapper(String),
    /// Text that a shell runs (`sh -c`, `eval`, `trap`, a here-document fed to a shell): the program that runs it.
    Text(String),
}

/// The source of a run's standard input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Input {
    /// The standard input of the whole line.
    Inherited,
    /// The output of the runs with these indices in [`Script::runs`] (the last commands of the previous pipeline
    /// stage).
    Pipe(Vec<usize>),
    /// A file, here-document or here-string: see the run's redirects.
    Redirected,
}

/// One program that may be started.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    /// The argument vector; the first word is the program as written. Empty only for a command that consists of
    /// assignments or redirections.
    pub words: Vec<Word>,
    /// Assignments before it, or those that a wrapper such as `env` makes.
    pub assigns: Vec<Assign>,
    /// Its redirections, and those of the groups around it.
    pub redirects: Vec<Redirect>,
    /// How it is reached.
    pub reach: Reach,
    /// The run that starts or contains it (the wrapper, the command whose word has the substitution); `None` at the top.
    pub parent: Option<usize>,
    /// The source of its standard input.
    pub input: Input,
    /// Whether its standard output goes into a pipe.
    pub piped: bool,
    /// Whether the shell runs it itself (a builtin such as `cd` or `echo`, or a function that the line defines).
    pub builtin: bool,
    /// Its position in the source.
    pub span: Span,
}

/// Something that is unknown before run time and that may start a program or change what a name means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Uncertainty {
    /// The cause.
    pub why: UnknownCause,
    /// The position.
    pub span: Span,
}

impl Uncertainty {
    /// Whether the only unknown is whether data could be run ([`DATA_MAY_RUN`]).
    #[must_use]
    pub fn may_run_data(&self) -> bool {
        matches!(&self.why, UnknownCause::Other(text) if text == DATA_MAY_RUN)
    }
}

/// A spelling that changes nothing for the shell, but hides the meaning of a line from people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Disguise {
    /// `$'\x72m'`: letters as numbers.
    Letters,
    /// `wh''oami`, `c\at`, `{cat,x}`, `$(echo rm)`: a program name assembled from parts.
    Name,
    /// Characters that are invisible or change the direction of text.
    Invisible,
}

/// What is wrong with unreadable text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Fault {
    /// It is one line with a syntax error: bash would run no part of it.
    Broken,
    /// It is longer, deeper or more work than anything a person would write or could read.
    Beyond,
    /// It is uncertain how, or whether, a shell would read it.
    #[default]
    Unclear,
}

/// The text could not be read with certainty: no part of it may be allowed without a question.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("cannot read the command: {reason}")]
pub struct Unsure {
    /// The cause in words (English, lower case, no full stop).
    pub reason: String,
    /// Where reading stopped.
    pub span: Span,
    /// The unreadable text; empty if there is none to show.
    pub text: String,
    /// The kind of fault.
    pub fault: Fault,
}

/// The meaning of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub(super) source: String,
    pub(super) dialect: Dialect,
    pub(super) runs: Vec<Run>,
    pub(super) doubts: Vec<Uncertainty>,
    pub(super) items: Vec<Item>,
    pub(super) growth: Option<Span>,
    pub(super) starts_jobs: bool,
    pub(super) left_running: bool,
    pub(super) may_move: bool,
    pub(super) open_ended: bool,
    pub(super) disguises: Vec<(Span, Disguise)>,
    pub(super) plan: Option<Plan>,
}

/// A script that needs no shell. Every word is literal, a known folder, or (behind the program's name) a pattern of
/// `*` and `?`; the only builtin is `cd FOLDER`. The hands run exactly this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Pipelines in order, each with its condition.
    pub steps: Vec<Step>,
}

/// One pipeline of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// When it runs.
    pub when: When,
    /// True for `! pipeline`.
    pub negated: bool,
    /// The commands of the pipeline, as indices into [`Script::runs`].
    pub runs: Vec<usize>,
}

/// The condition of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// First, or after `;` or a newline.
    Always,
    /// After `&&`: if the status so far is zero.
    Success,
    /// After `||`: if the status so far is not zero.
    Failure,
}

/// Whether these are the words of `PROG --help` or `PROG --version`, which only print text.
///
/// ```
/// use guarda_shell::script::{Dialect, only_asks_for_help};
///
/// let script = guarda_shell::read("git --help; git commit --help", Dialect::Bash)?;
/// let asks: Vec<bool> = script.runs().iter().map(|run| only_asks_for_help(run.words.iter())).collect();
/// assert_eq!(asks, [true, false]);
/// # Ok::<(), guarda_shell::script::Unsure>(())
/// ```
pub fn only_asks_for_help<'w>(mut words: impl ExactSizeIterator<Item = &'w Word>) -> bool {
    words.len() == 2 && matches!(words.nth(1).and_then(Word::literal), Some("--help" | "--version"))
}

impl Word {
    /// A word of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>, span: Span) -> Self {
        Self { pieces: vec![Piece::Text(text.into())], span }
    }

    /// The whole word, if it is known text only.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The known text at the beginning of the word; empty if it begins otherwise.
    #[must_use]
    pub fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether a part is unknown before run time (patterns and folders count as known).
    #[must_use]
    pub fn unknown(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(_)))
    }

    /// True if some part is an unquoted pattern.
    #[must_use]
    pub fn glob(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
    }

    /// Whether every part is known before run time: only text, the home folder and the working folder.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        !self.unknown() && !self.glob()
    }

    /// The word's text, if every part is known before run time. `home` and `cwd` are the folders that it may mean.
    #[must_use]
    pub fn known(&self, home: &str, cwd: &str) -> Option<String> {
        self.pieces.iter().map(|piece| piece.known(home, cwd)).collect()
    }

    /// The word as a person would write it; unknown parts appear as their sign.
    #[must_use]
    pub fn written(&self) -> String {
        let sign = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Glob(text) => text.clone(),
            Piece::Home => "~".to_owned(),
            Piece::Cwd => "$PWD".to_owned(),
            Piece::Unknown(UnknownCause::Variable(name)) => format!("${name}"),
            Piece::Unknown(UnknownCause::Substitution) => "$(…)".to_owned(),
            Piece::Unknown(UnknownCause::Arithmetic) => "$((…))".to_owned(),
            Piece::Unknown(UnknownCause::PipeName) => "<(…)".to_owned(),
            Piece::Unknown(UnknownCause::Items) => "{…}".to_owned(),
            Piece::Unknown(UnknownCause::HomeOf(user)) => format!("~{user}"),
            Piece::Unknown(UnknownCause::Foreign(_) | UnknownCause::Other(_)) => "…".to_owned(),
        };
        self.pieces.iter().map(sign).collect()
    }
}

impl Run {
    /// The program's name as written, if it is known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::literal)
    }
}

impl Script {
    /// The script of one command that is given as words instead of text: `start` unchanged, then operands that are
    /// paths (`~` and `~/…` mean the home folder).
    #[must_use]
    pub fn of_argv(start: &[&str], paths: &[&str]) -> Self {
        let nowhere = Span::default();
        let path = |path: &&str| match path.strip_prefix('~') {
            Some("") => Word { pieces: vec![Piece::Home], span: nowhere },
            Some(rest) if rest.starts_with('/') => {
                Word { pieces: vec![Piece::Home, Piece::Text(rest.to_owned())], span: nowhere }
            }
            _ => Word::text(*path, nowhere),
        };
        let words: Vec<Word> =
            start.iter().map(|word| Word::text(*word, nowhere)).chain(paths.iter().map(path)).collect();
        let run = Run {
            words,
            assigns: Vec::new(),
            redirects: Vec::new(),
            reach: Reach::Plain,
            parent: None,
            input: Input::Inherited,
            piped: false,
            builtin: false,
            span: nowhere,
        };
        let step = Step { when: When::Always, negated: false, runs: vec![0] };
        Self {
            source: String::new(),
            dialect: Dialect::Bash,
            runs: vec![run],
            doubts: Vec::new(),
            items: Vec::new(),
            growth: None,
            starts_jobs: false,
            left_running: false,
            may_move: false,
            open_ended: false,
            disguises: Vec::new(),
            plan: Some(Plan { steps: vec![step] }),
        }
    }

    /// The length of the text, in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.source.len()
    }

    /// The original text: for display and positions. Nothing is judged by it.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The grammar in which it was read.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Every program that may run, wrappers before what they wrap, in reading order.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The doubts of the reader. A line with a doubt requires at least a question.
    #[must_use]
    pub fn doubts(&self) -> &[Uncertainty] {
        &self.doubts
    }

    /// The items of loops and arrays, as far as the line gives them (`for f in ~/.ssh/*`, `a=(x "$y")`).
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The spellings that hide the meaning from people, and their positions.
    #[must_use]
    pub fn disguises(&self) -> &[(Span, Disguise)] {
        &self.disguises
    }

    /// The position where it multiplies endlessly (a fork bomb), if it does.
    #[must_use]
    pub fn growth(&self) -> Option<Span> {
        self.growth
    }

    /// Whether it ends with a command in the background, which the shell leaves running; remarks about it may follow (`echo $!`).
    #[must_use]
    pub fn leaves_running(&self) -> bool {
        self.left_running
    }

    /// Whether one of its commands runs in the background beside those behind it.
    #[must_use]
    pub fn starts_jobs(&self) -> bool {
        self.starts_jobs
    }

    /// Whether the shell may stand in another folder at the end: it runs `cd`, `pushd` or `popd`, or something is unknown.
    #[must_use]
    pub fn may_move(&self) -> bool {
        self.may_move
    }

    /// Whether a command on a further line would be a command of its own: the text ends neither inside a here-document
    /// nor with a backslash.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.open_ended
    }

    /// How to run it without a shell; `None` if a shell is needed (loops, expansions …).
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }
}
