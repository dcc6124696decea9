//! Repeats work in a child process that owns a user namespace: it may read files of mode 000 and change folders of mode
//! 0555, as long as they belong to this user. Only started after a permission was missing.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use nix::sched::CloneFlags;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::fault::{Fault, NotCommitted, NotUndone, StageError, Stopped};
use super::run::{Run, StagesConfig};
use crate::isolation::user_namespace::own_user;
use crate::stage::entries::frame;
use crate::stage::overlay::{report, report::Budget};
use crate::stage::vault::{commit, commit::Committed};
use crate::stage::vault::{keep, keep::Left};
use crate::stage::vault::{recover, recover::Recovered};
use crate::stage::vault::{undo, undo::Undone};
use guarda_core::effects::Effects;

/// The hidden sub-command that makes a program this child.
pub(super) const WORD: &str = "__stage";

/// A task for the child.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Task {
    Effects(Uuid, Budget),
    Commit(Uuid),
    /// The deed to undo, and the id of the undo.
    Undo(Uuid, Uuid),
    Recover(Uuid),
    /// Notes the result of a deed that is not staged.
    Finish(Uuid),
}

/// The result.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    Effects(Result<Effects, StageError>),
    Commit(Result<Committed, NotCommitted>),
    Undo(Result<Undone, NotUndone>),
    Recover(Recovered),
    Finish(Result<Left, Fault>),
}

/// Gives the task to a child; `None` if no child with more rights can be started, or it ended without an answer.
pub(super) fn ask(config: &StagesConfig, task: Task) -> Option<Reply> {
    if rustix::process::geteuid().is_root() {
        return None;
    }
    #[expect(clippy::disallowed_methods, reason = "devices are where programs are started")]
    let mut command = Command::new(config.supervisor.clone().unwrap_or_else(program));
    command.arg(WORD).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    if let Some(mut to) = child.stdin.take() {
        // A child that ended without reading has no answer either.
        let _ = to.write_all(&frame::encode(&(config, task)));
    }
    // The answer is its message, not its exit status: somebody else may have waited for it.
    let mut answer = Vec::new();
    let read = child.stdout.take().map(|mut from| from.read_to_end(&mut answer));
    let _ = child.wait();
    read?.ok().and_then(|_length| frame::decode(&answer))
}

/// The supervisor beside the running program, which starts faster than that program itself.
fn program() -> PathBuf {
    let running = std::env::current_exe().unwrap_or_else(|_unknown| "/proc/self/exe".into());
    let beside = running.with_file_name("guarda-keeper");
    if beside.is_file() { beside } else { running }
}

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
