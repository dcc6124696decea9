//! Turns a plan: exchanges the names at the roots with those in the stores. The files themselves show which steps were
//! done, so each step can be repeated: an interrupted walk continues where it stopped, in either direction.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::RenameFlags;
use rustix::io::Errno;

use super::entry::{Id, Seen, Time};
use super::fault::Fault;
use super::plan::{Folder, Move, Plan, Root, Side};
use super::tree::Tree;

/// Called before each step; tests stop there.
pub type Steps<'a> = &'a mut dyn FnMut(&str);

/// Why a plan could not be turned.
#[derive(Debug)]
pub(super) enum NotTurned {
    /// The path now holds something else.
    Foreign(PathBuf),
    Fault(Fault),
}

impl From<Fault> for NotTurned {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Carries out a plan until this side is at the roots. Names that are already in place are left alone; a change at or after
/// `since` counts as somebody else's.
pub(super) fn turn(plan: &Plan, side: Side, since: Time, steps: Steps<'_>) -> Result<(), NotTurned> {
    walk(plan, side, Some(since), steps, None)
}

/// Reverts a plan as far as it was carried out. Entries that somebody else put in the way stay, and their paths are returned.
pub(super) fn turn_back(plan: &Plan, side: Side, steps: Steps<'_>) -> Result<Vec<PathBuf>, Fault> {
    let mut foreign = Vec::new();
    match walk(plan, side, None, steps, Some(&mut foreign)) {
        Ok(()) => Ok(foreign),
        Err(NotTurned::Foreign(path)) => Ok([foreign, vec![path]].concat()),
        Err(NotTurned::Fault(fault)) => Err(fault),
    }
}

fn walk(
    plan: &Plan,
    side: Side,
    since: Option<Time>,
    steps: Steps<'_>,
    mut foreign: Option<&mut Vec<PathBuf>>,
) -> Result<(), NotTurned> {
    let mut trees = Trees::new(plan)?;
    for one in &plan.moves {
        steps("move");
        match (trees.turn(one, side, since), &mut foreign) {
            (Err(NotTurned::Foreign(path)), Some(foreign)) => foreign.push(path),
            (done, _) => done?,
        }
    }
    // A move changes the time of its folder, so children come before parents.
    for folder in plan.folders.iter().rev() {
        steps("folder");
        match (trees.dress(folder, side), &mut foreign) {
            (Err(NotTurned::Foreign(path)), Some(foreign)) => foreign.push(path),
            (done, _) => done?,
        }
    }
    Ok(())
}

/// The roots and stores of a plan, and the folders of the last move.
struct Trees<'a> {
    plan: &'a Plan,
    trees: Vec<(Tree, Tree)>,
    open: Option<(usize, OwnedFd, OwnedFd)>,
    /// Files that are moved by more than one name.
    shared: HashSet<Id>,
}

impl<'a> Trees<'a> {
    fn new(plan: &'a Plan) -> Result<Self, Fault> {
        let open = |root: &Root| Ok((Tree::open(&root.path)?, Tree::open(&root.store)?));
        let trees = plan.roots.iter().map(open).collect::<Result<_, Fault>>()?;
        let mut seen = HashSet::new();
        let ids = plan.moves.iter().flat_map(|one| [one.old, one.new]).flatten();
        let shared = ids.filter(|id| !seen.insert(*id)).collect();
        Ok(Self { plan, trees, open: None, shared })
    }

    fn trees(&self, root: usize) -> Result<&(Tree, Tree), Fault> {
        self.trees.get(root).ok_or_else(|| Fault::at("opening", std::path::Path::new(""))(Errno::INVAL))
    }

    /// Opens a folder, if it is still the same one.
    fn folder(&self, folder: &Folder) -> Result<OwnedFd, NotTurned> {
        let (root, _) = self.trees(folder.root)?;
        let foreign = || NotTurned::Foreign(root.path(&folder.path));
        let opened = match root.folder(&folder.path) {
            Ok(opened) => opened,
            Err(fault) if gone(&fault) => return Err(foreign()),
            Err(fault) => return Err(fault.into()),
        };
        let id = Seen::of(&opened).map_err(Fault::at("looking at", &folder.path))?.id;
        if id == folder.id { Ok(opened) } else { Err(foreign()) }
    }

