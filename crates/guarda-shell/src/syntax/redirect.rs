//! Redirections and here-documents.

use std::cell::RefCell;
use std::rc::Rc;

use crate::script::{Dialect, RedirectKind, Span};
use crate::syntax::scan::{Map, Pending, Reader, Stop, breaks};
use crate::syntax::tree::{Part, Raw, Redirection, Target};

impl Reader<'_, '_> {
    /// A redirection, whose operator starts here.
    pub fn redirection(&mut self, fd: Option<u32>, picked: Option<String>) -> Result<Redirection, Stop> {
        self.join();
        let start = self.pos;
        let first = self.at(self.pos);
        self.pos = self.after(self.pos);
        let second = self.at(self.pos);
        let mut both = false;
        let kind = match (first, second) {
            (b'&', _) => {
                self.only_bash("bash and sh read `&>` differently")?;
                both = true;
                self.pos += 1;
                if self.peek() == b'>' { self.step(RedirectKind::Append) } else { RedirectKind::Write }
            }
            (b'<', b'<') => {
                self.pos = self.after(self.pos);
                match self.at(self.pos) {
                    b'<' => {
                        self.only_bash("only bash reads `<<<`")?;
                        self.step(RedirectKind::Text)
                    }
                    b'-' => {
                        self.pos += 1;
                        return self.document(fd, picked, true, start);
                    }
                    _ => return self.document(fd, picked, false, start),
                }
            }
            (b'<', b'>') => self.step(RedirectKind::ReadWrite),
            (b'>', b'>') => self.step(RedirectKind::Append),
            (b'>', b'|') => self.step(RedirectKind::Write),
            (b'<' | b'>', b'&') => {
                self.pos += 1;
                return self.duplicate(fd, picked, first, start);
            }
            (b'>', _) => RedirectKind::Write,
            _ => RedirectKind::Read,
        };
        self.blanks()?;
        let target = Target::Word(self.operand_word()?);
        Ok(Redirection { fd, picked, both, kind, target, span: self.span(start) })
    }

    fn step(&mut self, kind: RedirectKind) -> RedirectKind {
        self.pos += 1;
        kind
    }

