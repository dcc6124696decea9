//! Held deeds, and their undo, which exchanges the same names again.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::stage::entries::attributes::Attributes;
use crate::stage::entries::entry::{Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::{Fault, NotUndone, StageError, Stopped};
use crate::stage::overlay::watch::FileWatch;
use crate::stage::overlay::{touches, touches::Touches};
use crate::stage::run::{Run, StagesConfig, find, noted};
use crate::stage::vault::announced;
use crate::stage::vault::apply::{NotTurned, Steps, turn, turn_back};
use crate::stage::vault::commit::settle;
use crate::stage::vault::plan::{Folder, Plan, Progress, Side, State};
use crate::stage::vault::room;
use crate::stage::{note, note::Note};
use guarda_core::effects::{Below, native};

/// A deed that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its id: of the run, or of the undo.
    pub id: Uuid,
    /// When it was done, in seconds since 1970.
    pub at: u64,
    /// The end of the time for an undo, in seconds since 1970.
    pub until: u64,
    /// The created, changed, replaced and deleted paths; a whole folder is one path.
    pub paths: Vec<PathBuf>,
    /// The old versions, with the bytes that they take on the disk.
    pub old: Below,
    /// Whether its result stands: false for the undo of a deed.
    pub stands: bool,
    /// The deed's note, if there is one.
    pub note: Option<Note>,
}

/// The result of an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The id of the undo, by which it can be undone itself.
    pub id: Uuid,
    /// The number of restored names.
    pub names: u64,
    /// The restored paths; a whole folder is one path.
    #[serde(with = "native")]
    pub paths: Vec<PathBuf>,
    /// Why the undo cannot itself be undone: the removed versions exceed the limit.
    pub final_because: Option<String>,
}

impl<E: Into<NotUndone>> From<E> for Stopped<NotUndone> {
    fn from(error: E) -> Self {
        match error.into() {
            NotUndone::Fault(fault) if fault.denied() => Self::Denied(fault),
            other => Self::Refused(other),
        }
    }
}

/// Entries that stay and whose attributes a deed changed.
fn redressed(plan: &Plan) -> Vec<PathBuf> {
    plan.redressed().into_iter().map(|(_, path)| path).collect()
}

/// The held deeds, the latest first.
pub(in crate::stage) fn held(config: &StagesConfig) -> Vec<Held> {
    let one = |(run, progress): (Run, Option<Progress>)| {
        let progress = progress?;
        let mut plan = run.plan(config)?;
        match progress.state {
            State::Done(_) => {}
            State::Announced(_) => {
                plan = announced::so_far(config, plan, &progress)?;
            }
            State::Turning(_) | State::Keeping(_) => return None,
        }
        Some(Held {
            id: progress.id,
            at: progress.at,
            until: progress.at.saturating_add(config.keep.as_secs()),
            paths: plan.moves.iter().map(|one| plan.path(one)).chain(redressed(&plan)).collect(),
            old: plan.held(progress.side),
            stands: progress.side == Side::New,
            note: note::read(config, run.id, progress.id),
        })
    };
    let mut held: Vec<Held> = noted(config).into_iter().filter_map(one).collect();
    held.sort_by_key(|held| std::cmp::Reverse((held.at, held.id)));
    held
}

/// The paths that stand in the way of an undo, as far as that is known without a change; empty if there are none.
pub(in crate::stage) fn in_the_way(config: &StagesConfig, id: Uuid) -> Vec<PathBuf> {
    let look = || {
        let (run, progress) = find(config, id)?;
        let State::Done(since) = progress.state else { return None };
        check(config, &mut run.plan(config)?, progress.side, since).ok()
    };
    look().into_iter().flatten().collect()
}

