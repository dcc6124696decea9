//! Compound commands: groups, conditions, loops, `case`, `[[ … ]]`, functions.

use crate::script::Dialect;
use crate::syntax::scan::{Reader, Stop, breaks};
use crate::syntax::tree::{Body, Command, Compound, Kind, List, Loop, Raw, Sets};
use crate::syntax::words::Place;

impl Reader<'_, '_> {
    /// The compound command that starts here, with its redirections; true if it has none.
    pub fn compound(&mut self) -> Result<(Body, bool), Stop> {
        self.enter()?;
        self.join();
        let start = self.pos;
        let kind = if self.peek() == b'(' {
            self.parenthesis()?
        } else {
            let word = self.token();
            self.pos += word.len();
            match word {
                "{" => Kind::Group(self.braced()?),
                "[[" => self.condition()?,
                "if" => self.branches()?,
                "while" | "until" => {
                    let until = word == "until";
                    let mark = self.sets.len();
                    self.loops += 1;
                    let test = self.full_list()?;
                    let body = self.loop_body(mark, false)?;
                    Kind::While { test, until, body }
                }
                "for" => self.for_loop(false)?,
                "select" => self.for_loop(true)?,
                "case" => self.cases()?,
                "function" => {
                    let name = self.function_name()?;
                    self.leave();
                    return self.function(name, start);
                }
                "coproc" => self.coprocess()?,
                _ => return self.fault("bash would not expect this word here"),
            }
        };
        let span = self.span(start);
        let mut compound = Compound { kind, redirects: Vec::new(), span };
        loop {
            self.blanks()?;
            let redirect = match self.peek() {
                b'&' if self.peek_second() == b'>' => self.redirection(None, None)?,
                b'<' | b'>' if self.peek_second() != b'(' => self.redirection(None, None)?,
                // Bash reads `{ a; }2>f`; it does not matter whether the digits begin a word.
                b'0'..=b'9' | b'{' => self.compound_descriptor()?,
                _ => break,
            };
            compound.redirects.push(redirect);
        }
        self.leave();
        let open = compound.redirects.is_empty();
        Ok((Body::Compound(Box::new(compound)), open))
    }

