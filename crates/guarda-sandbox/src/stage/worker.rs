//! The process with more rights, which carries out one task.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use nix::sched::CloneFlags;

use super::child::{Reply, Task, WORD};
use super::fault::Stopped;
use super::run::{Run, StagesConfig};
use crate::isolation::user_namespace::own_user;
use crate::stage::entries::frame;
use crate::stage::overlay::report;
use crate::stage::vault::{commit, keep, recover, undo};

/// Does the child's work if this program was started as one, and returns its exit status. `main` calls it before any
/// thread is started.
#[must_use]
pub fn run_as_child() -> Option<ExitCode> {
    if std::env::args_os().nth(1)? != WORD {
        return None;
    }
    let mut order = Vec::new();
    let read = std::io::stdin().read_to_end(&mut order).ok();
    let decoded: Option<(StagesConfig, Task)> = read.and_then(|_length| frame::decode(&order));
    let Some(reply) = decoded
        .filter(|_| own_user(CloneFlags::empty()).is_ok())
        .and_then(|(config, task)| work(&config, task))
    else {
        return Some(ExitCode::FAILURE);
    };
    let told = std::io::stdout().write_all(&frame::encode(&reply));
    Some(if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn work(config: &StagesConfig, task: Task) -> Option<Reply> {
    let steps = &mut |_: &str| {};
    Some(match task {
        Task::Effects(id, budget) => {
            Reply::Effects(report::effects(config, &Run::read(config, id)?, budget, &|_| true))
        }
        Task::Commit(id) => {
            let run = Run::read(config, id)?;
            Reply::Commit(match commit::commit(config, &run, steps) {
                Ok(committed) => Ok(committed),
                Err(Stopped::Refused(error)) => Err(error),
                Err(Stopped::Denied(fault)) => Err(commit::give_up(config, &run, fault)),
            })
        }
        Task::Undo(id, new) => Reply::Undo(match undo::undo(config, id, new, steps) {
            Ok(undone) => Ok(undone),
            Err(Stopped::Refused(error)) => Err(error),
            Err(Stopped::Denied(fault)) => Err(undo::give_up(config, new, fault)),
        }),
        Task::Recover(id) => Reply::Recover(recover::one(config, id, steps)),
        Task::Finish(id) => {
            let run = Run::read(config, id)?;
            let (progress, plan) = run.progress(config).zip(run.plan(config))?;
            Reply::Finish(keep::finish(config, &run, plan, progress))
        }
    })
}
