//! What a tool says that a file will hold: as a whole, as exact replacements, or as a patch. What does not fit the old text
//! exactly is not known; nobody guesses how a client would make it fit.

use serde::{Deserialize, Serialize};

use crate::record::chain::{hash, hex};

/// How many bytes of one text travel to the service: longer ones are shown to nobody, and told apart by their sum.
const MOST_SENT: usize = 1 << 20;

/// What a tool would do with one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// The file, as the client named it.
    pub path: String,
    /// Where it lies before, if it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it will hold.
    pub content: Content,
}

/// What a file will hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Content {
    /// It will not be there.
    Gone,
    /// This.
    Whole(String),
    /// Something too long to be sent along.
    Long {
        /// The SHA-256 of it, in hexadecimal digits.
        sha256: String,
        /// How many bytes it has.
        size: u64,
    },
    /// What it holds now, with these replacements, one after the other.
    Edits(Vec<Edit>),
    /// What it holds now, with the hunks of a patch as `apply_patch` takes them.
    Patch(String),
    /// The tool does not say.
    Unknown,
}

/// A replacement of one text by another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The text that is replaced. Empty for a file that is new.
    pub old: String,
    /// What stands there then.
    pub new: String,
    /// Every place where it stands, and not the only one.
    #[serde(default)]
    pub all: bool,
}

impl Planned {
    /// What is said of one file that stays where it is.
    #[must_use]
    pub fn new(path: impl Into<String>, content: Content) -> Self {
        Self { path: path.into(), from: None, content: content.sendable() }
    }
}

impl Content {
    /// The same without what is too long to be sent.
    fn sendable(self) -> Self {
        match self {
            Self::Whole(text) if text.len() > MOST_SENT => {
                Self::Long { sha256: hex(&hash(text.as_bytes())), size: text.len() as u64 }
            }
            Self::Patch(text) if text.len() > MOST_SENT => Self::Unknown,
            Self::Edits(edits)
                if edits.iter().map(|edit| edit.old.len() + edit.new.len()).sum::<usize>() > MOST_SENT =>
            {
                Self::Unknown
            }
            short => short,
        }
    }

    /// What a text becomes; `None` where that is not known.
    pub(super) fn applied(&self, old: &str) -> Option<String> {
        match self {
            Self::Edits(edits) => edits.iter().try_fold(old.to_owned(), |text, edit| edit.applied(&text)),
            Self::Patch(patch) => patched(old, patch),
            Self::Whole(text) => Some(text.clone()),
            Self::Gone | Self::Long { .. } | Self::Unknown => None,
        }
    }

    /// What the tool says, for a person who is to see it where nobody knows what comes of it.
    pub(super) fn said(&self) -> Option<String> {
        let marked =
            |text: &str, mark: char| text.lines().map(|line| format!("{mark}{line}\n")).collect::<String>();
        match self {
            Self::Edits(edits) => {
                Some(edits.iter().map(|edit| marked(&edit.old, '-') + &marked(&edit.new, '+')).collect())
            }
            Self::Patch(patch) => Some(patch.clone()),
            Self::Gone | Self::Whole(_) | Self::Long { .. } | Self::Unknown => None,
        }
    }
}

impl Edit {
    fn applied(&self, text: &str) -> Option<String> {
        if self.old.is_empty() {
            return text.is_empty().then(|| self.new.clone());
        }
        match (text.matches(&self.old).count(), self.all) {
            (0, _) => None,
            (1, _) | (_, true) => Some(text.replace(&self.old, &self.new)),
            (_, false) => None,
        }
    }
}

/// A hunk of a patch.
#[derive(Default)]
struct Hunk<'a> {
    /// A line that stands before it.
    after: Option<&'a str>,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    at_end: bool,
}

/// The hunks of a patch on one file.
fn hunks(patch: &str) -> Option<Vec<Hunk<'_>>> {
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    for line in patch.lines() {
        if let Some(after) = line.strip_prefix("@@") {
            let after = Some(after.strip_prefix(' ').unwrap_or(after)).filter(|after| !after.is_empty());
            hunks.push(Hunk { after, ..Hunk::default() });
            continue;
        }
        if hunks.is_empty() {
            hunks.push(Hunk::default());
        }
        let hunk = hunks.last_mut()?;
        match line.split_at_checked(1) {
            _ if line == "*** End of File" => hunk.at_end = true,
            None => {
                hunk.old.push("");
                hunk.new.push("");
            }
            Some((" ", text)) => {
                hunk.old.push(text);
                hunk.new.push(text);
            }
            Some(("-", text)) => hunk.old.push(text),
            Some(("+", text)) => hunk.new.push(text),
            Some(_) => return None,
        }
    }
    Some(hunks)
}

/// What a text becomes by a patch whose hunks all fit it exactly, one after the other.
fn patched(old: &str, patch: &str) -> Option<String> {
    let mut lines: Vec<&str> = old.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let mut new: Vec<&str> = Vec::new();
    let mut at = 0;
    for hunk in hunks(patch)? {
        let rest = lines.get(at..)?;
        let begin = match hunk.after {
            Some(after) => rest.iter().position(|line| *line == after)? + 1,
            None => 0,
        };
        let found = if hunk.old.is_empty() {
            rest.len()
        } else {
            let fits = |place: &usize| rest.get(*place..*place + hunk.old.len()) == Some(hunk.old.as_slice());
            let last = rest.len().checked_sub(hunk.old.len())?;
            let at_end = Some(last).filter(|last| hunk.at_end && *last >= begin && fits(last));
            at_end.or_else(|| (begin..=last).find(fits))?
        };
        new.extend(rest.get(..found)?);
        new.extend(&hunk.new);
        at += found + hunk.old.len();
    }
    new.extend(lines.get(at..)?);
    let mut text = new.join("\n");
    text.push('\n');
    Some(text)
}
