//! What begins with `$` or a backquote: parameters, substitutions, arithmetic.

use super::ansi;
use super::scan::{Map, Reader, Stop, begins_name, in_name};
use super::tree::{List, Op, Parameter, Part, Sets};
use super::words::Parts;
use crate::action::script::Dialect;

impl Reader<'_, '_> {
    /// Reads what a `$` begins; `quoted` inside double quotes and their like.
    pub fn dollar(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), Stop> {
        let start = self.pos;
        let next = self.after(start);
        let byte = self.at(next);
        match byte {
            b'(' => {
                let part = self.parenthesised(quoted)?;
                parts.list.push(part);
            }
            b'{' => {
                self.pos = next + 1;
                let part = self.braced_parameter(start, quoted)?;
                parts.list.push(part);
            }
            b'[' => {
                self.only_bash("only bash reads `$[`")?;
                self.pos = next + 1;
                let inner = self.old_arithmetic()?;
                parts.list.push(Part::Arithmetic { inner, quoted });
            }
            b'\'' if !quoted => {
                self.only_bash("bash and sh read `$'` differently")?;
                self.pos = next + 1;
                self.ansi(parts)?;
            }
            b'"' if !quoted => {
                self.only_bash("bash and sh read `$\"` differently")?;
                self.pos = next + 1;
                self.double(parts)?;
            }
            _ if begins_name(byte) => {
                let mut end = next;
                while in_name(self.at(end)) {
                    end += 1;
                }
                self.work.spend(end - next)?;
                if in_name(self.at(self.after(end - 1))) && self.after(end - 1) != end {
                    return self.stop("a name is joined from two lines");
                }
                self.pos = end;
                parts.list.push(self.bare(start, next, end, quoted));
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                self.pos = next + 1;
                parts.list.push(self.bare(start, next, next + 1, quoted));
            }
            _ => {
                self.pos = start + 1;
                if quoted { parts.quoted("$") } else { parts.text("$") }
            }
        }
        Ok(())
    }

    fn bare(&self, start: usize, from: usize, to: usize, quoted: bool) -> Part {
        Part::Parameter(Box::new(Parameter {
            name: self.slice(from, to).to_owned(),
            quoted,
            bare: true,
            length: false,
            indirect: false,
            subscript: None,
            op: Op::Nothing,
            operand: Vec::new(),
            span: self.map.span(start, to),
        }))
    }

    fn ansi(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let start = self.pos;
        loop {
            match self.at(self.pos) {
                b'\'' => break,
                b'\\' if self.pos + 1 < self.bytes.len() => self.pos += 2,
                _ if self.ended() => return self.stop("a quote is not closed"),
                _ => self.pos += 1,
            }
        }
        self.work.spend(self.pos - start)?;
        let raw = self.bytes.get(start..self.pos).unwrap_or(&[]);
        self.pos += 1;
        match ansi::decode(raw) {
            Ok(text) => parts.quoted(&text),
            Err(reason) => parts.list.push(Part::Opaque(reason)),
        }
        Ok(())
    }

    /// `$(…)` or `$((…))`.
    fn parenthesised(&mut self, quoted: bool) -> Result<Part, Stop> {
        let open = self.after(self.pos);
        let second = self.after(open);
        if self.at(second) == b'(' {
            if let Some(inner) = self.arithmetic(second + 1)? {
                let body = self.bytes.get(second + 1..self.pos.saturating_sub(2)).unwrap_or(&[]);
                self.work.spend(body.len())?;
                if !balanced(body) {
                    return self.stop("brackets in arithmetic that bash counts in its own way");
                }
                return Ok(Part::Arithmetic { inner, quoted });
            }
            self.only_bash("bash and sh read `$((` differently")?;
        }
        self.pos = open + 1;
        let list = self.substitution()?;
        self.check_double(open)?;
        Ok(Part::Command { list, quoted })
    }

    /// Bash finds the end of `$((…)` and `<((…)` by counting brackets, and not by reading: where that could make a
    /// difference the text is refused. `open` is the place of the first bracket.
    fn check_double(&self, open: usize) -> Result<(), Stop> {
        if self.at(self.after(open)) != b'(' {
            return Ok(());
        }
        let body = self.bytes.get(open + 1..self.pos.saturating_sub(1)).unwrap_or(&[]);
        let strange =
            body.iter().any(|byte| matches!(byte, b'#' | b'`')) || body.windows(2).any(|pair| pair == b"<<");
        if strange || !balanced(body) {
            self.stop("brackets that bash counts in its own way")
        } else {
            Ok(())
        }
    }

    /// `<(…)` or `>(…)`.
    pub fn process(&mut self) -> Result<Part, Stop> {
        self.only_bash("only bash reads process substitutions")?;
        let open = self.after(self.pos);
        self.pos = open + 1;
        let list = self.substitution()?;
        self.check_double(open)?;
        Ok(Part::Process(list))
    }

