//! The strict reading of options: each one listed, with what follows it.

use crate::policy::rules::grammar::{ArgumentKind, Flag, Takes};
use crate::policy::strict::closed::{Reader, Step, Use};
use guarda_shell::script::{Piece, UnknownCause, Word};

impl<'a> Reader<'a> {
    /// Reads one word of flags and its value; true if a flag stands in for the first operand.
    pub(crate) fn flag(&mut self, word: &'a Word, before: bool) -> Step<bool> {
        let flags = if before { &self.ready.before } else { &self.ready.flags };
        let head = word.prefix();
        let whole = word.literal();
        if matches!(whole, Some("--help" | "--version")) {
            self.at += 1;
            return Ok(false);
        }
        if !self.ready.without.is_empty() {
            // A listed flag with a longer name is no bundle of letters.
            let name = head.split('=').next().unwrap_or(head);
            let named = name.len() > 2 && flags.long(name).is_some();
            if if named {
                self.ready.without.long(name).is_some()
            } else {
                self.ready.without.carried_by(head)
            } {
                return self.depart(format!("the option {head:?} is not known to be harmless"), word);
            }
        }
        let (name, value_at) = match head.find('=') {
            Some(at) => (head.get(..at).unwrap_or(head), Some(at + 1)),
            None => (head, None),
        };
        // A long flag, or a flag of many letters behind one dash.
        if (value_at.is_some() || whole.is_some())
            && let Some(flag) = self.long(flags, name)
        {
            self.at += 1;
            match (flag.takes, value_at) {
                (Takes::Nothing, None) | (Takes::Maybe(_), None) => {}
                (Takes::Value(kind) | Takes::Maybe(kind), Some(skip)) => {
                    self.uses.push(Use { kind, word, skip });
                }
                (Takes::Value(kind), None) => self.value(kind),
                (Takes::Nothing, Some(_)) => return self.unknown_option(flags, name, word),
            }
            return Ok(flag.replaces);
        }
        if head.starts_with("--") || !head.starts_with('-') {
            if self.rule.tame() && !before {
                // The option itself is harmless, but its value may be a file that is read.
                self.at += 1;
                if let Some(skip) = value_at {
                    self.uses.push(Use { kind: ArgumentKind::Path, word, skip });
                }
                return Ok(false);
            }
            return self.unknown_option(flags, name, word);
        }
        self.letters(word, head, whole.is_some(), before)
    }

    /// Reads `-abc`, `-n5`, `-5`.
    pub(crate) fn letters(&mut self, word: &'a Word, head: &str, whole: bool, before: bool) -> Step<bool> {
        let flags = if before { &self.ready.before } else { &self.ready.flags };
        let letters = head.get(1..).unwrap_or_default();
        if flags.number && letters.chars().all(|letter| letter.is_ascii_digit()) {
            let arithmetic = word.pieces.iter().skip(1).all(|piece| {
                matches!(piece, Piece::Unknown(UnknownCause::Arithmetic | UnknownCause::Variable(_)))
            });
            if whole && !letters.is_empty() || !whole && arithmetic {
                self.at += 1;
                return Ok(false);
            }
        }
        let mut replaces = false;
        for (offset, letter) in letters.char_indices() {
            let Some(Flag { takes, replaces: instead }) = flags.short(letter) else {
                if flags.number && letter.is_ascii_digit() {
                    continue;
                }
                if self.rule.tame() && !before {
                    self.at += 1;
                    self.uses.push(Use {
                        kind: ArgumentKind::Path,
                        word,
                        skip: 1 + offset + letter.len_utf8(),
                    });
                    return Ok(replaces);
                }
                return self.unknown_option(flags, &format!("-{letter}"), word);
            };
            replaces |= instead;
            let rest = 1 + offset + letter.len_utf8();
            let attached = rest < head.len() || !whole;
            match takes {
                Takes::Nothing => {}
                Takes::Value(kind) | Takes::Maybe(kind) if attached => {
                    self.at += 1;
                    self.uses.push(Use { kind, word, skip: rest });
                    return Ok(replaces);
                }
                Takes::Maybe(_) => {}
                Takes::Value(kind) => {
                    self.at += 1;
                    self.value(kind);
                    return Ok(replaces);
                }
            }
        }
        self.at += 1;
        Ok(replaces)
    }

    /// Takes the next word as the value of a flag.
    fn value(&mut self, kind: ArgumentKind) {
        // The program refuses an option without its value.
        let Some(word) = self.word() else { return };
        self.at += 1;
        self.uses.push(Use { kind, word, skip: 0 });
    }
}
