//! Makes a sandbox as it was specified, and starts programs in it: the restricted thread of a supervisor.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use guarda_core::output::{Measure, NotHeld, Protection};
use rustix::process::Pid;
use tempfile::TempDir;

use super::beforehand::{Beforehand, restrict};
use super::launch::{self, Surroundings, launch, limit};
use super::started::Started;
use crate::ipc::{self, Order, Report};
use crate::isolation::stand_ins::StandIns;
use crate::isolation::{hide, home, namespaces};
use crate::process::{Start, Streams};
use crate::serving::Serving;
use crate::spec::{Network, SandboxLevel, Sockets, Spec};
use crate::{folders, network};

type Job = (Start, Streams);

/// The restricted thread.
pub(super) struct Starter {
    jobs: Sender<Job>,
    done: Receiver<io::Result<Pid>>,
}

/// A sandbox that is ready, and the result of its first order.
pub(super) struct Made {
    pub(super) temporary: Option<TempDir>,
    /// Whether files are covered that git knows.
    covered: bool,
    pub(super) first: First,
    pub(super) serving: Option<Serving>,
    /// In the places of sockets that are out of sight.
    pub(super) stand_ins: Option<StandIns>,
    /// The first program shares this process's folder.
    pub(super) followed: bool,
}

/// The first order to a sandbox.
pub(super) enum First {
    /// A program, and it runs.
    Started(Pid),
    /// A program that could not be started.
    NotStarted,
    /// Its end, after this time.
    End(Duration),
}

impl Starter {
    /// Starts the thread, which makes the sandbox and starts the first program in it, so that no other thread
    /// has to wake between the guard's order and that program. Waits until this is done; returns a report if
    /// there is no sandbox.
    pub(super) fn new(
        socket: OwnedFd,
        session: Result<(), NotHeld>,
        (how, mounts): (Started, bool),
    ) -> io::Result<(Self, Result<Made, Report>)> {
        let (jobs, ordered) = channel::<Job>();
        let (tell, done) = channel();
        let (stands, made) = channel();
        std::thread::Builder::new().name("confined".into()).spawn(move || {
            let beforehand = Beforehand::of(how, mounts);
            // Both ends of each channel are in this process: sending fails only when it is ending.
            let (spec, made) = match make(&socket, session, (how, mounts), beforehand) {
                Ok(made) => made,
                Err(report) => {
                    let _ = stands.send(Err(report));
                    return;
                }
            };
            std::mem::drop(socket);
            let temporary = made.temporary.as_ref().map(|temporary| temporary.path().to_owned());
            let (covered, leads) = (made.covered, made.stand_ins.is_some());
            let _ = stands.send(Ok(made));
            for (start, streams) in ordered {
                let around = Surroundings { temporary: temporary.as_deref(), covered, leads };
                let _ = tell.send(launch(start, streams, &spec, around));
            }
        })?;
        let made = made.recv().map_err(io::Error::other)?;
        Ok((Self { jobs, done }, made))
    }

    pub(super) fn start(&self, start: Start, streams: Streams) -> io::Result<Pid> {
        self.jobs.send((start, streams)).map_err(io::Error::other)?;
        self.done.recv().map_err(io::Error::other)?
    }
}

/// Receives the specification, restricts the calling thread, and follows the first order.
fn make(
    socket: &OwnedFd,
    session: Result<(), NotHeld>,
    (how, mounts): (Started, bool),
    beforehand: Result<Option<Beforehand>, Report>,
) -> Result<(Box<Spec>, Made), Report> {
    let beforehand = beforehand?;
    let Some(Order::Open(spec)) = ipc::next_order(socket.as_fd())? else {
        return Err(Report::Failed("the first order was another one than to make a sandbox".to_owned()));
    };
    fits(how, &spec)?;
    let (mut serving, mut stand_ins) = (None, None);
    if how.is_within() {
        // What a person let go on may wait as long as it likes.
        let held = spec.live.is_empty();
        serving = held.then(|| Serving::of(spec.stays));
        let refused = |error: &dyn std::fmt::Display| Report::Refused(error.to_string());
        stand_ins = namespaces::furnish(&spec).map_err(|error| refused(&error))?;
        if spec.network == Network::Hosts {
            let listeners = network::within(&spec.loopback).map_err(|NotHeld(why)| Report::NoNetwork(why))?;
            ipc::report_network(socket.as_fd(), &listeners.files())?;
            serving = held.then(|| Serving::besides_these(spec.stays));
        }
    }
    let local = stand_ins.is_some();
    let door = match spec.sockets(local) {
        Sockets::Notified => {
            let (door, guards) = network::Door::open().map_err(|NotHeld(why)| Report::NoNetwork(why))?;
            ipc::report_network(socket.as_fd(), &[guards.as_fd()])?;
            Some(door)
        }
        _ => None,
    };
    let temporary = match spec.profile {
        SandboxLevel::None => None,
        SandboxLevel::Confined | SandboxLevel::Isolated => Some(launch::temporary(&spec)?),
    };
    let folder = temporary.as_ref().map(|temporary| temporary.path());
    let mut wishes = folders::wishes(&spec, folder, rustix::process::geteuid().is_root());
    // bubblewrap has covered what is hidden.
    let mut covered = spec.profile == SandboxLevel::Isolated;
    let mounts = mounts && spec.profile == SandboxLevel::Confined;
    if mounts && home::furnish(&spec).unwrap_or(false) {
        wishes.emptied = Some(true);
    }
    if let Some(folder) = folder.filter(|_| how.is_within() || mounts) {
        // Writes of a staged run reach no disk, and what is hidden in a folder that stays as it is must be hidden there, too.
        let held = !spec.staged.is_empty() || spec.look;
        let kept = if held { Ok(()) } else { hide::keep(&wishes) };
        match kept.and_then(|()| hide::cover(&spec, &wishes, folder)) {
            Ok(files) => (covered, wishes.covered) = (files, true),
            // Where Landlock hides as well, it does it alone.
            Err(error) if how.is_within() => return Err(Report::Refused(error.to_string())),
            Err(_) => {}
        }
    }
    let mut protection = Protection::new(spec.profile, spec.network);
    if spec.profile != SandboxLevel::None {
        let sockets = spec.sockets(local);
        let fits = beforehand.filter(|made| made.sockets == sockets);
        let restrict = || {
            let beforehand = fits.unwrap_or_else(|| Beforehand::take(sockets, spec.look));
            restrict(spec.look, wishes, beforehand, &mut protection);
        };
        match door {
            None => restrict(),
            Some(door) => door.attend(restrict)?.map_err(|NotHeld(why)| Report::NoNetwork(why))?,
        }
    }
    if how.is_within() {
        protection.enter(Measure::Namespaces, Ok(()));
    }
    protection.enter(Measure::Session, session);
    protection.enter(Measure::Limits, limit(&spec.limits));
    if spec.require && !holds(&protection, spec.look) {
        return Err(Report::Refused(protection.lacks()));
    }
    let around = Surroundings { temporary: folder, covered, leads: local };
    let (first, followed) = first(socket, &spec, Report::Ready(protection), around)?;
    Ok((spec, Made { temporary, first, serving, stand_ins, covered, followed }))
}

