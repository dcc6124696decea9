//! The strict reading of options: each one listed, with what follows it.

use crate::policy::closed::{Reader, Step, Use, show};
use crate::policy::grammar::{Flag, Kind, Takes};
use guarda_shell::script::{Piece, UnknownCause, Word};

impl<'a> Reader<'a> {
    /// Reads one word of flags and its value; true if a flag stands in for the first operand.
    pub(super) fn flag(&mut self, word: &'a Word, before: bool) -> Step<bool> {
        let flags = if before { &self.ready.before } else { &self.ready.flags };
        let head = word.prefix();
        let whole = word.literal();
        if matches!(whole, Some("--help" | "--version")) {
            self.at += 1;
            return Ok(false);
        }
        if !self.ready.without.is_empty() {
            // A listed flag of many letters is no bundle.
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
        if !self.ready.risky.is_empty()
            && let Some((_, value)) = head.split_once('=')
            && self.ready.risky.has(value)
        {
            return self.depart(format!("{value:?} may change or disclose something"), word);
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
            self.told |= self.ready.and_flags.carried_by(name);
            match (flag.takes, value_at) {
                (Takes::Nothing, None) | (Takes::Maybe(_), None) => {}
                (Takes::Value(kind) | Takes::Maybe(kind), Some(skip)) => {
                    if self.ready.flags.any && head.get(skip..).is_some_and(|value| value.starts_with('@')) {
                        return self.depart("this value may name a file", word);
                    }
                    self.uses.push(Use { kind, word, skip });
                }
                (Takes::Value(kind), None) => self.value(kind, word)?,
                (Takes::Two, None) => {
                    self.value(Kind::Text, word)?;
                    self.value(Kind::Text, word)?;
                }
                (Takes::Nothing | Takes::Two, Some(_)) => return self.unknown_option(flags, name, word),
            }
            return Ok(flag.replaces);
        }
        if head.starts_with("--") || !head.starts_with('-') {
            if self.rule.tame() && !before {
                // Whatever the option is, it does no harm; what it names may be read.
                self.at += 1;
                self.told |= self.ready.and_flags.carried_by(name);
                if let Some(skip) = value_at {
                    self.uses.push(Use { kind: Kind::Path, word, skip });
                }
                return Ok(false);
            }
            if flags.any && (whole.is_some() || value_at.is_some()) {
                self.at += 1;
                // The word behind it may be its value, and then it is no option.
                let next = self.word().is_some_and(|next| self.ready.and_flags.carried_by(next.prefix()));
                if next && value_at.is_none() {
                    return self.depart("an option may be another one's value here", word);
                }
                self.told |= self.ready.and_flags.carried_by(name);
                return self.open_value(word, value_at.unwrap_or(head.len())).map(|()| false);
            }
            return self.unknown_option(flags, name, word);
        }
        self.letters(word, head, whole.is_some(), before)
    }

    /// Reads `-abc`, `-n5`, `-5`.
    pub(super) fn letters(&mut self, word: &'a Word, head: &str, whole: bool, before: bool) -> Step<bool> {
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
                    self.uses.push(Use { kind: Kind::Path, word, skip: 1 + offset + letter.len_utf8() });
                    return Ok(replaces);
                }
                if flags.any && whole {
                    self.at += 1;
                    return self.open_value(word, 1 + letters.len()).map(|()| false);
                }
                return self.unknown_option(flags, &format!("-{letter}"), word);
            };
            replaces |= instead;
            self.told |= self.ready.and_flags.short(letter).is_some();
            let rest = 1 + offset + letter.len_utf8();
            let attached = rest < head.len() || !whole;
            match takes {
                Takes::Nothing | Takes::Two => {}
                Takes::Value(kind) | Takes::Maybe(kind) if attached => {
                    self.at += 1;
                    self.uses.push(Use { kind, word, skip: rest });
                    return Ok(replaces);
                }
                Takes::Maybe(_) => {}
                Takes::Value(kind) => {
                    self.at += 1;
                    self.value(kind, word)?;
                    return Ok(replaces);
                }
            }
        }
        self.at += 1;
        Ok(replaces)
    }

    /// Takes the next word as the value of a flag.
    pub(super) fn value(&mut self, kind: Kind, flag: &Word) -> Step<()> {
        let Some(word) = self.word() else {
            // The program refuses an option without its value.
            let _ = flag;
            return Ok(());
        };
        if self.ready.flags.any && word.prefix().starts_with('@') {
            return self.depart("this value may name a file", word);
        }
        if self.ready.risky.has(word.literal().unwrap_or_default()) {
            return self.depart(format!("{:?} may change or disclose something", show(word)), word);
        }
        self.at += 1;
        self.uses.push(Use { kind, word, skip: 0 });
        Ok(())
    }

    /// The value of a flag that is not listed, where any flag goes: it may not name a file to send.
    pub(super) fn open_value(&mut self, word: &'a Word, skip: usize) -> Step<()> {
        let value = word.prefix().get(skip..).unwrap_or_default();
        if value.starts_with('@')
            || value.starts_with("file")
            || value.starts_with('/')
            || value.starts_with('~')
        {
            return self.depart("this value may name a file", word);
        }
        Ok(())
    }
}
