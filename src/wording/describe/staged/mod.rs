//! A staged run's changes for a person: one sentence for speech, and the full list for display. None of it decides
//! anything.

mod lines;
mod sentence;

pub use lines::{DiffLine, EffectLine, Sign};
pub(crate) use sentence::rounded;

use std::collections::BTreeSet;
use std::path::Path;

use crate::wording::plain::visible;
use crate::wording::words::Words;
use guarda_core::effects::{Change, ChangeKind, Entry, EntryKind};
use guarda_core::effects::{Effects, NO_ROOM};

/// How many hosts and ports a sentence names.
const NAMED: usize = 8;

/// Further sentences about a run: processes that it left behind, and hosts that it tried to reach.
#[must_use]
pub fn notes(words: &Words, effects: &Effects) -> Vec<String> {
    let tried = &effects.tried;
    let named = |local| {
        let mut names: Vec<String> = tried.sought(local).map(ToString::to_string).collect();
        if names.len() > NAMED {
            names.truncate(NAMED);
            names.push("…".to_owned());
        }
        names.join(", ")
    };
    let notes = [
        ("staged-strays", u64::from(effects.strays), String::new()),
        ("staged-machines", tried.machines, named(false)),
        ("staged-ports", tried.ports, named(true)),
    ];
    let told = notes.into_iter().filter(|(_, count, _)| *count > 0).map(|(id, count, names)| {
        let sentence = words.say(id, &[("count", count.into())]);
        if names.is_empty() { sentence } else { words.labelled(sentence.trim_end_matches('.'), &names) }
    });
    let because = effects.final_because.as_deref().filter(|why| *why != NO_ROOM);
    let because = because.map(|why| words.say("staged-because", &[("why", visible(why).into())]));
    because.into_iter().chain(told).collect()
}

/// The changes of a run, with the context for describing them.
#[derive(Debug, Clone, Copy)]
pub struct Staged<'a> {
    /// The changes.
    pub effects: &'a Effects,
    /// For how many days they can be undone; `None` if they cannot be.
    pub undo_days: Option<u32>,
    /// The home folder; paths below it begin with `~`. Empty if unknown.
    pub home: &'a str,
    /// The working folder; paths below it are relative to it. Empty if unknown.
    pub cwd: &'a str,
}

/// The order in which changes are shown, the most serious first, each with the sign before its line.
const SHOWN: [(ChangeKind, char); 6] = [
    (ChangeKind::Deleted, '−'),
    (ChangeKind::Replaced, '±'),
    (ChangeKind::Changed, '~'),
    (ChangeKind::Renamed, '→'),
    (ChangeKind::Created, '+'),
    (ChangeKind::Attributes, '*'),
];

impl<'a> Staged<'a> {
    /// The changes to show, the most serious first. The old path of a rename is shown with the rename.
    fn told(&self) -> Vec<(ChangeKind, &'a Change)> {
        let moved: BTreeSet<&Path> =
            self.effects.changes.iter().filter_map(|change| change.from.as_deref()).collect();
        let told = self.effects.changes.iter().map(|change| (change.kind(), change));
        let mut told: Vec<_> = told
            .filter(|(mark, change)| *mark != ChangeKind::Deleted || !moved.contains(change.path.as_path()))
            .collect();
        told.sort_by_key(|(mark, _)| SHOWN.iter().position(|(kind, _)| kind == mark));
        told
    }

    /// A path for display: relative to the working folder or the home folder, or absolute.
    fn path(&self, path: &Path) -> String {
        let below = |folder: &str| {
            let rest = (!folder.is_empty()).then(|| path.strip_prefix(folder).ok())??;
            (!rest.as_os_str().is_empty()).then_some(rest)
        };
        if let Some(rest) = below(self.cwd) {
            let told = shown(rest);
            // A file that is called ~ is not the home folder.
            return if told.starts_with('~') { format!("./{told}") } else { told };
        }
        match below(self.home) {
            Some(rest) => format!("~/{}", shown(rest)),
            None if path == Path::new(self.home) => "~".to_owned(),
            None => shown(path),
        }
    }
}

/// A path on one line. Invisible characters are made visible, and bytes that are not UTF-8 appear as numbers.
fn shown(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(&visible(chunk.valid()));
        text.extend(chunk.invalid().iter().map(|byte| format!("⟨{byte:02X}⟩")));
    }
    text
}

/// The kind and size of an entry: `folder with 3 files, 1.2 MB`, `link to a`, `12 B`.
fn entry(words: &Words, entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::File => crate::wording::words::size(words, entry.size),
        EntryKind::Folder if entry.below.files == 0 => words.say("staged-kind", &[("kind", "folder".into())]),
        EntryKind::Folder => {
            let folder = words.say("staged-kind", &[("kind", "folder".into())]);
            let files = words.say("touch-files", &[("count", entry.below.files.into())]);
            let what = words.say("staged-with", &[("what", folder.into()), ("inside", files.into())]);
            format!("{what}, {}", crate::wording::words::size(words, entry.below.bytes))
        }
        EntryKind::Link(to) => words.say("staged-link", &[("name", shown(to).into())]),
        EntryKind::Fifo => words.say("staged-kind", &[("kind", "fifo".into())]),
        EntryKind::Socket => words.say("staged-kind", &[("kind", "socket".into())]),
        EntryKind::Device => words.say("staged-kind", &[("kind", "device".into())]),
    }
}

#[cfg(test)]
mod tests;
