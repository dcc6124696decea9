//! Starts programs and ends all of them. An argument vector in, a status out; never a shell string.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use tokio::io::unix::AsyncFd;

/// One program to start.
#[derive(Debug)]
pub struct Start {
    /// The file to run, absolute.
    pub file: PathBuf,
    /// Its name (`argv[0]`).
    pub name: OsString,
    /// The arguments after the name.
    pub arguments: Vec<OsString>,
    /// The whole environment.
    pub environment: Vec<(String, String)>,
    /// The folder to run in.
    pub folder: PathBuf,
    /// Whether the sandbox reports the folder in which it stood at its end ([`crate::Over::folder`]). Such a program is
    /// the only one in its sandbox.
    pub followed: bool,
}

/// The three standard streams of a program.
#[derive(Debug)]
pub struct Streams {
    /// Standard input.
    pub input: OwnedFd,
    /// Standard output.
    pub output: OwnedFd,
    /// Standard error.
    pub error: OwnedFd,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It exited with this status.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
}

impl Status {
    /// The status as a shell reports it: 128 plus the signal's number if a signal ended it.
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Exited(code) => code,
            Self::Signalled(signal) => signal.saturating_add(128),
        }
    }
}

/// Executes another program in this process, with these arguments after its name. Returns only on failure.
#[allow(clippy::disallowed_methods, reason = "this room starts programs")]
pub fn replace(file: &std::path::Path, arguments: impl Iterator<Item = OsString>) -> std::io::Error {
    Command::new(file).args(arguments).exec()
}

/// Programs that end together: one process group. Dropping this ends all of them.
#[derive(Debug, Default)]
pub struct Group {
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    child: Child,
    pid: Pid,
    ended: AsyncFd<OwnedFd>,
}

impl Group {
    /// Starts a program in this group and returns its index. The first one leads the group. It is not
    /// reaped before the group is dropped, so that the group's id cannot be reused.
    ///
    /// # Errors
    /// The system's error: missing, not executable, too many processes …
    pub fn start(&mut self, start: Start, streams: Streams) -> std::io::Result<usize> {
        let leader = self.members.first().map_or(0, |member| member.pid.as_raw_nonzero().get());
        let mut command = command(start);
        command.process_group(leader).stdin(streams.input).stdout(streams.output).stderr(streams.error);
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        let watched = rustix::process::pidfd_open(pid, PidfdFlags::NONBLOCK)
            .map_err(std::io::Error::from)
            .and_then(watch_for_end);
        match watched {
            Ok(ended) => {
                self.members.push(Member { child, pid, ended });
                Ok(self.members.len() - 1)
            }
            Err(error) => {
                // A program that cannot be watched must not go on.
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Waits for a program's end.
    ///
    /// # Errors
    /// If there is no such program, or the system reports an error.
    pub async fn status(&self, number: usize) -> std::io::Result<Status> {
        let member = self.members.get(number).ok_or(std::io::ErrorKind::NotFound)?;
        loop {
            let mut ready = member.ended.readable().await?;
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            match rustix::process::waitid(WaitId::Pid(member.pid), options)? {
                Some(status) => {
                    let code = status.exit_status().map(Status::Exited);
                    return code
                        .or_else(|| status.terminating_signal().map(Status::Signalled))
                        .ok_or_else(|| std::io::Error::other("a program ended in an unknown way"));
                }
                None => ready.clear_ready(),
            }
        }
    }

    /// Asks every program of the group to end, and kills those that have not after `grace`.
    pub async fn end(&mut self, grace: Duration) {
        self.signal(Signal::TERM);
        let all = async {
            for number in 0..self.members.len() {
                let _ = self.status(number).await;
            }
        };
        let _ = tokio::time::timeout(grace, all).await;
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.members.first() {
            let _ = rustix::process::kill_process_group(leader.pid, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The approved work is done, so remaining background processes end, too.
        self.signal(Signal::KILL);
        let mut left: Vec<Child> = Vec::new();
        for mut member in self.members.drain(..) {
            if !matches!(member.child.try_wait(), Ok(Some(_))) {
                left.push(member.child);
            }
        }
        if !left.is_empty() {
            std::thread::spawn(move || left.iter_mut().for_each(|child| drop(child.wait())));
        }
    }
}

#[expect(deprecated, reason = "its successor is unsafe; an OwnedFd keeps what that asks for")]
fn watch_for_end(fd: OwnedFd) -> std::io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(fd, tokio::io::Interest::READABLE)
}

/// The command of a start, without this process's environment.
#[expect(clippy::disallowed_methods, reason = "this is the one place where programs are started")]
#[must_use]
pub fn command(start: Start) -> Command {
    let mut command = Command::new(start.file);
    command.arg0(start.name).args(start.arguments).env_clear().envs(start.environment);
    command.current_dir(start.folder);
    command
}
