//! Lists, pipelines and simple commands.

use crate::script::Dialect;
use crate::syntax::scan::{Reader, Stop};
use crate::syntax::tree::{AndOr, Body, Command, Link, List, Pipeline};

/// Words that end a list where a command could begin.
pub(crate) const ENDS: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

/// Words with a special meaning where a command could begin.
pub(crate) const OPENS: [&str; 12] =
    ["if", "while", "until", "for", "case", "select", "function", "coproc", "time", "{", "[[", "!"];

impl Reader<'_, '_> {
    /// Reads the whole text as a script.
    pub fn script(&mut self) -> Result<List, Stop> {
        let list = self.list()?;
        if !self.ended() {
            return self.fault("bash would not read on from here");
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
                _ => return self.fault("bash would not expect this here"),
            }
            list.items.push(item);
        }
        self.leave();
        Ok(list)
    }

    /// A list that has at least one command, as bodies and conditions must.
    pub fn full_list(&mut self) -> Result<List, Stop> {
        let list = self.list()?;
        if list.items.is_empty() { self.fault("a command is missing here") } else { Ok(list) }
    }

    fn list_ends(&mut self) -> bool {
        match self.peek() {
            b')' | b';' => true,
            b't' | b'e' | b'f' | b'd' | b'}' => ENDS.contains(&self.token()),
            _ => self.ended(),
        }
    }

    /// Pipelines joined by `&&` and `||`; true if the last one is a compound command without redirections.
    fn item(&mut self) -> Result<(AndOr, bool), Stop> {
        let (first, mut open) = self.pipeline()?;
        let mut item = AndOr { first, rest: Vec::new(), background: false };
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
                self.exact = false;
            } else if self.peek() == b't' && self.dialect == Dialect::Bash && self.take_word("time") {
                pipeline.timed = true;
                self.exact = false;
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
            return self.fault("a command is missing here");
        }
        self.simple()
    }

    fn reserved(&mut self, token: &str) -> Result<(Body, bool), Stop> {
        match token {
            "!" => self.fault("bash would not expect `!` here"),
            // After a pipe, and in `sh`, `time` is a program.
            "time" => self.simple(),
            "[[" | "select" | "function" | "coproc" if self.dialect == Dialect::Sh => {
                self.stop("bash and sh read this word differently")
            }
            _ => self.compound(),
        }
    }
}
