//! Expansions that start with `$` or a backquote: parameters, substitutions, arithmetic.

use crate::script::Disguise;
use crate::syntax::ansi;
use crate::syntax::arithmetic::balanced;
use crate::syntax::scan::{Map, Reader, Stop, begins_name, in_name};
use crate::syntax::tree::{List, Op, Parameter, Part};
use crate::syntax::words::Parts;

impl Reader<'_, '_> {
    /// Reads what a `$` starts; `quoted` inside double quotes and similar.
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
                let inner = self.subscript()?;
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
                _ if self.ended() => return self.fault("a quote is not closed"),
                _ => self.pos += 1,
            }
        }
        self.work.spend(self.pos - start)?;
        let raw = self.bytes.get(start..self.pos).unwrap_or(&[]);
        self.pos += 1;
        match ansi::decode(raw) {
            Ok(decoded) => {
                parts.quoted(&decoded.text);
                if decoded.hides {
                    let span = self.span(start);
                    self.work.disguised(span, Disguise::Letters);
                }
            }
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
                // Bash counts in its printed form of the substitution, in which a `case` loses a bracket and a quote its form.
                let printed = body.windows(2).any(|pair| pair == b"$(")
                    && (memchr::memmem::find(body, b"esac").is_some()
                        || memchr::memmem::find(body, b"$'").is_some());
                if printed || !balanced(body) {
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

    /// `<(…)` or `>(…)`.
    pub fn process(&mut self) -> Result<Part, Stop> {
        self.only_bash("only bash reads process substitutions")?;
        let open = self.after(self.pos);
        self.pos = open + 1;
        let list = self.substitution()?;
        self.check_double(open)?;
        Ok(Part::Process(list))
    }

    /// The commands of a substitution up to and including its `)`.
    fn substitution(&mut self) -> Result<List, Stop> {
        self.enter()?;
        let pending = std::mem::take(&mut self.pending);
        let outer = self.outer_pending;
        self.outer_pending |= !pending.is_empty();
        let substituted = std::mem::replace(&mut self.substituted, true);
        let documented = std::mem::replace(&mut self.documented, false);
        let list = self.list()?;
        if !self.take(b')') {
            return self.fault("a `)` is missing here");
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

    /// Commands between backquotes, which form a text of their own.
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
                _ if end >= self.bytes.len() => return self.fault("a backquote is not closed"),
                _ => end += 1,
            }
        }
        if end >= self.bytes.len() {
            return self.fault("a backquote is not closed");
        }
        self.work.spend(end - start)?;
        let body = self.slice(start, end);
        self.pos = end + 1;
        let owned;
        let (text, map) = if escaped {
            owned = unescape(body, double);
            (owned.as_str(), Map::Within(self.map.span(start, end)))
        } else {
            (body, self.map.from(start))
        };
        let mut inner = Reader::new(text, map, self.dialect, self.depth, self.work);
        inner.substituted = self.substituted;
        inner.extglob = self.extglob;
        inner.loops = self.loops;
        let list = inner.script()?;
        let sets = std::mem::take(&mut inner.sets);
        self.sets.extend(sets);
        self.leave();
        Ok(Part::Command { list, quoted: double })
    }
}

/// Removes the backslashes that only escape backquotes.
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
        // The character after the backslash is not examined again.
        let width = behind.chars().next().map_or(0, char::len_utf8);
        let (kept, left) = behind.split_at(width);
        text.push_str(kept);
        rest = left;
    }
    text.push_str(rest);
    text
}