    /// The commands of a substitution up to and with its `)`.
    fn substitution(&mut self) -> Result<List, Stop> {
        self.enter()?;
        let pending = std::mem::take(&mut self.pending);
        let outer = self.outer_pending;
        self.outer_pending |= !pending.is_empty();
        let substituted = std::mem::replace(&mut self.substituted, true);
        let documented = std::mem::replace(&mut self.documented, false);
        let list = self.list()?;
        if !self.take(b')') {
            return self.stop("a `)` is missing here");
        }
        if !self.pending.is_empty() {
            return self.stop("a here-document's lines stand outside its substitution");
        }
        self.pending = pending;
        self.outer_pending = outer;
        self.substituted = substituted;
        self.documented = documented;
        self.leave();
        Ok(list)
    }

    /// Commands between backquotes, which are a text of their own.
    pub fn backquoted(&mut self, double: bool) -> Result<Part, Stop> {
        self.enter()?;
        let start = self.pos + 1;
        let mut end = start;
        let mut escaped = false;
        loop {
            match self.at(end) {
                b'`' => break,
                b'\\' => {
                    escaped = true;
                    end += 2;
                }
                _ if end >= self.bytes.len() => return self.stop("a backquote is not closed"),
                _ => end += 1,
            }
        }
        if end >= self.bytes.len() {
            return self.stop("a backquote is not closed");
        }
        self.work.spend(end - start)?;
        let body = self.slice(start, end);
        self.pos = end + 1;
        let owned;
        let (text, map) = if escaped {
            owned = unescape(body, double);
            (owned.as_str(), Map::Within(self.map.span(start, end)))
        } else {
            let map = match self.map {
                Map::Shifted(by) => Map::Shifted(by + start),
                Map::Within(span) => Map::Within(span),
            };
            (body, map)
        };
        let mut inner = Reader::new(text, map, self.dialect, self.depth, self.work);
        inner.substituted = self.substituted;
        inner.extglob = self.extglob;
        let list = inner.script()?;
        let sets = std::mem::take(&mut inner.sets);
        self.sets.extend(sets);
        self.leave();
        Ok(Part::Command { list, quoted: double })
    }

    /// Arithmetic up to and with `))`; nothing if a single `)` ends it, since two subshells were opened then.
    pub fn arithmetic(&mut self, start: usize) -> Result<Option<Vec<Part>>, Stop> {
        if self.not_arithmetic.contains(&start) {
            return Ok(None);
        }
        self.enter()?;
        let mark = self.sets.len();
        let before = self.pos;
        self.pos = start;
        let mut open = 0_usize;
        let mut parts = Parts::default();
        loop {
            self.work.spend(1)?;
            match self.at(self.pos) {
                b'(' => {
                    open += 1;
                    self.pos += 1;
                    parts.text("(");
                }
                b')' if open > 0 => {
                    open -= 1;
                    self.pos += 1;
                    parts.text(")");
                }
                b')' => {
                    self.leave();
                    if self.at(self.pos + 1) == b')' {
                        self.pos += 2;
                        self.note_arithmetic(&parts.list);
                        return Ok(Some(parts.list));
                    }
                    self.pos = before;
                    self.not_arithmetic.push(start);
                    self.work.spend(self.not_arithmetic.len())?;
                    self.sets.truncate(mark);
                    return Ok(None);
                }
                _ => self.arithmetic_step(&mut parts)?,
            }
        }
    }

    /// `$[…]`, behind its bracket.
    fn old_arithmetic(&mut self) -> Result<Vec<Part>, Stop> {
        self.enter()?;
        let mut parts = Parts::default();
        self.bracketed(&mut parts)?;
        self.note_arithmetic(&parts.list);
        self.leave();
        Ok(parts.list)
    }

    /// `[…]` behind a name, behind its bracket.
    pub fn subscript(&mut self) -> Result<Vec<Part>, Stop> {
        self.enter()?;
        let mut parts = Parts::default();
        self.bracketed(&mut parts)?;
        self.note_arithmetic(&parts.list);
        self.leave();
        Ok(parts.list)
    }

    fn bracketed(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let mut open = 0_usize;
        loop {
            self.work.spend(1)?;
            match self.at(self.pos) {
                b'[' => {
                    open += 1;
                    self.pos += 1;
                    parts.text("[");
                }
                b']' if open == 0 => {
                    self.pos += 1;
                    return Ok(());
                }
                b']' => {
                    open -= 1;
                    self.pos += 1;
                    parts.text("]");
                }
                _ => self.arithmetic_step(parts)?,
            }
        }
    }

