//! Turns a plan: exchanges the names at the roots with those in the stores. The files themselves show which steps were
//! done, so each step can be repeated: an interrupted walk continues where it stopped, in either direction.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::RenameFlags;
use rustix::io::Errno;

use crate::stage::entries::entry::{Id, Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::Fault;
use crate::stage::overlay::touches::Touch;
use crate::stage::vault::plan::{Folder, Move, Plan, Root, Side};
use crate::stage::{git, git::Locks};

/// Called before each step; tests stop there.
pub type Steps<'a> = &'a mut dyn FnMut(&str);

/// Why a plan could not be turned.
#[derive(Debug)]
pub(in crate::stage) enum NotTurned {
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
pub(in crate::stage) fn turn(
    plan: &Plan,
    side: Side,
    since: Time,
    steps: Steps<'_>,
    touches: &mut Vec<Touch>,
) -> Result<(), NotTurned> {
    walk(plan, side, Some(since), steps, None, touches)
}

/// Whether some name of a plan is already on this side.
pub(in crate::stage) fn is_begun(plan: &Plan, side: Side) -> bool {
    let Ok(mut trees) = Trees::new(plan) else { return true };
    plan.moves.iter().any(|one| one.old != one.new && trees.is_at(one, side).unwrap_or(true))
}

/// What a rollback could not put back.
#[derive(Debug, Default)]
pub(in crate::stage) struct Remaining {
    pub(in crate::stage) moves: Vec<Move>,
    /// The first reason.
    pub(in crate::stage) fault: Option<Fault>,
    /// What was done.
    pub(in crate::stage) touches: Vec<Touch>,
}

/// Reverts a plan as far as it was carried out and as far as possible. Entries that somebody else put in the way stay.
pub(in crate::stage) fn turn_back(plan: &Plan, side: Side, steps: Steps<'_>) -> Remaining {
    let (mut left, mut touches) = (Remaining::default(), Vec::new());
    if let Err(NotTurned::Fault(fault)) = walk(plan, side, None, steps, Some(&mut left), &mut touches) {
        left.fault.get_or_insert(fault);
    }
    Remaining { touches, ..left }
}

fn walk(
    plan: &Plan,
    side: Side,
    since: Option<Time>,
    steps: Steps<'_>,
    mut left: Option<&mut Remaining>,
    touches: &mut Vec<Touch>,
) -> Result<(), NotTurned> {
    let mut trees = Trees::new(plan)?;
    if left.is_none() {
        trees.are_there()?;
    }
    let before: Vec<Option<Seen>> = plan.folders.iter().map(|folder| trees.standing(folder)).collect();
    let locks = match (trees.locked(), &left) {
        (Err(_), Some(_)) => Locks::default(),
        (locked, _) => locked?,
    };
    // What goes first on the way there goes last on the way back.
    let order: Vec<&Move> = match side {
        Side::New => plan.moves.iter().collect(),
        Side::Old => plan.moves.iter().rev().collect(),
    };
    for one in order {
        steps("move");
        match (trees.turn(one, side, since, touches), &mut left) {
            (Err(NotTurned::Foreign(_)), Some(_)) => {}
            (Err(NotTurned::Fault(fault)), Some(left)) => {
                left.moves.push(one.clone());
                left.fault.get_or_insert(fault);
            }
            (done, _) => done?,
        }
    }
    drop(locks);
    // A move changes the time of its folder, so children come before parents.
    for (folder, before) in plan.folders.iter().zip(before).rev() {
        steps("folder");
        let dressed = trees.dress(folder, side);
        let after = trees.standing(folder);
        touches.extend(before.zip(after).map(|(before, after)| Touch::moved(&before, &after)));
        match (dressed, &mut left) {
            (Err(NotTurned::Foreign(_)), Some(_)) => {}
            (Err(NotTurned::Fault(fault)), Some(left)) => {
                left.fault.get_or_insert(fault);
            }
            (done, _) => done?,
        }
    }
    Ok(())
}

/// The roots and stores of a plan, and the folders of the last move.
struct Trees<'a> {
    plan: &'a Plan,
    /// A root may be gone when a plan is reverted.
    trees: Vec<Result<(Tree, Tree), Fault>>,
    open: Option<(usize, OwnedFd, OwnedFd)>,
    /// Files that are moved by more than one name.
    shared: HashSet<Id>,
}

impl<'a> Trees<'a> {
    fn new(plan: &'a Plan) -> Result<Self, Fault> {
        let open = |root: &Root| Ok((Tree::open(&root.path)?, Tree::open(&root.store)?));
        let trees = plan.roots.iter().map(open).collect();
        let mut seen = HashSet::new();
        let ids = plan.moves.iter().flat_map(|one| [one.old, one.new]).flatten();
        let shared = ids.filter(|id| !seen.insert(*id)).collect();
        Ok(Self { plan, trees, open: None, shared })
    }

    fn trees(&self, root: usize) -> Result<&(Tree, Tree), Fault> {
        let none = || Fault::at("opening", std::path::Path::new(""))(Errno::INVAL);
        self.trees.get(root).ok_or_else(none)?.as_ref().map_err(Fault::clone)
    }

    fn are_there(&self) -> Result<(), Fault> {
        (0..self.trees.len()).try_for_each(|root| self.trees(root).map(drop))
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

    /// Opens the folder of a move at the root and in the store; the last one stays open.
    fn both(&mut self, one: &Move) -> Result<(OwnedFd, OwnedFd), NotTurned> {
        Ok(match self.open.take().filter(|(place, _, _)| *place == one.folder) {
            Some((_, real, store)) => (real, store),
            None => {
                let missing = || Fault::at("opening", std::path::Path::new(""))(Errno::INVAL);
                let folder = self.plan.folders.get(one.folder).ok_or_else(missing)?;
                let (_, store) = self.trees(folder.root)?;
                (self.folder(folder)?, store.folder(folder.stored())?)
            }
        })
    }

    /// Takes the locks of the indices that are exchanged.
    fn locked(&self) -> Result<Locks, NotTurned> {
        let mut locks = Locks::default();
        for one in self.plan.moves.iter().filter(|one| self.plan.is_derived(one)) {
            let Some((root, folder)) = self.plan.folder(one) else { continue };
            let path = root.path.join(&folder.path).join(git::LOCK);
            let taken = locks.take(&root.store, self.folder(folder)?);
            if !taken.map_err(|error| Fault::at("locking", &path)(error))? {
                return Err(NotTurned::Foreign(path));
            }
        }
        Ok(locks)
    }

    fn is_at(&mut self, one: &Move, side: Side) -> Result<bool, NotTurned> {
        let (real, store) = self.both(one)?;
        let there = id((&real, &one.name)).and_then(|here| Ok((here, id((&store, one.stored()))?)));
        let there = there.map_err(Fault::at("looking at", &self.plan.path(one)))?;
        self.open = Some((one.folder, real, store));
        Ok(there == (one.at(side), one.at(side.other())))
    }

    /// A folder as it stands, if it is still the same one.
    fn standing(&self, folder: &Folder) -> Option<Seen> {
        let (root, _) = self.trees(folder.root).ok()?;
        let (_, seen) = root.pin(&folder.path).ok()??;
        (seen.id == folder.id).then_some(seen)
    }

    fn turn(
        &mut self,
        one: &Move,
        side: Side,
        since: Option<Time>,
        touches: &mut Vec<Touch>,
    ) -> Result<(), NotTurned> {
        let (real, store) = self.both(one)?;
        let (wanted, standing) = (one.at(side), one.at(side.other()));
        // Moving the first name of a file changes the status time of the others.
        let shared = standing.is_some_and(|standing| self.shared.contains(&standing));
        let since = since.filter(|_| !shared && !self.plan.is_derived(one));
        let (at_root, in_store) = ((&real, one.name.as_os_str()), (&store, one.stored()));
        let before = [see(at_root), see(in_store)].map(|seen| seen.ok().flatten());
        let turned = exchange(at_root, in_store, wanted, standing, since);
        let after = [see(in_store), see(at_root)].map(|seen| seen.ok().flatten());
        let moved = before.into_iter().zip(after).filter_map(|(before, after)| before.zip(after));
        let moved = moved.filter(|(before, after)| before.id == after.id && before.changed != after.changed);
        touches.extend(moved.map(|(before, after)| Touch::moved(&before, &after)));
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

type Place<'a> = (&'a OwnedFd, &'a OsStr);

fn see((folder, name): Place<'_>) -> Result<Option<Seen>, Errno> {
    Ok(Seen::at(folder, name)?.filter(|seen| !seen.is_whiteout()))
}

fn id(place: Place<'_>) -> Result<Option<Id>, Errno> {
    Ok(see(place)?.map(|seen| seen.id))
}

/// Moves the wanted file to the root and the current one into the store. Returns false, and changes nothing, if the root holds
/// a third one.
fn exchange(
    root: Place<'_>,
    store: Place<'_>,
    wanted: Option<Id>,
    standing: Option<Id>,
    since: Option<Time>,
) -> Result<bool, Errno> {
    let rename =
        |from: Place<'_>, to: Place<'_>, how| rustix::fs::renameat_with(from.0, from.1, to.0, to.1, how);
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
