//! The guard's side of a sandbox: starts programs in it, waits for them, and ends them.

use guarda_core::effects::Tried;
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::unix::AsyncFd;

use super::ipc::{self, Order, Report};
use super::network::Ends;
use crate::process::{Start, Status, Streams};
use guarda_core::output::Protection;

/// How long a supervisor may take to report its sandbox ready, and to exit after its programs have ended.
const PATIENCE: Duration = Duration::from_secs(15);

/// A sandbox and the programs in it. Dropping it kills all of them without waiting; [`SandboxHandle::end`]
/// waits.
#[derive(Debug)]
pub struct SandboxHandle {
    socket: AsyncFd<OwnedFd>,
    supervisor: Option<tokio::process::Child>,
    protection: Protection,
    network: Option<Ends>,
    heard: tokio::sync::Mutex<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    ended: HashMap<usize, Status>,
    over: Option<Over>,
}

/// How a sandbox ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Over {
    /// Processes that programs left behind and that were ended.
    pub strays: u32,
    /// Processes that could not be ended because the kernel holds them; 0 unless hardware is broken.
    pub left: u32,
    /// What a staged run wanted and was refused; empty for every other run.
    pub tried: Tried,
    /// The folder in which a followed program stood at its end; `None` if it is gone, or nothing was followed.
    pub folder: Option<PathBuf>,
}

/// Why there is no sandbox. Nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The specification requires everything that the profile promises, and this machine cannot provide it.
    #[error("this machine cannot confine a command as required: {0}")]
    Lacking(String),
    /// This machine cannot give the run its own network, so it could not be limited to the approved hosts.
    #[error("no network of its own can be made for the command: {0}")]
    NoNetwork(String),
    /// The supervisor could not be started or reached.
    #[error("the sandbox could not be made: {0}")]
    Supervisor(#[from] io::Error),
    /// The supervisor ended, or reported something unexpected, before the sandbox was ready.
    #[error(
        "the sandbox's supervisor ended before the sandbox stood; is guarda-keeper of the same version as guarda?"
    )]
    Gone,
}

impl SandboxHandle {
    /// Waits until the sandbox is ready.
    pub(super) async fn new(
        socket: OwnedFd,
        supervisor: Option<tokio::process::Child>,
    ) -> Result<Self, SandboxError> {
        let mut cell = Self {
            socket: watch(socket)?,
            supervisor,
            protection: Protection::new(super::SandboxLevel::None, super::Network::All),
            network: None,
            heard: tokio::sync::Mutex::default(),
        };
        let mut first =
            tokio::time::timeout(PATIENCE, cell.next()).await.map_err(|_late| SandboxError::Gone)??;
        if let Some((Report::Network, files)) = first {
            cell.network = Some(Ends::received(files)?);
            first =
                tokio::time::timeout(PATIENCE, cell.next()).await.map_err(|_late| SandboxError::Gone)??;
        }
        match first.map(|(report, _files)| report) {
            Some(Report::Ready(protection)) => {
                cell.protection = protection;
                Ok(cell)
            }
            Some(Report::Refused(why)) => Err(SandboxError::Lacking(why)),
            Some(Report::NoNetwork(why)) => Err(SandboxError::NoNetwork(why)),
            Some(Report::Failed(why)) => Err(SandboxError::Supervisor(io::Error::other(why))),
            Some(
                Report::Network
                | Report::Started(_)
                | Report::NotStarted(..)
                | Report::Exited(..)
                | Report::Signalled(..)
                | Report::Over(..),
            )
            | None => Err(SandboxError::Gone),
        }
    }

    /// The measures around every program of this sandbox.
    #[must_use]
    pub fn protection(&self) -> &Protection {
        &self.protection
    }

    /// The guard's ends of the run's network; returned once. Present if [`super::Spec::network`] is
    /// [`super::Network::Hosts`] and this machine can provide one (see [`Protection::network`]).
    pub fn take_network(&mut self) -> Option<Ends> {
        self.network.take()
    }

    pub(super) fn protection_mut(&mut self) -> &mut Protection {
        &mut self.protection
    }

    /// Starts a program in this sandbox and returns its number. Each program leads a process group of its own.
    ///
    /// # Errors
    /// The operating system's error with its number (missing, not executable, not reachable from inside);
    /// [`io::ErrorKind::BrokenPipe`] if the sandbox has ended.
    pub async fn start(&mut self, start: Start, streams: Streams) -> io::Result<usize> {
        ipc::order(self.socket.as_fd(), &Order::Start(Box::new(start), streams))?;
        self.started().await
    }

