//! The guard's side of a sandbox that stands: programs are started in it, waited for, and ended with it.

use guarda_core::effects::Tried;
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use tokio::io::unix::AsyncFd;

use super::ipc::{self, Order, Report};
use super::network::Ends;
use crate::process::{Start, Status, Streams};
use guarda_core::output::Protection;

/// How long a supervisor may take to say that its sandbox stands, and to go when all in it has ended.
const PATIENCE: Duration = Duration::from_secs(15);

/// One sandbox and the programs in it. When this is dropped, none of them is left: they are killed at once, but not
/// waited for; [`SandboxHandle::end`] does.
#[derive(Debug)]
pub struct SandboxHandle {
    socket: AsyncFd<OwnedFd>,
    supervisor: tokio::process::Child,
    protection: Protection,
    network: Option<Ends>,
    heard: tokio::sync::Mutex<Heard>,
}

#[derive(Debug, Default)]
struct Heard {
    ended: HashMap<usize, Status>,
    over: Option<Over>,
}

/// How a sandbox came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Over {
    /// Processes that programs had left behind, and that were ended.
    pub strays: u32,
    /// Processes that could not be ended, since the kernel holds them; 0 but for broken hardware.
    pub left: u32,
    /// The attempts of a staged run to reach something; empty for every other run.
    pub tried: Tried,
}

/// Why there is no sandbox. Nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The profile's promises cannot be kept here, and the specification demands them.
    #[error("this machine cannot confine a command as required: {0}")]
    Lacking(String),
    /// This machine cannot give the run a network of its own, so that it could not be kept to the approved hosts.
    #[error("no network of its own can be made for the command: {0}")]
    NoNetwork(String),
    /// The supervisor could not be started or spoken to.
    #[error("the sandbox could not be made: {0}")]
    Supervisor(#[from] io::Error),
    /// The supervisor ended, or said something else, before the sandbox stood.
    #[error(
        "the sandbox's supervisor ended before the sandbox stood; is guarda-keeper of the same version as guarda?"
    )]
    Gone,
}

impl SandboxHandle {
    /// Waits until the sandbox stands.
    pub(super) async fn new(
        socket: OwnedFd,
        supervisor: tokio::process::Child,
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

    /// What holds around every program of this sandbox.
    #[must_use]
    pub fn protection(&self) -> &Protection {
        &self.protection
    }

    /// The guard's ends of the run's network, once: where [`super::Spec::network`] is [`super::Network::Hosts`] and
    /// this machine could make one ([`Protection::network`] says so).
    pub fn take_network(&mut self) -> Option<Ends> {
        self.network.take()
    }

    pub(super) fn protection_mut(&mut self) -> &mut Protection {
        &mut self.protection
    }

    /// Starts a program in this sandbox; the number it is known by afterwards. Each leads a process group of its own.
    ///
    /// # Errors
    /// As the operating system says, with its error number (not there, not executable, not to be reached from within);
    /// [`io::ErrorKind::BrokenPipe`] if the sandbox is no more.
    pub async fn start(&mut self, start: Start, streams: Streams) -> io::Result<usize> {
        ipc::order(self.socket.as_fd(), &Order::Start(Box::new(start), streams))?;
        self.started().await
    }

    /// Hears what came of a program that was ordered.
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
    /// [`io::ErrorKind::BrokenPipe`] if the sandbox is no more, and nobody can say.
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

    /// Asks every process in the sandbox to end, kills those that have not after `grace`, and waits until none is left.
    /// After this no process that any of its programs started is there.
    ///
    /// # Errors
    /// If the supervisor was itself killed; then [`super::reap_strays`] has been called and has ended what it found.
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
            // The supervisor has nothing left to do but to end, and is not waited for.
            Some(over) => Ok(over),
            None => {
                let _ = tokio::time::timeout(PATIENCE, self.supervisor.wait()).await;
                super::reap_strays();
                asked?;
                told??;
                Err(io::Error::other("the sandbox's supervisor was killed"))
            }
        }
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
            Report::Over(strays, left, tried) => {
                self.over = Some(Over { strays: *strays, left: *left, tried: tried.clone() });
            }
            // Answers to nothing that was asked.
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
