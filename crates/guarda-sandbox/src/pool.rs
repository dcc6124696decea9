//! Keepers that wait: started before they are needed, for cells that can do no harm and for staged runs, so that a command
//! does not wait for a program to load, for namespaces, and for what is the same in every such cell. Each is used for one and is gone with it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Around, KEEP, NEST, NETWORK, NETWORKED, WAIT, line};

/// What a keeper waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cell that can do no harm.
    Look,
    /// A staged run: it is in its namespaces already.
    Stage,
}

impl Kind {
    /// The words that the program is started with.
    fn words(self) -> impl Iterator<Item = OsString> {
        let how = match self {
            Self::Look => WAIT,
            Self::Stage => NEST,
        };
        [KEEP, how].map(OsString::from).into_iter()
    }
}

/// How many of a kind wait. Commands that come faster than keepers start wait for theirs to load, as they did before.
const WAITING: usize = 2;
/// After a command was begun, the next keeper starts so much later: most commands are over by then, and none has to share
/// the processors with it.
pub(super) const LATER: Duration = Duration::from_millis(20);

/// A keeper that has been told nothing yet.
#[derive(Debug)]
pub(super) struct Keeper {
    /// The guard's end of the line to it.
    pub(super) line: OwnedFd,
    /// Its process.
    pub(super) process: tokio::process::Child,
}

impl Keeper {
    /// Starts one that is needed now: by itself, or in what the program `around` makes around it.
    pub(super) fn start(program: &Path, around: Option<Around<'_>>) -> io::Result<Self> {
        let (program, words) = around.unwrap_or((program, Vec::new()));
        Self::spawn(program, words.into_iter().chain([KEEP.into()]))
    }

    /// Starts one that makes a network first and is in it, by itself or in what the program `around` makes around it.
    pub(super) fn network(program: &Path, around: Option<Around<'_>>, loopback: &[u16]) -> io::Result<Self> {
        let ports: Vec<String> = loopback.iter().map(u16::to_string).collect();
        let mut words: Vec<OsString> = vec![KEEP.into(), NETWORK.into(), ports.join(",").into()];
        if let Some((around, arguments)) = around {
            words.push(around.into());
            words.extend(arguments);
            words.extend([KEEP, NETWORKED].map(OsString::from));
        }
        Self::spawn(program, words.into_iter())
    }

    /// Starts one that makes namespaces first, and is in them.
    pub(super) fn nest(program: &Path) -> io::Result<Self> {
        Self::spawn(program, Kind::Stage.words())
    }

    #[expect(clippy::disallowed_methods, reason = "this is where keepers are started")]
    fn spawn(program: &Path, words: impl Iterator<Item = OsString>) -> io::Result<Self> {
        let (line, theirs) = line::pair()?;
        let mut command = std::process::Command::new(program);
        command.args(words).env_clear().current_dir("/");
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        let process = tokio::process::Command::from(command).spawn()?;
        Ok(Self { line, process })
    }

    /// Whether it is still there.
    fn waits(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

/// The keepers that wait. They end by themselves when this is dropped, since their line does.
#[derive(Debug, Default)]
pub(super) struct Pool {
    look: Mutex<VecDeque<Keeper>>,
    stage: Mutex<VecDeque<Keeper>>,
}

impl Pool {
    fn waiting(&self, kind: Kind) -> std::sync::MutexGuard<'_, VecDeque<Keeper>> {
        let of = match kind {
            Kind::Look => &self.look,
            Kind::Stage => &self.stage,
        };
        of.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that waits, if there is one.
    pub(super) fn take(&self, kind: Kind) -> Option<Keeper> {
        let mut waiting = self.waiting(kind);
        while let Some(mut keeper) = waiting.pop_front() {
            if keeper.waits() {
                return Some(keeper);
            }
        }
        None
    }

    /// Starts what is missing. Where that fails, commands start their own.
    pub(super) fn fill(&self, program: &Path, kind: Kind) {
        while self.waiting(kind).len() < WAITING {
            match Keeper::spawn(program, kind.words()) {
                Ok(keeper) => self.waiting(kind).push_back(keeper),
                Err(error) => {
                    tracing::warn!(%error, "no keeper could be started beforehand");
                    return;
                }
            }
        }
    }
}