    /// `<&` and `>&`.
    fn duplicate(
        &mut self,
        fd: Option<u32>,
        picked: Option<String>,
        first: u8,
        start: usize,
    ) -> Result<Redirection, Stop> {
        self.blanks()?;
        let default = if first == b'<' { 0 } else { 1 };
        if self.peek() == b'-' {
            // The `-` ends here: in `>&-rm x` a program runs.
            self.pos += 1;
            let next = self.peek();
            if self.dialect == Dialect::Sh && !(breaks(next) || self.ended()) {
                return self.stop("bash and sh read `>&-` differently");
            }
            let fd = Some(fd.unwrap_or(default));
            let span = self.span(start);
            return Ok(Redirection {
                fd,
                picked,
                both: false,
                kind: RedirectKind::Close,
                target: Target::Nothing,
                span,
            });
        }
        let word = self.operand_word()?;
        let number = word.bare().is_some_and(|text| {
            let digits = text.strip_suffix('-').unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        if self.dialect == Dialect::Sh && !number {
            return self.stop("bash and sh read `>&` differently");
        }
        let both = first == b'>' && fd.is_none() && !number;
        let kind = if both { RedirectKind::Write } else { RedirectKind::Duplicate };
        let fd = if both { None } else { Some(fd.unwrap_or(default)) };
        Ok(Redirection { fd, picked, both, kind, target: Target::Word(word), span: self.span(start) })
    }

    /// The delimiter of a here-document; its lines come after the next newline.
    fn document(
        &mut self,
        fd: Option<u32>,
        picked: Option<String>,
        tabs: bool,
        start: usize,
    ) -> Result<Redirection, Stop> {
        self.blanks()?;
        let begin = self.pos;
        let mut delimiter = String::new();
        let mut quoted = false;
        loop {
            let from = self.pos;
            let rest = self.bytes.get(from..).unwrap_or(&[]);
            match self.at(from) {
                b'\'' => {
                    quoted = true;
                    let Some(end) = memchr::memchr(b'\'', rest.get(1..).unwrap_or(&[])) else {
                        return self.fault("a quote is not closed");
                    };
                    delimiter.push_str(self.slice(from + 1, from + 1 + end));
                    self.pos = from + end + 2;
                }
                b'"' => {
                    quoted = true;
                    let Some(end) = memchr::memchr(b'"', rest.get(1..).unwrap_or(&[])) else {
                        return self.fault("a quote is not closed");
                    };
                    let text = self.slice(from + 1, from + 1 + end);
                    if text.contains(['\\', '$', '`']) {
                        return self.stop("the word behind `<<` is not plain");
                    }
                    delimiter.push_str(text);
                    self.pos = from + end + 2;
                }
                b'\\' => {
                    let next = self.at(from + 1);
                    if next == b'\n' || !next.is_ascii() || next == 0 {
                        return self.stop("the word behind `<<` is not plain");
                    }
                    quoted = true;
                    delimiter.push(char::from(next));
                    self.pos = from + 2;
                }
                b'$' | b'`' => return self.stop("the word behind `<<` is not plain"),
                b'<' | b'>' | b'(' => return self.stop("the word behind `<<` is not plain"),
                byte if breaks(byte) || self.ended() => break,
                _ => {
                    let length = rest
                        .iter()
                        .position(|byte| breaks(*byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`'))
                        .unwrap_or(rest.len());
                    delimiter.push_str(self.slice(from, from + length));
                    self.pos = from + length;
                }
            }
        }
        self.work.spend(self.pos - begin)?;
        if self.pos == begin {
            return self.fault("a word is missing behind `<<`");
        }
        if delimiter.contains('\n') {
            return self.stop("the word behind `<<` is not plain");
        }
        self.documented = true;
        let slot = Rc::new(RefCell::new(None));
        self.pending.push(Pending { delimiter, quoted, tabs, slot: Rc::clone(&slot) });
        let fd = Some(fd.unwrap_or(0));
        let target = Target::Document(slot);
        Ok(Redirection { fd, picked, both: false, kind: RedirectKind::Text, target, span: self.span(start) })
    }

    /// Reads the bodies of all pending here-documents, after the newline.
    pub fn documents(&mut self) -> Result<(), Stop> {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.pos;
            let (body, verbatim) = self.document_lines(&pending)?;
            let span = self.map.span(start, (start + body.len()).min(self.bytes.len()));
            let map = match (verbatim, self.map) {
                (true, Map::Shifted(by)) => Map::Shifted(by + start),
                (true | false, _) => Map::Within(self.map.span(start, self.pos)),
            };
            let parts = self.document_parts(body, &pending, map)?;
            *pending.slot.borrow_mut() = Some(Raw::Rich { span, parts });
        }
        Ok(())
    }

    /// The text of one here-document, and whether it appears verbatim in the source.
    fn document_lines(&mut self, pending: &Pending) -> Result<(String, bool), Stop> {
        let mut body = String::new();
        let mut verbatim = true;
        while !self.ended() {
            let mut line = String::new();
            let mut joined = false;
            let mut ended = true;
            loop {
                let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
                let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let text = self.slice(self.pos, self.pos + length);
                self.work.spend(length + 1)?;
                self.pos = (self.pos + length + 1).min(self.bytes.len());
                let slashes = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
                if !pending.quoted && slashes % 2 == 1 && length < rest.len() {
                    if self.dialect == Dialect::Sh {
                        return self.stop("a here-document joins lines");
                    }
                    line.push_str(text.get(..text.len() - 1).unwrap_or(""));
                    joined = true;
                    if self.ended() {
                        ended = false;
                        break;
                    }
                    continue;
                }
                line.push_str(text);
                ended &= length < rest.len();
                break;
            }
            // Bash compares the line both before and after it removes the tabs.
            let early = pending.tabs && line == pending.delimiter;
            let line = if pending.tabs {
                let cut = line.trim_start_matches('\t');
                verbatim &= cut.len() == line.len();
                cut
            } else {
                line.as_str()
            };
            verbatim &= !joined;
            if early || line == pending.delimiter {
                return Ok((body, verbatim));
            }
            body.push_str(line);
            if ended {
                body.push('\n');
            }
        }
        self.work.open_ended = true;
        Ok((body, verbatim))
    }

    fn document_parts(&mut self, body: String, pending: &Pending, map: Map) -> Result<Vec<Part>, Stop> {
        if pending.quoted || memchr::memchr3(b'$', b'`', b'\\', body.as_bytes()).is_none() {
            return Ok(vec![Part::Quoted(body)]);
        }
        self.enter()?;
        let mut reader = Reader::new(&body, map, self.dialect, self.depth, self.work);
        let parts = reader.document_text()?;
        self.leave();
        Ok(parts)
    }
}

/// The span of a redirection's operator and target, for those that have none of their own.
pub(crate) fn target_span(redirect: &Redirection) -> Span {
    match &redirect.target {
        Target::Word(raw) => raw.span(),
        Target::Nothing | Target::Document(_) => redirect.span,
    }
}
