//! The effects of a staged run, for the judge and for people.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use crate::stage::entries::dress::dressed;
use crate::stage::entries::entry::{Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::{Fault, StageError};
use crate::stage::overlay::compare::{SideEntry, same_bytes};
use crate::stage::overlay::links;
use crate::stage::overlay::watch::FileWatch;
use crate::stage::overlay::{
    upper, upper::Delta, upper::Depth, upper::Likeness, upper::Merged, upper::Pair, upper::Reading,
};
use crate::stage::place::Own;
use crate::stage::run::{Run, Shown, StagesConfig};
use crate::stage::vault::{room, room::OwnMade, room::Room};
use guarda_core::effects::Effects;
use guarda_core::effects::{Below, Change, Entry, EntryKind, NO_ROOM};
use guarda_core::git_config;

/// The limits for reading the changes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Budget {
    /// The most names that are examined below one root. With more, reading fails.
    pub entries: u64,
    /// The most bytes of differences between texts, in total, with their paths below the root.
    pub diff_bytes: usize,
    /// A person approved the run, so its old versions may give way to later ones.
    pub asked: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { entries: 1_000_000, diff_bytes: 64 * 1024, asked: false }
    }
}

/// Whether a change in a folder that was created or deleted as a whole is listed individually.
pub type Single<'a> = &'a dyn Fn(&Change) -> bool;

/// Removes entries below folders that were created or deleted as a whole, except those that are listed individually.
pub(in crate::stage) fn without_others(mut effects: Effects, single: Single<'_>) -> Effects {
    let whole = |change: &Change| {
        let folder = |entry: &Option<Entry>| entry.as_ref().is_some_and(|one| one.kind == EntryKind::Folder);
        folder(&change.was) != folder(&change.is)
    };
    let folders: HashSet<PathBuf> =
        effects.changes.iter().filter(|change| whole(change)).map(|change| change.path.clone()).collect();
    let inner = |change: &Change| change.path.ancestors().skip(1).any(|above| folders.contains(above));
    effects.changes.retain(|change| !inner(change) || single(change));
    effects
}

/// Reads the effects of a run from its upper folders.
pub(in crate::stage) fn effects(
    config: &StagesConfig,
    run: &Run,
    budget: Budget,
    single: Single<'_>,
) -> Result<Effects, StageError> {
    let mut effects = Effects::default();
    let mut left = budget.diff_bytes;
    run.end_work();
    let mut watch = FileWatch::new(config, run.since).beside(OwnMade::of(config, run));
    let (begun, dressed, own) = (run.shown(config), dressed(config, run), config.own());
    let reading = Reading { own: &own, dressed: &dressed, depth: Depth::Shown, most: budget.entries };
    let mut shown = Vec::new();
    for root in &run.roots {
        let (up, low) = root.trees()?;
        let mut delta = upper::read(&up, &low, &reading, &mut left)?;
        effects.refused.append(&mut delta.refused);
        let is_root = |one: &&Shown| one.path == root.root;
        shown.extend(delta.merged.iter().map(|folder| Shown {
            path: low.path(&folder.path),
            id: folder.low.id,
            before: folder.before.clone(),
            other: delta.is_other(folder, run.since)
                || folder.path.as_os_str().is_empty()
                    && begun.iter().find(is_root).is_some_and(|one| one.id != folder.low.id),
        }));
        let report = Report { up: &up, low: &low, single, own: &own };
        report.all(delta, config.now()?, &mut watch, &mut effects.changes)?;
    }
    if let Some((path, program)) = watch.writer() {
        return Err(StageError::Open { path, program });
    }
    run.write_shown(config, &shown)?;
    effects.changes.sort_by(|one, other| one.path.cmp(&other.path));
    let (room, bytes) = (Room::of(config, run), watch.sum.bytes);
    let fits = if budget.asked || !watch.of_others { room.holds(bytes) } else { room.may_promise(bytes) };
    effects.final_because = (!fits).then(|| NO_ROOM.to_owned());
    if !budget.asked && fits && watch.of_others && bytes > 0 {
        room::promise(config, run)?;
    }
    Ok(effects)
}

struct Report<'a> {
    up: &'a Tree,
    low: &'a Tree,
    single: Single<'a>,
    own: &'a Own,
}

