//! Arithmetic: `((…))`, `$((…))`, `$[…]`, subscripts.

use crate::syntax::scan::{Reader, Stop};
use crate::syntax::sums::{SumStep, UNKNOWN, steps};
use crate::syntax::tree::{Part, Sets};
use crate::syntax::words::Parts;

impl Reader<'_, '_> {
    /// Bash finds the end of `$((…)` and `<((…)` by counting brackets instead of parsing. If that could make a
    /// difference, the text is refused. `open` is the position of the first bracket.
    pub fn check_double(&self, open: usize) -> Result<(), Stop> {
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

    /// Arithmetic up to and including `))`; `None` if a single `)` ends it, because then two subshells were opened.
    pub fn arithmetic(&mut self, start: usize) -> Result<Option<Vec<Part>>, Stop> {
        self.exact = false;
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

    /// `$[…]`, or `[…]` after a name: after its bracket.
    pub fn subscript(&mut self) -> Result<Vec<Part>, Stop> {
        self.enter()?;
        let mut parts = Parts::default();
        self.bracketed(&mut parts)?;
        self.note_arithmetic(&parts.list);
        self.leave();
        Ok(parts.list)
    }

    pub fn bracketed(&mut self, parts: &mut Parts) -> Result<(), Stop> {
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
    pub fn arithmetic_step(&mut self, parts: &mut Parts) -> Result<(), Stop> {
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
            _ if self.ended() => self.fault("arithmetic is not closed"),
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

    /// `'…'` that hides brackets from bash's scan, but whose content is still expanded.
    pub fn weak_single(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let start = self.pos + 1;
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let Some(length) = memchr::memchr(b'\'', rest) else {
            return self.fault("a quote is not closed");
        };
        let text = self.slice(start, start + length);
        if text.contains(['"', '}', '\\']) {
            return self.stop("quotes stand in quotes where bash reads them twice");
        }
        self.enter()?;
        let mut inner = Reader::new(text, self.map.from(start), self.dialect, self.depth, self.work);
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
    pub fn note_arithmetic(&mut self, parts: &[Part]) {
        if self.loops == 0 {
            return;
        }
        let mut text = String::new();
        for part in parts {
            match part.any_text() {
                Some(part) => text.push_str(part),
                None => text.push(UNKNOWN),
            }
        }
        let mut calculated = text.contains(UNKNOWN);
        for step in steps(&text) {
            match step {
                SumStep::Reads(_) => calculated = true,
                SumStep::Counts(name) => self.note(Sets::Number(name.to_owned())),
                SumStep::Changes(name) => self.note(Sets::Name(name.to_owned())),
                SumStep::ChangesAny => self.note(Sets::Anything),
            }
        }
        if calculated {
            self.note(Sets::Calculated);
        }
    }
}

/// Whether parentheses balance without regard to substitutions, as bash checks `$((…))` a second time.
pub(crate) fn balanced(body: &[u8]) -> bool {
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
            // Parentheses inside double quotes are not worth following.
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
