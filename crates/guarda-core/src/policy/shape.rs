//! What a yes covers beyond the action that it was given to: the shape of a command, shown to the person before it is given.
//!
//! A shape names a program by its real path, each of its words, and the reasons for asking that the person saw. It never covers
//! another reason, so whatever else a line does is asked about.

use std::collections::BTreeSet;
use std::fmt;

use uuid::Uuid;

use crate::catalogue::looks_for;

/// A grant that stands for the asker of a request, as the guard found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingGrant {
    /// Its number.
    pub id: Uuid,
    /// What it covers.
    pub shape: CommandShape,
}

/// What a grant covers: commands of a line, each with the reasons for asking about it. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CommandShape {
    /// The commands.
    pub runs: Vec<RunShape>,
}

/// One command of a shape.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RunShape {
    /// The real path of its program; the name of a builtin.
    pub program: String,
    /// Its words, the program's name first.
    pub words: Vec<WordShape>,
    /// The folder that it runs in; `None` where none of its words depends on that.
    pub folder: Option<String>,
    /// The rules whose reasons it covers.
    pub rules: BTreeSet<String>,
}

/// Which words a word of a shape stands for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordShape {
    /// This word alone.
    Exact(String),
    /// Any address of this scheme, host and port (`http://localhost:3000`).
    Origin(String),
    /// Any further names of branches and tags.
    Names,
}

/// The scheme, host and port of an address that every program reads alike; `None` for any other word. `localhost:3000/x` is an
/// address, too.
pub(crate) fn origin(word: &str) -> Option<String> {
    let schemed = ["http://", "https://"].iter().any(|scheme| word.starts_with(scheme));
    let local = ["localhost", "127.0.0.1"].iter().any(|host| word.starts_with(host));
    // Programs that fetch fill in patterns (`[1-9]`, `{a,b}`), which could name other hosts.
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"[]{}\\".contains(&byte);
    if !(schemed || local) || !word.bytes().all(plain) {
        return None;
    }
    let address = if schemed { word.to_owned() } else { format!("http://{word}") };
    let url = url::Url::parse(&address).ok()?;
    let origin = url.origin().ascii_serialization();
    // A user, a default port or an unusual spelling is no part of an origin: such a word stands for itself.
    let rest = address.strip_prefix(&origin)?;
    (rest.is_empty() || rest.starts_with(['/', '?', '#'])).then_some(origin)
}

impl RunShape {
    pub(crate) fn covers(&self, run: &RunShape, rule: &str) -> bool {
        // What brings changes in also looks whether there are any.
        let words = |known: &[WordShape], words: &[WordShape]| match (known, words) {
            ([git, WordShape::Exact(pull), known @ ..], [other, WordShape::Exact(fetch), words @ ..]) => {
                git == other
                    && looks_for(fetch, pull)
                    && known.last() == Some(&WordShape::Names)
                    && known == words
            }
            _ => false,
        };
        self.program == run.program
            && self.rules.contains(rule)
            && (self.folder.is_none() || self.folder == run.folder)
            && (self.words == run.words || words(&self.words, &run.words))
    }
}

pub(crate) fn exact(text: &str) -> WordShape {
    WordShape::Exact(text.to_owned())
}

impl CommandShape {
    /// The origins that it covers as a whole, whatever the path.
    #[must_use]
    pub fn origins(&self) -> Vec<String> {
        let words = self.runs.iter().flat_map(|run| &run.words);
        let origins = words.filter_map(|word| match word {
            WordShape::Origin(origin) => Some(origin.clone()),
            WordShape::Exact(_) | WordShape::Names => None,
        });
        origins.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

impl fmt::Display for CommandShape {
    /// As a person reads it; an address that stands for its whole host ends with `/…`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, run) in self.runs.iter().enumerate() {
            write!(out, "{}{run}", if at == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Display for RunShape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.words.iter().enumerate() {
            out.write_str(if at == 0 { "" } else { " " })?;
            match word {
                WordShape::Exact(text) if text.is_empty() || text.contains([' ', '\'', '"', '\n', ';']) => {
                    write!(out, "'{}'", text.replace('\'', "'\\''"))?;
                }
                WordShape::Exact(text) => out.write_str(text)?,
                WordShape::Origin(origin) => write!(out, "{origin}/…")?,
                WordShape::Names => out.write_str("…")?,
            }
        }
        Ok(())
    }
}
