//! The supervisor: a process between the guard and the programs of one sandbox.
//!
//! Its first thread is unrestricted and does three things: it receives the guard's orders, reports how
//! programs ended, and ends the remaining ones. A second thread restricts itself and then starts the
//! programs, which inherit the restrictions, so no code is needed between `fork` and `exec`. The programs
//! cannot reach back, because they are in a Landlock domain and the first thread is not. The second thread
//! itself receives the first orders, to make the sandbox and to start a program, so that neither thread waits
//! for the other.
//!
//! Orphaned processes become children of this one, whatever session they are in. At the end there is nothing
//! to search for, only children to end until none are left.

mod beforehand;
mod launch;
mod make;
mod started;

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use guarda_core::effects::Tried;
use guarda_core::output::NotHeld;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, WaitOptions, WaitStatus};

use super::ipc::{self, Order, Report};
use super::serving::Serving;
use crate::isolation::stand_ins::StandIns;
use crate::{isolation::namespaces, strays};
use make::{First, Made, Starter, outcome};
pub(super) use started::Started;

/// How often ended orphans are reaped while nothing else happens, in seconds.
const TIDY: i64 = 2;
/// The same while something is waited for.
const SOON: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
/// The most survivors that are named.
const MOST_NAMED: usize = 4;
/// What never ends, in effect.
const EVER: Duration = Duration::from_secs(3600 * 24 * 365);

/// How many files can be open without another table. Below what is usually permitted.
const OPEN_FILES: i32 = 1023;

/// How long what is left may go on.
fn lingering(most: u32) -> Duration {
    if most == u32::MAX { EVER } else { Duration::from_millis(most.into()) }
}

/// Runs a supervisor, with the socket to the guard as its standard input.
///
/// # Errors
/// If it was not started by a guard, or the socket broke.
pub(super) fn run(how: Started) -> io::Result<()> {
    if how.is_within() {
        namespaces::bind_to_parent()?;
    }
    let socket = socket()?;
    let last = match keep(&socket, how) {
        Ok(report) => report,
        Err(error) => Report::Failed(error.to_string()),
    };
    // The guard may be gone; then nobody receives the report.
    let _ = ipc::report(socket.as_fd(), &last);
    Ok(())
}

/// The socket to the guard, which is this process's standard input. Nothing else that the guard or one of its libraries left open
/// reaches the programs.
///
/// # Errors
/// If this process was not started by a guard.
pub(super) fn socket() -> io::Result<OwnedFd> {
    close_fds::set_fds_cloexec(3, &[]);
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::net::sockopt::socket_type(&socket)
        .map_err(|_error| io::Error::other("this is for guarda's own use; it is not started by hand"))?;
    let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    Ok(socket)
}

/// Makes the sandbox and serves it until it ends. Returns the last report.
fn keep(socket: &OwnedFd, how: Started) -> io::Result<Report> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let session = rustix::process::setsid().map(|_session| ()).map_err(|error| NotHeld(error.to_string()));
    let watch = if how.is_within() { namespaces::watch() } else { None };
    // Before the second thread, because only a process with one thread may do this. Without mounts, Landlock hides.
    let mounts = match how {
        Started::Look { .. } | Started::Mounted => namespaces::own_mounts().is_ok(),
        // It has mounts of its own already.
        Started::Networked => true,
        Started::Now | Started::Within { .. } => false,
    };
    // So that each piece of a home folder can be held open: if the table of open files grew while threads share it, the kernel would
    // wait for every processor, which takes ten milliseconds.
    std::mem::drop(rustix::io::fcntl_dupfd_cloexec(socket, OPEN_FILES));
    let (starter, made) = Starter::new(socket.try_clone()?, session, (how, mounts))?;
    let Made { temporary, first, serving, stand_ins, followed, .. } = match made {
        Ok(made) => made,
        Err(report) => return Ok(report),
    };
    let stand_ins = stand_ins.unwrap_or_default();
    let mut programs = Programs { serving, followed, stand_ins, ..Programs::default() };
    let grace = match first {
        First::Started(pid) => {
            programs.begin(pid);
            attend(socket, &starter, &mut programs)?
        }
        First::NotStarted => attend(socket, &starter, &mut programs)?,
        First::End(grace) => grace,
    };
    let serves = std::mem::take(&mut programs.serves);
    let survivors = if how.is_within() && strays::any() { programs.survivors() } else { Vec::new() };
    let served = programs.serving.as_ref().filter(|_| !survivors.is_empty());
    let survivors_ports = served.map(Serving::listening).unwrap_or_default();
    programs.stand_ins.answer();
    let sockets = std::mem::take(&mut programs.stand_ins.reached).into_iter().collect();
    let (strays, left) = strays::end_all(grace, |pid, status| match programs.end(pid, status) {
        None => false,
        Some(report) => {
            let _ = ipc::report(socket.as_fd(), &report);
            true
        }
    });
    // Before the temporary folder goes, in which it may stand.
    let folder = programs.followed.then(|| std::env::current_dir().ok()).flatten();
    let folder = folder.filter(|folder| folder.to_str().is_some());
    std::mem::drop(temporary);
    let tried = if how.is_within() { namespaces::tried(watch.as_ref()) } else { Tried::default() };
    let tried = Tried { serves, sockets, survivors, survivors_ports, ..tried };
    Ok(Report::Over(strays, left, Box::new(tried), folder))
}

