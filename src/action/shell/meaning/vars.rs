//! What the line itself has given to variables, as far as that is certain.

use foldhash::HashMap;
use std::borrow::Cow;

use crate::action::script::Piece;
use crate::action::shell::syntax::tree::Sets;

/// A text that is known, the home folder in front of it included.
pub(in crate::action::shell) type Known = Vec<Piece>;

/// What is known of a variable that the line has touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::action::shell) enum Value {
    Text(String),
    /// The home folder, followed by this.
    AtHome(String),
    List(Vec<String>),
    /// One of these, or something else.
    Maybe(Vec<Known>),
    Unknown,
}

/// Variables that bash itself changes, or whose assignment does something else than to keep a text.
const MAGIC: [&str; 24] = [
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "BASHPID",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "DIRSTACK",
    "HISTCMD",
    "_",
    "GROUPS",
    "FUNCNAME",
    "BASH_ARGV0",
    "BASH_COMMAND",
    "BASH_SUBSHELL",
    "COMP_WORDBREAKS",
    "EUID",
    "UID",
    "PPID",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_VERSINFO",
    "PIPESTATUS",
    "OPTIND",
];

/// The variables, with a way back.
#[derive(Debug, Default)]
pub(in crate::action::shell) struct Variables {
    map: HashMap<String, Value>,
    /// Former values, latest last; `None` where there was none.
    journal: Vec<(String, Option<Value>)>,
    /// Names whose assignments do not do what they say (`declare -i`, `readonly`, a reference).
    odd: Vec<String>,
    /// Names that have got a known value since everything was last forgotten.
    fresh: Vec<String>,
    /// Nothing can be known any more, not even of names the line has not touched.
    pub lost: bool,
}

impl Variables {
    /// What is known of a name; nothing if the line has not touched it. Where somebody may have changed everything, what
    /// it was is one of the values that it may have.
    pub fn get(&self, name: &str) -> Option<Cow<'_, Value>> {
        match self.map.get(name) {
            known if !self.lost => known.map(Cow::Borrowed),
            Some(maybe @ Value::Maybe(_)) => Some(Cow::Borrowed(maybe)),
            known => {
                let known = known.and_then(Value::known);
                Some(Cow::Owned(known.map_or(Value::Unknown, |known| Value::Maybe(vec![known]))))
            }
        }
    }

    /// True if the line has touched this name, or may have.
    pub fn touched(&self, name: &str) -> bool {
        self.lost || self.map.contains_key(name)
    }

    pub fn set(&mut self, name: &str, value: Value) {
        let value = if MAGIC.contains(&name) || self.odd.iter().any(|odd| odd == name) {
            Value::Unknown
        } else {
            value
        };
        if value != Value::Unknown {
            self.fresh.push(name.to_owned());
        }
        let old = self.map.insert(name.to_owned(), value);
        self.journal.push((name.to_owned(), old));
    }

    /// From here on, what is assigned to this name is not what it holds.
    pub fn distrust(&mut self, name: &str) {
        self.odd.push(name.to_owned());
        self.set(name, Value::Unknown);
    }

    /// Forgets every name the line has set.
    pub fn forget(&mut self) {
        for name in std::mem::take(&mut self.fresh) {
            self.set(&name, Value::Unknown);
        }
    }

    pub fn apply(&mut self, sets: &[Sets]) {
        for set in sets {
            match set {
                Sets::Name(name) => self.set(name, Value::Unknown),
                Sets::Anything => self.forget(),
            }
        }
    }

    pub fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Goes back to a mark and returns the names that had changed since.
    pub fn undo(&mut self, mark: usize) -> Vec<(String, Value)> {
        let mut changed = Vec::new();
        while self.journal.len() > mark
            && let Some((name, old)) = self.journal.pop()
        {
            let new = match old {
                Some(old) => {
                    self.fresh.push(name.clone());
                    self.map.insert(name.clone(), old)
                }
                None => self.map.remove(&name),
            };
            if let Some(new) = new {
                changed.push((name, new));
            }
        }
        changed
    }

    /// What changed since a mark may or may not have happened.
    pub fn blur(&mut self, mark: usize) {
        let names: Vec<String> =
            self.journal.get(mark..).unwrap_or(&[]).iter().map(|(name, _)| name.clone()).collect();
        for name in names {
            self.doubt(&name, None);
        }
    }

    /// The name may hold what it holds now, or this.
    pub fn doubt(&mut self, name: &str, other: Option<Value>) {
        let mut texts = Vec::new();
        for value in [self.map.get(name).cloned(), other].into_iter().flatten() {
            match value {
                Value::Maybe(more) => texts.extend(more),
                value => texts.extend(value.known()),
            }
        }
        texts.dedup();
        texts.truncate(4);
        self.set(name, if texts.is_empty() { Value::Unknown } else { Value::Maybe(texts) });
    }
}

impl Value {
    /// What a variable holds that is given this word: literal text, or a path below the home folder.
    pub fn of(pieces: &[Piece]) -> Option<Self> {
        match pieces {
            [] => Some(Self::Text(String::new())),
            [Piece::Text(text)] => Some(Self::Text(text.clone())),
            [Piece::Home] => Some(Self::AtHome(String::new())),
            [Piece::Home, Piece::Text(text)] => Some(Self::AtHome(text.clone())),
            _ => None,
        }
    }

    /// The text that a variable certainly holds.
    pub fn known(&self) -> Option<Known> {
        match self {
            Self::Text(text) => Some(vec![Piece::Text(text.clone())]),
            Self::AtHome(text) if text.is_empty() => Some(vec![Piece::Home]),
            Self::AtHome(text) => Some(vec![Piece::Home, Piece::Text(text.clone())]),
            Self::List(_) | Self::Maybe(_) | Self::Unknown => None,
        }
    }
}

impl Variables {
    /// What a shell started by this one may see: only what was exported, which is not followed.
    pub fn for_child(&self) -> Self {
        let mut child = Self { lost: self.lost, ..Self::default() };
        for (name, value) in &self.map {
            let maybe = match value {
                Value::Maybe(texts) => Value::Maybe(texts.clone()),
                value => value.known().map_or(Value::Unknown, |known| Value::Maybe(vec![known])),
            };
            child.set(name, maybe);
        }
        child
    }

    pub fn count(&self) -> usize {
        self.map.len()
    }
}

impl Variables {
    /// The name keeps what it holds; what is assigned to it later is not what it then holds.
    pub fn freeze(&mut self, name: &str) {
        self.odd.push(name.to_owned());
    }

    /// As [`Self::distrust`]; the present value stays known if only later assignments are in question.
    pub fn distrust_later(&mut self, name: &str, keep: bool) {
        if keep { self.freeze(name) } else { self.distrust(name) }
    }
}
