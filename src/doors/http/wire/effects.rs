//! The shapes of what a staged run changed.

use serde::Serialize;
use utoipa::ToSchema;

use crate::human::staged::{DiffLine, EffectLine};

/// What a run changed while its changes were held back.
#[derive(Debug, Serialize, ToSchema)]
pub struct Effects {
    /// All of it in one sentence, in the question's language.
    #[schema(example = "This deletes a.zip from Downloads, 4.1 MB; it can be undone for 7 days.")]
    text: String,
    /// For how many days a yes could be undone; null where it could not.
    undo_days: Option<u32>,
    /// Why it could not be undone, in English.
    final_because: Option<String>,
    /// Processes that were still running when the run was over; they were ended.
    strays: u32,
    /// Every change: what is deleted first, then what is replaced, changed, renamed, new, and what has other attributes.
    changes: Vec<Changed>,
}

/// One change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EffectChange)]
pub struct Changed {
    /// `deleted`, `replaced`, `changed`, `renamed`, `created` or `attributes`.
    mark: &'static str,
    /// The path, from the working folder or the home folder where it lies below one, with hidden characters made visible.
    path: String,
    /// What it was or is, in the question's language.
    detail: String,
    /// The difference between the texts; empty where there is none to show.
    diff: Vec<Difference>,
}

/// One line of a difference.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EffectDiffLine)]
pub struct Difference {
    /// `added`, `removed`, `same`, or `place`: where in the text the lines below it are.
    sign: &'static str,
    /// The line, with hidden characters made visible.
    text: String,
}

impl Effects {
    /// What was changed, in the words of a prompt; `None` where nothing was run yet.
    pub(in crate::doors::http) fn of(prompt: &crate::human::prompt::Prompt) -> Option<Self> {
        let effects = prompt.impact.effects.as_ref()?;
        Some(Self {
            text: prompt.staged.clone()?,
            undo_days: prompt.impact.undo_days.filter(|_| effects.final_because.is_none()),
            final_because: effects.final_because.as_deref().map(crate::human::plain::visible),
            strays: effects.strays,
            changes: prompt.changes.iter().map(Into::into).collect(),
        })
    }
}

impl From<&EffectLine> for Changed {
    fn from(line: &EffectLine) -> Self {
        let EffectLine { mark, path, detail, diff } = line;
        let diff = diff.iter().map(Into::into).collect();
        Self { mark: mark.name(), path: path.clone(), detail: detail.clone(), diff }
    }
}

impl From<&DiffLine> for Difference {
    fn from(line: &DiffLine) -> Self {
        Self { sign: line.sign.name(), text: line.text.clone() }
    }
}
