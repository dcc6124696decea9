//! Old versions of what a deed that is not staged is about to change: kept before it, compared after it, undone as the
//! commit of a staged run is.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use uuid::Uuid;

use super::attributes::Attributes;
use super::commit::{settle, weigh};
use super::compare;
use super::copy::{How, copy};
use super::entry::{Id, Seen, Time};
use super::fault::{Fault, NotKept};
use super::plan::{Folder, Move, Plan, Progress, Root, Side, State};
use super::run::{Run, StagesConfig};
use super::tree::Tree;
use super::watch::Watch;
use super::wipe;

/// What is going to happen to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is deleted or moved away: another name for each file is enough.
    Removed,
    /// It is made, written to or replaced: its bytes are copied, and the file itself is kept by another name as well.
    Written,
    /// The same, and nothing is done to the file: a further name would move its time of change of status on.
    Copied,
}

/// A name in a folder that is there.
struct Spot {
    folder: PathBuf,
    name: OsString,
    fate: Fate,
}

/// How something is kept.
pub(super) struct Terms<'a> {
    /// The state from then on.
    pub(super) state: fn(Time) -> State,
    /// What is noted besides, before anything is kept.
    pub(super) note: &'a dyn Fn(&Run) -> Result<(), Fault>,
}

/// Keeps what stands at these paths, given by real folders; what is not there is noted to be new.
pub(super) fn keep(
    config: &StagesConfig,
    id: Uuid,
    paths: &[(PathBuf, Fate)],
    terms: &Terms<'_>,
) -> Result<Run, NotKept> {
    let spots = spots(paths)?;
    let mut folders: Vec<PathBuf> = spots.iter().map(|spot| spot.folder.clone()).collect();
    folders.sort();
    folders.dedup();
    let run = Run::note(config, id, &folders)?;
    let kept = fill(config, &run, &spots, &folders, terms);
    if kept.is_err() {
        // What cannot be removed now is removed at the next start.
        let _ = run.remove(config);
    }
    kept.map(|()| run)
}

/// The folder that is there, and the name in it at which something would change.
fn spots(paths: &[(PathBuf, Fate)]) -> Result<Vec<Spot>, NotKept> {
    let mut spots: Vec<Spot> = Vec::new();
    let mut sorted: Vec<&(PathBuf, Fate)> = paths.iter().collect();
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    for (path, fate) in sorted {
        let below = |spot: &Spot| path.starts_with(spot.folder.join(&spot.name));
        if spots.iter().any(below) {
            continue;
        }
        let there = path.ancestors().skip(1).find(|above| above.is_dir());
        let name = there.and_then(|there| path.strip_prefix(there).ok()?.components().next());
        let (Some(there), Some(name)) = (there, name) else { return Err(NotKept::Path(path.clone())) };
        spots.push(Spot { folder: there.to_owned(), name: name.as_os_str().to_owned(), fate: *fate });
    }
    Ok(spots)
}

fn fill(
    config: &StagesConfig,
    run: &Run,
    spots: &[Spot],
    folders: &[PathBuf],
    terms: &Terms<'_>,
) -> Result<(), NotKept> {
    (terms.note)(run)?;
    let mut plan = Plan::default();
    let mut trees = Vec::new();
    for (number, root) in run.roots.iter().enumerate() {
        let (store, real) = root.trees()?;
        let opened = real.folder(Path::new(""))?;
        let seen = Seen::of(&opened).map_err(Fault::at("looking at", &root.root))?;
        let attributes = Attributes::of_folder(&opened, Path::new(""), &seen)?;
        plan.roots.push(Root { path: root.root.clone(), store: root.upper.clone() });
        plan.folders.push(Folder {
            root: number,
            path: PathBuf::new(),
            store: None,
            id: seen.id,
            old: attributes.clone(),
            new: attributes,
        });
        trees.push((store, real, opened));
    }
    let mut kept = Vec::new();
    for spot in spots {
        let Ok(number) = folders.binary_search(&spot.folder) else { continue };
        let Some((store, real, opened)) = trees.get(number) else { continue };
        let path = Path::new(&spot.name);
        let seen = real.see(opened, path)?;
        if let Some(seen) = &seen {
            config.own().spare(&real.path(path), seen)?;
        }
        weigh(&mut plan.old, seen.as_ref(), real, path)?;
        kept.push((number, spot, store, real, seen));
    }
    if plan.old.bytes > config.most_bytes {
        return Err(NotKept::TooMuch(plan.old.bytes));
    }
    for (number, spot, store, real, seen) in kept {
        let path = Path::new(&spot.name);
        let mut old = None;
        if let Some(seen) = &seen {
            let how = if spot.fate == Fate::Removed { How::Link } else { How::Copy };
            copy(real, path, store, path, how)?;
            if spot.fate == Fate::Written && !seen.is_folder() {
                link_too(run, number, real, path);
            }
            old = store.see(&store.folder(Path::new(""))?, path)?.map(|seen| seen.id);
        }
        let new = seen.map(|seen| seen.id);
        plan.moves.push(Move { folder: number, name: spot.name.clone(), stored: None, old, new });
    }
    run.write_plan(config, &plan)?;
    let state = (terms.state)(config.now()?);
    let keeping = Progress { id: run.id, at: super::seconds(), side: Side::New, state, before: Vec::new() };
    run.write_progress(config, &keeping)?;
    Ok(run.sync(config)?)
}

