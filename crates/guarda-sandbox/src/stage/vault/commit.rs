//! Commits a staged run: whole, or not at all.
//!
//! The moves are planned and written to disk first. Then names are exchanged one by one, and the old versions end up in the
//! store. Nothing is copied. A file that another program holds open for writing is not moved ([`FileWatch::writer`]). If a
//! program opens one after that check, its writes go into the store; an undo notices them and refuses.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::stage::entries::dress::dressed;
use crate::stage::entries::entry::Seen;
use crate::stage::entries::tree::Tree;
use crate::stage::fault::{Fault, NotCommitted, StageError, Stopped};
use crate::stage::overlay::links;
use crate::stage::overlay::marked::Marked;
use crate::stage::overlay::report::renames;
use crate::stage::overlay::touches;
use crate::stage::overlay::watch::FileWatch;
use crate::stage::overlay::{upper, upper::Delta, upper::Depth, upper::Reading};
use crate::stage::run::{Run, StagesConfig};
use crate::stage::vault::apply::{NotTurned, Steps, turn, turn_back};
use crate::stage::vault::plan::{Folder, Move, Plan, Progress, Root, Side, State};
use crate::stage::vault::{room, room::Room};
use guarda_core::effects::{Below, NO_ROOM};

/// A completed commit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Committed {
    /// The number of created, changed, replaced or deleted names; a whole folder is one.
    pub names: u64,
    /// Why it cannot be undone, as an English clause; `None` if it can.
    pub final_because: Option<String>,
}

impl<E: Into<NotCommitted>> From<E> for Stopped<NotCommitted> {
    fn from(error: E) -> Self {
        match error.into() {
            NotCommitted::Fault(fault) | NotCommitted::Stage(StageError::Fault(fault)) if fault.denied() => {
                Self::Denied(fault)
            }
            other => Self::Refused(other),
        }
    }
}

/// Commits a run, or continues a commit that lacked a permission; it starts over as long as nothing was changed.
pub(in crate::stage) fn commit(
    config: &StagesConfig,
    run: &Run,
    steps: Steps<'_>,
) -> Result<Committed, Stopped<NotCommitted>> {
    if let Some((turning, plan)) = run.progress(config).zip(run.plan(config)) {
        return finish(config, run, &plan, turning, steps);
    }
    let (plan, marked) = plan(config, run)?;
    if plan.moves.is_empty() && plan.folders.is_empty() {
        run.remove(config)?;
        return Ok(Committed { names: 0, final_because: None });
    }
    // Others may have been promised the room since its changes were judged.
    if room::has_promise(config, run) && !Room::of(config, run).may_promise(plan.old.bytes) {
        return Err(Stopped::Refused(NotCommitted::NoRoom));
    }
    steps("plan");
    run.write_plan(config, &plan)?;
    steps("strip");
    marked.may_strip(run)?;
    marked.strip(run).map_err(|fault| Stopped::Refused(fault.into()))?;
    let turning = Progress {
        id: run.id,
        at: crate::stage::run::seconds(),
        side: Side::New,
        state: State::Turning(run.since),
        before: Vec::new(),
    };
    run.begin_turn(config, &turning)?;
    steps("sync");
    run.sync(config)?;
    finish(config, run, &plan, turning, steps)
}

