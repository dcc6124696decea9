//! Lists, pipelines and simple commands.

use super::scan::{Reader, Stop, begins_name, breaks, in_name};
use super::tree::{
    Assignment, Body, Command, Compound, Given, Item, Kind, Link, List, Part, Pipeline, Raw, Sets, Simple,
};
use super::words::Place;
use crate::action::script::{Dialect, Span};

/// Words that end a list when they stand where a command could begin.
const ENDS: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

/// Words that open something, or mean something, where a command could begin.
const OPENS: [&str; 12] =
    ["if", "while", "until", "for", "case", "select", "function", "coproc", "time", "{", "[[", "!"];

/// Builtins whose arguments may be `name=(…)`.
const DECLARES: [&str; 8] = ["declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"];

/// Commands that set variables by means the reader does not follow inside a loop.
const SETTERS: [&str; 26] = [
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "printf",
    "let",
    "eval",
    "source",
    ".",
    "trap",
    "builtin",
    "command",
    "wait",
    "set",
    "shift",
    "exec",
    "shopt",
    "cd",
    "pushd",
    "popd",
];

impl Reader<'_, '_> {
    /// Reads the whole text as a script.
    pub fn script(&mut self) -> Result<List, Stop> {
        let list = self.list()?;
        if !self.ended() {
            return self.stop("bash would not read on from here");
        }
        if !self.pending.is_empty() {
            self.documents()?;
        }
        Ok(list)
    }

    /// Reads commands until something that cannot begin one: the end, `)`, `;;` or a reserved word.
    pub fn list(&mut self) -> Result<List, Stop> {
        self.enter()?;
        let mut list = List::default();
        let mut misread = false;
        loop {
            self.newlines()?;
            if self.list_ends() {
                break;
            }
            if misread {
                return self.stop("bash misreads `;` behind a here-document inside a substitution");
            }
            let (mut item, open) = self.item()?;
            self.blanks()?;
            match self.peek() {
                b';' if matches!(self.peek_second(), b';' | b'&') => {
                    list.items.push(item);
                    break;
                }
                b';' => {
                    self.pos += 1;
                    misread = self.substituted && self.documented;
                }
                b'&' => {
                    self.pos += 1;
                    item.background = true;
                }
                b'\n' | b')' => {}
                _ if self.ended() || (open && self.list_ends()) => {}
                _ => return self.stop("bash would not expect this here"),
            }
            list.items.push(item);
        }
        self.leave();
        Ok(list)
    }

    /// A list that has at least one command, as bodies and conditions must.
    pub fn full_list(&mut self) -> Result<List, Stop> {
        let list = self.list()?;
        if list.items.is_empty() { self.stop("a command is missing here") } else { Ok(list) }
    }

    fn list_ends(&mut self) -> bool {
        match self.peek() {
            b')' | b';' => true,
            b't' | b'e' | b'f' | b'd' | b'}' => ENDS.contains(&self.token()),
            _ => self.ended(),
        }
    }

    /// Pipelines joined by `&&` and `||`; true if the last one is a compound command with nothing behind it.
    fn item(&mut self) -> Result<(Item, bool), Stop> {
        let (first, mut open) = self.pipeline()?;
        let mut item = Item { first, rest: Vec::new(), background: false };
        loop {
            self.blanks()?;
            let link = match (self.peek(), self.peek_second()) {
                (b'&', b'&') => Link::And,
                (b'|', b'|') => Link::Or,
                _ => return Ok((item, open)),
            };
            self.pos = self.after(self.pos) + 1;
            self.newlines()?;
            let (next, still) = self.pipeline()?;
            open = still;
            item.rest.push((link, next));
        }
    }

    fn pipeline(&mut self) -> Result<(Pipeline, bool), Stop> {
        let mut pipeline = Pipeline { negated: false, timed: false, commands: Vec::new() };
        loop {
            self.blanks()?;
            if self.peek() == b'!' && self.take_word("!") {
                if self.dialect == Dialect::Sh && pipeline.negated {
                    return self.stop("only bash reads `! !`");
                }
                pipeline.negated = !pipeline.negated;
            } else if self.peek() == b't' && self.dialect == Dialect::Bash && self.take_word("time") {
                pipeline.timed = true;
                self.blanks()?;
                if self.take_word("-p") {
                    self.blanks()?;
                }
                let _ = self.take_word("--");
                self.blanks()?;
                let dashes = self.bytes.get(self.pos..).unwrap_or(&[]);
                if [&b"-p\\\n"[..], b"-\\\n", b"--\\\n"].iter().any(|joined| dashes.starts_with(joined)) {
                    return self.stop("an option of `time` is joined from two lines");
                }
            } else {
                break;
            }
        }
        loop {
            let (body, open) = self.command()?;
            self.blanks()?;
            let piped = self.peek() == b'|' && self.peek_second() != b'|';
            let errors = piped && self.peek_second() == b'&';
            pipeline.commands.push(Command { body, errors });
            if !piped {
                return Ok((pipeline, open));
            }
            self.pos += 1;
            if errors {
                self.only_bash("only bash reads `|&`")?;
                if self.substituted && self.documented {
                    return self.stop("bash misreads `|&` behind a here-document inside a substitution");
                }
                self.join();
                self.pos += 1;
            }
            self.newlines()?;
        }
    }

