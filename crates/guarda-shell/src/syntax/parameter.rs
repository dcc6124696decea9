//! `${…}`: names, operators and their words.

use crate::script::Dialect;
use crate::syntax::scan::{Reader, Stop, begins_name, in_name};
use crate::syntax::tree::{Op, Parameter, Part, Sets};
use crate::syntax::words::Parts;

impl Reader<'_, '_> {
    /// `${…}`, after its brace.
    pub fn braced_parameter(&mut self, start: usize, quoted: bool) -> Result<Part, Stop> {
        self.exact = false;
        self.enter()?;
        let mut parameter = Parameter {
            name: String::new(),
            quoted,
            bare: false,
            length: false,
            indirect: false,
            subscript: None,
            op: Op::Nothing,
            operand: Vec::new(),
            span: self.map.span(start, start + 2),
        };
        self.join();
        match (self.at(self.pos), self.at(self.pos + 1)) {
            (b'#', b'}') | (b'!', b'}') => {}
            (b'#', next) => {
                if !(in_name(next) || matches!(next, b'@' | b'*')) {
                    return self.stop("a parameter's length is written strangely");
                }
                self.pos += 1;
                parameter.length = true;
            }
            (b'!', _) => {
                self.only_bash("only bash reads `${!`")?;
                self.pos += 1;
                parameter.indirect = true;
            }
            _ => {}
        }
        let from = self.pos;
        let first = self.at(from);
        if begins_name(first) {
            while in_name(self.at(self.pos)) {
                self.pos += 1;
            }
        } else if first.is_ascii_digit() {
            while self.at(self.pos).is_ascii_digit() {
                self.pos += 1;
            }
        } else if matches!(first, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            self.pos += 1;
        } else {
            return self.stop("not a parameter bash knows");
        }
        self.work.spend(self.pos - from)?;
        self.slice(from, self.pos).clone_into(&mut parameter.name);
        if self.at(self.pos) == b'\\' {
            return self.stop("a backslash stands in a parameter's name");
        }
        if self.at(self.pos) == b'[' && begins_name(first) {
            self.only_bash("only bash reads subscripts")?;
            self.pos += 1;
            parameter.subscript = Some(self.subscript()?);
        }
        self.operation(&mut parameter)?;
        parameter.span = self.span(start);
        self.leave();
        Ok(Part::Parameter(Box::new(parameter)))
    }

    /// The operator and operand of `${…}`, up to and including `}`.
    pub fn operation(&mut self, parameter: &mut Parameter) -> Result<(), Stop> {
        let first = self.at(self.pos);
        let second = self.at(self.pos + 1);
        let value = |byte: u8, colon: bool| match byte {
            b'-' => Some(Op::Default { colon }),
            b'=' => Some(Op::Assign { colon }),
            b'+' => Some(Op::Alternative { colon }),
            b'?' => Some(Op::Demand { colon }),
            _ => None,
        };
        if first == b'}' {
            self.pos += 1;
            return Ok(());
        }
        if parameter.length {
            return self.stop("a parameter's length is written strangely");
        }
        if parameter.indirect && matches!(first, b'*' | b'@') && second == b'}' {
            self.pos += 2;
            parameter.op = Op::Transform(b'*');
            return Ok(());
        }
        let (op, width, pattern) = match (first, second) {
            (b':', _) if value(second, true).is_some() => {
                (value(second, true).unwrap_or(Op::Nothing), 2, false)
            }
            (b'-' | b'=' | b'+' | b'?', _) => (value(first, false).unwrap_or(Op::Nothing), 1, false),
            (b':', _) => (Op::Slice, 1, false),
            (b'#', b'#') => (Op::CutFront { longest: true }, 2, true),
            (b'#', _) => (Op::CutFront { longest: false }, 1, true),
            (b'%', b'%') => (Op::CutBack { longest: true }, 2, true),
            (b'%', _) => (Op::CutBack { longest: false }, 1, true),
            (b'/', _) => (Op::Replace, 1, true),
            (b'^', b'^') => (Op::Case { upper: true, all: true }, 2, true),
            (b',', b',') => (Op::Case { upper: false, all: true }, 2, true),
            (b'^', _) => (Op::Case { upper: true, all: false }, 1, true),
            (b',', _) => (Op::Case { upper: false, all: false }, 1, true),
            (b'~', _) => (Op::Toggle, 1, true),
            (b'@', letter) if letter.is_ascii_alphabetic() && self.at(self.pos + 2) == b'}' => {
                (Op::Transform(letter), 2, true)
            }
            _ => return self.stop("not an expansion bash knows"),
        };
        if self.dialect == Dialect::Sh
            && matches!(op, Op::Slice | Op::Replace | Op::Case { .. } | Op::Toggle | Op::Transform(_))
        {
            return self.stop("only bash reads this expansion");
        }
        if let Op::Assign { .. } = op {
            let name = parameter.name.clone();
            self.note(if parameter.indirect { Sets::Anything } else { Sets::Name(name) });
        }
        parameter.op = op;
        self.pos += width;
        parameter.operand =
            if op == Op::Slice { self.slice_operand()? } else { self.operand(parameter.quoted, pattern)? };
        if op == Op::Slice {
            let text = std::mem::take(&mut parameter.operand);
            self.note_arithmetic(&text);
            parameter.operand = text;
        }
        Ok(())
    }