    fn turn(&mut self, one: &Move, side: Side, since: Option<Time>) -> Result<(), NotTurned> {
        let (real, store) = match self.open.take().filter(|(place, _, _)| *place == one.folder) {
            Some((_, real, store)) => (real, store),
            None => {
                let missing = || Fault::at("opening", std::path::Path::new(""))(Errno::INVAL);
                let folder = self.plan.folders.get(one.folder).ok_or_else(missing)?;
                let (_, store) = self.trees(folder.root)?;
                (self.folder(folder)?, store.folder(folder.stored())?)
            }
        };
        let (wanted, standing) = (one.at(side), one.at(side.other()));
        // Moving the first name of a file changes the status time of the others.
        let shared = standing.is_some_and(|standing| self.shared.contains(&standing));
        let since = since.filter(|_| !shared && !self.plan.is_derived(one));
        let turned = exchange((&real, &one.name), (&store, one.stored()), wanted, standing, since);
        self.open = Some((one.folder, real, store));
        match turned {
            Ok(true) => Ok(()),
            Ok(false) => Err(NotTurned::Foreign(self.plan.path(one))),
            Err(error) => Err(Fault::at("renaming", &self.plan.path(one))(error).into()),
        }
    }

    /// Sets the attributes of a side on an entry that is not moved, if it is still the same entry.
    fn dress(&self, folder: &Folder, side: Side) -> Result<(), NotTurned> {
        let (root, _) = self.trees(folder.root)?;
        let path = root.path(&folder.path);
        match root.pin(&folder.path)? {
            Some((pinned, seen)) if seen.id == folder.id => {
                Ok(folder.attributes(side).put(&pinned, OsStr::new(""), &path)?)
            }
            Some(_) | None => Err(NotTurned::Foreign(path)),
        }
    }
}

fn gone(fault: &Fault) -> bool {
    [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::XDEV].iter().any(|no| no.raw_os_error() == fault.errno)
}

/// Moves the wanted file to the root and the current one into the store. Returns false, and changes nothing, if the root holds
/// a third one.
fn exchange(
    root: (&OwnedFd, &OsStr),
    store: (&OwnedFd, &OsStr),
    wanted: Option<Id>,
    standing: Option<Id>,
    since: Option<Time>,
) -> Result<bool, Errno> {
    let see = |(folder, name): (&OwnedFd, &OsStr)| {
        Ok::<_, Errno>(Seen::at(folder, name)?.filter(|seen| !seen.is_whiteout()))
    };
    let id = |place| Ok::<_, Errno>(see(place)?.map(|seen| seen.id));
    let rename = |from: (&OwnedFd, &OsStr), to: (&OwnedFd, &OsStr), how| {
        rustix::fs::renameat_with(from.0, from.1, to.0, to.1, how)
    };
    let seen = see(root)?;
    let (here, there) = (seen.map(|seen| seen.id), id(store)?);
    if (here, there) == (wanted, standing) {
        return Ok(true);
    }
    let late = seen.zip(since).is_some_and(|(seen, since)| seen.changed >= since);
    if (here, there) != (standing, wanted) || late {
        return Ok(false);
    }
    match (standing, wanted) {
        (None, None) => Ok(true),
        (Some(_), Some(_)) => {
            rename(root, store, RenameFlags::EXCHANGE)?;
            // Somebody may have put another file there after it was examined.
            if id(store)? == standing {
                return Ok(true);
            }
            rename(root, store, RenameFlags::EXCHANGE)?;
            Ok(false)
        }
        (None, Some(_)) => match rename(store, root, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => Ok(false),
            done => done.map(|()| true),
        },
        (Some(_), None) => {
            // The name there is a whiteout, which blocks a folder.
            match rustix::fs::unlinkat(store.0, store.1, rustix::fs::AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
            rename(root, store, RenameFlags::NOREPLACE)?;
            if id(store)? == standing {
                return Ok(true);
            }
            rename(store, root, RenameFlags::NOREPLACE)?;
            Ok(false)
        }
    }
}
