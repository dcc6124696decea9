//! Reads the bytes of a text: line continuations, blanks, comments, and the limits on work.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use crate::script::{Dialect, Disguise, Fault, Span, Unsure};
use crate::syntax::tree::{Raw, Sets};

/// The nesting limit of constructs, text inside text included.
pub(crate) const DEPTH: u32 = 60;

/// Why reading stopped.
#[derive(Debug)]
pub(crate) struct Stop {
    pub reason: Cow<'static, str>,
    pub span: Span,
    /// The fault; broken if the grammar forbids the text, so that bash would also refuse it.
    pub fault: Fault,
}

impl Stop {
    /// Constructs are nested too deeply.
    pub fn too_deep(span: Span) -> Self {
        Self { reason: Cow::Borrowed("nested too deep"), span, fault: Fault::Beyond }
    }
}

impl From<Stop> for Unsure {
    fn from(stop: Stop) -> Self {
        Self { reason: stop.reason.into_owned(), span: stop.span, text: String::new(), fault: stop.fault }
    }
}

/// The work that may still be done: a budget in steps, so that a verdict never depends on a clock.
#[derive(Debug)]
pub(crate) struct Work {
    pub fuel: usize,
    /// Spellings that hide from people, the first of each kind.
    pub disguises: Vec<(Span, Disguise)>,
    /// A here-document lacks its last line: whatever followed the text would belong to it.
    pub open_ended: bool,
}

impl Work {
    /// Steps for a text of this many bytes.
    pub fn for_length(length: usize) -> Self {
        Self {
            fuel: length.saturating_mul(64).saturating_add(8192),
            disguises: Vec::new(),
            open_ended: false,
        }
    }

    pub fn disguised(&mut self, span: Span, how: Disguise) {
        if self.disguises.iter().all(|(_, other)| *other != how) {
            self.disguises.push((span, how));
        }
    }

    pub fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        match self.fuel.checked_sub(steps) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                self.fuel = 0;
                let reason = Cow::Borrowed("too much work to read it");
                Err(Stop { reason, span: Span::default(), fault: Fault::Beyond })
            }
        }
    }
}

/// The positions of a text's bytes in the outermost source.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Map {
    /// Byte `i` is at this offset plus `i`.
    Shifted(usize),
    /// Anywhere in this stretch.
    Within(Span),
}

impl Map {
    /// The positions of what begins at this byte.
    pub fn from(self, start: usize) -> Self {
        match self {
            Self::Shifted(by) => Self::Shifted(by + start),
            Self::Within(span) => Self::Within(span),
        }
    }

    pub fn span(self, start: usize, end: usize) -> Span {
        match self {
            Self::Shifted(by) => Span { start: start + by, end: end + by },
            Self::Within(span) => span,
        }
    }
}

/// A here-document whose lines follow later.
#[derive(Debug)]
pub(crate) struct Pending {
    pub delimiter: String,
    pub quoted: bool,
    pub tabs: bool,
    pub slot: Rc<RefCell<Option<Raw>>>,
}

/// A position in a text, with the state of the grammar.
pub(crate) struct Reader<'t, 'w> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    pub pos: usize,
    pub map: Map,
    pub dialect: Dialect,
    pub depth: u32,
    pub work: &'w mut Work,
    pub pending: Vec<Pending>,
    /// True if an outer level waits for here-documents, so that it is unclear to which level a newline here belongs.
    pub outer_pending: bool,
    /// Positions of `((` known to open two subshells.
    pub not_arithmetic: Vec<usize>,
    /// The variables set so far, for the enclosing loops.
    pub sets: Vec<Sets>,
    /// Whether bash stops at the same faults: in the outermost text, before any `[[`, `((`, `${`, `time` or `!`, about which
    /// it complains later or not at all.
    pub exact: bool,
    /// The number of enclosing loops.
    pub loops: u32,
    /// An earlier line has `shopt -s extglob`.
    pub extglob: bool,
    /// Inside `$(…)`, which bash prints and reads a second time.
    pub substituted: bool,
    /// The innermost `$(…)` has a here-document before this position.
    pub documented: bool,
}