/// Undoes a deed, or continues an undo that lacked a permission.
pub(in crate::stage) fn undo(
    config: &StagesConfig,
    id: Uuid,
    new: Uuid,
    steps: Steps<'_>,
) -> Result<Undone, Stopped<NotUndone>> {
    if let Some((run, progress)) = find(config, new) {
        let plan = run.plan(config).ok_or(NotUndone::Unknown(id))?;
        return finish(config, &run, &plan, progress, steps);
    }
    let (run, mut plan, progress) = ready(config, id)?;
    let State::Done(since) = progress.state else { return Err(NotUndone::Unknown(id).into()) };
    let now = config.now()?;
    let changed = check(config, &mut plan, progress.side, since)?;
    if !changed.is_empty() {
        return Err(NotUndone::Changed(changed.into_iter().collect()).into());
    }
    steps("plan");
    run.write_plan(config, &plan)?;
    let turning = Progress {
        id: new,
        at: crate::stage::run::seconds(),
        side: progress.side.other(),
        state: State::Turning(now),
        before: progress.before.iter().copied().chain([id]).collect(),
    };
    if let Err(fault) = run.begin_turn(config, &turning) {
        if run.progress(config).as_ref() != Some(&progress) {
            run.write_progress(config, &progress).map_err(NotUndone::Unfinished)?;
        }
        return Err(Stopped::Refused(fault.into()));
    }
    steps("sync");
    if let Err(fault) = run.sync(config) {
        take_back(config, &run, &plan, turning, steps)?;
        return Err(Stopped::Refused(fault.into()));
    }
    finish(config, &run, &plan, turning, steps)
}

/// A deed that is held, with what an announced one has changed by now.
pub(in crate::stage) fn ready(
    config: &StagesConfig,
    id: Uuid,
) -> Result<(Run, Plan, Progress), Stopped<NotUndone>> {
    let (run, progress) = find(config, id).ok_or_else(|| missing(config, id))?;
    let plan = run.plan(config).ok_or(NotUndone::Unknown(id))?;
    if progress.at.saturating_add(config.keep.as_secs()) < crate::stage::run::seconds() {
        return Err(NotUndone::Expired(id).into());
    }
    let (plan, progress) = announced::settle(config, &run, plan, progress)?;
    Ok((run, plan, progress))
}

/// Carries out the plan, or continues it; rolls it back if that is not possible.
pub(in crate::stage) fn finish(
    config: &StagesConfig,
    run: &Run,
    plan: &Plan,
    turning: Progress,
    steps: Steps<'_>,
) -> Result<Undone, Stopped<NotUndone>> {
    let State::Turning(since) = turning.state else { return Err(NotUndone::Unknown(turning.id).into()) };
    let (id, side) = (turning.id, turning.side);
    let mut touched = Vec::new();
    let turned = turn(plan, side, since, steps, &mut touched);
    touches::add(config, run, touched);
    match turned {
        Ok(()) => {}
        Err(NotTurned::Foreign(path)) => {
            take_back(config, run, plan, turning, steps)?;
            return Err(NotUndone::Changed(vec![path]).into());
        }
        Err(NotTurned::Fault(fault)) if fault.denied() => return Err(Stopped::Denied(fault)),
        Err(NotTurned::Fault(fault)) => {
            take_back(config, run, plan, turning, steps)?;
            return Err(Stopped::Refused(fault.into()));
        }
    }
    if let Err(fault) = settle(config, run, turning.clone(), steps) {
        take_back(config, run, plan, turning, steps)?;
        return Err(Stopped::Refused(fault.into()));
    }
    let paths: Vec<PathBuf> = plan.moves.iter().map(|one| plan.path(one)).collect();
    let final_because = config.too_much(plan.held(side).bytes);
    Ok(Undone { id, names: paths.len() as u64, paths, final_because })
}

/// Rolls back an interrupted undo: the deed is held as before.
pub(in crate::stage) fn take_back(
    config: &StagesConfig,
    run: &Run,
    plan: &Plan,
    turning: Progress,
    steps: Steps<'_>,
) -> Result<(), NotUndone> {
    let side = turning.side.other();
    let mut before = turning.before;
    let id = before.pop().unwrap_or(turning.id);
    let held = Progress { id, side, before, ..turning };
    let mut left = turn_back(plan, side, steps);
    touches::add(config, run, std::mem::take(&mut left.touches));
    let settled = settle(config, run, held, steps);
    left.fault.map_or(settled, Err).map_err(NotUndone::Unfinished)
}

/// Rolls back an undo for which no permission could be obtained.
pub(in crate::stage) fn give_up(config: &StagesConfig, new: Uuid, fault: Fault) -> NotUndone {
    if let Some((run, progress)) = find(config, new)
        && let Some(plan) = run.plan(config)
        && let Err(unfinished) = take_back(config, &run, &plan, progress, &mut |_| {})
    {
        return unfinished;
    }
    fault.into()
}

