//! The full list of a staged run's changes, with the differences between texts.

use crate::wording::describe::staged::{SHOWN, Staged, entry};
use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_core::effects::{Change, ChangeKind, Entry, EntryKind};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = EffectChange)]
pub struct EffectLine {
    /// `deleted`, `replaced`, `changed`, `renamed`, `created` or `attributes`.
    #[schema(value_type = String)]
    pub mark: ChangeKind,
    /// The path, relative to the working folder or the home folder if it is inside one of them, with hidden characters
    /// made visible.
    pub path: String,
    /// The object before or after, in the question's language.
    pub detail: String,
    /// The difference between the texts; empty if there is none to show.
    pub diff: Vec<DiffLine>,
}

/// One line of a difference.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = EffectDiffLine)]
pub struct DiffLine {
    /// `added`, `removed`, `same`, or `place`: the position of the following lines.
    #[schema(value_type = String)]
    pub sign: Sign,
    /// The line, with hidden characters made visible.
    pub text: String,
}

/// The kind of a difference line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Added.
    Added,
    /// Removed.
    Removed,
    /// Unchanged.
    Same,
    /// The line number in the text at which the following lines stand.
    Place,
}

impl Sign {
    /// The sign before the line.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Added => '+',
            Self::Removed => '−',
            Self::Same => ' ',
            Self::Place => '@',
        }
    }
}

impl EffectLine {
    /// The change and its difference as lines of text.
    #[must_use]
    pub fn text(&self) -> Vec<String> {
        let sign = SHOWN.iter().find(|(kind, _)| *kind == self.mark).map_or(' ', |(_, sign)| *sign);
        let mut lines = vec![format!("{sign} {}", self.path)];
        if let Some(first) = lines.first_mut().filter(|_| !self.detail.is_empty()) {
            first.push_str(&format!(" — {}", self.detail));
        }
        lines.extend(self.diff.iter().map(|line| match line.sign {
            // It begins with its own signs.
            Sign::Place => format!("    {}", line.text),
            sign => format!("    {} {}", sign.sign(), line.text),
        }));
        lines
    }
}

impl Staged<'_> {
    /// Every change: deletions first, then replacements, changes, renames, new files, and attributes.
    #[must_use]
    pub fn lines(&self, words: &Words) -> Vec<EffectLine> {
        self.told().into_iter().map(|(mark, change)| self.line(words, mark, change)).collect()
    }

    fn line(&self, words: &Words, mark: ChangeKind, change: &Change) -> EffectLine {
        let diff = change.diff.as_deref().map(diff).unwrap_or_default();
        let mut details = Vec::new();
        if let Some(from) = &change.from {
            details.push(words.say("staged-moved", &[("name", self.path(from).into())]));
        }
        match (&change.was, &change.is) {
            (Some(was), Some(is)) => details.extend(between(words, mark, was, is, &diff)),
            (Some(one), None) | (None, Some(one)) => details.push(entry(words, one)),
            (None, None) => {}
        }
        if change.parted {
            details.push(words.say("staged-breaks", &[]));
        }
        if let Some(is) = change.is.as_ref().filter(|is| is.mode & 0o6000 != 0 && is.kind == EntryKind::File)
        {
            details.push(words.say("staged-mode", &[("mode", format!("{:o}", is.mode).into())]));
        }
        EffectLine { mark, path: self.path(&change.path), detail: details.join(", "), diff }
    }
}

/// Describes the change of an entry that existed before.
fn between(words: &Words, mark: ChangeKind, was: &Entry, is: &Entry, diff: &[DiffLine]) -> Vec<String> {
    let mut details = Vec::new();
    if mark != ChangeKind::Attributes {
        let count = |sign: Sign| diff.iter().filter(|line| line.sign == sign).count();
        let (before, now) = (entry(words, was), entry(words, is));
        details.push(if before == now { now } else { format!("{before} → {now}") });
        if !diff.is_empty() {
            details.push(format!("+{} −{}", count(Sign::Added), count(Sign::Removed)));
        }
    }
    if was.mode != is.mode && was.kind == is.kind {
        let mode = format!("{:o} → {:o}", was.mode, is.mode);
        details.push(words.say("staged-mode", &[("mode", mode.into())]));
    }
    if was.owner != is.owner {
        let owner = format!("{}:{} → {}:{}", was.owner.0, was.owner.1, is.owner.0, is.owner.1);
        details.push(words.say("staged-owner", &[("owner", owner.into())]));
    }
    if mark == ChangeKind::Attributes && details.is_empty() {
        details.push(words.say("staged-times", &[]));
    }
    details
}

/// The lines of a difference in unified form, without its header.
fn diff(text: &str) -> Vec<DiffLine> {
    let mut in_head = true;
    let mut lines = Vec::new();
    for line in text.lines() {
        if in_head && (line.starts_with("--- ") || line.starts_with("+++ ")) {
            continue;
        }
        in_head = false;
        let (sign, rest) = match line.chars().next() {
            Some('+') => (Sign::Added, line.strip_prefix('+')),
            Some('-') => (Sign::Removed, line.strip_prefix('-')),
            Some('@' | '\\') => (Sign::Place, Some(line)),
            _ => (Sign::Same, Some(line.strip_prefix(' ').unwrap_or(line))),
        };
        lines.push(DiffLine { sign, text: visible(rest.unwrap_or_default()) });
    }
    lines
}