impl Report<'_> {
    fn all(
        &self,
        delta: Delta,
        now: Time,
        watch: &mut FileWatch<'_>,
        changes: &mut Vec<Change>,
    ) -> Result<(), StageError> {
        let since = watch.since;
        for folder in delta.merged.iter().filter(|folder| is_changed(folder, since, now)) {
            changes.push(Change {
                path: self.low.path(&folder.path),
                was: Some(folder.low.entry(EntryKind::Folder)),
                is: Some(folder.up.entry(EntryKind::Folder)),
                same: true,
                ..Change::default()
            });
        }
        let moved: HashMap<PathBuf, PathBuf> =
            renames(&delta.pairs, self.up, self.low)?.into_iter().collect();
        let linked = links::find(&delta, (self.up, self.low));
        for (at, pair) in delta.pairs.into_iter().enumerate() {
            let from = moved.get(&pair.path);
            let is_folder = |seen: &Option<Seen>| seen.as_ref().is_some_and(Seen::is_folder);
            let (mut was, mut is) = (None, None);
            if let Some(seen) = &pair.low {
                let mut one = entry(self.low, &pair.path, seen)?;
                let mut watch = Some(&mut *watch).filter(|_| !pair.inner);
                if let Some(watch) = &mut watch {
                    watch.note(self.low, &pair.path, seen);
                }
                if seen.is_folder() && !is_folder(&pair.up) {
                    one.below = self.below(self.low, &pair.path, watch, changes)?;
                }
                was = Some(one);
            }
            if let Some(seen) = &pair.up {
                let mut one = entry(self.up, &pair.path, seen)?;
                if seen.is_folder() && !is_folder(&pair.low) {
                    one.below = self.below(self.up, &pair.path, None, changes)?;
                }
                is = Some(one);
            }
            let linked = linked.iter().find(|linked| linked.pair == at);
            let touched = pair.likeness == Likeness::Touched;
            for (path, seen) in linked.into_iter().flat_map(|linked| &linked.others) {
                changes.push(Change {
                    path: self.low.path(path),
                    was: Some(entry(self.low, path, seen)?),
                    is: is.clone(),
                    same: pair.likeness.is_same() || from.is_some(),
                    touched,
                    ..Change::default()
                });
            }
            changes.push(Change {
                path: self.low.path(&pair.path),
                inert: self.is_inert(&pair.path, pair.low.as_ref(), pair.up.as_ref()),
                parted: linked.is_some_and(|linked| linked.elsewhere),
                was,
                is,
                from: from.map(|from| self.low.path(from)),
                same: pair.likeness.is_same() || from.is_some(),
                touched,
                diff: pair.diff,
            });
        }
        Ok(())
    }

    /// See [`Change::inert`]: of a new folder, the walk below lists what a rule speaks of.
    fn is_inert(&self, path: &Path, low: Option<&Seen>, up: Option<&Seen>) -> bool {
        let Some(up) = up else { return false };
        if up.is_folder() {
            return !low.is_some_and(Seen::is_folder);
        }
        let within = |name: &str| path.parent().is_some_and(|folder| folder.ends_with(name));
        let of_git = path.ends_with("config")
            && (within(".git") || path.ancestors().any(|above| above.ends_with(".git/modules")));
        let text = |tree: &Tree, seen: &Seen| {
            let folder = tree.folder(path.parent()?).ok()?;
            SideEntry { folder: &folder, path, seen }.text(git_config::LONGEST)
        };
        let todo = |name: &str, file: &str| within(name) && path.ends_with(file);
        if todo("rebase-merge", "git-rebase-todo")
            || todo("rebase-merge", "git-rebase-todo.backup")
            || todo("sequencer", "todo")
        {
            return text(self.up, up).is_some_and(|is| git_config::todo_starts_nothing(&is));
        }
        let was = low.map(|low| text(self.low, low));
        of_git
            && was != Some(None)
            && text(self.up, up).is_some_and(|is| git_config::keeps_its_ways(was.flatten().as_deref(), &is))
    }

    /// Walks a folder that was created or deleted as a whole, and sums up its content. Entries that are listed individually are
    /// added to the changes; deleted ones are watched.
    fn below(
        &self,
        tree: &Tree,
        folder: &Path,
        mut watch: Option<&mut FileWatch<'_>>,
        changes: &mut Vec<Change>,
    ) -> Result<Below, StageError> {
        let new = std::ptr::eq(tree, self.up);
        let (mut sum, mut guarded) = (Below::default(), None);
        tree.each(folder, |_, path, seen| {
            sum.add(seen.is_folder(), if seen.kind == FileType::RegularFile { seen.size } else { 0 });
            let entry = entry(tree, path, seen)?;
            let (was, is) = if new { (None, Some(entry)) } else { (Some(entry), None) };
            let inert = new && self.is_inert(path, None, Some(seen));
            let change = Change { path: self.low.path(path), was, is, inert, ..Change::default() };
            if let Some(watch) = &mut watch {
                watch.note(tree, path, seen);
                if self.own.is(&change.path) {
                    guarded = Some(change.path.clone());
                }
            }
            if (self.single)(&change) {
                changes.push(change);
            }
            Ok(())
        })?;
        guarded.map_or(Ok(sum), |path| Err(StageError::Guarded(path)))
    }
}

