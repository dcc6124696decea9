//! What an `UNDO` takes back: one deed, or everything of a session, of a turn, or since a time.

use std::fmt;

use super::request::is_session_name;

/// The longest id of a deed, in bytes.
const ID: usize = 128;
/// The longest time, in bytes.
const TIME: usize = 40;
/// Between a deed and one of its paths.
const PART: &str = " -- ";
/// Every session, in place of a name.
const ALL: &str = "*";

/// What an `UNDO` takes back. As text it is the target on the wire, which reads back as the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum UndoOf {
    /// The latest deed of the session that stands.
    #[default]
    Last,
    /// One deed, by the id of its action or of its line in the record. An undo of several deeds is one, too.
    Deed(String),
    /// What a deed changed at a path and below it.
    Part {
        /// The deed, as in [`UndoOf::Deed`]; `last` for the latest one that changed the path.
        id: String,
        /// The path.
        path: String,
    },
    /// Everything that stands, the latest first.
    All {
        /// From when on.
        since: UndoSince,
        /// Of which session; `None` for the one that asks.
        of: Option<Sessions>,
    },
}

/// From when on deeds are taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoSince {
    /// Since the person's last message that led to one.
    Turn,
    /// Since the session began.
    Session,
    /// Since a time: RFC 3339, or hours and minutes of today or, if that is yet to come, of yesterday.
    Time(String),
}

/// Whose deeds are taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sessions {
    /// Those of the session with this name, wherever it is.
    Named(String),
    /// Everybody's.
    All,
}

impl UndoOf {
    /// Reads the words of a target: nothing or `last`; an id; either of them and `-- PATH`; `turn`, `session` or `since TIME`, and then `of SESSION` or `of *`.
    ///
    /// ```
    /// use guarda_core::action::UndoOf;
    ///
    /// assert_eq!(UndoOf::read("last"), Some(UndoOf::Last));
    /// assert_eq!(UndoOf::read("since 14:30 of *").unwrap().to_string(), "since 14:30 of *");
    /// assert_eq!(UndoOf::read("everything"), Some(UndoOf::Deed("everything".to_owned())));
    /// assert_eq!(UndoOf::read("since yesterday"), None);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if let Some((id, path)) = text.split_once(PART) {
            let (id, path) = (id.to_owned(), path.to_owned());
            return (!id.is_empty() && is_id(&id) && !path.trim().is_empty())
                .then_some(Self::Part { id, path });
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let (since, rest) = match words.as_slice() {
            [] => return Some(Self::Last),
            [last] if last.eq_ignore_ascii_case("last") => return Some(Self::Last),
            ["turn", rest @ ..] => (UndoSince::Turn, rest),
            ["session", rest @ ..] => (UndoSince::Session, rest),
            ["since", time, rest @ ..] if is_time(time) => (UndoSince::Time((*time).to_owned()), rest),
            [id] if is_id(id) => return Some(Self::Deed((*id).to_owned())),
            _ => return None,
        };
        let of = match rest {
            [] => None,
            ["of", ALL] => Some(Sessions::All),
            ["of", name] if is_session_name(name) => Some(Sessions::Named((*name).to_owned())),
            _ => return None,
        };
        Some(Self::All { since, of })
    }

    /// The name of its message for people: `last`, `given`, `part`, `turn`, `session` or `since`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Deed(_) => "given",
            Self::Part { .. } => "part",
            Self::All { since: UndoSince::Turn, .. } => "turn",
            Self::All { since: UndoSince::Session, .. } => "session",
            Self::All { since: UndoSince::Time(_), .. } => "since",
        }
    }

    /// The time since when, as given; empty if there is none.
    #[must_use]
    pub fn time(&self) -> &str {
        match self {
            Self::All { since: UndoSince::Time(time), .. } => time,
            Self::All { .. } | Self::Last | Self::Deed(_) | Self::Part { .. } => "",
        }
    }

    /// The path to which it is limited, as given; `None` if there is none.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        if let Self::Part { path, .. } = self { Some(path) } else { None }
    }
}

impl fmt::Display for UndoOf {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => Ok(()),
            Self::Deed(id) => out.write_str(id),
            Self::Part { id, path } => write!(out, "{id}{PART}{path}"),
            Self::All { since, of } => {
                match since {
                    UndoSince::Turn => out.write_str("turn"),
                    UndoSince::Session => out.write_str("session"),
                    UndoSince::Time(time) => write!(out, "since {time}"),
                }?;
                match of {
                    None => Ok(()),
                    Some(Sessions::Named(name)) => write!(out, " of {name}"),
                    Some(Sessions::All) => write!(out, " of {ALL}"),
                }
            }
        }
    }
}

fn is_id(word: &str) -> bool {
    word.len() <= ID && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn is_time(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'+' | b'.' | b'-');
    word.len() <= TIME && word.starts_with(|c: char| c.is_ascii_digit()) && word.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn targets_read_back_as_they_are_written() {
        for (text, name) in [
            ("", "last"),
            ("desk-20261122_001", "given"),
            ("desk@builder_001", ""),
            ("turn", "turn"),
            ("turn of a1b2@door.hook", "turn"),
            ("session of *", "session"),
            ("since 14:30", "since"),
            ("since 2026-11-28T14:30:00.5+02:00 of desk", "since"),
            ("since", "given"),
            ("last -- src/a b.txt", "part"),
            ("desk-20261122_001 -- /a -- b", "part"),
            ("last -- ", ""),
            ("a b -- c", ""),
            (" -- c", ""),
            ("since now", ""),
            ("turn of", ""),
            ("turn of a b", ""),
            ("session of ../x", ""),
            ("a b", ""),
        ] {
            let read = UndoOf::read(text);
            assert_eq!(read.as_ref().map_or("", UndoOf::name), name, "{text}");
            assert!(read.is_none_or(|read| read.to_string() == text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_the_same_when_it_is_read_again(text in "(turn|session|since|last|of| -- |[ *:0-9a-zA-Z@._/-]){0,12}") {
            if let Some(read) = UndoOf::read(&text) {
                prop_assert_eq!(UndoOf::read(&read.to_string()), Some(read));
            }
        }
    }
}