    /// One command; true if it is compound and no redirection follows it.
    pub fn command(&mut self) -> Result<(Body, bool), Stop> {
        self.blanks()?;
        match self.peek() {
            b'(' => return self.compound(),
            b'i' | b'w' | b'u' | b'f' | b'c' | b's' | b't' | b'{' | b'[' | b'!' => {
                let token = self.token();
                if OPENS.contains(&token) {
                    return self.reserved(token);
                }
            }
            _ => {}
        }
        if self.list_ends() {
            return self.stop("a command is missing here");
        }
        self.simple()
    }

    fn reserved(&mut self, token: &str) -> Result<(Body, bool), Stop> {
        match token {
            "!" => self.stop("bash would not expect `!` here"),
            // Behind a pipe, and in `sh`, `time` is a program.
            "time" => self.simple(),
            "[[" | "select" | "function" | "coproc" if self.dialect == Dialect::Sh => {
                self.stop("bash and sh read this word differently")
            }
            _ => self.compound(),
        }
    }

    fn simple(&mut self) -> Result<(Body, bool), Stop> {
        self.join();
        let start = self.pos;
        let mut end = start;
        let mut simple = Simple::default();
        let mut declares = false;
        loop {
            self.blanks()?;
            match self.peek() {
                b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.peek_second() == b'>' => {
                    let redirect = self.redirection(None, false)?;
                    simple.redirects.push(redirect);
                }
                b'&' => break,
                b'(' => {
                    if simple.words.len() == 1 && simple.assigns.is_empty() && simple.redirects.is_empty() {
                        return self.parenthesised_function(simple, start);
                    }
                    return self.stop("bash would not expect `(` here");
                }
                b'<' | b'>' if self.peek_second() != b'(' => {
                    let redirect = self.redirection(None, false)?;
                    simple.redirects.push(redirect);
                }
                b'0'..=b'9' | b'{' if self.descriptor()? => {
                    let redirect = self.numbered_redirection()?;
                    simple.redirects.push(redirect);
                }
                _ if self.ended() => break,
                _ => self.argument(&mut simple, &mut declares)?,
            }
            end = self.pos;
        }
        simple.span = self.map.span(start, end);
        if simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty() {
            return self.stop("a command is missing here");
        }
        self.note_setters(&simple);
        Ok((Body::Simple(simple), false))
    }

    /// One word of a simple command, or an assignment in front of it.
    fn argument(&mut self, simple: &mut Simple, declares: &mut bool) -> Result<(), Stop> {
        let first = simple.words.is_empty();
        let place = match (first, *declares) {
            (true, _) => Place::Command,
            (false, true) => Place::Declaration,
            (false, false) => Place::Argument,
        };
        let word = self.word(place)?;
        if !first {
            simple.words.push(word);
            return Ok(());
        }
        match assignment(word) {
            Ok(assignment) => {
                self.sets.push(Sets::Name(assignment.name.clone()));
                simple.assigns.push(assignment);
            }
            Err(word) => {
                if let Raw::Rich { .. } = word
                    && let Some(text) = word.bare()
                    && simple.assigns.is_empty()
                    && simple.redirects.is_empty()
                    && (ENDS.contains(&text) || OPENS.contains(&text))
                {
                    return self.stop("a reserved word is joined from two lines");
                }
                if let Some(text) = word.bare() {
                    *declares = DECLARES.contains(&text);
                    if text.ends_with('}') && text.starts_with('{') && matches!(self.peek(), b'<' | b'>') {
                        return self.stop("a descriptor is named in braces");
                    }
                }
                simple.words.push(word);
            }
        }
        Ok(())
    }

    /// Notes what a command may set that is not an assignment.
    fn note_setters(&mut self, simple: &Simple) {
        let Some(first) = simple.words.first() else { return };
        let plain = match first {
            Raw::Plain(word) => word.literal().is_some_and(|name| !SETTERS.contains(&name)),
            Raw::Rich { .. } => first.bare() == Some("["),
        };
        if !plain {
            self.sets.push(Sets::Anything);
        }
    }

