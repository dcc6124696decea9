//! The announced content of a file: the whole text, exact replacements, or a patch. If it does not fit the old text exactly,
//! the result is unknown; the guard does not guess how a client would apply it.

use serde::{Deserialize, Serialize};

use guarda_journal::chain::{hash, hex};

/// The longest text, in bytes, that is sent to the service. Of longer ones, only the size and the digest are sent.
const MOST_SENT: usize = 1 << 20;

/// A tool's announced change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// The file, as the client named it.
    pub path: String,
    /// The previous path of a moved file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its future content.
    pub content: Content,
}

/// The future content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Content {
    /// The file is deleted.
    Gone,
    /// This text.
    Whole(String),
    /// Content that is too long to be sent.
    Long {
        /// Its SHA-256, in hexadecimal.
        sha256: String,
        /// Its size in bytes.
        size: u64,
    },
    /// The current content with these replacements, applied in order.
    Edits(Vec<Edit>),
    /// The current content with the hunks of a patch in the format of `apply_patch`.
    Patch(String),
    /// The tool announces no content.
    Unknown,
}

/// A replacement of one text by another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The text to replace; empty for a new file.
    pub old: String,
    /// The replacement.
    pub new: String,
    /// Whether to replace every occurrence. If not, there must be exactly one.
    #[serde(default)]
    pub all: bool,
}

impl Planned {
    /// The announcement for a file that is not moved.
    #[must_use]
    pub fn new(path: impl Into<String>, content: Content) -> Self {
        Self { path: path.into(), from: None, content: content.sendable() }
    }
}

impl Content {
    /// The announcement, with content that is too long replaced by its size and digest.
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

    /// The text after the change; `None` if it is unknown.
    pub(super) fn applied(&self, old: &str) -> Option<String> {
        match self {
            Self::Edits(edits) => edits.iter().try_fold(old.to_owned(), |text, edit| edit.applied(&text)),
            Self::Patch(patch) => patched(old, patch),
            Self::Whole(text) => Some(text.clone()),
            Self::Gone | Self::Long { .. } | Self::Unknown => None,
        }
    }

    /// The announcement as text, for a person; shown if the result is unknown.
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
    /// A line that precedes the hunk.
    after: Option<&'a str>,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    at_end: bool,
}

/// The hunks of a patch to one file.
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

/// The text after a patch; `None` unless every hunk fits exactly, in order.
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