/// Whether this supervisor can make such a sandbox.
fn fits(how: Started, spec: &Spec) -> Result<(), Report> {
    if matches!(how, Started::Look { .. }) && !spec.may_wait() {
        return Err(Report::Failed("this supervisor waited for another kind of sandbox".to_owned()));
    }
    if how.is_within() != spec.is_within() {
        return Err(Report::Failed(
            "this supervisor stands in other namespaces than were ordered".to_owned(),
        ));
    }
    let networked = spec.network == Network::Hosts && !spec.is_within() && !spec.notified;
    if (how == Started::Networked) != networked {
        return Err(Report::Failed("this supervisor stands in another network than was ordered".to_owned()));
    }
    if spec.network == Network::Hosts && spec.profile == SandboxLevel::None {
        return Err(Report::Failed("without a sandbox nothing can be kept to the approved hosts".to_owned()));
    }
    Ok(())
}

/// Follows the first order to a sandbox that stands. Returns also whether its program shares this process's folder.
fn first(
    socket: &OwnedFd,
    spec: &Spec,
    ready: Report,
    around: Surroundings<'_>,
) -> Result<(First, bool), Report> {
    // A first program that was already ordered does not wait for the report that the sandbox is ready.
    let (told, order) = match ipc::order_at_hand(socket.as_fd())? {
        Some(order) => (false, Some(order)),
        None => {
            ipc::report(socket.as_fd(), &ready)?;
            (true, ipc::next_order(socket.as_fd())?)
        }
    };
    let followed = matches!(&order, Some(Order::Start(start, _)) if start.followed);
    let first = match order {
        Some(Order::Start(start, streams)) => {
            let started = launch(*start, streams, spec, around);
            let heard = match told {
                true => Ok(()),
                false => ipc::report(socket.as_fd(), &ready),
            };
            let outcome = outcome(started.as_ref().map(|_pid| 0));
            match started {
                _ if heard.and_then(|()| ipc::report(socket.as_fd(), &outcome)).is_err() => {
                    First::End(Duration::ZERO)
                }
                Ok(pid) => First::Started(pid),
                Err(_) => First::NotStarted,
            }
        }
        Some(Order::End(grace)) => First::End(Duration::from_millis(grace.into())),
        Some(Order::Open(_) | Order::Linger(_)) | None => First::End(Duration::ZERO),
    };
    Ok((first, followed))
}

/// The report about a program to start: its number, or the error.
pub(super) fn outcome(started: Result<usize, &io::Error>) -> Report {
    match started {
        Ok(number) => Report::Started(number),
        Err(error) => Report::NotStarted(error.raw_os_error().unwrap_or(0), error.to_string()),
    }
}

/// Whether all measures of this process hold. The guard checks the namespaces, which are made around it. In a
/// cell that can do no harm, the system call filter replaces Landlock's scopes; in namespaces, everything is
/// mounted read-only. Processes outside a staged run's namespaces cannot be signalled from inside.
fn holds(protection: &Protection, look: bool) -> bool {
    let mounted = protection.profile == SandboxLevel::Isolated;
    let elsewhere = |measure: Measure| match measure {
        Measure::Namespaces => true,
        Measure::Scopes => look,
        Measure::Files => look && mounted,
        _ => false,
    };
    let promised = Measure::of(protection.profile).iter();
    promised.filter(|measure| !elsewhere(**measure)).all(|measure| protection.holds(*measure))
}
