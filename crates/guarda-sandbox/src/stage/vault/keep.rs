//! Old versions of the files that an unstaged deed is about to change: kept before it, compared after it, and undone like
//! the commit of a staged run.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use guarda_core::effects::native;
use rustix::fs::{Access, AtFlags, FileType};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::stage::entries::attributes::Attributes;
use crate::stage::entries::copy::{How, copy};
use crate::stage::entries::entry::{Id, Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::{Fault, NotKept};
use crate::stage::overlay::compare;
use crate::stage::overlay::watch::FileWatch;
use crate::stage::overlay::{touches, touches::Touch};
use crate::stage::run::{Run, StagedRoot, StagesConfig};
use crate::stage::vault::commit::{settle, weigh};
use crate::stage::vault::plan::{Folder, Move, Plan, Progress, Root, Side, State};
use crate::stage::vault::room::{OwnMade, Room};
use crate::stage::vault::spots::{Fate, Spot, Spots};
use crate::stage::{entries::frame, vault::wipe};

/// The greatest number of files and folders whose attributes are kept for one deed.
const MOST_DRESSED: usize = 250_000;

/// Options for keeping.
pub(in crate::stage) struct Terms<'a> {
    /// The state after that.
    pub(in crate::stage) state: fn(Time) -> State,
    /// They are promised: nobody was asked, or nobody will be.
    pub(in crate::stage) promises: bool,
    /// Further notes, made before anything is kept.
    pub(in crate::stage) note: &'a dyn Fn(&Run) -> Result<(), Fault>,
}

/// Keeps the files at these paths, given by real folders; missing ones are noted as new.
pub(in crate::stage) fn keep(
    config: &StagesConfig,
    id: Uuid,
    paths: &[(PathBuf, Fate)],
    terms: &Terms<'_>,
) -> Result<Run, NotKept> {
    let spots = Spots::of(paths)?;
    let run = Run::note(config, id, &spots.folders)?;
    let kept = (terms.note)(&run).map_err(NotKept::from).and_then(|()| fill(config, &run, &spots, terms));
    if kept.is_err() {
        // What cannot be removed now is removed at the next start.
        let _ = run.remove(config);
    }
    kept.map(|()| run)
}

/// Whether the files at these paths could be kept as they are now. Nothing is kept.
pub(in crate::stage) fn may_keep(config: &StagesConfig, paths: &[(PathBuf, Fate)]) -> Result<(), NotKept> {
    let spots = Spots::of(paths)?;
    // Only making the place shows whether there is one.
    let run = Run::note(config, Uuid::now_v7(), &spots.folders)?;
    let would = survey(config, &run, (&spots, false)).and_then(|survey| survey.fits());
    run.remove(config)?;
    would
}

/// Notes the attributes of files that only get other ones, and of everything below them, except files that are kept
/// whole.
fn note_dressed(
    config: &StagesConfig,
    plan: &mut Plan,
    (root, real): (usize, &Tree),
    spot: &Spot,
    moved: &[Spot],
) -> Result<(), NotKept> {
    let own = config.own();
    let top = Path::new(&spot.name);
    let mut note = |pinned: OwnedFd, path: &Path, seen: Seen| {
        let stands = real.path(path);
        let kept = |spot: &Spot| stands.starts_with(spot.folder.join(&spot.name));
        if own.holds(&stands) || moved.iter().any(kept) {
            return Ok(());
        }
        let old = Attributes::of(&pinned, path, &seen)?;
        let new = old.clone();
        plan.folders.push(Folder { root, path: path.to_owned(), store: None, id: seen.id, old, new });
        Ok::<_, Fault>(())
    };
    let Some((pinned, seen)) = real.pin(top)? else { return Ok(()) };
    let folder = seen.is_folder();
    note(pinned, top, seen)?;
    if folder && spot.fate == (Fate::Dressed { below: true }) {
        real.each(top, |_, path, _| match real.pin(path)? {
            Some((pinned, seen)) => note(pinned, path, seen),
            None => Ok(()),
        })?;
    }
    if plan.folders.len() > MOST_DRESSED { Err(NotKept::TooMany(MOST_DRESSED as u64)) } else { Ok(()) }
}

/// The state before anything is kept.
struct Survey<'a> {
    /// The plan with the roots and the attributes, without moves.
    plan: Plan,
    /// For each root, the store and the root itself.
    trees: Vec<(Tree, Tree)>,
    /// The existing entries, each with the index of its root.
    found: Vec<(usize, &'a Spot, Option<Seen>)>,
}

