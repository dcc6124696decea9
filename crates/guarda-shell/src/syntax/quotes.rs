//! Quotes and escapes.

use crate::syntax::scan::{Reader, Stop};
use crate::syntax::tree::Part;
use crate::syntax::words::Parts;

impl Reader<'_, '_> {
    /// `\` and what follows it, outside quotes.
    pub fn escape(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let from = self.pos;
        match self.at(from + 1) {
            b'\n' => self.pos += 2,
            0 => {
                self.pos += 1;
                parts.quoted("\\");
            }
            _ => {
                let length = self.slice(from + 1, self.bytes.len()).chars().next().map_or(1, char::len_utf8);
                self.pos = from + 1 + length;
                parts.quoted(self.slice(from + 1, self.pos));
            }
        }
        Ok(())
    }

    pub fn single(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let from = self.pos + 1;
        let rest = self.bytes.get(from..).unwrap_or(&[]);
        let Some(length) = memchr::memchr(b'\'', rest) else {
            return self.fault("a quote is not closed");
        };
        self.work.spend(length)?;
        parts.quoted(self.slice(from, from + length));
        self.pos = from + length + 1;
        Ok(())
    }

    /// The content of double quotes; the opening quote is already consumed.
    pub fn double(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        self.enter()?;
        parts.quoted("");
        loop {
            let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'`')) else {
                return self.fault("a quote is not closed");
            };
            self.work.spend(length + 1)?;
            if length > 0 {
                parts.quoted(self.slice(self.pos, self.pos + length));
                self.pos += length;
            }
            match self.at(self.pos) {
                b'"' => {
                    self.pos += 1;
                    break;
                }
                b'\\' => self.weak_escape(parts, true),
                b'$' => self.dollar(parts, true)?,
                _ => {
                    let part = self.backquoted(true)?;
                    parts.list.push(part);
                }
            }
        }
        self.leave();
        Ok(())
    }

    /// `\` inside double quotes, a here-document or arithmetic: it quotes only a few characters.
    pub fn weak_escape(&mut self, parts: &mut Parts, quotes: bool) {
        match self.at(self.pos + 1) {
            b'\n' => {}
            b'$' | b'`' | b'\\' => parts.quoted(self.slice(self.pos + 1, self.pos + 2)),
            b'"' if quotes => parts.quoted("\""),
            _ => {
                parts.quoted("\\");
                self.pos += 1;
                return;
            }
        }
        self.pos += 2;
    }

    /// The text of a here-document whose delimiter is not quoted.
    pub fn document_text(&mut self) -> Result<Vec<Part>, Stop> {
        let mut parts = Parts::default();
        parts.quoted("");
        loop {
            let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
            let length = memchr::memchr3(b'\\', b'$', b'`', rest).unwrap_or(rest.len());
            self.work.spend(length + 1)?;
            parts.quoted(self.slice(self.pos, self.pos + length));
            self.pos += length;
            match self.at(self.pos) {
                b'\\' => self.weak_escape(&mut parts, false),
                b'$' => self.dollar(&mut parts, true)?,
                b'`' => {
                    let part = self.backquoted(false)?;
                    parts.list.push(part);
                }
                _ => return Ok(parts.list),
            }
        }
    }
}
