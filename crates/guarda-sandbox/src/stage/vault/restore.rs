//! One path of a deed goes back alone. That is a deed of its own: the current version is kept, the rest of the deed stays, and both can
//! be undone.

use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags};
use uuid::Uuid;

use crate::stage::entries::copy::{How, copy};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::{Fault, NotKept, NotUndone, Stopped};
use crate::stage::run::{Run, StagesConfig};
use crate::stage::vault::keep::{self, Terms};
use crate::stage::vault::plan::{Move, Plan, Side, State};
use crate::stage::vault::spots::Fate;
use crate::stage::vault::{undo, wipe};

/// Puts back what a deed changed at this path and below it. The current version is kept for the deed `new`. Returns the run that keeps it,
/// the restored paths, and why not all could be restored.
pub(in crate::stage) fn restore(
    config: &StagesConfig,
    id: Uuid,
    path: &Path,
    new: Uuid,
) -> Result<(Run, Vec<PathBuf>, Option<Fault>), NotUndone> {
    let (_, mut plan, progress) = undo::ready(config, id).map_err(|stopped| match stopped {
        Stopped::Refused(refused) => refused,
        Stopped::Denied(fault) => fault.into(),
    })?;
    let State::Done(since) = progress.state else { return Err(NotUndone::Unknown(id)) };
    let within: Vec<Move> =
        plan.moves.iter().filter(|one| plan.path(one).starts_with(path)).cloned().collect();
    if within.is_empty() {
        return Err(NotUndone::Unknown(id));
    }
    plan.moves = within;
    let mut changed = undo::check(config, &mut plan, progress.side, since)?;
    // What else was changed since does not stand in the way.
    changed.retain(|one| one.starts_with(path) || path.starts_with(one));
    if !changed.is_empty() {
        return Err(NotUndone::Changed(changed.into_iter().collect()));
    }
    let back = progress.side.other();
    // Whatever comes in its place, the current version is moved away and not written to.
    let paths: Vec<(PathBuf, Fate)> = plan.moves.iter().map(|one| (plan.path(one), Fate::Removed)).collect();
    let terms = Terms { state: State::Keeping, promises: false, note: &|_| Ok(()) };
    let run = keep::keep(config, new, &paths, &terms).map_err(|error| match error {
        NotKept::Fault(fault) => NotUndone::Fault(fault),
        other => NotUndone::Unkept(other.to_string()),
    })?;
    let failed = plan.moves.iter().try_for_each(|one| put(&plan, one, back, &run)).err();
    Ok((run, paths.into_iter().map(|(path, _)| path).collect(), failed))
}

/// Puts a copy of the version of this side in the place of the current one, in one step.
fn put(plan: &Plan, one: &Move, side: Side, run: &Run) -> Result<(), Fault> {
    let path = plan.path(one);
    let gone = || Fault::at("restoring", &path)(rustix::io::Errno::NOENT);
    let (root, folder) = plan.folder(one).ok_or_else(gone)?;
    // A folder of the guard's, on the same file system.
    let parent = path.parent().ok_or_else(gone)?;
    let place = run.roots.iter().find(|place| place.root == parent).ok_or_else(gone)?;
    let name = PathBuf::from(format!("restored-{}", Uuid::new_v4()));
    let aside = place.work.join(&name);
    let (real, store) = (Tree::open(&root.path)?, Tree::open(&root.store)?);
    let at = real.folder(&folder.path)?;
    let renamed = if one.at(side).is_none() {
        rustix::fs::renameat_with(&at, &one.name, CWD, &aside, RenameFlags::NOREPLACE)
    } else {
        copy(&store, &folder.stored().join(one.stored()), &Tree::open(&place.work)?, &name, How::Copy)?;
        let stands = one.at(side.other()).is_some();
        let how = if stands { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
        rustix::fs::renameat_with(CWD, &aside, &at, &one.name, how)
    };
    renamed.map_err(Fault::at("restoring", &path))?;
    wipe::wipe(&aside)
}
