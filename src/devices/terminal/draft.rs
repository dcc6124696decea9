//! A line of text under edit in a raw-mode terminal: bytes in, text and cursor out. No I/O.

/// The longest text, in characters; further input is ignored.
const LIMIT: usize = 4096;

/// The text and the position of the cursor.
#[derive(Debug)]
pub struct Draft {
    text: Vec<char>,
    at: usize,
    /// The bytes of an incomplete character or escape sequence.
    rest: Vec<u8>,
    /// Inside a bracketed paste, where no byte is a key.
    pasting: bool,
}

/// How writing ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftEnd {
    /// Enter was pressed; this is the text.
    Written(String),
    /// Escape or Ctrl-C was pressed; the edit is discarded.
    Left,
}

impl Draft {
    /// Starts with this text and the cursor at its end.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self { at: text.len(), text, rest: Vec::new(), pasting: false }
    }

    /// Takes the bytes of one read. An incomplete escape sequence waits for the next read.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<DraftEnd> {
        // A single Escape byte is the Escape key.
        if bytes == [0x1b] && self.rest.is_empty() && !self.pasting {
            return Some(DraftEnd::Left);
        }
        for byte in bytes {
            self.rest.push(*byte);
            if let Some(ended) = self.step() {
                return Some(ended);
            }
        }
        None
    }

    /// Handles the next complete key, if there is one.
    fn step(&mut self) -> Option<DraftEnd> {
        if self.rest.first() == Some(&0x1b) {
            if let Some(sequence) = whole_sequence(&self.rest) {
                self.sequence(sequence);
                self.rest.clear();
            }
            return None;
        }
        let c = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.chars().next()?,
            Err(error) if error.error_len().is_none() => return None,
            Err(_) => {
                self.rest.clear();
                return None;
            }
        };
        self.rest.clear();
        match c {
            '\r' | '\n' if self.pasting => self.insert('\n'),
            '\r' | '\n' => return Some(DraftEnd::Written(self.text.iter().collect())),
            '\u{3}' if !self.pasting => return Some(DraftEnd::Left),
            '\u{1}' => self.at = 0,
            '\u{5}' => self.at = self.text.len(),
            '\u{8}' | '\u{7f}' => self.rub(1),
            '\u{15}' => self.rub(self.at),
            '\u{17}' => self.rub(self.word()),
            '\u{b}' => self.text.truncate(self.at),
            c if c.is_control() && c != '\t' => {}
            c => self.insert(c),
        }
        None
    }

    fn sequence(&mut self, sequence: Sequence) {
        match sequence {
            Sequence::PasteBegins => self.pasting = true,
            Sequence::PasteEnds => self.pasting = false,
            Sequence::Other | Sequence::Left | Sequence::Right | Sequence::Home | Sequence::End
                if self.pasting => {}
            Sequence::Left => self.at = self.at.saturating_sub(1),
            Sequence::Right => self.at = (self.at + 1).min(self.text.len()),
            Sequence::Home => self.at = 0,
            Sequence::End => self.at = self.text.len(),
            Sequence::Delete if self.at < self.text.len() => {
                self.text.remove(self.at);
            }
            Sequence::Delete | Sequence::Other => {}
        }
    }

    fn insert(&mut self, c: char) {
        if self.text.len() < LIMIT {
            self.text.insert(self.at, c);
            self.at += 1;
        }
    }

    /// Deletes this many characters before the cursor.
    fn rub(&mut self, count: usize) {
        let from = self.at.saturating_sub(count);
        self.text.drain(from..self.at);
        self.at = from;
    }

    /// The number of characters from the start of the word before the cursor to the cursor.
    fn word(&self) -> usize {
        let before = self.text.iter().take(self.at).rev();
        let gap = before.clone().take_while(|c| c.is_whitespace()).count();
        gap + before.skip(gap).take_while(|c| !c.is_whitespace()).count()
    }

    /// The text that fits the columns, and the cursor's column. Invisible characters are written out.
    #[must_use]
    pub fn shown(&self, columns: usize) -> (String, usize) {
        let wide = |text: &str| unicode_width::UnicodeWidthStr::width(text);
        let room = columns.max(12);
        let before: Vec<String> = self.text.iter().take(self.at).map(|c| seen(*c)).collect();
        let (mut text, mut cursor) = (Vec::new(), 0);
        for piece in before.iter().rev() {
            if cursor + wide(piece) > room * 3 / 4 {
                break;
            }
            cursor += wide(piece);
            text.push(piece.clone());
        }
        text.reverse();
        let mut used = cursor;
        for piece in self.text.iter().skip(self.at).map(|c| seen(*c)) {
            if used + wide(&piece) > room {
                break;
            }
            used += wide(&piece);
            text.push(piece);
        }
        (text.concat(), cursor)
    }
}