    /// True if the digits, or the name in braces, that stand here belong to a redirection.
    fn descriptor(&mut self) -> Result<bool, Stop> {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let length = if rest.first() == Some(&b'{') {
            let name = rest.iter().skip(1).take_while(|byte| in_name(**byte)).count();
            if name == 0
                || rest.get(name + 1) != Some(&b'}')
                || !rest.get(1).copied().is_some_and(begins_name)
            {
                return Ok(false);
            }
            name + 2
        } else {
            rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        self.work.spend(length)?;
        let next = self.after((self.pos + length).saturating_sub(1));
        let found = matches!(self.at(next), b'<' | b'>');
        if found && next != self.pos + length {
            return self.stop("a descriptor is joined from two lines");
        }
        if found && self.at(self.after(next)) == b'(' {
            return self.stop("a process substitution stands against digits");
        }
        Ok(found)
    }

    fn numbered_redirection(&mut self) -> Result<super::tree::Redirection, Stop> {
        if self.at(self.pos) == b'{' {
            self.only_bash("only bash reads `{name}>`")?;
            let start = self.pos + 1;
            while self.at(self.pos) != b'}' {
                self.pos += 1;
            }
            self.sets.push(Sets::Name(self.slice(start, self.pos).to_owned()));
            self.pos += 1;
            return self.redirection(None, true);
        }
        let start = self.pos;
        while self.at(self.pos).is_ascii_digit() {
            self.pos += 1;
        }
        let digits = self.slice(start, self.pos);
        if self.dialect == Dialect::Sh && digits.len() > 1 {
            return self.stop("only bash reads descriptors of two digits");
        }
        match digits.parse::<u32>() {
            Ok(fd) if digits.len() <= 9 => self.redirection(Some(fd), false),
            _ => self.stop("a descriptor is too large"),
        }
    }

    fn parenthesised_function(&mut self, mut simple: Simple, start: usize) -> Result<(Body, bool), Stop> {
        self.pos += 1;
        self.blanks()?;
        if !self.take(b')') {
            return self.stop("bash would not expect `(` here");
        }
        let word = simple.words.pop().unwrap_or_default();
        let name = match &word {
            Raw::Plain(word) => word.literal().unwrap_or("").to_owned(),
            Raw::Rich { .. } => String::new(),
        };
        self.function(name, start)
    }

    /// What stands behind `name ()` or `function name`.
    pub fn function(&mut self, name: String, start: usize) -> Result<(Body, bool), Stop> {
        if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.stop("a function's name is not a plain word");
        }
        self.sets.push(Sets::Anything);
        self.newlines()?;
        self.enter()?;
        let body = match self.command()? {
            (Body::Compound(body), _) => body,
            (Body::Simple(_), _) => return self.stop("a function's body is not a compound command"),
        };
        self.leave();
        let span = self.span(start);
        let open = body.redirects.is_empty();
        let kind = Kind::Function { name, body };
        Ok((Body::Compound(Box::new(Compound { kind, redirects: Vec::new(), span })), open))
    }

    /// Text that must stand here between blanks: a plain name.
    pub fn name_word(&mut self) -> Result<String, Stop> {
        self.blanks()?;
        let start = self.pos;
        while in_name(self.at(self.pos)) {
            self.pos += 1;
        }
        let name = self.slice(start, self.pos);
        if !name.bytes().next().is_some_and(begins_name) || !(breaks(self.at(self.pos)) || self.ended()) {
            return self.stop("a name is not a plain word");
        }
        Ok(name.to_owned())
    }
}

/// Takes a word apart that sets a variable; gives it back if it does not.
pub(super) fn assignment(word: Raw) -> Result<Assignment, Raw> {
    let Raw::Rich { span, mut parts } = word else {
        return Err(word);
    };
    let Some(Part::Text(first)) = parts.first() else {
        return Err(Raw::Rich { span, parts });
    };
    let length = first.bytes().take_while(|byte| in_name(*byte)).count();
    if length == 0 || !first.bytes().next().is_some_and(begins_name) {
        return Err(Raw::Rich { span, parts });
    }
    let subscripted = length == first.len() && matches!(parts.get(1), Some(Part::Subscript(_)));
    let rest = if subscripted {
        match parts.get(2) {
            Some(Part::Text(text)) => text.as_str(),
            _ => "",
        }
    } else {
        first.get(length..).unwrap_or("")
    };
    let (append, value) = match (rest.strip_prefix("+="), rest.strip_prefix('=')) {
        (Some(value), _) => (true, value.to_owned()),
        (None, Some(value)) => (false, value.to_owned()),
        (None, None) => return Err(Raw::Rich { span, parts }),
    };
    let name = first.get(..length).unwrap_or("").to_owned();
    let mut rest = parts.drain(..).skip(1);
    let subscript = if subscripted {
        let subscript = match rest.next() {
            Some(Part::Subscript(parts)) => Some(parts),
            _ => None,
        };
        let _ = rest.next();
        subscript
    } else {
        None
    };
    let mut tail: Vec<Part> = Vec::new();
    if !value.is_empty() {
        tail.push(Part::Text(value));
    }
    tail.extend(rest);
    let value = match tail.as_mut_slice() {
        [Part::Array(items)] => Given::Many(std::mem::take(items)),
        _ => {
            let start = (span.start + name.len() + 1 + usize::from(append)).min(span.end);
            let span = if subscripted { span } else { Span { start, end: span.end } };
            Given::One(Raw::Rich { span, parts: tail })
        }
    };
    Ok(Assignment { name, subscript, append, value, span })
}
