//! Waiting supervisors for cells that can do no harm and for staged runs. They are started in advance, so
//! that a command need not wait for loading, for namespaces, and for the restrictions that all such cells
//! share. Each serves one sandbox.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use tempfile::TempDir;

use super::ipc;

/// The hidden sub-command that makes this program a supervisor.
pub(super) const SUPERVISE: &str = "__confine";
/// Its argument, also after one or two others, for a supervisor that waits until it is needed.
pub(super) const WAIT: &str = "wait";
/// Its argument for a cell that can do no harm.
pub(super) const LOOK: &str = "look";
/// Its argument for a sandbox with mounts of its own.
pub(super) const MOUNTED: &str = "mounted";
/// Its argument for a process that makes namespaces and starts the supervisor inside.
pub(super) const NEST: &str = "nest";
/// Its argument for a process that makes its own network and then executes another program, if one is named.
pub(super) const NETWORK: &str = "network";
/// Its argument for a process that makes the namespaces of a session's cell.
pub(super) const HOLD: &str = "hold";
/// Its argument for the first process in them.
pub(super) const HELD: &str = "held";
/// Its argument for the supervisor of a staged run in a session's cell.
pub(super) const JOIN: &str = "join";
/// Its argument for a supervisor that another process has put into such a network.
pub(super) const NETWORKED: &str = "networked";

/// The kind of sandbox for which a supervisor waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cell that can do no harm.
    Look,
    /// A staged run; the supervisor is already in its namespaces.
    Stage,
}

impl Kind {
    /// The arguments that make the program wait.
    fn words(self, place: &Place) -> impl Iterator<Item = OsString> + use<> {
        let kind = match (self, place) {
            (Self::Look, _) => LOOK,
            (Self::Stage, Place::Here(_)) => NEST,
            // The session has made the processes' namespace.
            (Self::Stage, Place::Session(_)) => JOIN,
        };
        [SUPERVISE, kind, WAIT].into_iter().map(OsString::from)
    }
}

/// How many of each kind wait, and in a session's cell. Commands in quicker succession start their own.
const WAITING: (usize, usize) = (2, 1);
/// The delay before the next supervisor starts. By then most commands have ended and do not compete with it
/// for the processors.
pub(super) const LATER: Duration = Duration::from_millis(20);

/// A supervisor without orders.
#[derive(Debug)]
pub(super) struct Supervisor {
    /// The guard's end of the socket to it.
    pub(super) socket: OwnedFd,
    /// Its process; `None` in a session's cell.
    pub(super) process: Option<tokio::process::Child>,
}

/// Where supervisors are started.
pub(super) enum Place {
    /// Beside the guard, from this program.
    Here(PathBuf),
    /// In the cell of a session.
    Session(Arc<SessionCell>),
}

impl Place {
    /// The supervisors that wait there, where those of the guard wait in `own`.
    pub(super) fn pool<'a>(&'a self, own: &'a Pool) -> &'a Pool {
        match self {
            Self::Here(_) => own,
            Self::Session(cell) => &cell.pool,
        }
    }

    fn spawn(&self, words: impl Iterator<Item = OsString>) -> io::Result<Supervisor> {
        match self {
            Self::Here(program) => Supervisor::spawn(program, words),
            Self::Session(cell) => cell.start(words),
        }
    }
}

impl Supervisor {
    /// Starts one that is needed now, alone or inside the program `around`.
    pub(super) fn start(place: &Place, around: Option<Around<'_>>) -> io::Result<Self> {
        match around {
            Some((program, words)) => Self::spawn(program, words.into_iter().chain([SUPERVISE.into()])),
            None => place.spawn(std::iter::once(SUPERVISE.into())),
        }
    }

    /// Starts one that is needed now, in mounts of its own.
    pub(super) fn mounted(place: &Place) -> io::Result<Self> {
        place.spawn([SUPERVISE, MOUNTED].into_iter().map(OsString::from))
    }