/// Carries out the plan, or continues it; rolls it back if that is not possible.
pub(in crate::stage) fn finish(
    config: &StagesConfig,
    run: &Run,
    plan: &Plan,
    turning: Progress,
    steps: Steps<'_>,
) -> Result<Committed, Stopped<NotCommitted>> {
    let mut touched = Vec::new();
    let turned = turn(plan, Side::New, run.since, steps, &mut touched);
    touches::add(config, run, touched);
    match turned {
        Ok(()) => {}
        Err(NotTurned::Foreign(path)) => {
            take_back(config, run, plan, turning, steps)?;
            return Err(Stopped::Refused(NotCommitted::Conflict(vec![path])));
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
    let final_because = (!Room::of(config, run).holds(plan.old.bytes)).then(|| NO_ROOM.to_owned());
    if final_because.is_some() {
        run.remove(config)?;
    }
    Ok(Committed { names: plan.moves.len() as u64, final_because })
}

/// Marks a turn as done, on the disk.
pub(in crate::stage) fn settle(
    config: &StagesConfig,
    run: &Run,
    progress: Progress,
    steps: Steps<'_>,
) -> Result<(), Fault> {
    if !run.on_one_disk(config) {
        steps("sync");
        run.sync(config)?;
    }
    let done = Progress { state: State::Done(config.now()?), ..progress };
    steps("done");
    run.write_progress(config, &done)?;
    steps("sync");
    run.sync(config)
}

/// Puts everything back, and removes the stage. What cannot be put back is held like a deed, and not tried again.
pub(in crate::stage) fn take_back(
    config: &StagesConfig,
    run: &Run,
    plan: &Plan,
    turning: Progress,
    steps: Steps<'_>,
) -> Result<(), NotCommitted> {
    let left = turn_back(plan, Side::Old, steps);
    let is_back = left.moves.is_empty();
    let ended = if is_back {
        steps("sync");
        run.sync(config).and_then(|()| {
            steps("remove");
            run.remove(config)
        })
    } else {
        let rest = Plan { moves: left.moves, ..plan.clone() };
        run.write_plan(config, &rest).and_then(|()| settle(config, run, turning, steps))
    };
    match left.fault {
        // Only attributes of entries that stay could not be set back.
        Some(fault) if is_back => ended.map_err(NotCommitted::Unfinished).and(Err(fault.into())),
        fault => fault.map_or(ended, Err).map_err(NotCommitted::Unfinished),
    }
}

/// Rolls back a commit for which no permission could be obtained.
pub(in crate::stage) fn give_up(config: &StagesConfig, run: &Run, fault: Fault) -> NotCommitted {
    let begun = run.progress(config).zip(run.plan(config));
    let back = begun.map_or(Ok(()), |(turning, plan)| take_back(config, run, &plan, turning, &mut |_| {}));
    back.err().unwrap_or(NotCommitted::Fault(fault))
}

/// The moves of a commit, if nobody else changed the same paths.
fn plan(config: &StagesConfig, run: &Run) -> Result<(Plan, Marked), NotCommitted> {
    let mut plan = Plan::default();
    let mut marked = Marked::default();
    let mut watch = FileWatch::new(config, run.since);
    let shown: HashMap<_, _> = run.shown(config).into_iter().map(|one| (one.path.clone(), one)).collect();
    let (dressed, own) = (dressed(config, run), config.own());
    let reading = Reading { own: &own, dressed: &dressed, depth: Depth::Moved, most: u64::MAX };
    for root in &run.roots {
        let (up, low) = root.trees()?;
        let delta = upper::read(&up, &low, &reading, &mut 0)?;
        // A change is meant for the folder that the run saw, not for another one in its place.
        let folders = delta.merged.iter().map(|folder| (low.path(&folder.path), folder));
        let others = folders.filter(|(path, now)| match shown.get(path) {
            Some(one) => one.other || one.id != now.low.id || one.before.differs(&now.before),
            None => delta.is_other(now, run.since),
        });
        watch.foreign.extend(others.map(|(path, _)| path));
        conflicts(&delta, &up, &low, &mut watch)?;
        add(&mut plan, Root { path: root.root.clone(), store: root.upper.clone() }, &delta);
        let linked = links::find(&delta, (&up, &low));
        linked.iter().flat_map(|one| &one.others).for_each(|(path, seen)| watch.note(&low, path, seen));
        links::add(&mut plan, root, (&delta, &linked), (&up, &low))?;
        marked.find(&up, &low, &delta, &mut plan.new)?;
    }
    if let Some((path, _)) = watch.writer() {
        watch.foreign.insert(path);
    }
    plan.put_in_order();
    plan.old = watch.sum;
    if watch.foreign.is_empty() {
        Ok((plan, marked))
    } else {
        Err(NotCommitted::Conflict(watch.foreign.into_iter().collect()))
    }
}

/// Adds what differs below one root to a plan.
fn add(plan: &mut Plan, root: Root, delta: &Delta) {
    let number = plan.roots.len();
    plan.roots.push(root);
    let mut places = vec![None; delta.merged.len()];
    for (folder, place) in delta.merged.iter().zip(&mut places) {
        if folder.touched || folder.before != folder.after {
            *place = Some(plan.folders.len());
            plan.folders.push(Folder {
                root: number,
                path: folder.path.clone(),
                store: None,
                id: folder.low.id,
                old: folder.before.clone(),
                new: folder.after.clone(),
            });
        }
    }
    for pair in &delta.pairs {
        let (Some(Some(folder)), Some(name)) = (places.get(pair.folder), pair.path.file_name()) else {
            continue;
        };
        plan.moves.push(Move {
            folder: *folder,
            name: name.to_owned(),
            stored: None,
            old: pair.low.map(|seen| seen.id),
            new: pair.up.map(|seen| seen.id),
        });
    }
}

/// Finds paths that both the run and somebody else changed.
fn conflicts(delta: &Delta, up: &Tree, low: &Tree, watch: &mut FileWatch<'_>) -> Result<(), NotCommitted> {
    let clashes = delta.merged.iter().filter(|folder| !folder.copied_up);
    watch.foreign.extend(clashes.map(|folder| low.path(&folder.path)));
    let mut unsure = Vec::new();
    for pair in &delta.pairs {
        if let Some(seen) = &pair.low {
            watch.look(low, &pair.path, seen)?;
        } else if !pair.fresh {
            unsure.push(pair);
        }
    }
    // A copied file without a lower one was moved by the run, or its lower one was deleted by somebody else.
    let moved: HashMap<PathBuf, PathBuf> = match unsure.is_empty() {
        true => HashMap::new(),
        false => renames(&delta.pairs, up, low)?.into_iter().collect(),
    };
    for pair in unsure {
        let folder = delta.merged.get(pair.folder);
        let quiet = folder.is_some_and(|folder| folder.low.changed < watch.since);
        if pair.up.is_some_and(|seen| seen.is_folder()) || !quiet && !moved.contains_key(&pair.path) {
            watch.foreign.insert(low.path(&pair.path));
        }
    }
    Ok(())
}

pub(in crate::stage) fn weigh(
    sum: &mut Below,
    seen: Option<&Seen>,
    tree: &Tree,
    path: &Path,
) -> Result<(), Fault> {
    let Some(seen) = seen else { return Ok(()) };
    sum.add(seen.is_folder(), seen.stored);
    if seen.is_folder() {
        let below = tree.below(path, |seen| seen.stored)?;
        sum.files += below.files;
        sum.folders += below.folders;
        sum.bytes = sum.bytes.saturating_add(below.bytes);
    }
    Ok(())
}