/// Gives a file that is copied another name as well: it is the file itself that returns, with all its names, if the deed
/// puts another one in its place.
fn link_too(run: &Run, number: usize, real: &Tree, path: &Path) {
    let Some(aside) = run.roots.get(number).and_then(|root| Tree::open(&root.work).ok()) else { return };
    let folders = real.folder(Path::new("")).and_then(|from| Ok((from, aside.folder(Path::new(""))?)));
    if let Ok((from, to)) = folders {
        // Where that is not possible there is still the copy.
        let _ = rustix::fs::linkat(from, path, to, path, rustix::fs::AtFlags::empty());
    }
}

/// Takes the file itself in place of its copy, if it was replaced by another one and not written to before; what is kept now.
fn take_itself(run: &Run, number: usize, name: &OsStr, replaced: bool) -> Result<Option<Id>, Fault> {
    let Some(root) = run.roots.get(number) else { return Ok(None) };
    let (aside, store) = (Tree::open(&root.work)?, Tree::open(&root.upper)?);
    let (from, to) = (aside.folder(Path::new(""))?, store.folder(Path::new(""))?);
    let path = Path::new(name);
    let taken = if replaced && is_intact((&from, &aside), (&to, &store), path)? {
        rustix::fs::renameat(from, name, &to, name)
    } else {
        rustix::fs::unlinkat(from, name, rustix::fs::AtFlags::empty())
    };
    match taken {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(Fault::at("renaming", &root.upper.join(name))(error)),
    }
    Ok(store.see(&to, Path::new(name))?.map(|seen| seen.id))
}

/// Removes what was kept of a name that was left alone: a further name of a file would show.
fn forget(run: &Run, number: usize, name: &OsStr) -> Result<(), Fault> {
    let Some(root) = run.roots.get(number) else { return Ok(()) };
    wipe::wipe(&root.upper.join(name))?;
    wipe::wipe(&root.work.join(name))
}

/// Whether a file that is kept by another name is still what was copied.
fn is_intact(
    (from, aside): (&OwnedFd, &Tree),
    (to, store): (&OwnedFd, &Tree),
    path: &Path,
) -> Result<bool, Fault> {
    let (Some(itself), Some(copy)) = (aside.see(from, path)?, store.see(to, path)?) else { return Ok(false) };
    let itself = compare::Side { folder: from, path, seen: &itself };
    compare::same_file(itself, compare::Side { folder: to, path, seen: &copy })
}

/// What a deed left behind that was not staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// It can be undone.
    Held,
    /// It changed nothing.
    Unchanged,
    /// It wrote to a file that it was to remove, and nothing else: that cannot be undone.
    Lost(PathBuf),
}

/// Notes what the deed left, as far as it came.
pub(super) fn finish(
    config: &StagesConfig,
    run: &Run,
    mut plan: Plan,
    progress: Progress,
) -> Result<Left, Fault> {
    let State::Keeping(since) = progress.state else { return Ok(Left::Unchanged) };
    let mut left = Left::Unchanged;
    let mut moves = Vec::new();
    for mut one in std::mem::take(&mut plan.moves) {
        let Some(root) = plan.roots.get(one.folder) else { continue };
        let real = Tree::open(&root.path)?;
        let path = PathBuf::from(&one.name);
        let seen = real.see(&real.folder(Path::new(""))?, &path)?;
        let mut watch = Watch::new(config, since);
        if let Some(seen) = &seen {
            // What belongs to the guard was not to be deleted either, and is not looked at.
            let _ = watch.look(&real, &path, seen);
        }
        let now = seen.map(|seen| seen.id);
        let untouched = now == one.new && watch.foreign.is_empty();
        // A file that was kept by another name, and is still there: its old bytes are gone, if it was written to.
        let itself = now.is_some() && now == one.old;
        if untouched {
            forget(run, one.folder, &one.name)?;
        } else if itself {
            left = Left::Lost(real.path(&path));
        } else {
            if one.old.is_some() {
                one.old = take_itself(run, one.folder, &one.name, now != one.new)?;
            }
            one.new = now;
            moves.push(one);
        }
    }
    plan.moves = moves;
    if plan.moves.is_empty() {
        run.remove(config)?;
        return Ok(left);
    }
    for folder in &mut plan.folders {
        let Some(root) = plan.roots.get(folder.root) else { continue };
        let opened = Tree::open(&root.path)?.folder(Path::new(""))?;
        let seen = Seen::of(&opened).map_err(Fault::at("looking at", &root.path))?;
        folder.new = Attributes::of_folder(&opened, Path::new(""), &seen)?;
    }
    for one in &plan.moves {
        let Some(root) = plan.roots.get(one.folder) else { continue };
        let (real, path) = (Tree::open(&root.path)?, Path::new(OsStr::new(&one.name)));
        let seen = real.see(&real.folder(Path::new(""))?, path)?;
        weigh(&mut plan.new, seen.as_ref(), &real, path)?;
    }
    run.write_plan(config, &plan)?;
    settle(config, run, progress, &mut |_| {})?;
    Ok(Left::Held)
}