/// Examines everything that is to be kept.
fn survey<'a>(
    config: &StagesConfig,
    run: &Run,
    (spots, promises): (&'a Spots, bool),
) -> Result<Survey<'a>, NotKept> {
    let mut plan = Plan::default();
    let mut trees = Vec::new();
    for (number, root) in run.roots.iter().enumerate() {
        let (store, real) = root.trees()?;
        let opened = real.folder(Path::new(""))?;
        let seen = Seen::of(&opened).map_err(Fault::at("looking at", &root.root))?;
        let attributes = Attributes::of(&opened, Path::new(""), &seen)?;
        plan.roots.push(Root { path: root.root.clone(), store: root.upper.clone() });
        plan.folders.push(Folder {
            root: number,
            path: PathBuf::new(),
            store: None,
            id: seen.id,
            old: attributes.clone(),
            new: attributes,
        });
        trees.push((store, real));
    }
    let tree_of = |spot: &Spot| {
        let number = spots.folders.binary_search(&spot.folder).ok()?;
        trees.get(number).map(|(_, real)| (number, real))
    };
    for spot in &spots.dressed {
        let Some((number, real)) = tree_of(spot) else { continue };
        note_dressed(config, &mut plan, (number, real), spot, &spots.moved)?;
    }
    let made = if promises { OwnMade::of(config, run) } else { OwnMade::default() };
    let (mut found, mut of_others) = (Vec::new(), false);
    for spot in &spots.moved {
        let Some((number, real)) = tree_of(spot) else { continue };
        let path = Path::new(&spot.name);
        let seen = real.see(&real.folder(Path::new(""))?, path)?;
        if let Some(seen) = &seen {
            config.own().spare(&real.path(path), seen)?;
            of_others |= promises && made.is_of_others(&real.path(path), seen.changed);
        }
        weigh(&mut plan.old, seen.as_ref(), real, path)?;
        found.push((number, spot, seen));
    }
    let (room, bytes) = (Room::of(config, run), plan.old.bytes);
    if !(if of_others { room.may_promise(bytes) } else { room.holds(bytes) }) {
        return Err(NotKept::TooMuch(bytes));
    }
    Ok(Survey { plan, trees, found })
}

impl Survey<'_> {
    /// Whether everything that is copied can be read, and fits on its disk.
    fn fits(&self) -> Result<(), NotKept> {
        let mut needed: HashMap<(u32, u32), u64> = HashMap::new();
        for (number, spot, seen) in &self.found {
            let (Some((_, real)), Some(top)) = (self.trees.get(*number), seen) else { continue };
            if spot.fate == Fate::Removed {
                continue;
            }
            let sum = needed.entry(top.device).or_default();
            let mut weigh = |folder: &OwnedFd, path: &Path, seen: &Seen| {
                if seen.kind == FileType::RegularFile {
                    let name = path.file_name().unwrap_or_default();
                    let may = rustix::fs::accessat(folder, name, Access::READ_OK, AtFlags::EACCESS);
                    may.map_err(Fault::at("copying", &real.path(path)))?;
                    *sum = sum.saturating_add(seen.stored);
                }
                Ok(())
            };
            let path = Path::new(&spot.name);
            weigh(&real.folder(Path::new(""))?, path, top)?;
            if top.is_folder() {
                real.each(path, weigh)?;
            }
        }
        for (root, (store, _)) in self.plan.roots.iter().zip(&self.trees) {
            let fault = |error: Errno| Fault::at("copying", &root.store)(error);
            let device = Seen::of(store).map_err(fault)?.device;
            let room = rustix::fs::statvfs(&root.store).map_err(fault)?;
            let free = room.f_bavail.saturating_mul(room.f_frsize);
            if needed.get(&device).is_some_and(|sum| *sum > free) {
                return Err(fault(Errno::NOSPC).into());
            }
        }
        Ok(())
    }
}

