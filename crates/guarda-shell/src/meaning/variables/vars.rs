//! The values that the line itself assigns to variables, as far as they are certain.

use foldhash::HashMap;
use std::borrow::Cow;

use crate::meaning::variables::value::Value;
use crate::script::Piece;
use crate::syntax::sums::{SumStep, steps};
use crate::syntax::tree::Sets;

/// Variables that change which program a name means, or what the shell itself runs.
#[rustfmt::skip]
const POWERS: &[&str] = &[
    "PATH", "BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4", "PS0", "SHELLOPTS", "BASHOPTS", "BASH_CMDS", "BASH_ALIASES",
    "POSIXLY_CORRECT", "BASH_LOADABLES_PATH", "EXECIGNORE", "BASH_COMPAT", "HISTFILE", "BASH_XTRACEFD",
];

/// True for variables that change which program a name means, or what the shell itself runs.
pub(crate) fn changes_names(name: &str) -> bool {
    POWERS.contains(&name) || name.starts_with("BASH_FUNC_")
}

/// Variables that bash itself changes, or whose assignment does more than store a text.
const MAGIC: [&str; 32] = [
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
    "OPTARG",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_LINENO",
    "BASH_ARGC",
    "BASH_ARGV",
    "COLUMNS",
    "LINES",
];

/// The ones among them whose assigned values are evaluated.
const CALCULATED: [&str; 4] = ["SECONDS", "RANDOM", "OPTIND", "HISTCMD"];

/// The values of names that the line has not set.
const DEFAULTS: [&str; 3] = ["HOME", "PWD", "IFS"];

/// The variables, with their former values.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    map: HashMap<String, Value>,
    /// Former values, latest last; `None` where there was none.
    journal: Vec<(String, Option<Value>)>,
    /// Names whose assignments do not do what they say (`declare -i`, `readonly`, a reference).
    odd: Vec<String>,
    /// Names with a known value since all values were last forgotten.
    fresh: Vec<String>,
    /// True if nothing is known, not even about names that the line has not set.
    pub lost: bool,
    /// How often that has happened.
    pub losses: u32,
    /// Names whose values are evaluated on assignment (`declare -i`).
    integers: Vec<String>,
}