    /// Starts one that first makes and enters a network, alone or inside the program `around`.
    pub(super) fn network(place: &Place, around: Option<Around<'_>>, loopback: &[u16]) -> io::Result<Self> {
        let ports: Vec<String> = loopback.iter().map(u16::to_string).collect();
        let mut words: Vec<OsString> = vec![SUPERVISE.into(), NETWORK.into(), ports.join(",").into()];
        if let Some((around, arguments)) = around {
            words.push(around.into());
            words.extend(arguments);
            words.extend([SUPERVISE, NETWORKED].map(OsString::from));
        }
        place.spawn(words.into_iter())
    }

    /// Starts one of a kind for which others wait.
    pub(super) fn of(place: &Place, kind: Kind) -> io::Result<Self> {
        place.spawn(kind.words(place).take(2))
    }

    fn spawn(program: &Path, words: impl Iterator<Item = OsString>) -> io::Result<Self> {
        let (socket, theirs) = ipc::pair()?;
        let process = Some(tokio::process::Command::from(command(program, words, theirs)).spawn()?);
        Ok(Self { socket, process })
    }

    /// True if it is still running: its end of the socket is open, and it has reported nothing.
    fn waits(&self) -> bool {
        is_quiet(&self.socket, PollFlags::IN)
    }
}

/// The command that starts a supervisor with `theirs`, its end of the socket to the guard.
#[expect(clippy::disallowed_methods, reason = "this is where supervisors are started")]
pub(super) fn command(
    program: &Path,
    words: impl Iterator<Item = OsString>,
    theirs: OwnedFd,
) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    command.args(words).env_clear().current_dir("/");
    command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// True if nothing of this has happened at a socket, and its other end is open.
fn is_quiet(socket: &OwnedFd, what: PollFlags) -> bool {
    let mut socket = [PollFd::new(socket, what | PollFlags::RDHUP)];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(rustix::event::poll(&mut socket, Some(&now)), Ok(0))
}

/// The cell of a session. Everything in it ends when this is dropped.
#[derive(Debug)]
pub struct SessionCell {
    socket: OwnedFd,
    /// Those that wait in it.
    pub(super) pool: Pool,
    /// The folder that is `/tmp` to what it keeps running.
    pub(super) tmp: TempDir,
}

impl SessionCell {
    /// Starts one.
    ///
    /// # Errors
    /// The operating system's. If this machine permits none, the first supervisor in it is missing.
    pub(super) fn begin(program: &Path, folder: &Path) -> io::Result<Self> {
        let words = [SUPERVISE, HOLD].into_iter().map(OsString::from);
        let tmp = tempfile::tempdir_in(folder)?;
        let Supervisor { socket, .. } = Supervisor::spawn(program, words)?;
        Ok(Self { socket, pool: Pool::default(), tmp })
    }

    /// Starts a supervisor in it.
    ///
    /// # Errors
    /// If the cell has ended.
    fn start(&self, words: impl Iterator<Item = OsString>) -> io::Result<Supervisor> {
        let (socket, theirs) = ipc::pair()?;
        ipc::call(self.socket.as_fd(), words, &theirs)?;
        Ok(Supervisor { socket, process: None })
    }

    /// Whether it still stands.
    #[must_use]
    pub fn stands(&self) -> bool {
        is_quiet(&self.socket, PollFlags::empty())
    }
}

/// The waiting supervisors. They end when this is dropped, because their sockets close.
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

    /// A waiting one, if any.
    pub(super) fn take(&self, kind: Kind) -> Option<Supervisor> {
        let mut waiting = self.waiting(kind);
        while let Some(supervisor) = waiting.pop_front() {
            if supervisor.waits() {
                return Some(supervisor);
            }
        }
        None
    }

    /// Starts the missing ones. If that fails, commands start their own.
    pub(super) fn fill(&self, place: &Place, kind: Kind) {
        let most = if matches!(place, Place::Here(_)) { WAITING.0 } else { WAITING.1 };
        while self.waiting(kind).len() < most {
            match place.spawn(kind.words(place)) {
                Ok(supervisor) => self.waiting(kind).push_back(supervisor),
                Err(error) => {
                    tracing::warn!(%error, "no supervisor could be started beforehand");
                    return;
                }
            }
        }
    }
}

/// A program that prepares the surroundings of a supervisor, and its arguments up to the supervisor's path.
pub(super) type Around<'a> = (&'a Path, Vec<std::ffi::OsString>);