fn fill(config: &StagesConfig, run: &Run, spots: &Spots, terms: &Terms<'_>) -> Result<(), NotKept> {
    let Survey { mut plan, trees, found } = survey(config, run, (spots, terms.promises))?;
    let mut kept = Vec::new();
    for (root, (_, real)) in trees.iter().enumerate() {
        let seen = Seen::of(real).map_err(Fault::at("looking at", &real.path(Path::new(""))))?;
        kept.push(Original { root, path: PathBuf::new(), id: seen.id, changed: seen.changed });
    }
    for (number, spot, seen) in found {
        let Some((store, real)) = trees.get(number) else { continue };
        let path = Path::new(&spot.name);
        let mut old = None;
        if let Some(seen) = &seen {
            originals(real, path, seen, number, &mut kept)?;
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
    frame::write(&config.run(run.id).join("kept"), &kept)?;
    note_copies(config, run)?;
    run.write_plan(config, &plan)?;
    let state = (terms.state)(config.now()?);
    let keeping =
        Progress { id: run.id, at: crate::stage::run::seconds(), side: Side::New, state, before: Vec::new() };
    run.write_progress(config, &keeping)?;
    Ok(run.sync(config)?)
}

/// An entry that was kept, as it was before.
#[derive(Serialize, Deserialize)]
struct Original {
    root: usize,
    #[serde(with = "native")]
    path: PathBuf,
    id: Id,
    changed: Time,
}

/// Notes an entry and everything below it.
fn originals(
    real: &Tree,
    path: &Path,
    seen: &Seen,
    root: usize,
    kept: &mut Vec<Original>,
) -> Result<(), Fault> {
    let mut note = |path: &Path, seen: &Seen| {
        kept.push(Original { root, path: path.to_owned(), id: seen.id, changed: seen.changed });
    };
    note(path, seen);
    if !seen.is_folder() {
        return Ok(());
    }
    real.each(path, |_, path, seen| {
        note(path, seen);
        Ok(())
    })
}

/// Notes which kept entry stands for which original. The links of a deleted file get another time by that, and so do the
/// folders of the names.
pub(in crate::stage) fn note_copies(config: &StagesConfig, run: &Run) -> Result<(), Fault> {
    let originals: Vec<Original> = frame::read(&config.run(run.id).join("kept")).unwrap_or_default();
    let trees = run.roots.iter().map(StagedRoot::trees).collect::<Result<Vec<_>, _>>()?;
    let mut noted = Vec::new();
    for Original { root, path, id, changed } in originals {
        let Some((store, real)) = trees.get(root) else { continue };
        let is_root = path.as_os_str().is_empty();
        let tree = if is_root { real } else { store };
        if let Some((_, kept)) = tree.pin(&path)?.filter(|(_, kept)| !is_root || kept.id == id) {
            noted.push(Touch { id: kept.id, was: id, before: changed, after: kept.changed });
        }
    }
    touches::write(config, run, &noted)
}

/// Also makes a hard link to a copied file: if the deed replaces the file by another one, an undo returns the file itself,
/// with all its names.
fn link_too(run: &Run, number: usize, real: &Tree, path: &Path) {
    let Some(aside) = run.roots.get(number).and_then(|root| Tree::open(&root.work).ok()) else { return };
    let folders = real.folder(Path::new("")).and_then(|from| Ok((from, aside.folder(Path::new(""))?)));
    if let Ok((from, to)) = folders {
        // If this fails, the copy still exists.
        let _ = rustix::fs::linkat(from, path, to, path, rustix::fs::AtFlags::empty());
    }
}

/// Notes the current attributes. Files with the same ones as before, and files that were replaced, are not undone.
fn dress_now(plan: &mut Plan) -> Result<(), Fault> {
    let moved: HashSet<usize> = plan.moves.iter().map(|one| one.folder).collect();
    let roots = plan.roots.len();
    let trees = plan.roots.iter().map(|root| Tree::open(&root.path)).collect::<Result<Vec<_>, _>>()?;
    for (at, mut folder) in std::mem::take(&mut plan.folders).into_iter().enumerate() {
        let Some(real) = trees.get(folder.root) else { continue };
        let now = match real.pin(&folder.path)? {
            Some((pinned, seen)) if at < roots || seen.id == folder.id => {
                Some(Attributes::of(&pinned, &folder.path, &seen)?)
            }
            Some(_) | None => None,
        };
        // Moves lead to the roots by their numbers.
        match now {
            Some(now) if at < roots => {
                if !moved.contains(&at) {
                    folder.old = now.clone();
                }
                plan.folders.push(Folder { new: now, ..folder });
            }
            None if at < roots => plan.folders.push(folder),
            Some(now) if now != folder.old => plan.folders.push(Folder { new: now, ..folder }),
            Some(_) | None => {}
        }
    }
    Ok(())
}

/// Keeps the file itself instead of its copy, if it was replaced by another one and not written to before. Returns the kept
/// file.
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

/// Removes the kept version of an unchanged name, because a hard link would be visible.
fn forget(run: &Run, number: usize, name: &OsStr) -> Result<(), Fault> {
    let Some(root) = run.roots.get(number) else { return Ok(()) };
    wipe::wipe(&root.upper.join(name))?;
    wipe::wipe(&root.work.join(name))
}

/// Whether a file that is kept under another name still equals its copy.
fn is_intact(
    (from, aside): (&OwnedFd, &Tree),
    (to, store): (&OwnedFd, &Tree),
    path: &Path,
) -> Result<bool, Fault> {
    let (Some(itself), Some(copy)) = (aside.see(from, path)?, store.see(to, path)?) else { return Ok(false) };
    let itself = compare::SideEntry { folder: from, path, seen: &itself };
    compare::same_file(itself, compare::SideEntry { folder: to, path, seen: &copy })
}

/// The result of a deed without staging.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Left {
    /// It can be undone.
    Held,
    /// It changed nothing.
    Unchanged,
    /// It wrote to a file that it was expected to remove; that cannot be undone.
    Lost(#[serde(with = "native")] PathBuf),
}

/// Notes the result of the deed, even if it ended early.
pub(in crate::stage) fn finish(
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
        let mut watch = FileWatch::new(config, since);
        if let Some(seen) = &seen {
            // The guard's own files must not be deleted either, and are not examined.
            let _ = watch.look(&real, &path, seen);
        }
        let now = seen.map(|seen| seen.id);
        let untouched = now == one.new && watch.foreign.is_empty();
        // The file that is kept by a hard link is still in place: if it was written to, its old bytes are gone.
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
    note_copies(config, run)?;
    dress_now(&mut plan)?;
    if plan.moves.is_empty() && plan.folders.len() == plan.roots.len() {
        run.remove(config)?;
        return Ok(left);
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