/// A visible form of a character.
fn seen(c: char) -> String {
    if c == '\n' {
        "⏎".to_owned()
    } else if c.is_control() || guarda_core::output::text::is_unseen(c) {
        format!("⟨U+{:04X}⟩", u32::from(c))
    } else {
        c.to_string()
    }
}

enum Sequence {
    Left,
    Right,
    Home,
    End,
    Delete,
    PasteBegins,
    PasteEnds,
    Other,
}

/// The key of an escape sequence, once it is complete.
fn whole_sequence(bytes: &[u8]) -> Option<Sequence> {
    let (kind, rest) = bytes.get(1..)?.split_first()?;
    let last = match (kind, rest.split_last()) {
        (b'[' | b'O', None) => return None,
        (b'[' | b'O', Some((last, _))) if !(0x40..=0x7e).contains(last) => {
            return (rest.len() > 16).then_some(Sequence::Other);
        }
        (b'[' | b'O', Some((last, middle))) => (middle, *last),
        _ => return Some(Sequence::Other),
    };
    Some(match last {
        (b"", b'D') => Sequence::Left,
        (b"", b'C') => Sequence::Right,
        (b"", b'H') | (b"1" | b"7", b'~') => Sequence::Home,
        (b"", b'F') | (b"4" | b"8", b'~') => Sequence::End,
        (b"3", b'~') => Sequence::Delete,
        (b"200", b'~') => Sequence::PasteBegins,
        (b"201", b'~') => Sequence::PasteEnds,
        _ => Sequence::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_write_a_line() {
        for (start, typed, text) in [
            ("rm a", "b\r", "rm ab"),
            ("rm a", "\u{7f}b\r", "rm b"),
            ("rm a", "\u{15}ls\r", "ls"),
            ("rm a", "\u{1b}[D\u{1b}[D-i\r", "rm-i a"),
            ("rm a", "\u{1}x\u{5}y\r", "xrm ay"),
            ("rm a", "\u{1b}[Hx\u{1b}[Fy\r", "xrm ay"),
            ("rm a b ", "\u{17}c\r", "rm a c"),
            ("rm a", "\u{1}\u{1b}[3~\u{b}z\r", "z"),
            ("", "é日\u{7f}\r", "é"),
            ("", "\u{1b}[200~a\rb\u{3}\u{1b}[201~c\r", "a\nbc"),
            ("a", "\u{1b}[5~\u{1b}OP\u{0}\r", "a"),
        ] {
            let mut draft = Draft::new(start);
            assert_eq!(draft.feed(typed.as_bytes()), Some(DraftEnd::Written(text.to_owned())), "{typed:?}");
        }
        for typed in ["\u{1b}", "\u{3}"] {
            assert_eq!(Draft::new("rm a").feed(typed.as_bytes()), Some(DraftEnd::Left));
        }
    }

    #[test]
    fn what_hides_is_seen_and_the_cursor_stays_in_sight() {
        assert_eq!(Draft::new("a\u{202e}b\n").shown(40), ("a⟨U+202E⟩b⏎".to_owned(), 11));
        let mut draft = Draft::new(&"x".repeat(200));
        assert_eq!(draft.shown(40), ("x".repeat(30), 30));
        draft.feed("\u{1}".as_bytes());
        assert_eq!(draft.shown(40), ("x".repeat(40), 0));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_do_no_harm(pieces: Vec<Vec<u8>>, columns in 0usize..200) {
            let mut draft = Draft::new("start");
            for piece in pieces {
                if draft.feed(&piece).is_some() {
                    break;
                }
                let (text, cursor) = draft.shown(columns);
                proptest::prop_assert!(cursor <= columns.max(12));
                proptest::prop_assert!(!text.contains(char::is_control));
                proptest::prop_assert!(draft.at <= draft.text.len() && draft.text.len() <= LIMIT);
            }
        }
    }
}
