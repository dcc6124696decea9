//! The JSON of the programs that an action would run and the paths that it would touch.

use serde::Serialize;
use utoipa::ToSchema;

use crate::devices::filesystem::census::Census;
use guarda_shell::script::{Input, Reach, Run, Word};

/// The programs that an action may run, word by word.
#[must_use]
pub fn runs(action: &guarda_core::action::Action) -> Vec<Vec<String>> {
    let guarda_core::action::Action::RunCommand { script: Ok(script), .. } = action else {
        return Vec::new();
    };
    script.runs().iter().map(|run| run.words.iter().map(Word::written).collect()).collect()
}

/// How one of the programs in `runs` is reached. Other programs are identified by their index in that list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Branch {
    /// The program that starts or contains it.
    parent: Option<usize>,
    /// `plain`, `substitution`, `wrapper` or `text` (text that a shell runs).
    reach: &'static str,
    /// The wrapper, or the program that runs the text.
    by: Option<String>,
    /// The programs whose output it reads.
    fed_by: Vec<usize>,
    /// The offset of its first byte in the command line.
    start: usize,
    /// The offset after its last byte.
    end: usize,
    /// How it is reached, followed by its words, clearly separated and with hidden characters made visible.
    #[schema(example = "sudo: rm -rf build")]
    text: String,
}

impl From<&Run> for Branch {
    fn from(run: &Run) -> Self {
        let (reach, by) = match &run.reach {
            Reach::Plain => ("plain", None),
            Reach::Substitution => ("substitution", None),
            Reach::Wrapper(by) => ("wrapper", Some(by.clone())),
            Reach::Text(by) => ("text", Some(by.clone())),
        };
        let fed_by = if let Input::Pipe(from) = &run.input { from.clone() } else { Vec::new() };
        let text = crate::wording::describe::tree::line(run);
        Self { parent: run.parent, reach, by, fed_by, start: run.span.start, end: run.span.end, text }
    }
}

/// How each program of an action is reached.
#[must_use]
pub fn branches(action: &guarda_core::action::Action) -> Vec<Branch> {
    let guarda_core::action::Action::RunCommand { script: Ok(script), .. } = action else {
        return Vec::new();
    };
    script.runs().iter().map(Branch::from).collect()
}

/// The paths that would be touched, as far as they are known in advance.
#[derive(Debug, Serialize, ToSchema)]
pub struct Touches {
    /// Grouped by fate, the most serious first.
    groups: Vec<Touched>,
    /// Named paths that do not exist. Not all of them are listed.
    missing: Vec<String>,
    /// Whether more paths may be touched than are known in advance.
    open: bool,
    /// The same in words, in the question's language.
    lines: Vec<String>,
}

/// All paths with the same fate.
#[derive(Debug, Serialize, ToSchema)]
pub struct Touched {
    /// `deleted`, `overwritten`, `changed`, `attributes`, `moved`, `made`, `read` or `named`.
    fate: &'static str,
    /// The fate and the numbers in words.
    text: String,
    /// The number of paths.
    paths: u64,
    /// The files at and below them.
    #[serde(flatten)]
    census: Census,
    /// The first paths of the group.
    items: Vec<Item>,
}

/// A path that would be touched.
#[derive(Debug, Serialize, ToSchema)]
pub struct Item {
    /// The whole path.
    path: String,
    /// The target, if the path is a link.
    leads: Option<String>,
}

impl Touches {
    /// What would be touched, with its words in a prompt's language.
    pub(in crate::doors::http) fn of(prompt: &crate::prompt::question::Prompt) -> Self {
        use crate::wording::plain::visible;
        let (impact, words) = (&prompt.impact, crate::wording::words(prompt.language));
        let group = |group: &crate::devices::filesystem::touch::Group| {
            let item = |item: &crate::devices::filesystem::touch::TouchedPath| Item {
                path: visible(&item.path),
                leads: item.leads.as_deref().map(visible),
            };
            Touched {
                fate: group.fate.name(),
                text: crate::wording::describe::impact::told(words, group, impact.now),
                paths: group.paths,
                census: group.census,
                items: group.items.iter().map(item).collect(),
            }
        };
        if impact.effects.is_some() {
            return Self { groups: Vec::new(), missing: Vec::new(), open: false, lines: Vec::new() };
        }
        Self {
            groups: impact.preview.groups.iter().map(group).collect(),
            missing: impact.preview.missing.iter().map(|path| visible(path)).collect(),
            open: impact.preview.open,
            lines: prompt.touches.clone(),
        }
    }
}
