//! A staged run's changes as one spoken sentence: at most two verbs, the most serious first, and whether the changes
//! can be undone.

use std::collections::BTreeSet;
use std::path::Path;

use crate::wording::describe::names::{listed, place, placed, spoken};
use crate::wording::describe::staged::Staged;
use crate::wording::known::Known;
use crate::wording::plain::audible;
use crate::wording::words::Words;
use crate::wording::words::size;
use guarda_core::effects::{Change, ChangeKind, Entry, EntryKind, NO_ROOM};

/// The size, in bytes, from which the sentence tells it.
const LARGE: u64 = 100_000_000;
/// The greatest number of names in the sentence.
const NAMED: usize = 3;

impl<'a> Staged<'a> {
    /// The sentence: `This deletes 3 files from Downloads: a, b and c, 12 MB; it can be undone for 7 days.`
    #[must_use]
    pub fn sentence(&self, words: &Words) -> String {
        match self.changes(words) {
            None => words.say("staged-nothing", &[]),
            Some(what) => words.say("staged", &[("what", what.into()), ("undo", self.undo(words).into())]),
        }
    }

    /// What the run does, as a verb with its objects: `deletes 3 files from Downloads: a, b and c, 12 MB`. `None` if it changes
    /// nothing.
    #[must_use]
    pub fn changes(&self, words: &Words) -> Option<String> {
        let groups = self.groups();
        let mut told = groups.iter().map(|(mark, changes)| self.verb(words, *mark, changes));
        let (first, second) = (told.next()?, told.next());
        let left: usize = groups.iter().skip(2).map(|(_, changes)| changes.len()).sum();
        Some(match second {
            None => first,
            Some(second) if left == 0 => {
                words.say("staged-and", &[("first", first.into()), ("second", second.into())])
            }
            Some(second) => words.say(
                "staged-more",
                &[("first", first.into()), ("second", second.into()), ("count", left.into())],
            ),
        })
    }

    /// How much of the question a yes requires: the sentence, if it names everything that is lost; otherwise the list.
    pub(crate) fn takes(self) -> Known {
        let lost = |mark: ChangeKind| matches!(mark, ChangeKind::Deleted | ChangeKind::Replaced);
        let all = self.told().iter().filter(|(mark, _)| lost(*mark)).count();
        let groups = self.groups();
        let groups = groups.iter().filter(|(mark, changes)| lost(*mark) && changes.len() <= NAMED);
        let named = groups.flat_map(|(_, changes)| changes).filter(|change| self.is_spoken(&change.path));
        match named.count() {
            _ if all == 0 => Known::Begun,
            named if named == all => Known::Sentence,
            _ => Known::Whole,
        }
    }

    /// Whether a path is spoken exactly as it is, without hidden characters and without a cut.
    fn is_spoken(&self, path: &Path) -> bool {
        let told = self.path(path);
        path.to_str().is_some_and(|path| audible(path) == path) && spoken(&told) == told
    }

    /// The changes by kind. Files in a folder that was created or deleted are described with the folder.
    fn groups(&self) -> Vec<(ChangeKind, Vec<&'a Change>)> {
        let whole = |change: &&Change| {
            matches!(change.kind(), ChangeKind::Created | ChangeKind::Deleted | ChangeKind::Renamed)
                && change.was.as_ref().or(change.is.as_ref()).is_some_and(Entry::is_folder)
        };
        let folders: BTreeSet<&Path> =
            self.effects.changes.iter().filter(whole).map(|change| change.path.as_path()).collect();
        let mut groups: Vec<(ChangeKind, Vec<&Change>)> = Vec::new();
        for (mark, change) in self.told() {
            if change.path.ancestors().skip(1).any(|above| folders.contains(above)) {
                continue;
            }
            match groups.last_mut() {
                Some((last, changes)) if *last == mark => changes.push(change),
                _ => groups.push((mark, vec![change])),
            }
        }
        groups
    }