/// Whether a folder itself was changed. A time during the run only says that names in it changed; one that a program has set
/// lies before the run or in the future.
fn is_changed(folder: &Merged, since: Time, now: Time) -> bool {
    let (was, is) = (folder.before.modified, folder.after.modified);
    folder.before.differs(&folder.after) || was != is && !(since..=now).contains(&is)
}

fn entry(tree: &Tree, path: &Path, seen: &Seen) -> Result<Entry, Fault> {
    let kind = match seen.kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => {
            let folder = tree.folder(path.parent().unwrap_or(Path::new("")))?;
            EntryKind::Link(SideEntry { folder: &folder, path, seen }.target()?)
        }
        FileType::Fifo => EntryKind::Fifo,
        FileType::Socket => EntryKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => EntryKind::Device,
    };
    Ok(seen.entry(kind))
}

/// The properties that a moved entry keeps.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    File(u64, Time),
    Folder(Below),
}

fn key(tree: &Tree, path: &Path, seen: &Seen) -> Result<Option<Key>, Fault> {
    Ok(match seen.kind {
        FileType::RegularFile => Some(Key::File(seen.size, seen.modified)),
        FileType::Directory => Some(Key::Folder(tree.below(path, |seen| seen.size)?))
            .filter(|key| *key != Key::Folder(Below::default())),
        _ => None,
    })
}

/// Finds new files and folders that were moved, and their old paths, which an overlay does not record.
pub(in crate::stage) fn renames(
    pairs: &[Pair],
    up: &Tree,
    low: &Tree,
) -> Result<Vec<(PathBuf, PathBuf)>, Fault> {
    let is_new = |pair: &&Pair| pair.low.is_none();
    let is_gone = |pair: &&Pair| pair.up.is_none();
    if !pairs.iter().any(|pair| is_new(&pair)) {
        return Ok(Vec::new());
    }
    let mut gone: HashMap<Key, Vec<&Pair>> = HashMap::new();
    for pair in pairs.iter().filter(is_gone) {
        if let Some(key) = pair.low.as_ref().map(|seen| key(low, &pair.path, seen)).transpose()?.flatten() {
            gone.entry(key).or_default().push(pair);
        }
    }
    let mut found = Vec::new();
    if gone.is_empty() {
        return Ok(found);
    }
    for pair in pairs.iter().filter(is_new) {
        let Some(is) = &pair.up else { continue };
        let candidates = match key(up, &pair.path, is)? {
            Some(key) => gone.get_mut(&key),
            None => None,
        };
        let Some(candidates) = candidates else { continue };
        // A few are enough: files of one size and time, to the nanosecond, hardly ever differ.
        let mut same = None;
        for (place, other) in candidates.iter().enumerate().take(4) {
            if let Some(was) = &other.low
                && is_same(low, &other.path, was, up, &pair.path, is)?
            {
                same = Some(place);
                break;
            }
        }
        if let Some(place) = same {
            found.push((pair.path.clone(), candidates.remove(place).path.clone()));
        }
    }
    Ok(found)
}

/// Whether two files, or everything below two folders, have the same content.
fn is_same(low: &Tree, old: &Path, was: &Seen, up: &Tree, new: &Path, is: &Seen) -> Result<bool, Fault> {
    let sides = |old: &Path, was: &Seen, new: &Path, is: &Seen| -> Result<bool, Fault> {
        if (was.kind, was.size, was.modified) != (is.kind, is.size, is.modified) {
            return Ok(was.is_folder() && is.is_folder());
        }
        if was.kind != FileType::RegularFile {
            return Ok(true);
        }
        let parent = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
        let (l, u) = (low.folder(&parent(old))?, up.folder(&parent(new))?);
        same_bytes(
            SideEntry { folder: &l, path: old, seen: was },
            SideEntry { folder: &u, path: new, seen: is },
        )
    };
    if !was.is_folder() {
        return sides(old, was, new, is);
    }
    let mut same = true;
    up.each(new, |_, path, is| {
        let there = old.join(path.strip_prefix(new).unwrap_or(path));
        if same {
            let folder = low.folder(there.parent().unwrap_or(Path::new("")));
            // A folder that is missing is a difference, not a fault.
            let was = folder.ok().map(|folder| low.see(&folder, &there)).transpose()?.flatten();
            same = was.map_or(Ok(false), |was| sides(&there, &was, path, is))?;
        }
        Ok(())
    })?;
    Ok(same)
}
