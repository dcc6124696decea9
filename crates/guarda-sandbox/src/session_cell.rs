//! The cell of a session: processes of its own, which stand as long as one of its programs is to go on running. Its first process
//! starts supervisors and does nothing else, so that commands of the session see and signal each other's processes, and nobody
//! else's.
//!
//! Each command has a user namespace and a Landlock domain of its own in it: it sees that the others run, but not what they have
//! open. When the guard's end of the socket closes, for any reason, the supervisors end what is theirs, and the kernel the rest.

use std::collections::HashSet;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, WaitOptions};

use crate::isolation::namespaces;
use crate::pool::{HELD, SUPERVISE, command};
use crate::{ipc, strays, supervisor};

/// The running program.
const ITSELF: &str = "/proc/self/exe";
/// How often ended processes are reaped, in seconds.
const TIDY: i64 = 1;
/// How long supervisors have to end by themselves.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes the namespaces of a session's cell, and lives as long as its first process.
///
/// # Errors
/// If this user gets none on this machine.
pub(crate) fn make() -> io::Result<ExitCode> {
    namespaces::enter(namespaces::SESSION, [SUPERVISE, HELD].into_iter())
}

/// The first process of a session's cell: starts supervisors until the guard is gone.
///
/// # Errors
/// If it was not started by a guard, or its mounts cannot be made.
pub(crate) fn hold() -> io::Result<()> {
    namespaces::bind_to_parent()?;
    let socket = supervisor::socket()?;
    namespaces::prepare().map_err(io::Error::other)?;
    let mut supervisors = HashSet::new();
    loop {
        let mut waits = [PollFd::new(&socket, PollFlags::IN)];
        let patience = rustix::event::Timespec { tv_sec: TIDY, tv_nsec: 0 };
        match rustix::event::poll(&mut waits, Some(&patience)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => match ipc::next_call(socket.as_fd())? {
                Some((words, theirs)) => {
                    let supervisor = command(Path::new(ITSELF), words.into_iter(), theirs).spawn()?;
                    supervisors.insert(Pid::from_child(&supervisor));
                }
                None => break,
            },
            Err(error) => return Err(error.into()),
        }
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            // What a killed supervisor held would go on unwatched.
            if supervisors.remove(&pid) && status.signaled() {
                return Ok(());
            }
        }
    }
    // Those that are left clear away what is theirs.
    let until = Instant::now() + PATIENCE;
    while !supervisors.is_empty() && Instant::now() < until {
        while let Ok(Some((pid, _))) = rustix::process::wait(WaitOptions::NOHANG) {
            supervisors.remove(&pid);
        }
        let _ = rustix::event::poll(&mut [], Some(&strays::A_MOMENT));
    }
    Ok(())
}