    /// One verb with its objects: their number, folder, names and size.
    fn verb(&self, words: &Words, mark: ChangeKind, changes: &[&Change]) -> String {
        if let Some(moved) = self.moved(words, mark, changes) {
            return moved;
        }
        let mut things = self.things(words, mark, changes);
        // A link's size is the length of its target, and says nothing about what is lost.
        let sized =
            changes.iter().filter_map(|change| counted(mark, change)).filter(|entry| kind(entry) != "link");
        let bytes: u64 = sized.map(Entry::bytes).sum();
        // A size that nobody would worry about is only shown.
        if bytes >= LARGE && !matches!(mark, ChangeKind::Renamed | ChangeKind::Attributes) {
            things = format!("{things}, {}", rounded(words, bytes));
        }
        let modes = |change: &&Change| match (&change.was, &change.is) {
            (Some(was), Some(is)) => was.mode != is.mode && was.owner == is.owner,
            _ => false,
        };
        let permissions = mark == ChangeKind::Attributes && changes.iter().all(modes);
        // A text that keeps some of its lines counts as edited, not as overwritten.
        let part = |change: &&Change| {
            change.diff.as_deref().is_some_and(|diff| diff.lines().any(|line| line.starts_with(' ')))
        };
        let edited = mark == ChangeKind::Changed && changes.iter().all(part);
        let id = match mark {
            _ if permissions => "permissions",
            _ if edited => "edited",
            mark => mark.name(),
        };
        words.say(&format!("staged-{id}"), &[("things", things.into())])
    }

    /// A file that keeps its name in another folder counts as moved, not as renamed.
    fn moved(&self, words: &Words, mark: ChangeKind, changes: &[&Change]) -> Option<String> {
        let parent = changes.first()?.path.parent()?;
        let keeps = |change: &&Change| {
            let from = change.from.as_deref();
            change.path.parent() == Some(parent)
                && from.is_some_and(|from| {
                    from.file_name() == change.path.file_name() && from.parent() != Some(parent)
                })
        };
        if mark != ChangeKind::Renamed || !changes.iter().all(keeps) {
            return None;
        }
        let name = |change: &&Change| {
            let name = spoken(&change.path.file_name().unwrap_or_default().to_string_lossy());
            let kind = change.is.as_ref().map_or("other", kind);
            words.say("staged-thing", &[("kind", kind.into()), ("name", name.into())])
        };
        let things = if changes.len() > NAMED {
            words.say("staged-items", &[("count", changes.len().into())])
        } else {
            listed(words, &changes.iter().map(name).collect::<Vec<_>>())
        };
        let folder = self.path(parent);
        let kind = match folder.as_str() {
            "~" => "home",
            "/" => "root",
            _ => "other",
        };
        let place = place(words, &folder);
        let told = [("things", things.into()), ("kind", kind.into()), ("place", place.into())];
        Some(words.say("staged-moved-to", &told))
    }

