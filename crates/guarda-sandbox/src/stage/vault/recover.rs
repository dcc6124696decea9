//! Completes or rolls back interrupted commits and undos, before anything else is done.

use std::path::PathBuf;

use uuid::Uuid;

use crate::stage::fault::{Fault, NotCommitted, NotUndone, Stopped};
use crate::stage::note;
use crate::stage::run::{Run, StagesConfig};
use crate::stage::vault::apply::Steps;
use crate::stage::vault::plan::{Plan, Progress, State};
use crate::stage::vault::recovered::{Recovered, Recovery};
use crate::stage::{child, child::Reply, child::Task};
use crate::stage::{place, vault::apply, vault::commit, vault::keep, vault::undo, vault::wipe};

/// Completes or rolls back every interrupted run. For the start, when nothing is staged yet.
pub(in crate::stage) fn all(config: &StagesConfig, steps: Steps<'_>) -> Vec<Recovery> {
    let mut recovered = Vec::new();
    for id in ids(config.stages()) {
        let run = Run::read(config, id);
        let deed = match run.as_ref().and_then(|run| run.progress(config)) {
            Some(Progress { state: State::Done(_) | State::Announced(_), .. }) => continue,
            Some(progress) => progress.before.last().copied().unwrap_or(progress.id),
            None => id,
        };
        // Read first, because removing a run removes its note.
        let whose = note::read(config, id, deed);
        recovered.push(Recovery { what: one(config, id, steps), whose });
    }
    // Folders of runs whose notes never reached the disk.
    let other = place::temporary();
    for place in config.extra.iter().chain([&other]).map(|place| config.within(place)) {
        for id in ids(place.clone()).filter(|id| !config.run(*id).exists()) {
            let removed = wipe::wipe(&place.join(id.to_string()));
            let what = removed.map_or_else(|fault| Recovered::Stuck(id, fault), |()| Recovered::Removed(id));
            recovered.push(Recovery { what, whose: None });
        }
    }
    recovered
}

fn ids(folder: PathBuf) -> impl Iterator<Item = Uuid> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
}

/// Completes or rolls back one run.
pub(in crate::stage) fn one(config: &StagesConfig, id: Uuid, steps: Steps<'_>) -> Recovered {
    let Some(run) = Run::read(config, id) else {
        let removed = wipe::wipe(&config.run(id));
        return removed.map_or_else(|fault| Recovered::Stuck(id, fault), |()| Recovered::Removed(id));
    };
    let Some((progress, plan)) = run.progress(config).zip(run.plan(config)) else {
        let removed = run.remove(config);
        return removed.map_or_else(|fault| Recovered::Stuck(id, fault), |()| Recovered::Removed(id));
    };
    match progress.state {
        State::Done(_) => Recovered::Committed(id),
        State::Announced(_) => Recovered::Kept(id),
        State::Keeping(_) => match keep::finish(config, &run, plan, progress) {
            Ok(_) => Recovered::Kept(id),
            Err(fault) if fault.denied() => with_more(config, id, fault, |fault| Recovered::Stuck(id, fault)),
            Err(fault) => Recovered::Stuck(id, fault),
        },
        State::Turning(_) if !apply::is_begun(&plan, progress.side) && !plan.moves.is_empty() => {
            drop_unbegun(config, &run, &plan, progress, steps)
        }
        State::Turning(_) if progress.before.is_empty() => {
            match commit::finish(config, &run, &plan, progress, steps) {
                Ok(_) => Recovered::Committed(id),
                Err(Stopped::Refused(NotCommitted::Unfinished(fault))) => Recovered::Stuck(id, fault),
                Err(Stopped::Refused(error)) => Recovered::TakenBack(id, error),
                Err(Stopped::Denied(fault)) => {
                    with_more(config, id, fault, |fault| match commit::give_up(config, &run, fault) {
                        NotCommitted::Unfinished(fault) => Recovered::Stuck(id, fault),
                        error => Recovered::TakenBack(id, error),
                    })
                }
            }
        }
        State::Turning(_) => {
            let (new, old) = (progress.id, progress.before.last().copied().unwrap_or(id));
            match undo::finish(config, &run, &plan, progress, steps) {
                Ok(_) => Recovered::Undone(new),
                Err(Stopped::Refused(NotUndone::Unfinished(fault))) => Recovered::Stuck(id, fault),
                Err(Stopped::Refused(error)) => Recovered::Held(old, error),
                Err(Stopped::Denied(fault)) => {
                    with_more(config, id, fault, |fault| match undo::give_up(config, new, fault) {
                        NotUndone::Unfinished(fault) => Recovered::Stuck(id, fault),
                        error => Recovered::Held(old, error),
                    })
                }
            }
        }
    }
}

/// Ends a commit or an undo of which nothing was done yet.
fn drop_unbegun(
    config: &StagesConfig,
    run: &Run,
    plan: &Plan,
    turning: Progress,
    steps: Steps<'_>,
) -> Recovered {
    match turning.before.last().copied() {
        None => match commit::take_back(config, run, plan, turning, steps) {
            Err(NotCommitted::Unfinished(fault)) => Recovered::Stuck(run.id, fault),
            Ok(()) | Err(_) => Recovered::TakenBack(run.id, NotCommitted::Interrupted),
        },
        Some(old) => match undo::take_back(config, run, plan, turning, steps) {
            Err(NotUndone::Unfinished(fault)) => Recovered::Stuck(run.id, fault),
            Ok(()) | Err(_) => Recovered::Held(old, NotUndone::Interrupted),
        },
    }
}

/// Retries with more rights, unless this process already has them.
fn with_more(
    config: &StagesConfig,
    id: Uuid,
    fault: Fault,
    otherwise: impl FnOnce(Fault) -> Recovered,
) -> Recovered {
    let privileged = std::env::args_os().nth(1).is_some_and(|word| word == child::WORD);
    match (!privileged).then(|| child::ask(config, Task::Recover(id))).flatten() {
        Some(Reply::Recover(recovered)) => recovered,
        _ => otherwise(fault),
    }
}