    /// One element of an arithmetic text, in which quotes hide brackets but not substitutions.
    fn arithmetic_step(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        match self.at(self.pos) {
            b'$' => self.dollar(parts, true),
            b'`' => {
                let part = self.backquoted(true)?;
                parts.list.push(part);
                Ok(())
            }
            b'"' => {
                self.pos += 1;
                self.double(parts)
            }
            b'\'' => self.weak_single(parts),
            b'\\' => {
                if self.at(self.pos + 1) != b'\n' {
                    if matches!(
                        self.at(self.pos + 1),
                        b'$' | b'`' | b'\'' | b'"' | b'(' | b')' | b'[' | b']' | b'}' | 0
                    ) {
                        return self.stop("a backslash stands in arithmetic");
                    }
                    parts.text("\\");
                    self.pos += 1;
                } else {
                    self.pos += 2;
                }
                Ok(())
            }
            _ if self.ended() => self.stop("arithmetic is not closed"),
            _ => {
                let start = self.pos;
                let rest = self.bytes.get(start..).unwrap_or(&[]);
                let length = rest
                    .iter()
                    .position(|b| {
                        matches!(b, b'$' | b'`' | b'"' | b'\'' | b'\\' | b'(' | b')' | b'[' | b']' | b'}')
                    })
                    .unwrap_or(rest.len())
                    .max(1);
                self.work.spend(length)?;
                self.pos += length;
                parts.text(self.slice(start, self.pos));
                Ok(())
            }
        }
    }

    /// `'…'` where it hides brackets from bash's scan, while what is in it is expanded all the same.
    fn weak_single(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let start = self.pos + 1;
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let Some(length) = memchr::memchr(b'\'', rest) else {
            return self.stop("a quote is not closed");
        };
        let text = self.slice(start, start + length);
        if text.contains(['"', '}', '\\']) {
            return self.stop("quotes stand in quotes where bash reads them twice");
        }
        self.enter()?;
        let map = match self.map {
            Map::Shifted(by) => Map::Shifted(by + start),
            Map::Within(span) => Map::Within(span),
        };
        let mut inner = Reader::new(text, map, self.dialect, self.depth, self.work);
        inner.substituted = true;
        let found = inner.document_text()?;
        self.leave();
        parts.quoted("'");
        parts.list.extend(found);
        parts.quoted("'");
        self.pos = start + length + 1;
        Ok(())
    }

    /// Arithmetic can set variables.
    fn note_arithmetic(&mut self, parts: &[Part]) {
        let sets = parts
            .iter()
            .filter_map(Part::any_text)
            .any(|text| text.contains('=') || text.contains("++") || text.contains("--"));
        if sets {
            self.sets.push(Sets::Anything);
        }
    }

    /// `${…}`, behind its brace.
    fn braced_parameter(&mut self, start: usize, quoted: bool) -> Result<Part, Stop> {
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

    /// The operator and operand of `${…}`, up to and with `}`.
    fn operation(&mut self, parameter: &mut Parameter) -> Result<(), Stop> {
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
            self.sets.push(Sets::Name(parameter.name.clone()));
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

    /// `offset:length`, which is arithmetic, up to and with `}`.
    fn slice_operand(&mut self) -> Result<Vec<Part>, Stop> {
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

    /// The word of `${name-word}`, up to and with the first `}` that is not quoted.
    fn operand(&mut self, quoted: bool, pattern: bool) -> Result<Vec<Part>, Stop> {
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
                b'\'' => {
                    if quoted && self.dialect == Dialect::Sh {
                        return self.stop("bash and sh read quotes in quotes differently");
                    }
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
                }
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
}

/// Whether round brackets are balanced for an eye that knows no substitutions: so bash looks at `$((…))` once more.
fn balanced(body: &[u8]) -> bool {
    let mut open = 0_usize;
    let mut rest = body.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => {
                let _ = rest.next();
            }
            b'\'' => {
                let _ = rest.by_ref().find(|byte| **byte == b'\'');
            }
            // What double quotes hide from that eye is not worth following.
            b'"' => {
                let inner: Vec<u8> = rest.by_ref().take_while(|byte| **byte != b'"').copied().collect();
                if inner.iter().any(|byte| matches!(byte, b'(' | b')' | b'\\' | b'`')) {
                    return false;
                }
            }
            b'(' => open += 1,
            b')' => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return false,
            },
            _ => {}
        }
    }
    open == 0
}

/// Takes the backslashes away that only keep backquotes apart.
fn unescape(body: &str, double: bool) -> String {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        let behind = behind.get(1..).unwrap_or("");
        let next = behind.bytes().next().unwrap_or(0);
        let taken = matches!(next, b'`' | b'\\' | b'$') || (double && next == b'"');
        if !taken {
            text.push('\\');
        }
        // The character behind the backslash is not looked at again.
        let width = behind.chars().next().map_or(0, char::len_utf8);
        let (kept, left) = behind.split_at(width);
        text.push_str(kept);
        rest = left;
    }
    text.push_str(rest);
    text
}
