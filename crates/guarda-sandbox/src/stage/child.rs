//! Repeats work in a child process that owns a user namespace: it may read files of mode 000 and change folders of mode
//! 0555, as long as they belong to this user. Only started after a permission was missing.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::fault::{Fault, NotCommitted, NotUndone, StageError};
use super::run::StagesConfig;
use crate::stage::entries::frame;
use crate::stage::overlay::report::Budget;
use crate::stage::vault::commit::Committed;
use crate::stage::vault::keep::Left;
use crate::stage::vault::recovered::Recovered;
use crate::stage::vault::undo::Undone;
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