/// Why nothing is held: the id, of version 7, contains its time.
fn missing(config: &StagesConfig, id: Uuid) -> NotUndone {
    let born = id.get_timestamp().map(|stamp| stamp.to_unix().0);
    let kept = born.map(|born| born.saturating_add(config.keep.as_secs()));
    if kept.is_some_and(|kept| kept < crate::stage::run::seconds()) {
        NotUndone::Expired(id)
    } else {
        NotUndone::Unknown(id)
    }
}

/// The paths that were changed since the deed. Differences that are allowed are updated in the plan.
pub(in crate::stage) fn check(
    config: &StagesConfig,
    plan: &mut Plan,
    side: Side,
    since: Time,
) -> Result<BTreeSet<PathBuf>, NotUndone> {
    let mut changed = BTreeSet::new();
    let open =
        |root: &crate::stage::vault::plan::Root| Ok((Tree::open(&root.path)?, Tree::open(&root.store)?));
    let trees = plan.roots.iter().map(open).collect::<Result<Vec<_>, Fault>>()?;
    let touches = Touches::read(config);
    let watch = || FileWatch::new(config, since).without(&touches);
    let (mut standing, mut stored) = (watch(), watch());
    let mut gone = vec![false; plan.folders.len()];
    for (folder, gone) in plan.folders.iter_mut().zip(&mut gone) {
        let Some((real, _)) = trees.get(folder.root) else { continue };
        if !still(real, folder, side, &touches)? {
            changed.insert(real.path(&folder.path));
            *gone = true;
        }
    }
    // The folders of the last name, on both sides.
    let mut open: Option<(usize, OwnedFd, OwnedFd)> = None;
    let derived: Vec<bool> = plan.moves.iter().map(|one| plan.is_derived(one)).collect();
    for (one, derived) in plan.moves.iter_mut().zip(derived) {
        let Some(folder) = plan.folders.get(one.folder) else { continue };
        let Some((real, store)) = trees.get(folder.root) else { continue };
        if gone.get(one.folder) == Some(&true) {
            continue;
        }
        let (path, kept) = (folder.path.join(&one.name), folder.stored().join(one.stored()));
        let (in_real, in_store) = match open.take().filter(|(place, ..)| *place == one.folder) {
            Some((_, in_real, in_store)) => (in_real, in_store),
            None => (real.folder(&folder.path)?, store.folder(folder.stored())?),
        };
        let here = real.see(&in_real, &path)?;
        let there = store.see(&in_store, &kept)?.filter(|seen| !seen.is_whiteout());
        open = Some((one.folder, in_real, in_store));
        let id = |seen: &Option<Seen>| seen.map(|seen| seen.id);
        let late = standing.foreign.len() + stored.foreign.len();
        here.map_or(Ok(()), |seen| standing.look(real, &path, &seen)).map_err(refused)?;
        there.map_or(Ok(()), |seen| stored.look(store, &kept, &seen)).map_err(refused)?;
        let late = standing.foreign.len() + stored.foreign.len() > late;
        if derived && here.is_none_or(|seen| seen.kind == rustix::fs::FileType::RegularFile) {
            match side {
                Side::New => one.new = id(&here),
                Side::Old => one.old = id(&here),
            }
        } else {
            let left = match side {
                Side::New => &mut one.new,
                Side::Old => &mut one.old,
            };
            // What an undo put back may be a copy of what this deed left.
            if let Some((here, left)) = here.as_ref().zip(left.as_mut())
                && touches.is(here, *left)
            {
                *left = here.id;
            }
            if id(&here) != *left || late {
                changed.insert(real.path(&path));
            }
        }
        if id(&there) != one.at(side.other()) {
            changed.insert(real.path(&path));
        }
    }
    // Later writes to it would stay with the undone version.
    changed.extend(standing.writer().map(|(path, _)| path));
    Ok(changed)
}

fn refused(error: StageError) -> NotUndone {
    match error {
        StageError::Fault(fault) => fault.into(),
        StageError::Guarded(path) | StageError::Root(path) => NotUndone::Changed(vec![path]),
        other => Fault::at("reading", Path::new(&other.to_string()))(rustix::io::Errno::INVAL).into(),
    }
}