    fn compound_descriptor(&mut self) -> Result<crate::syntax::tree::Redirection, Stop> {
        if self.at(self.pos) == b'{' && self.descriptor()? {
            return self.numbered_redirection();
        }
        let digits =
            self.bytes.get(self.pos..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 || digits > 9 || !matches!(self.at(self.pos + digits), b'<' | b'>') {
            return self.fault("bash would not expect this behind a compound command");
        }
        let fd = self.slice(self.pos, self.pos + digits).parse::<u32>().unwrap_or(u32::MAX);
        if self.dialect == Dialect::Sh && digits > 1 {
            return self.stop("only bash reads descriptors of two digits");
        }
        self.pos += digits;
        self.redirection(Some(fd), None)
    }

    /// `(…)`: a subshell, or arithmetic.
    fn parenthesis(&mut self) -> Result<Kind, Stop> {
        if self.peek_second() == b'(' {
            self.only_bash("bash and sh read `((` differently")?;
            let open = self.after(self.pos);
            if let Some(parts) = self.arithmetic(open + 1)? {
                return Ok(Kind::Arithmetic(parts));
            }
        }
        self.join();
        self.pos += 1;
        let list = self.full_list()?;
        if !self.take(b')') {
            return self.fault("a `)` is missing here");
        }
        Ok(Kind::Subshell(list))
    }

    fn braced(&mut self) -> Result<List, Stop> {
        let list = self.full_list()?;
        if !self.take_word("}") {
            return self.fault("a `}` is missing here");
        }
        Ok(list)
    }

    fn expect(&mut self, word: &'static str, reason: &'static str) -> Result<(), Stop> {
        self.newlines()?;
        if self.take_word(word) { Ok(()) } else { self.stop(reason) }
    }

    fn branches(&mut self) -> Result<Kind, Stop> {
        let mut branches = Vec::new();
        loop {
            let test = self.full_list()?;
            self.expect("then", "a `then` is missing here")?;
            let body = self.full_list()?;
            branches.push((test, body));
            self.work.spend(1)?;
            if !self.take_word("elif") {
                break;
            }
        }
        let otherwise = if self.take_word("else") { Some(self.full_list()?) } else { None };
        if !self.take_word("fi") {
            return self.fault("a `fi` is missing here");
        }
        Ok(Kind::If { branches, otherwise })
    }

    /// `do … done`, or `{ … }` if a `for` allows it; `mark` is the beginning of the notes about set variables.
    fn loop_body(&mut self, mark: usize, braces: bool) -> Result<Loop, Stop> {
        self.newlines()?;
        let list = if braces && self.take_word("{") {
            self.only_bash("only bash reads a loop in braces")?;
            self.braced()?
        } else {
            if !self.take_word("do") {
                return self.fault("a `do` is missing here");
            }
            let list = self.full_list()?;
            if !self.take_word("done") {
                return self.fault("a `done` is missing here");
            }
            list
        };
        self.loops = self.loops.saturating_sub(1);
        let sets: Vec<Sets> = self.sets.get(mark..).unwrap_or(&[]).to_vec();
        self.work.spend(sets.len())?;
        Ok(Loop { list, sets })
    }

    fn for_loop(&mut self, select: bool) -> Result<Kind, Stop> {
        let mark = self.sets.len();
        self.loops += 1;
        self.blanks()?;
        if !select && self.peek() == b'(' {
            return self.counted(mark);
        }
        let name = self.name_word()?;
        self.note(Sets::Name(name.clone()));
        if select {
            self.note(Sets::Name("REPLY".to_owned()));
        }
        self.newlines()?;
        let words = if self.take_word("in") {
            let mut words = Vec::new();
            loop {
                self.blanks()?;
                match self.peek() {
                    b';' | b'\n' => break,
                    b'&' | b'|' | b'(' | b')' => return self.fault("bash would not expect this in a `for`"),
                    b'<' | b'>' if self.peek_second() != b'(' => {
                        return self.fault("bash would not expect a redirection in a `for`");
                    }
                    _ if self.ended() => return self.fault("a `do` is missing here"),
                    _ => words.push(self.word(Place::Argument)?),
                }
            }
            Some(words)
        } else {
            None
        };
        self.blanks()?;
        if self.peek() == b';' {
            self.pos += 1;
        }
        let body = self.loop_body(mark, true)?;
        Ok(Kind::For { name, words, body })
    }

    fn counted(&mut self, mark: usize) -> Result<Kind, Stop> {
        self.only_bash("only bash reads `for ((`")?;
        if self.peek_second() != b'(' {
            return self.fault("bash would not expect `(` here");
        }
        let open = self.after(self.pos);
        let Some(head) = self.arithmetic(open + 1)? else {
            return self.fault("a `))` is missing here");
        };
        self.blanks()?;
        if self.peek() == b';' {
            self.pos += 1;
        }
        let body = self.loop_body(mark, true)?;
        Ok(Kind::Count { head, body })
    }

    fn cases(&mut self) -> Result<Kind, Stop> {
        self.blanks()?;
        let word = self.operand_word()?;
        self.expect("in", "an `in` is missing here")?;
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if self.take_word("esac") {
                return Ok(Kind::Case { word, arms });
            }
            if self.take(b'(') {
                self.blanks()?;
            }
            let mut patterns = Vec::new();
            loop {
                self.blanks()?;
                patterns.push(self.operand_word()?);
                self.blanks()?;
                if self.take(b')') {
                    break;
                }
                if !self.take(b'|') {
                    return self.fault("bash would not expect this in a pattern");
                }
            }
            let list = self.list()?;
            arms.push((patterns, list));
            self.newlines()?;
            if self.peek() == b';' {
                self.pos = self.after(self.pos);
                match (self.at(self.pos), self.at(self.after(self.pos))) {
                    (b';', b'&') => {
                        self.only_bash("only bash reads `;;&`")?;
                        self.pos = self.after(self.pos) + 1;
                    }
                    (b';', _) => self.pos += 1,
                    (b'&', _) => {
                        self.only_bash("only bash reads `;&`")?;
                        self.pos += 1;
                    }
                    _ => return self.fault("bash would not expect `;` here"),
                }
            } else if !self.take_word("esac") {
                return self.fault("an `esac` is missing here");
            } else {
                return Ok(Kind::Case { word, arms });
            }
        }
    }

    /// A required word.
    pub fn operand_word(&mut self) -> Result<Raw, Stop> {
        let next = self.peek();
        let process = matches!(next, b'<' | b'>') && self.peek_second() == b'(';
        if self.ended() || (breaks(next) && !process) {
            return self.fault("a word is missing here");
        }
        self.word(Place::Argument)
    }

    fn function_name(&mut self) -> Result<String, Stop> {
        self.blanks()?;
        let word = self.operand_word()?;
        let Some(name) = word.bare().map(str::to_owned) else {
            return self.stop("a function's name is not a plain word");
        };
        self.blanks()?;
        if self.peek() == b'(' {
            let mark = self.pos;
            self.pos += 1;
            self.blanks()?;
            if !self.take(b')') {
                self.pos = mark;
            }
        }
        Ok(name)
    }

    /// `coproc [NAME] command`.
    fn coprocess(&mut self) -> Result<Kind, Stop> {
        if self.substituted {
            return self.stop("bash misreads `coproc` inside a substitution");
        }
        self.note(Sets::Anything);
        self.blanks()?;
        // Only before a compound command is the first word a name.
        let mark = self.pos;
        let rest = self.token();
        if crate::syntax::scan::is_name(rest)
            && !matches!(rest, "if" | "while" | "until" | "for" | "case" | "select" | "time")
        {
            self.pos += rest.len();
            self.blanks()?;
            let next = self.token();
            let compound = self.peek() == b'('
                || matches!(next, "{" | "[[" | "if" | "while" | "until" | "for" | "case" | "select");
            if !compound {
                self.pos = mark;
            }
        }
        self.join();
        let (body, _) = self.command()?;
        Ok(Kind::Coprocess { command: Box::new(Command { body, errors: false }) })
    }
}
