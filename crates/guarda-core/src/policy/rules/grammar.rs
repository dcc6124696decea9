//! The notation for a program's arguments: flags with their values, sub-commands, operands.
//!
//! The notation is described in `rules/README.md`. A [`Flags`] or [`Slots`] is made from its text only when a command
//! first needs it.

use crate::action::slip::is_slip;
use crate::policy::RuleError;
use crate::policy::rules::packed_rules::words;
use guarda_shell::script::Word;

/// The named lists that `@name` refers to.
pub type NamedLists = std::collections::BTreeMap<String, String>;

/// The use of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgumentKind {
    /// Words that may be anything but the address of a secret file.
    Text,
    /// Words whose files are not opened: search texts, numbers, output, or files whose metadata alone is shown.
    Word,
    /// A file or folder whose contents are read and may be shown.
    Path,
    /// A word without `=`, so that nothing is set.
    Plain,
    /// A word that begins with `+`.
    Format,
    /// The beginning of a command, which is judged as a run of its own.
    Command,
    /// `NAME=value`, checked like an assignment.
    Assignment,
    /// The name of a variable that is set.
    Variable,
    /// The name of a variable that is shown.
    Shown,
    /// A program in awk.
    Awk,
    /// A script for sed.
    Sed,
}

impl ArgumentKind {
    /// The kind with this name in the tables.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "" | "text" => Self::Text,
            "word" | "name" | "num" => Self::Word,
            "path" => Self::Path,
            "plain" => Self::Plain,
            "format" => Self::Format,
            "cmd" => Self::Command,
            "assign" => Self::Assignment,
            "var" => Self::Variable,
            "shown" => Self::Shown,
            "awk" => Self::Awk,
            "sed" => Self::Sed,
            _ => return None,
        })
    }
}

/// The value of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A value, attached or in the next word.
    Value(ArgumentKind),
    /// A value only if it is attached.
    Maybe(ArgumentKind),
}

/// One flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    /// Its value.
    pub takes: Takes,
    /// True if it stands in for the first operand (`grep -e`).
    pub replaces: bool,
}

/// A set of flags.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `-5` and the like (`-#`).
    pub number: bool,
    short: Vec<(char, Flag)>,
    long: Vec<(Box<str>, Flag)>,
}

impl Flags {
    /// Reads the notation; `named` holds the lists that `@name` refers to.
    ///
    /// # Errors
    /// [`RuleError`], if a token cannot be read.
    pub fn read(text: &str, named: &NamedLists) -> Result<Self, RuleError> {
        let mut flags = Self::default();
        for token in words(text, named, 0)? {
            if token == "-#" {
                flags.number = true;
            } else {
                flags.token(token)?;
            }
        }
        flags.short.sort_by_key(|(letter, _)| *letter);
        flags.long.sort_by(|(one, _), (other, _)| one.cmp(other));
        flags.short.dedup_by(|next, first| same(first.0 == next.0, &mut first.1, next.1));
        flags.long.dedup_by(|next, first| same(first.0 == next.0, &mut first.1, next.1));
        Ok(flags)
    }

    fn token(&mut self, token: &str) -> Result<(), RuleError> {
        let broken = || RuleError::Flag(token.to_owned());
        let (body, replaces) = token.strip_suffix('!').map_or((token, false), |body| (body, true));
        if let Some(letters) = body.strip_prefix("-[").and_then(|rest| rest.strip_suffix(']')) {
            let flag = Flag { takes: Takes::Nothing, replaces };
            self.short.extend(letters.chars().map(|letter| (letter, flag)));
            return Ok(());
        }
        let (name, takes) = match body.find([':', '?']) {
            Some(at) if at > 1 => {
                let (name, rest) = body.split_at(at);
                let kind = ArgumentKind::named(rest.get(1..).unwrap_or_default()).ok_or_else(broken)?;
                (name, if rest.starts_with(':') { Takes::Value(kind) } else { Takes::Maybe(kind) })
            }
            _ => (body, Takes::Nothing),
        };
        self.push(name, Flag { takes, replaces })
    }

    fn push(&mut self, name: &str, flag: Flag) -> Result<(), RuleError> {
        if let Some(rest) = name.strip_prefix("--[no-]") {
            self.long.push((format!("--{rest}").into(), flag));
            self.long.push((format!("--no-{rest}").into(), Flag { takes: Takes::Nothing, ..flag }));
            return Ok(());
        }
        let mut letters = name.chars();
        match (letters.next(), letters.next(), letters.next()) {
            (Some('-' | '+'), Some(letter), None) if name.starts_with('-') => self.short.push((letter, flag)),
            (Some('-' | '+'), Some(_), _) => self.long.push((name.into(), flag)),
            _ => return Err(RuleError::Flag(name.to_owned())),
        }
        Ok(())
    }

    /// The flag with this letter.
    #[must_use]
    pub fn short(&self, letter: char) -> Option<Flag> {
        let at = self.short.binary_search_by_key(&letter, |(known, _)| *known).ok()?;
        self.short.get(at).map(|(_, flag)| *flag)
    }

    /// The flag with this name, dashes included.
    #[must_use]
    pub fn long(&self, name: &str) -> Option<Flag> {
        let at = self.long.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        self.long.get(at).map(|(_, flag)| *flag)
    }