/// Follows orders until the sandbox must end. Returns the grace period.
fn attend(socket: &OwnedFd, starter: &Starter, programs: &mut Programs) -> io::Result<Duration> {
    loop {
        let ordered = programs.wait(socket)?;
        programs.stand_ins.answer();
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if let Some(report) = programs.end(pid, status)
                && ipc::report(socket.as_fd(), &report).is_err()
            {
                return Ok(Duration::ZERO);
            }
        }
        if !ordered {
            if programs.lingers.is_some_and(|until| Instant::now() >= until || !strays::any()) {
                return Ok(Duration::ZERO);
            }
            // Nobody can connect to it here, so the question is about its words instead.
            if let Some(serves) = programs.serving.as_mut().and_then(Serving::look) {
                programs.serves = serves;
                return Ok(Duration::ZERO);
            }
            continue;
        }
        match ipc::next_order(socket.as_fd()) {
            Ok(Some(Order::Start(start, streams))) => {
                let started = starter.start(*start, streams).map(|pid| programs.begin(pid));
                if ipc::report(socket.as_fd(), &outcome(started.as_ref().copied())).is_err() {
                    return Ok(Duration::ZERO);
                }
            }
            Ok(Some(Order::End(grace))) => return Ok(Duration::from_millis(grace.into())),
            Ok(Some(Order::Linger(_))) if !strays::any() => return Ok(Duration::ZERO),
            Ok(Some(Order::Linger(most))) => programs.lingers = Some(Instant::now() + lingering(most)),
            Ok(Some(Order::Open(_)) | None) | Err(_) => return Ok(Duration::ZERO),
        }
    }
}

/// The running programs.
#[derive(Default)]
struct Programs {
    /// Only in a network of their own.
    serving: Option<Serving>,
    /// The ports on which they wait for connections.
    serves: BTreeSet<u16>,
    stand_ins: StandIns,
    /// How long what is left may go on, after the order to let it.
    lingers: Option<Instant>,
    /// The only program shares this process's folder.
    followed: bool,
    begun: usize,
    running: HashMap<Pid, (usize, Option<OwnedFd>)>,
}

impl Programs {
    /// The programs that outlived those which were started, for people.
    fn survivors(&self) -> Vec<String> {
        strays::names()
            .filter(|(pid, _)| !self.running.contains_key(pid))
            .map(|(_, name)| name)
            .take(MOST_NAMED)
            .collect()
    }

    fn begin(&mut self, pid: Pid) -> usize {
        let number = self.begun;
        self.begun += 1;
        let watched = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok();
        self.running.insert(pid, (number, watched));
        number
    }

    /// The report of an ended program; `None` for a process that was not started here.
    fn end(&mut self, pid: Pid, status: WaitStatus) -> Option<Report> {
        let (number, _watched) = self.running.remove(&pid)?;
        let signalled = || Report::Signalled(number, status.terminating_signal().unwrap_or(0));
        let exited = status.exit_status().map(|code| Report::Exited(number, code));
        Some(exited.unwrap_or_else(signalled))
    }

    /// Waits for an order, the end of a program, or the time to reap. Returns whether there is an order.
    fn wait(&self, socket: &OwnedFd) -> io::Result<bool> {
        let mut watched = vec![PollFd::new(socket, PollFlags::IN)];
        watched.extend(self.stand_ins.watched());
        let soon = self.lingers.is_some() || self.serving.as_ref().is_some_and(Serving::is_expected);
        let mut patience = if soon { SOON } else { Timespec { tv_sec: TIDY, tv_nsec: 0 } };
        for (_number, program) in self.running.values() {
            match program {
                Some(program) => watched.push(PollFd::new(program, PollFlags::IN)),
                // A kernel without pidfds: poll often.
                None => patience = strays::A_MOMENT,
            }
        }
        match rustix::event::poll(&mut watched, Some(&patience)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(watched.first().is_some_and(|socket| !socket.revents().is_empty()))
    }
}
