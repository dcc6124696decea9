//! Supervisors that wait: started before they are needed, for cells that can do no harm and for staged runs, so that a command
//! does not wait for a program to load, for namespaces, and for what is the same in every such cell. Each is used for one and is gone with it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Around, NEST, NETWORK, NETWORKED, SUPERVISE, WAIT, ipc};

/// What a supervisor waits for.
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
        [SUPERVISE, how].map(OsString::from).into_iter()
    }
}

/// How many of a kind wait. Commands that come faster than supervisors start wait for theirs to load, as they did before.
const WAITING: usize = 2;
/// After a command was begun, the next supervisor starts so much later: most commands are over by then, and none has to share
/// the processors with it.
pub(super) const LATER: Duration = Duration::from_millis(20);

/// A supervisor that has been told nothing yet.
#[derive(Debug)]
pub(super) struct Supervisor {
    /// The guard's end of the socket to it.
    pub(super) socket: OwnedFd,
    /// Its process.
    pub(super) process: tokio::process::Child,
}

impl Supervisor {
    /// Starts one that is needed now: by itself, or in what the program `around` makes around it.
    pub(super) fn start(program: &Path, around: Option<Around<'_>>) -> io::Result<Self> {
        let (program, words) = around.unwrap_or((program, Vec::new()));
        Self::spawn(program, words.into_iter().chain([SUPERVISE.into()]))
    }

    /// Starts one that makes a network first and is in it, by itself or in what the program `around` makes around it.
    pub(super) fn network(program: &Path, around: Option<Around<'_>>, loopback: &[u16]) -> io::Result<Self> {
        let ports: Vec<String> = loopback.iter().map(u16::to_string).collect();
        let mut words: Vec<OsString> = vec![SUPERVISE.into(), NETWORK.into(), ports.join(",").into()];
        if let Some((around, arguments)) = around {
            words.push(around.into());
            words.extend(arguments);
            words.extend([SUPERVISE, NETWORKED].map(OsString::from));
        }
        Self::spawn(program, words.into_iter())
    }

    /// Starts one that makes namespaces first, and is in them.
    pub(super) fn nest(program: &Path) -> io::Result<Self> {
        Self::spawn(program, Kind::Stage.words())
    }

    #[expect(clippy::disallowed_methods, reason = "this is where supervisors are started")]
    fn spawn(program: &Path, words: impl Iterator<Item = OsString>) -> io::Result<Self> {
        let (socket, theirs) = ipc::pair()?;
        let mut command = std::process::Command::new(program);
        command.args(words).env_clear().current_dir("/");
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        let process = tokio::process::Command::from(command).spawn()?;
        Ok(Self { socket, process })
    }

    /// Whether it is still there.
    fn waits(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

/// The supervisors that wait. They end by themselves when this is dropped, since their socket does.
#[derive(Debug, Default)]
pub(super) struct Pool {
    look: Mutex<VecDeque<Supervisor>>,
    stage: Mutex<VecDeque<Supervisor>>,
}

impl Pool {
    fn waiting(&self, kind: Kind) -> std::sync::MutexGuard<'_, VecDeque<Supervisor>> {
        let of = match kind {
            Kind::Look => &self.look,
            Kind::Stage => &self.stage,
        };
        of.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that waits, if there is one.
    pub(super) fn take(&self, kind: Kind) -> Option<Supervisor> {
        let mut waiting = self.waiting(kind);
        while let Some(mut supervisor) = waiting.pop_front() {
            if supervisor.waits() {
                return Some(supervisor);
            }
        }
        None
    }

    /// Starts what is missing. Where that fails, commands start their own.
    pub(super) fn fill(&self, program: &Path, kind: Kind) {
        while self.waiting(kind).len() < WAITING {
            match Supervisor::spawn(program, kind.words()) {
                Ok(supervisor) => self.waiting(kind).push_back(supervisor),
                Err(error) => {
                    tracing::warn!(%error, "no supervisor could be started beforehand");
                    return;
                }
            }
        }
    }
}