impl Variables {
    /// The known state of a name; `None` if the line has not set it. If everything may have changed, its
    /// previous value is one of its possible values.
    pub fn get(&self, name: &str) -> Option<Cow<'_, Value>> {
        match self.map.get(name) {
            known if !self.lost => known.map(Cow::Borrowed),
            Some(maybe @ Value::Maybe(_)) => Some(Cow::Borrowed(maybe)),
            Some(Value::Number(texts)) if !texts.is_empty() => Some(Cow::Owned(Value::Maybe(texts.clone()))),
            known => {
                let known = known.and_then(Value::known);
                Some(Cow::Owned(known.map_or(Value::Unknown, |known| Value::Maybe(vec![known]))))
            }
        }
    }

    /// Whether the line has set this name, or may have.
    pub fn touched(&self, name: &str) -> bool {
        self.lost || self.map.contains_key(name)
    }

    pub fn set(&mut self, name: &str, value: Value) {
        let value = if MAGIC.contains(&name) || self.odd.iter().any(|odd| odd == name) {
            if CALCULATED.contains(&name) && value.is_number() {
                Value::Number(Vec::new())
            } else {
                Value::Unknown
            }
        } else {
            value
        };
        let known = value != Value::Unknown;
        let old = self.map.insert(name.to_owned(), value);
        if known || old != Some(Value::Unknown) {
            self.fresh.push(name.to_owned());
        }
        self.journal.push((name.to_owned(), old));
    }

    /// From now on, this name may differ from the values assigned to it.
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

    /// Any name may have any value, even one that the line has not set.
    pub fn forget_all(&mut self) {
        self.forget();
        for name in DEFAULTS {
            if !self.map.contains_key(name) {
                let default = match name {
                    "HOME" => Piece::Home,
                    "PWD" => Piece::Cwd,
                    _ => Piece::Text(" \t\n".to_owned()),
                };
                self.set(name, Value::Maybe(vec![vec![default]]));
            }
        }
    }

    /// Any name may have another value; its previous value remains possible.
    pub fn waver(&mut self) {
        for name in std::mem::take(&mut self.fresh) {
            if let Some(value) = self.map.get(&name).and_then(Value::known) {
                self.set(&name, Value::Maybe(vec![value]));
            }
        }
    }

    /// Nothing is known from here on.
    pub fn lose(&mut self) {
        self.lost = true;
        self.losses += 1;
    }

    /// Notes the variables that a loop sets later, before its first round.
    pub fn apply(&mut self, sets: &[Sets]) {
        for set in sets {
            match set {
                Sets::Name(name) => self.set(name, Value::Unknown),
                Sets::Number(name) => {
                    let value = match self.map.get(name) {
                        Some(value) if value.is_number() => value.clone().perhaps(),
                        _ => Value::Unknown,
                    };
                    self.set(name, value);
                }
                Sets::Anything => self.forget_all(),
                Sets::Unnamed => self.forget(),
                Sets::Calculated => {
                    for name in self.assigned_in_values() {
                        self.set(&name, Value::Unknown);
                    }
                }
            }
        }
    }

    /// The names that the values of variables would set if evaluated.
    fn assigned_in_values(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut look = |text: &str| {
            if text.contains('=') || text.contains("++") || text.contains("--") {
                names.extend(steps(text).into_iter().filter_map(|step| match step {
                    SumStep::Counts(name) | SumStep::Changes(name) => Some(name.to_owned()),
                    SumStep::Reads(_) | SumStep::ChangesAny => None,
                }));
            }
        };
        for value in self.map.values() {
            match value {
                Value::Text(text) => look(text),
                Value::List(texts) => texts.iter().for_each(|text| look(text)),
                Value::Maybe(texts) | Value::Number(texts) => {
                    texts.iter().flatten().for_each(|piece| {
                        if let Piece::Text(text) = piece {
                            look(text);
                        }
                    });
                }
                Value::AtHome(_) | Value::Unknown => {}
            }
        }
        names
    }

    /// True if values assigned to this name are evaluated first.
    pub fn is_integer(&self, name: &str) -> bool {
        CALCULATED.contains(&name) || self.integers.iter().any(|known| known == name)
    }

    /// From now on, values assigned to this name are evaluated first.
    pub fn make_integer(&mut self, name: &str) {
        self.integers.push(name.to_owned());
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
                None => {
                    self.fresh.push(name.clone());
                    self.map.remove(&name)
                }
            };
            if let Some(new) = new {
                changed.push((name, new));
            }
        }
        changed
    }

    /// The changes since a mark may or may not have happened.
    pub fn blur(&mut self, mark: usize) {
        let mut names: Vec<(String, bool)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::default();
        for (name, old) in self.journal.get(mark..).unwrap_or(&[]) {
            let number = old.as_ref().is_some_and(Value::is_number);
            match places.get(name).and_then(|at| names.get_mut(*at)) {
                Some((_, numbers)) => *numbers &= number,
                None => {
                    places.insert(name.clone(), names.len());
                    names.push((name.clone(), number));
                }
            }
        }
        for (name, number) in names {
            self.merge(&name, None, number);
        }
    }

    /// The name may have its current value, or this one.
    pub fn doubt(&mut self, name: &str, other: Option<Value>) {
        let number = other.as_ref().is_some_and(Value::is_number);
        self.merge(name, other, number);
    }

    /// `number`: whatever else it may hold, it is a number.
    fn merge(&mut self, name: &str, other: Option<Value>, number: bool) {
        let now = self.map.get(name).cloned();
        let number = number && now.as_ref().is_some_and(Value::is_number);
        let mut texts = Vec::new();
        for value in [now, other].into_iter().flatten() {
            match value {
                Value::Maybe(more) | Value::Number(more) => texts.extend(more),
                value => texts.extend(value.known()),
            }
        }
        texts.dedup();
        texts.truncate(4);
        self.set(name, Value::of_texts(texts, number));
    }
}

impl Variables {
    /// The variables of a child shell. It sees only exported ones, which are not followed.
    pub fn for_child(&self) -> Self {
        let mut child = Self { lost: self.lost, ..Self::default() };
        for (name, value) in &self.map {
            child.set(name, value.clone().perhaps());
        }
        child
    }

    pub fn count(&self) -> usize {
        self.map.len()
    }

    /// The total length of their texts, in bytes.
    pub fn weight(&self) -> usize {
        let weight = |value: &Value| match value {
            Value::Text(text) | Value::AtHome(text) => text.len(),
            Value::List(texts) => texts.iter().map(String::len).sum(),
            Value::Maybe(texts) | Value::Number(texts) => texts
                .iter()
                .flatten()
                .map(|piece| if let Piece::Text(text) = piece { text.len() } else { 0 })
                .sum(),
            Value::Unknown => 0,
        };
        self.map.values().map(weight).sum()
    }
}

impl Variables {
    /// The name keeps its value; later assignments do not change it as written.
    pub fn freeze(&mut self, name: &str) {
        self.odd.push(name.to_owned());
    }

    /// As [`Self::distrust`]; the present value stays known if only later assignments are in question.
    pub fn distrust_later(&mut self, name: &str, keep: bool) {
        if keep { self.freeze(name) } else { self.distrust(name) }
    }
}
