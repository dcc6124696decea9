//! Words: quotes, escapes, and the places where bash reads a word in its own way.

use crate::script::{Piece, Span, Word};
use crate::syntax::scan::{Reader, Stop, begins_name, breaks, in_name};
use crate::syntax::tree::{Part, Raw};

/// The position of a word, which decides what it may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where an assignment could stand.
    Command,
    Argument,
    /// An argument of `declare` and similar builtins: `name=(…)` is one word.
    Declaration,
    /// In `name=(…)`: `[subscript]=value` is one word.
    Element,
    /// Right of `==` in `[[ … ]]`.
    Pattern,
    /// Right of `=~` in `[[ … ]]`.
    Expression,
}

/// True for bytes that mean themselves in every position.
const fn plain(byte: u8) -> bool {
    !matches!(
        byte,
        0 | b' '
            | b'\t'
            | b'\n'
            | b';'
            | b'&'
            | b'|'
            | b'('
            | b')'
            | b'<'
            | b'>'
            | b'\\'
            | b'\''
            | b'"'
            | b'$'
            | b'`'
            | b'*'
            | b'?'
            | b'['
            | b'{'
            | b'~'
            | b'='
    )
}

const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(
            clippy::indexing_slicing,
            clippy::cast_possible_truncation,
            reason = "a table made at compile time"
        )]
        {
            table[byte] = plain(byte as u8);
        }
        byte += 1;
    }
    table
};

fn is_plain(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)).copied().unwrap_or(false)
}

/// Collects the parts of a word: neighbours of one kind become one part.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub list: Vec<Part>,
}

impl Parts {
    pub fn text(&mut self, text: &str) {
        match self.list.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.list.push(Part::Text(text.to_owned())),
        }
    }

    pub fn quoted(&mut self, text: &str) {
        match self.list.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.list.push(Part::Quoted(text.to_owned())),
        }
    }

    /// The text so far, if it is nothing but unquoted text.
    fn only_text(&self) -> Option<&str> {
        match self.list.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// True if the parts so far may precede the `=` of an assignment.
    fn names(&self) -> bool {
        match self.list.as_slice() {
            [Part::Text(text)] => crate::syntax::scan::is_name(text.strip_suffix('+').unwrap_or(text)),
            [Part::Text(text), Part::Subscript(_)] => crate::syntax::scan::is_name(text),
            [Part::Text(text), Part::Subscript(_), Part::Text(plus)] => {
                crate::syntax::scan::is_name(text) && plus == "+"
            }
            _ => false,
        }
    }
}

impl Reader<'_, '_> {
    /// Reads the word that begins here. The caller knows that one does.
    pub fn word(&mut self, place: Place) -> Result<Raw, Stop> {
        self.join();
        let start = self.pos;
        let rest = self.bytes.get(start..).unwrap_or(&[]);
        let free = |byte: u8| is_plain(byte) || (byte == b'=' && place == Place::Argument);
        let length = rest.iter().position(|byte| !free(*byte)).unwrap_or(rest.len());
        self.work.spend(length + 1)?;
        let next = self.at(start + length);
        let simple = length > 0 && (start + length == self.bytes.len() || breaks(next));
        let process = matches!(next, b'<' | b'>') && self.at(self.after(start + length)) == b'(';
        if simple && !process && next != b'(' && place != Place::Expression {
            self.pos = start + length;
            let span = self.map.span(start, self.pos);
            return Ok(Raw::Plain(Word::text(self.slice(start, self.pos), span)));
        }
        let parts = self.parts(place)?;
        let span = self.span(start);
        if let (true, [Part::Text(text)]) = (self.pos == start + length && length > 0, parts.as_slice()) {
            return Ok(Raw::Plain(Word { pieces: vec![Piece::Text(text.clone())], span }));
        }
        Ok(Raw::Rich { span, parts })
    }