    /// The flag that a GNU program takes this name for: the exact one, or the only one that begins with it.
    ///
    /// If the name also fits a flag outside this list, the program itself refuses it.
    #[must_use]
    pub fn long_or_shortened(&self, name: &str) -> Option<Flag> {
        self.long(name).or_else(|| {
            let mut fits =
                self.long.iter().filter(|(known, _)| known.starts_with(name)).map(|(_, flag)| *flag);
            let first = fits.next().filter(|_| name.starts_with("--") && name.len() > 3)?;
            fits.all(|flag| flag == first).then_some(first)
        })
    }

    /// Whether a long name is one edit away from one of these: a letter missing, added, replaced, or two swapped.
    #[must_use]
    pub fn nearly(&self, name: &str) -> bool {
        name.len() > 5 && name.starts_with("--") && self.long.iter().any(|(known, _)| is_slip(name, known))
    }

    /// True if `word` carries one of these flags, however it is spelt: alone, in a bundle of letters, with `=value`,
    /// or shortened as GNU programs allow.
    #[must_use]
    pub fn carried_by(&self, word: &str) -> bool {
        let name = word.split('=').next().unwrap_or(word);
        if self.long(name).is_some() {
            return true;
        }
        if name.starts_with("--") {
            return name.len() > 3 && self.long.iter().any(|(known, _)| known.starts_with(name));
        }
        name.strip_prefix('-')
            .is_some_and(|letters| letters.chars().any(|letter| self.short(letter).is_some()))
    }

    /// True if nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.number && self.short.is_empty() && self.long.is_empty()
    }
}

/// Merges two entries for one flag. A flag listed both with and without a value has one only if it is attached; the next word
/// then counts as an operand, which is stricter.
fn same(same: bool, first: &mut Flag, next: Flag) -> bool {
    if same && *first != next {
        let kind = |takes| match takes {
            Takes::Value(kind) | Takes::Maybe(kind) => Some(kind),
            Takes::Nothing => None,
        };
        first.takes = Takes::Maybe(kind(first.takes).or(kind(next.takes)).unwrap_or(ArgumentKind::Text));
        first.replaces &= next.replaces;
    }
    same
}

/// How often an operand may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Once at most.
    Once,
    /// Any number of times.
    Many,
}

/// The kinds of the operands, in order.
#[derive(Debug, Clone, Default)]
pub struct Slots(Vec<(ArgumentKind, Count)>);

impl Slots {
    /// Reads the notation: kinds with `?` (at most once) or `*` (any number).
    ///
    /// # Errors
    /// [`RuleError`], if a kind is not known.
    pub fn read(text: &str) -> Result<Self, RuleError> {
        text.split_ascii_whitespace()
            .map(|token| {
                let (name, count) = match token.strip_suffix('*') {
                    Some(name) => (name, Count::Many),
                    None => (token.strip_suffix('?').unwrap_or(token), Count::Once),
                };
                ArgumentKind::named(name)
                    .map(|kind| (kind, count))
                    .ok_or_else(|| RuleError::NoKind(name.to_owned()))
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Self)
    }

    /// The slot with this index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<(ArgumentKind, Count)> {
        self.0.get(index).copied()
    }
}

/// The command words that only read, and the words that never do.
#[derive(Debug, Clone, Default)]
pub struct Words(Vec<Box<str>>);

impl Words {
    /// Reads a list of words; `x*` means every word that begins with `x`, `*x` every word that ends with `x`, `*x*`
    /// every word that has it in it.
    ///
    /// # Errors
    /// If a named list is not there.
    pub fn read(text: &str, named: &NamedLists) -> Result<Self, RuleError> {
        Ok(Self(words(text, named, 0)?.into_iter().map(Into::into).collect()))
    }

    /// True if `word` is one of them.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.0.iter().any(|known| match (known.strip_prefix('*'), known.strip_suffix('*')) {
            (Some(tail), Some(_)) => word.contains(tail.strip_suffix('*').unwrap_or(tail)),
            (None, Some(head)) => word.starts_with(head),
            (Some(tail), None) => word.ends_with(tail),
            (None, None) => **known == *word,
        })
    }

    /// True if nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A part of a word, and the kind of argument that it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use<'a> {
    pub kind: ArgumentKind,
    pub word: &'a Word,
    pub skip: usize,
}

impl<'a> Use<'a> {
    /// The text, if it is known.
    pub(crate) fn literal(&self) -> Option<&'a str> {
        self.word.literal().and_then(|text| text.get(self.skip..))
    }
}

/// A reading in code that a rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum RuleCheck {
    AsksService,
    Covers,
    DestroysData,
    FeedsGuard,
    FindUnnarrowed,
    Git,
    Given,
    Here,
    KillEverything,
    MountsMachine,
    NamesGuard,
    OrHere,
    Output,
    PicksAll,
    SearchesGuard,
    SearchesOutside,
    UnlessGiven,
    UnlessHere,
    UnlessKept,
    UnlessOffline,
    UnlessOwn,
    UnlessRead,
    WorkTree,
}

impl RuleCheck {
    pub(crate) fn named(name: &str) -> Result<Self, RuleError> {
        name.parse().map_err(|_| RuleError::NoCheck(name.to_owned()))
    }
}