/// Whether an entry that stays is still the same, with the attributes that the deed set. Other attributes keep their current
/// values.
fn still(real: &Tree, folder: &mut Folder, side: Side, touches: &Touches) -> Result<bool, Fault> {
    let Some((pinned, seen)) = real.pin(&folder.path)? else { return Ok(false) };
    if !touches.is(&seen, folder.id) {
        return Ok(false);
    }
    folder.id = seen.id;
    let now = Attributes::of(&pinned, &folder.path, &seen)?;
    let (left, wanted) = match side {
        Side::New => (&mut folder.new, &mut folder.old),
        Side::Old => (&mut folder.old, &mut folder.new),
    };
    let mut still = true;
    if left.modified != now.modified {
        wanted.modified = now.modified;
    }
    if left.mode == wanted.mode {
        (left.mode, wanted.mode) = (now.mode, now.mode);
    }
    if left.owner == wanted.owner {
        (left.owner, wanted.owner) = (now.owner, now.owner);
    }
    if left.extended == wanted.extended {
        (left.extended, wanted.extended) = (now.extended.clone(), now.extended.clone());
    }
    still &= !left.differs(&now);
    Ok(still)
}

/// Copies the old versions of a deed into a folder, each below the name of its root.
pub(in crate::stage) fn beside(config: &StagesConfig, id: Uuid, folder: &Path) -> Result<u64, NotUndone> {
    let (run, progress) = find(config, id).ok_or_else(|| missing(config, id))?;
    let plan = run.plan(config).ok_or(NotUndone::Unknown(id))?;
    let to = Tree::open(folder)?;
    let seen = Seen::of(&to).map_err(Fault::at("looking at", folder))?;
    if seen.owner.0 != rustix::process::geteuid().as_raw() || seen.mode & 0o002 != 0 {
        return Err(NotUndone::Shared(folder.to_owned()));
    }
    let mut copied = 0;
    for one in plan.moves.iter().filter(|one| one.at(progress.side.other()).is_some()) {
        let Some((root, place)) = plan.folder(one) else { continue };
        let target = Path::new(root.path.file_name().unwrap_or_default()).join(&place.path).join(&one.name);
        let made = folder.join(target.parent().unwrap_or(Path::new("")));
        std::fs::create_dir_all(&made).map_err(Fault::at("making", &made))?;
        let store = Tree::open(&root.store)?;
        crate::stage::entries::copy::copy(
            &store,
            &place.stored().join(one.stored()),
            &to,
            &target,
            crate::stage::entries::copy::How::Copy,
        )?;
        copied += 1;
    }
    Ok(copied)
}

/// Removes old versions that have expired at `now`, in seconds since 1970, and the oldest ones beyond the limit.
pub(in crate::stage) fn sweep(config: &StagesConfig, now: u64) -> Result<u64, Fault> {
    let mut runs: Vec<(Run, Progress)> = Vec::new();
    for (run, progress) in noted(config) {
        runs.extend(
            progress
                .filter(|it| matches!(it.state, State::Done(_) | State::Announced(_)))
                .map(|progress| (run, progress)),
        );
    }
    // What is promised stays; the rest of the room is for the latest of the others.
    runs.sort_by_key(|(run, progress)| {
        (!room::is_promised(config, run, progress), std::cmp::Reverse(progress.at))
    });
    let mut sums = std::collections::HashMap::new();
    let mut removed = 0;
    for (run, progress) in runs {
        let plan = run.plan(config);
        let bytes = plan.map_or(0, |plan| plan.held(progress.side).bytes);
        let store = run.roots.first().and_then(|root| Tree::open(&root.upper).ok());
        let device = store.and_then(|tree| Seen::of(&tree).ok()).map(|seen| seen.device);
        let sum: &mut u64 = sums.entry(device).or_default();
        *sum = sum.saturating_add(bytes);
        let expired = progress.at.saturating_add(config.keep.as_secs()) < now;
        if expired || *sum > config.most_bytes && !room::is_promised(config, &run, &progress) {
            *sum = sum.saturating_sub(bytes);
            run.remove(config)?;
            removed += 1;
        }
    }
    Ok(removed)
}