    fn things(&self, words: &Words, mark: ChangeKind, changes: &[&Change]) -> String {
        let place = self.place(changes);
        let placed = |what: String| match &place {
            None => what,
            Some(folder) => {
                let id = if mark == ChangeKind::Deleted { "from-place" } else { "in-place" };
                format!("{what}{}", placed(words, id, folder))
            }
        };
        let entries: Vec<&Entry> = changes.iter().filter_map(|change| counted(mark, change)).collect();
        let inside: u64 = entries.iter().map(|entry| entry.below.files).sum();
        let with = |what: String| {
            if inside == 0 {
                return what;
            }
            let files = words.say("touch-files", &[("count", inside.into())]);
            words.say("staged-with", &[("what", what.into()), ("inside", files.into())])
        };
        let thing = |kind: &'static str, name: String| {
            let id = if mark == ChangeKind::Attributes { "staged-of" } else { "staged-thing" };
            words.say(id, &[("kind", kind.into()), ("name", name.into())])
        };
        if let [change] = changes {
            let name = self.name(words, place.is_some(), change);
            let kind = entries.first().map_or("other", |entry| kind(entry));
            let thing = |name: String| thing(kind, name);
            let one = match change.from.as_deref().and_then(Path::file_name) {
                Some(from) => {
                    let from = thing(spoken(&from.to_string_lossy()));
                    words.say("staged-renamed-to", &[("from", from.into()), ("to", name.into())])
                }
                None => thing(name),
            };
            return with(placed(one));
        }
        let folders = entries.iter().copied().filter(|entry| entry.is_folder()).count();
        let id = match folders {
            0 => "touch-files",
            all if all == entries.len() => "touch-folders",
            _ => "staged-items",
        };
        let count = placed(thing("other", words.say(id, &[("count", changes.len().into())])));
        if changes.len() > NAMED {
            return with(count);
        }
        let names: Vec<String> =
            changes.iter().map(|change| self.name(words, place.is_some(), change)).collect();
        let names = listed(words, &names);
        with(words.say("touch-told", &[("fate", count.into()), ("what", names.into())]))
    }

    /// The common folder for speech; `None` for the working folder, or if there are several.
    fn place(&self, changes: &[&Change]) -> Option<String> {
        let parent = changes.first()?.path.parent()?;
        if !changes.iter().all(|change| change.path.parent() == Some(parent)) || parent == Path::new(self.cwd)
        {
            return None;
        }
        Some(self.path(parent))
    }

    /// A name for speech. The folder is left out if it is mentioned already or is the working folder.
    fn name(&self, words: &Words, placed: bool, change: &Change) -> String {
        match change.path.file_name().filter(|_| placed) {
            Some(name) => spoken(&name.to_string_lossy()),
            None => place(words, &self.path(&change.path)),
        }
    }

    /// Whether the changes can be undone, as a spoken sentence; `None` if nothing changes.
    #[must_use]
    pub fn fate(&self, words: &Words) -> Option<String> {
        if self.effects.changes.is_empty() {
            return None;
        }
        Some(match (self.effects.final_because.as_deref(), self.undo_days) {
            (Some(NO_ROOM), _) => words.say("undo-no-room", &[("size", self.lost(words).into())]),
            (Some(_), _) | (None, None) => words.say("undo-never", &[]),
            (None, Some(_)) => words.say("undo-yes", &[]),
        })
    }

    /// The size of what would be lost.
    fn lost(&self, words: &Words) -> String {
        let old = self.effects.changes.iter().filter_map(|change| change.was.as_ref());
        rounded(words, old.map(Entry::bytes).sum())
    }

    /// Whether the changes can be undone.
    fn undo(&self, words: &Words) -> String {
        match (self.effects.final_because.as_deref(), self.undo_days) {
            (Some(NO_ROOM), _) => words.say("staged-no-room", &[("size", self.lost(words).into())]),
            (Some(_), _) | (None, None) => words.say("staged-final", &[]),
            (None, Some(days)) => words.say("staged-undo", &[("count", days.into())]),
        }
    }
}

/// The entry that counts for size and content: the lost one, or else the new one.
fn counted(mark: ChangeKind, change: &Change) -> Option<&Entry> {
    match mark {
        ChangeKind::Created | ChangeKind::Renamed => change.is.as_ref(),
        _ => change.was.as_ref(),
    }
}

/// The kind of an entry, which selects its noun.
fn kind(entry: &Entry) -> &'static str {
    match entry.kind {
        EntryKind::File => "file",
        EntryKind::Folder => "folder",
        EntryKind::Link(_) => "link",
        EntryKind::Fifo | EntryKind::Socket | EntryKind::Device => "other",
    }
}

/// A size for speech, without a zero decimal and with the word for bytes.
pub(crate) fn rounded(words: &Words, bytes: u64) -> String {
    if bytes < 1000 {
        return words.say("size-bytes", &[("count", bytes.into())]);
    }
    size(words, bytes).replace(",0 ", " ").replace(".0 ", " ")
}