    /// Receives the result of an ordered start.
    pub(super) async fn started(&mut self) -> io::Result<usize> {
        loop {
            match self.report().await? {
                Some(Report::Started(number)) => return Ok(number),
                Some(Report::NotStarted(0, text)) => return Err(io::Error::other(text)),
                Some(Report::NotStarted(number, _)) => return Err(io::Error::from_raw_os_error(number)),
                Some(report) => self.heard.get_mut().hear(&report),
                None => return Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
    }

    /// Waits for a program's end.
    ///
    /// # Errors
    /// [`io::ErrorKind::BrokenPipe`] if the sandbox ended without a report.
    pub async fn status(&self, number: usize) -> io::Result<Status> {
        let mut heard = self.heard.lock().await;
        loop {
            if let Some(status) = heard.ended.get(&number) {
                return Ok(*status);
            }
            match self.report().await? {
                Some(report) => heard.hear(&report),
                None => return Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
    }

    /// Asks every process in the sandbox to end, kills the remaining ones after `grace`, and waits for all of them.
    /// Afterwards, no process that any of its programs started exists.
    ///
    /// # Errors
    /// If the supervisor itself was killed. [`super::reap_strays`] has then ended the processes that it found.
    pub async fn end(&mut self, grace: Duration) -> io::Result<Over> {
        let asked = ipc::order(self.socket.as_fd(), &Order::End(super::spec::milliseconds(grace)));
        let heard = async {
            while self.heard.lock().await.over.is_none() {
                let Some(report) = self.report().await? else { break };
                self.heard.lock().await.hear(&report);
            }
            io::Result::Ok(())
        };
        let told = tokio::time::timeout(grace + PATIENCE, heard).await;
        match self.heard.get_mut().over.clone() {
            // The supervisor only has to exit now, which needs no waiting.
            Some(over) => Ok(over),
            None => {
                if let Some(supervisor) = &mut self.supervisor {
                    let _ = tokio::time::timeout(PATIENCE, supervisor.wait()).await;
                }
                super::reap_strays();
                asked?;
                told??;
                Err(io::Error::other("the sandbox's supervisor was killed"))
            }
        }
    }

    /// Lets what runs go on, and waits until nothing does, or a run whose changes are held back waits for connections, or `most` has
    /// passed; then [`SandboxHandle::end`] has nothing left to wait for.
    ///
    /// # Errors
    /// If the supervisor is gone.
    pub async fn linger(&self, most: Duration) -> io::Result<()> {
        ipc::order(self.socket.as_fd(), &Order::Linger(super::spec::milliseconds(most)))?;
        while self.heard.lock().await.over.is_none() {
            let Some(report) = self.report().await? else { return Err(io::ErrorKind::BrokenPipe.into()) };
            self.heard.lock().await.hear(&report);
        }
        Ok(())
    }

    async fn report(&self) -> io::Result<Option<Report>> {
        Ok(self.next().await?.map(|(report, _files)| report))
    }

    async fn next(&self) -> io::Result<Option<(Report, Vec<OwnedFd>)>> {
        loop {
            let mut ready = self.socket.readable().await?;
            match ipc::next_report(self.socket.as_fd()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                report => return report,
            }
        }
    }
}

impl Heard {
    fn hear(&mut self, report: &Report) {
        match report {
            Report::Exited(number, code) => drop(self.ended.insert(*number, Status::Exited(*code))),
            Report::Signalled(number, signal) => drop(self.ended.insert(*number, Status::Signalled(*signal))),
            Report::Over(strays, left, tried, folder) => {
                let (tried, folder) = ((**tried).clone(), folder.clone());
                self.over = Some(Over { strays: *strays, left: *left, tried, folder });
            }
            // Reports that answer no pending order.
            Report::Network
            | Report::NoNetwork(_)
            | Report::Ready(_)
            | Report::Refused(_)
            | Report::Failed(_)
            | Report::Started(_)
            | Report::NotStarted(..) => {}
        }
    }
}

#[expect(deprecated, reason = "its successor is unsafe; an OwnedFd keeps what that asks for")]
pub(super) fn watch(socket: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(socket, tokio::io::Interest::READABLE)
}