    /// `offset:length`, which is arithmetic, up to and including `}`.
    pub fn slice_operand(&mut self) -> Result<Vec<Part>, Stop> {
        let mut parts = Parts::default();
        loop {
            self.work.spend(1)?;
            match self.at(self.pos) {
                b'}' => {
                    self.pos += 1;
                    return Ok(parts.list);
                }
                b'\'' | b'"' => return self.stop("quotes stand in a slice"),
                b'(' | b')' | b'[' | b']' => {
                    parts.text(self.slice(self.pos, self.pos + 1));
                    self.pos += 1;
                }
                _ => self.arithmetic_step(&mut parts)?,
            }
        }
    }

    /// The word of `${name-word}`, up to and including the first `}` that is not quoted.
    pub fn operand(&mut self, quoted: bool, pattern: bool) -> Result<Vec<Part>, Stop> {
        let mut parts = Parts::default();
        loop {
            self.work.spend(1)?;
            let from = self.pos;
            match self.at(from) {
                b'}' => {
                    self.pos += 1;
                    return Ok(parts.list);
                }
                b'$' if matches!(self.at(self.after(from)), b'\'' | b'"') && quoted => {
                    return self.stop("quotes stand in quotes where bash reads them twice");
                }
                b'$' => self.dollar(&mut parts, quoted)?,
                b'`' => {
                    let part = self.backquoted(quoted)?;
                    parts.list.push(part);
                }
                b'\\' if quoted && self.at(from + 1) == b'}' => {
                    self.pos += 2;
                    parts.quoted("}");
                }
                b'\\' if quoted => self.weak_escape(&mut parts, true),
                b'\\' => match self.at(from + 1) {
                    b'\n' => self.pos += 2,
                    0 => return self.stop("an expansion is not closed"),
                    _ => {
                        let length =
                            self.slice(from + 1, self.bytes.len()).chars().next().map_or(1, char::len_utf8);
                        self.pos = from + 1 + length;
                        parts.quoted(self.slice(from + 1, self.pos));
                    }
                },
                b'"' => {
                    self.pos += 1;
                    self.double(&mut parts)?;
                }
                b'\'' if quoted && !pattern => {
                    self.only_bash("bash and sh read quotes in quotes differently")?;
                    self.weak_single(&mut parts)?;
                }
                b'\'' => self.single_in_operand(&mut parts, quoted)?,
                b'<' | b'>' if self.at(self.after(from)) == b'(' => {
                    if quoted {
                        return self.stop("a process substitution stands in quotes");
                    }
                    let part = self.process()?;
                    if self.slice(from, self.pos).contains(['}', '\'', '"', '\\']) {
                        return self.stop("a process substitution stands in an expansion");
                    }
                    parts.list.push(part);
                }
                _ if self.ended() => return self.stop("an expansion is not closed"),
                _ => {
                    let rest = self.bytes.get(from..).unwrap_or(&[]);
                    let length = rest
                        .iter()
                        .position(|b| matches!(b, b'}' | b'$' | b'`' | b'\\' | b'"' | b'\'' | b'<' | b'>'))
                        .unwrap_or(rest.len())
                        .max(1);
                    self.work.spend(length)?;
                    self.pos += length;
                    let text = self.slice(from, self.pos);
                    if quoted { parts.quoted(text) } else { parts.text(text) }
                }
            }
        }
    }

    /// `'…'` in an operand, from its first quote on.
    fn single_in_operand(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), Stop> {
        if quoted && self.dialect == Dialect::Sh {
            return self.stop("bash and sh read quotes in quotes differently");
        }
        let from = self.pos;
        let rest = self.bytes.get(from + 1..).unwrap_or(&[]);
        let Some(length) = memchr::memchr(b'\'', rest) else {
            return self.stop("a quote is not closed");
        };
        let text = self.slice(from + 1, from + 1 + length);
        if quoted && text.contains(['"', '\\', '`', '$']) {
            return self.stop("quotes stand in quotes where bash reads them twice");
        }
        self.work.spend(length)?;
        parts.quoted(text);
        self.pos = from + length + 2;
        Ok(())
    }
}