    /// The parts of a word, up to its end.
    fn parts(&mut self, place: Place) -> Result<Vec<Part>, Stop> {
        let mut parts = Parts::default();
        loop {
            self.work.spend(1)?;
            let from = self.pos;
            let byte = self.at(from);
            match byte {
                b'\\' => self.escape(&mut parts)?,
                b'\'' => self.single(&mut parts)?,
                b'"' => {
                    self.pos += 1;
                    self.double(&mut parts)?;
                }
                b'$' => self.dollar(&mut parts, false)?,
                b'`' => {
                    let part = self.backquoted(false)?;
                    parts.list.push(part);
                }
                b'<' | b'>' if self.at(self.after(from)) == b'(' => {
                    let part = self.process()?;
                    parts.list.push(part);
                }
                b'(' if place == Place::Expression => self.group(&mut parts)?,
                b'|' if place == Place::Expression => {
                    self.pos += 1;
                    parts.text("|");
                }
                b'(' => {
                    let last = from.checked_sub(1).map_or(0, |index| self.at(index));
                    if matches!(last, b'?' | b'*' | b'+' | b'@' | b'!') && !parts.list.is_empty() {
                        return self.stop("an extended pattern, which only `extglob` reads");
                    }
                    break;
                }
                b'?' | b'*' | b'+' | b'@' | b'!' if self.at(self.after(from)) == b'(' => {
                    if !(place == Place::Pattern || self.extglob) {
                        return self.stop("an extended pattern, which only `extglob` reads");
                    }
                    self.pos += 1;
                    parts.text(self.slice(from, from + 1));
                    self.join();
                    self.group(&mut parts)?;
                }
                b'[' if self.subscript_due(place, &parts) => {
                    self.only_bash("only bash reads subscripts")?;
                    self.pos += 1;
                    let inner = self.subscript()?;
                    parts.list.push(Part::Subscript(inner));
                }
                b'=' if self.at(self.after(from)) == b'('
                    && matches!(place, Place::Command | Place::Declaration)
                    && parts.names() =>
                {
                    self.only_bash("only bash reads arrays")?;
                    parts.text("=");
                    self.pos = self.after(from) + 1;
                    let items = self.array()?;
                    parts.list.push(Part::Array(items));
                    if !(self.ended() || breaks(self.peek())) {
                        return self.stop("bash would not expect this behind an array");
                    }
                    break;
                }
                _ if breaks(byte) || self.ended() => break,
                _ => {
                    // Pattern characters before `(`, and those of an assignment, are examined one by one.
                    let single = |byte: u8| !is_plain(byte) || matches!(byte, b'+' | b'@' | b'!');
                    let rest = self.bytes.get(from + 1..).unwrap_or(&[]).iter();
                    let more = rest.take_while(|next| !single(byte) && !single(**next)).count();
                    self.work.spend(more)?;
                    self.pos = from + 1 + more;
                    parts.text(self.slice(from, self.pos));
                }
            }
        }
        Ok(parts.list)
    }

    fn subscript_due(&self, place: Place, parts: &Parts) -> bool {
        match place {
            Place::Command => parts.only_text().is_some_and(crate::syntax::scan::is_name),
            Place::Element => parts.list.is_empty(),
            Place::Declaration => false,
            Place::Argument | Place::Pattern | Place::Expression => false,
        }
    }

    /// `(…)` of an extended pattern or a regular expression; blanks and operators in it are text.
    fn group(&mut self, parts: &mut Parts) -> Result<(), Stop> {
        let mut open = 0_usize;
        loop {
            self.work.spend(1)?;
            let from = self.pos;
            match self.at(from) {
                b'\\' => self.escape(parts)?,
                b'\'' => self.single(parts)?,
                b'"' => {
                    self.pos += 1;
                    self.double(parts)?;
                }
                b'$' => self.dollar(parts, false)?,
                b'`' => {
                    let part = self.backquoted(false)?;
                    parts.list.push(part);
                }
                b'<' | b'>' if self.at(self.after(from)) == b'(' => {
                    return self.stop("a process substitution stands in a pattern");
                }
                b'(' => {
                    open += 1;
                    self.pos += 1;
                    parts.text("(");
                }
                b')' => {
                    self.pos += 1;
                    parts.text(")");
                    open -= 1;
                    if open == 0 {
                        return Ok(());
                    }
                }
                _ if self.ended() => return self.fault("a `)` is missing here"),
                _ => {
                    let length = self.slice(from, self.bytes.len()).chars().next().map_or(1, char::len_utf8);
                    self.pos += length;
                    parts.text(self.slice(from, self.pos));
                }
            }
        }
    }

    /// The items of `name=(…)`; the `(` is already consumed.
    fn array(&mut self) -> Result<Vec<Raw>, Stop> {
        self.enter()?;
        if !self.pending.is_empty() {
            return self.stop("an array stands behind an open here-document");
        }
        let mut items = Vec::new();
        loop {
            self.newlines()?;
            if self.take(b')') {
                break;
            }
            let next = self.peek();
            let process = matches!(next, b'<' | b'>') && self.peek_second() == b'(';
            if self.ended() || (breaks(next) && !process) {
                return self.fault("bash would not expect this in an array");
            }
            items.push(self.word(Place::Element)?);
        }
        self.leave();
        Ok(items)
    }
}

/// The name at the beginning of a text.
pub(crate) fn leading_name(text: &str) -> &str {
    if !text.bytes().next().is_some_and(begins_name) {
        return "";
    }
    let length = text.bytes().take_while(|byte| in_name(*byte)).count();
    text.get(..length).unwrap_or("")
}

/// A word of known text at a position.
pub(crate) fn literal_word(text: String, span: Span) -> Word {
    if text.is_empty() { Word { pieces: Vec::new(), span } } else { Word::text(text, span) }
}