impl<'t, 'w> Reader<'t, 'w> {
    pub fn new(text: &'t str, map: Map, dialect: Dialect, depth: u32, work: &'w mut Work) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            map,
            dialect,
            depth,
            work,
            pending: Vec::new(),
            outer_pending: false,
            not_arithmetic: Vec::new(),
            sets: Vec::new(),
            exact: false,
            loops: 0,
            extglob: false,
            substituted: false,
            documented: false,
        }
    }

    /// The byte at an index; NUL past the end (a NUL in the text was refused before).
    pub fn at(&self, index: usize) -> u8 {
        self.bytes.get(index).copied().unwrap_or(0)
    }

    pub fn ended(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    pub fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or("")
    }

    pub fn span(&self, start: usize) -> Span {
        self.map.span(start, self.pos.max(start))
    }

    pub fn stop<T>(&self, reason: &'static str) -> Result<T, Stop> {
        let end = (self.pos + 1).min(self.bytes.len()).max(self.pos);
        Err(Stop { reason: Cow::Borrowed(reason), span: self.map.span(self.pos, end), fault: Fault::Unclear })
    }

    /// Stops with a fault for which bash would also refuse the text.
    pub fn fault<T>(&self, reason: &'static str) -> Result<T, Stop> {
        if self.exact {
            self.stop(reason).map_err(|stop| Stop { fault: Fault::Broken, ..stop })
        } else {
            self.stop(reason)
        }
    }

    /// Refuses, in a text for `sh`, constructs that only bash reads in this way.
    pub fn only_bash(&self, reason: &'static str) -> Result<(), Stop> {
        if self.dialect == Dialect::Sh { self.stop(reason) } else { Ok(()) }
    }

    /// Goes one level down. [`Self::leave`] goes back up.
    pub fn enter(&mut self) -> Result<(), Stop> {
        if self.depth >= DEPTH {
            return Err(Stop::too_deep(self.span(self.pos)));
        }
        self.depth += 1;
        self.work.spend(1)
    }

    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Notes variables that may be set here, if a loop needs to know.
    pub fn note(&mut self, sets: Sets) {
        if self.loops > 0 {
            self.sets.push(sets);
        }
    }

    /// Skips `\` + newline, which joins lines.
    pub fn join(&mut self) {
        while self.at(self.pos) == b'\\' && self.at(self.pos + 1) == b'\n' {
            self.pos += 2;
        }
    }

    /// The next byte after line continuations.
    pub fn peek(&mut self) -> u8 {
        self.join();
        self.at(self.pos)
    }

    /// The byte after the next one, without line continuations between them.
    pub fn peek_second(&mut self) -> u8 {
        self.join();
        self.at(self.after(self.pos))
    }

    /// The index of the byte after the one at `index`, without line continuations.
    pub fn after(&self, index: usize) -> usize {
        let mut next = index + 1;
        while self.at(next) == b'\\' && self.at(next + 1) == b'\n' {
            next += 2;
        }
        next
    }

    /// Consumes the next byte if it is this one.
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte && !self.ended();
        if found {
            self.pos += 1;
        }
        found
    }

    /// Skips blanks, line continuations and a comment.
    pub fn blanks(&mut self) -> Result<(), Stop> {
        let start = self.pos;
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'#' => {
                    let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
                    self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => break,
            }
        }
        self.work.spend(self.pos - start)
    }

    /// Skips blanks, comments and newlines; here-documents are read at the newlines.
    pub fn newlines(&mut self) -> Result<(), Stop> {
        loop {
            self.blanks()?;
            if self.at(self.pos) != b'\n' {
                return Ok(());
            }
            self.pos += 1;
            self.work.spend(1)?;
            if self.outer_pending {
                return self.stop("a newline inside a substitution while a here-document is open");
            }
            if !self.pending.is_empty() {
                self.documents()?;
            }
        }
    }

    /// The unquoted run of bytes that starts here, up to a blank or an operator.
    pub fn token(&self) -> &'t str {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        // No reserved word is longer than `function`.
        let end = rest.iter().take(10).position(|byte| breaks(*byte)).unwrap_or(rest.len().min(10));
        self.text.get(self.pos..self.pos + end).unwrap_or("")
    }

    /// Consumes a reserved word if it is next.
    pub fn take_word(&mut self, word: &str) -> bool {
        self.join();
        let found = self.token() == word;
        if found {
            self.pos += word.len();
        }
        found
    }
}

/// True for the bytes that end a word.
pub(crate) fn breaks(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// True for bytes that may begin a name.
pub(crate) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// True for bytes that may continue a name.
pub(crate) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True if the whole text is a name.
pub(crate) fn is_name(text: &str) -> bool {
    text.bytes().next().is_some_and(begins_name) && text.bytes().all(in_name)
}
