//! `[[ … ]]`.

use crate::syntax::scan::{Reader, Stop, breaks};
use crate::syntax::tree::{Kind, Raw, Reading, Sets};
use crate::syntax::words::Place;

impl Reader<'_, '_> {
    /// What follows `[[`, up to and including `]]`.
    pub fn condition(&mut self) -> Result<Kind, Stop> {
        self.exact = false;
        let mut words = Vec::new();
        let mut open = 0_usize;
        loop {
            // A term is due.
            self.newlines()?;
            self.work.spend(1)?;
            if self.peek() == b'(' {
                self.pos += 1;
                open += 1;
                continue;
            }
            if self.take_word("!") {
                continue;
            }
            if self.token() == "]]" {
                return self.stop("`[[` expects a word here");
            }
            self.term(&mut words)?;
            // A term is read.
            loop {
                self.newlines()?;
                match (self.peek(), self.peek_second()) {
                    (b')', _) if open > 0 => {
                        self.pos += 1;
                        open -= 1;
                    }
                    (b'&', b'&') | (b'|', b'|') => {
                        self.pos = self.after(self.pos) + 1;
                        break;
                    }
                    _ if open == 0 && self.take_word("]]") => {
                        return Ok(Kind::Condition { words });
                    }
                    _ => return self.stop("`[[` would not expect this here"),
                }
            }
        }
    }

    /// One term of `[[ … ]]`.
    fn term(&mut self, words: &mut Vec<(Raw, Reading)>) -> Result<(), Stop> {
        let first = self.operand_word()?;
        let unary = first.bare().is_some_and(|text| {
            text.len() == 2
                && text.starts_with('-')
                && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphabetic())
        });
        let variable = matches!(first.bare(), Some("-v" | "-R"));
        self.newlines()?;
        if self.token() == "]]" || matches!(self.peek(), b'&' | b'|' | b')') {
            words.push((first, Reading::Text));
            return Ok(());
        }
        if unary {
            words.push((first, Reading::Text));
            let operand = self.operand_word()?;
            words.push((operand, if variable { Reading::Name } else { Reading::Text }));
            return Ok(());
        }
        if matches!(self.peek(), b'<' | b'>') {
            self.pos += 1;
            self.blanks()?;
            let right = self.operand_word()?;
            words.extend([(first, Reading::Text), (right, Reading::Text)]);
            return Ok(());
        }
        let operator = self.token();
        let place = match operator {
            "=" | "==" | "!=" => Place::Pattern,
            "=~" => Place::Expression,
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-ef" | "-nt" | "-ot" => Place::Argument,
            _ => return self.stop("`[[` does not know this operator"),
        };
        let numeric = matches!(operator, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
        self.pos += operator.len();
        self.newlines()?;
        if self.ended()
            || (breaks(self.peek()) && self.peek() != b'(')
            || (self.peek() == b'(' && place == Place::Argument)
        {
            return self.stop("`[[` expects a word here");
        }
        let right = self.word(place)?;
        let reading = if numeric { Reading::Sum } else { Reading::Text };
        if numeric {
            self.note(Sets::Calculated);
        }
        words.extend([(first, reading), (right, reading)]);
        Ok(())
    }
}
