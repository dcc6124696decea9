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

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, WaitOptions, WaitStatus};

use super::ipc::{self, Order, Report};
use super::serving::Serving;
use super::spec::{Limits, Network, SandboxLevel, Sockets, Spec};
use super::{calls, files, folders, hide, namespaces, network, privileges, strays};
use crate::process::{Start, Streams};
use guarda_core::effects::Tried;
use guarda_core::output::{Measure, NotHeld, Protection};

/// How often ended orphans are reaped while nothing else happens, in seconds.
const TIDY: i64 = 2;
/// Variables that lead to the session's display, buses, sound and keys. Sandboxed programs get none of them.
const OF_THE_SESSION: &[&str] = &[
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "AT_SPI_BUS_ADDRESS",
    "PULSE_SERVER",
    "PULSE_COOKIE",
    "PIPEWIRE_REMOTE",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "GNOME_KEYRING_CONTROL",
    "SESSION_MANAGER",
    "NOTIFY_SOCKET",
    "SPEECHD_ADDRESS",
    "TMUX",
    "STY",
];

/// Lets git take a covered file for the one that it knows.
const GIT: [(&str, &str); 5] = [
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "core.checkStat"),
    ("GIT_CONFIG_VALUE_0", "minimal"),
    ("GIT_CONFIG_KEY_1", "core.trustctime"),
    ("GIT_CONFIG_VALUE_1", "false"),
];

/// When and where a supervisor was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Started {
    /// For one sandbox, now.
    Now,
    /// For a cell that can do no harm, in mounts of its own if this machine permits them. `waits`: in advance; it
    /// applies the restrictions that are the same in each of them.
    Look { waits: bool },
    /// As the first process of its own namespaces, for a staged run. `waits`: in advance.
    Within { waits: bool },
    /// For one sandbox with a network of its own, which this process has already entered.
    Networked,
}

impl Started {
    fn is_within(self) -> bool {
        matches!(self, Self::Within { .. })
    }
}

/// Runs a supervisor, with the socket to the guard as its standard input.
///
/// # Errors
/// If it was not started by a guard, or the socket broke.
pub(super) fn run(how: Started) -> io::Result<()> {
    if how.is_within() {
        namespaces::bind_to_parent()?;
    }
    // Descriptors that the guard or one of its libraries left open must not reach the programs.
    close_fds::set_fds_cloexec(3, &[]);
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    rustix::net::sockopt::socket_type(&socket)
        .map_err(|_error| io::Error::other("this is for guarda's own use; it is not started by hand"))?;
    let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;

    let last = match keep(&socket, how) {
        Ok(report) => report,
        Err(error) => Report::Failed(error.to_string()),
    };
    // The guard may be gone; then nobody receives the report.
    let _ = ipc::report(socket.as_fd(), &last);
    Ok(())
}

/// Makes the sandbox and serves it until it ends. Returns the last report.
fn keep(socket: &OwnedFd, how: Started) -> io::Result<Report> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let session = rustix::process::setsid().map(|_session| ()).map_err(|error| NotHeld(error.to_string()));
    let watch = if how.is_within() { namespaces::watch() } else { None };
    // Before the second thread, because only a process with one thread may do this. Without mounts, Landlock hides.
    let mounts = matches!(how, Started::Look { .. }) && namespaces::own_mounts().is_ok();
    let (starter, made) = Starter::new(socket.try_clone()?, session, (how, mounts))?;
    let Made { temporary, first, serving, followed, .. } = match made {
        Ok(made) => made,
        Err(report) => return Ok(report),
    };
    let mut programs = Programs { serving, followed, ..Programs::default() };
    let grace = match first {
        First::Started(pid) => {
            programs.begin(pid);
            attend(socket, &starter, &mut programs)?
        }
        First::NotStarted => attend(socket, &starter, &mut programs)?,
        First::End(grace) => grace,
    };
    let serves = std::mem::take(&mut programs.serves);
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
    let tried = Tried { serves, ..tried };
    Ok(Report::Over(strays, left, tried, folder))
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

/// Follows orders until the sandbox must end. Returns the grace period.
fn attend(socket: &OwnedFd, starter: &Starter, programs: &mut Programs) -> io::Result<Duration> {
    loop {
        let ordered = programs.wait(socket)?;
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if let Some(report) = programs.end(pid, status)
                && ipc::report(socket.as_fd(), &report).is_err()
            {
                return Ok(Duration::ZERO);
            }
        }
        if !ordered {
            // Nobody can connect to it here, so the question is about its words instead.
            programs.serves = programs.serving.as_mut().map(Serving::look).unwrap_or_default();
            if programs.serves.is_empty() {
                continue;
            }
            return Ok(Duration::ZERO);
        }
        match ipc::next_order(socket.as_fd()) {
            Ok(Some(Order::Start(start, streams))) => {
                let started = starter.start(*start, streams).map(|pid| programs.begin(pid));
                if ipc::report(socket.as_fd(), &outcome(started.as_ref().copied())).is_err() {
                    return Ok(Duration::ZERO);
                }
            }
            Ok(Some(Order::End(grace))) => return Ok(Duration::from_millis(grace.into())),
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
    /// The only program shares this process's folder.
    followed: bool,
    begun: usize,
    running: HashMap<Pid, (usize, Option<OwnedFd>)>,
}

impl Programs {
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
        let mut patience = Timespec { tv_sec: TIDY, tv_nsec: 0 };
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

type Job = (Start, Streams);

/// The restricted thread.
struct Starter {
    jobs: Sender<Job>,
    done: Receiver<io::Result<Pid>>,
}

/// A sandbox that is ready, and the result of its first order.
struct Made {
    temporary: Option<Temporary>,
    /// Whether files are covered that git knows.
    covered: bool,
    first: First,
    serving: Option<Serving>,
    /// The first program shares this process's folder.
    followed: bool,
}

/// The first order to a sandbox.
enum First {
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
    fn new(
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
            let temporary = made.temporary.as_ref().map(|temporary| temporary.path.clone());
            let covered = made.covered;
            let _ = stands.send(Ok(made));
            for (start, streams) in ordered {
                let _ = tell.send(launch(start, streams, &spec, (temporary.as_deref(), covered)));
            }
        })?;
        let made = made.recv().map_err(io::Error::other)?;
        Ok((Self { jobs, done }, made))
    }

    fn start(&self, start: Start, streams: Streams) -> io::Result<Pid> {
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
    if matches!(how, Started::Look { .. }) && !spec.may_wait() {
        return Err(Report::Failed("this supervisor waited for another kind of sandbox".to_owned()));
    }
    if how.is_within() == spec.staged.is_empty() {
        return Err(Report::Failed(
            "this supervisor stands in other namespaces than were ordered".to_owned(),
        ));
    }
    let networked = spec.network == Network::Hosts && spec.staged.is_empty() && !spec.notified;
    if (how == Started::Networked) != networked {
        return Err(Report::Failed("this supervisor stands in another network than was ordered".to_owned()));
    }
    if spec.network == Network::Hosts && spec.profile == SandboxLevel::None {
        return Err(Report::Failed("without a sandbox nothing can be kept to the approved hosts".to_owned()));
    }
    let (mut serving, mut local) = (None, false);
    if how.is_within() {
        serving = Some(Serving::default());
        let refused = |error: &dyn std::fmt::Display| Report::Refused(error.to_string());
        local = namespaces::furnish(&spec).map_err(|error| refused(&error))?;
        if spec.network == Network::Hosts {
            let listeners = network::within(&spec.loopback).map_err(|NotHeld(why)| Report::NoNetwork(why))?;
            ipc::report_network(socket.as_fd(), &listeners.files())?;
            serving = Some(Serving::besides_these());
        }
    }
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
        SandboxLevel::Confined | SandboxLevel::Isolated => Some(Temporary::of(&spec)?),
    };
    let folder = temporary.as_ref().map(|temporary| temporary.path.as_path());
    let mut wishes = folders::wishes(&spec, folder, rustix::process::geteuid().is_root());
    // bubblewrap has covered what is hidden.
    let mut covered = spec.profile == SandboxLevel::Isolated;
    if let Some(folder) = folder.filter(|_| how.is_within() || mounts) {
        match hide::cover(&spec, &wishes, folder) {
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
    let ready = Report::Ready(protection);
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
            let started = launch(*start, streams, &spec, (folder, covered));
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
        Some(Order::Open(_)) | None => First::End(Duration::ZERO),
    };
    Ok((spec, Made { temporary, first, serving, covered, followed }))
}

/// The report about a program to start: its number, or the error.
fn outcome(started: Result<usize, &io::Error>) -> Report {
    match started {
        Ok(number) => Report::Started(number),
        Err(error) => Report::NotStarted(error.raw_os_error().unwrap_or(0), error.to_string()),
    }
}

/// The steps that do not depend on the command and can be done in advance: rules for the system's folders,
/// dropping privileges, and the system call filter.
struct Beforehand {
    sockets: Sockets,
    /// The paths that the rules already open. Something hidden in them rules this preparation out.
    opened: Vec<(PathBuf, folders::Access)>,
    rules: files::Rules,
    /// The system paths that are still to be opened.
    system: folders::System,
    privileges: Result<(), NotHeld>,
    /// Whether Landlock was expected to have scopes: if not, the filter replaces them.
    scoped: bool,
    filter: Result<calls::Filter, NotHeld>,
}

impl Beforehand {
    /// The preparation of a supervisor before its order arrives.
    fn of(how: Started, mounts: bool) -> Result<Option<Self>, Report> {
        match how {
            Started::Now | Started::Networked | Started::Look { waits: false } => Ok(None),
            Started::Look { waits: true } => {
                rehearse();
                let made = Self::take(Sockets::None, true);
                // The filter refuses mounts, which are made for each command.
                let filter = if mounts { made.filter } else { made.filter.and_then(calls::Filter::enforce) };
                Ok(Some(Self { filter, ..made }))
            }
            Started::Within { waits } => {
                if waits {
                    rehearse();
                }
                namespaces::prepare().map_err(|error| Report::Refused(error.to_string()))?;
                Ok(Some(Self::take(Sockets::All { local: true }, false)))
            }
        }
    }

    /// Drops the calling thread's rights and makes the rest.
    fn take(sockets: Sockets, look: bool) -> Self {
        let mut system = folders::System::open();
        let whole = system.split_whole();
        let rules = files::Rules::new(sockets).open(whole.all().map(|(_path, grant)| grant));
        let opened = whole.all().map(|(path, grant)| (path.to_owned(), grant.access)).collect();
        let privileges = privileges::drop();
        let scoped = files::scoped();
        let untouchable = (!scoped).then(|| calls::Untouchable {
            supervisor: rustix::process::getpid().as_raw_nonzero().get(),
            guard: rustix::process::getppid().map_or(1, |pid| pid.as_raw_nonzero().get()),
        });
        let filter = calls::Filter::new(sockets, untouchable, look);
        Self { sockets, opened, rules, system, privileges, scoped, filter }
    }
}

/// Makes and discards a cell, so that its code and tables are in memory when they are needed.
fn rehearse() {
    let spec = Spec::look(SandboxLevel::Confined, Some("/tmp".into()), "/");
    let said = serde_json::to_vec(&spec).unwrap_or_default();
    if let Ok(spec) = serde_json::from_slice::<Spec>(&said) {
        let mut wishes = folders::wishes(&spec, None, rustix::process::geteuid().is_root());
        // Faults are found and reported by the real run.
        let _ = files::Rules::new(spec.sockets(false)).open_all(&mut wishes, folders::System::open());
        let null = || std::fs::File::open("/dev/null").map(OwnedFd::from);
        if let (Ok(input), Ok(output), Ok(error)) = (null(), null(), null()) {
            let (environment, arguments) = (vec![("A".to_owned(), "b".to_owned())], Vec::new());
            // A folder cannot be executed: everything but the program itself is prepared.
            let start = Start {
                file: "/".into(),
                name: "/".into(),
                arguments,
                environment,
                folder: "/".into(),
                followed: false,
            };
            let _ = launch(start, Streams { input, output, error }, &spec, (None, false));
        }
    }
}

/// Applies every missing restriction of the profile to the calling thread.
fn restrict(look: bool, mut wishes: folders::Wishes, beforehand: Beforehand, protection: &mut Protection) {
    let Beforehand { sockets, opened, rules, system, privileges, scoped, filter } = beforehand;
    let (rules, system) = match opened.iter().all(|(path, access)| wishes.leaves_whole(path, *access)) {
        true => (rules, system),
        false => (files::Rules::new(sockets), folders::System::open()),
    };
    let rules = rules.open_all(&mut wishes, system);
    protection.notes.append(&mut wishes.notes);
    protection.enter(Measure::Privileges, privileges);
    files::restrict(rules, look, protection);
    let filtered = match filter.and_then(calls::Filter::enforce) {
        Ok(_) if scoped && !protection.holds(Measure::Scopes) => Err(NotHeld(
            "the filter of system calls was made for a kernel whose Landlock has scopes".to_owned(),
        )),
        filtered => filtered.map(drop),
    };
    for measure in [Measure::Network, Measure::Sockets, Measure::Calls] {
        // What Landlock could not provide is still missing.
        if filtered.is_err() || !protection.lacking.iter().any(|lack| lack.measure == measure) {
            protection.enter(measure, filtered.clone());
        }
    }
}

/// The setting of pnpm's store, as older and newer versions read it.
const PNPM_STORE: [&str; 2] = ["npm_config_store_dir", "pnpm_config_store_dir"];

/// pnpm's usual store, if it is staged and the command names pnpm: npm warns of settings that it does not know. pnpm takes a project in
/// an overlay for one on another drive, where it would make another store.
fn pnpm_store(spec: &Spec, start: &Start) -> Option<PathBuf> {
    start.arguments.iter().chain([&start.name]).find(|word| word.to_string_lossy().contains("pnpm"))?;
    let home = spec.staged.iter().map(|staged| &staged.root).find(|root| root.ends_with(".local/share/pnpm"));
    home.map(|home| home.join("store"))
}

#[expect(clippy::disallowed_methods, reason = "this is where a sandbox's programs are started")]
fn launch(
    start: Start,
    streams: Streams,
    spec: &Spec,
    (temporary, covered): (Option<&Path>, bool),
) -> io::Result<Pid> {
    let store = pnpm_store(spec, &start);
    let mut command = Command::new(start.file);
    command.args(start.arguments).env_clear();
    // A staged run writes to a copy of the home folder that is discarded.
    let own = temporary.filter(|_| spec.network == Network::Hosts && spec.staged.is_empty());
    command.envs(own.into_iter().flat_map(network::caches));
    if let Some(store) = store {
        let unset = |name: &&str| start.environment.iter().all(|(known, _)| known != *name);
        command.envs(PNPM_STORE.into_iter().filter(unset).map(|name| (name, &store)));
    }
    if covered {
        // A covered file has its size and time, but is another one.
        command.envs(GIT);
    }
    let own = start.environment.iter().any(|(name, value)| {
        name == "TMPDIR" && spec.writable.iter().any(|root| Path::new(value).starts_with(root))
    });
    let kept = |name: &str| spec.profile == SandboxLevel::None || !OF_THE_SESSION.contains(&name);
    command.envs(start.environment.into_iter().filter(|(name, _)| kept(name)));
    match temporary {
        // What a held-back run makes for a while is there for the next command, as after a plain run.
        Some(_) if spec.keeps_temporary() && own => {}
        Some(_) if spec.keeps_temporary() => drop(command.env_remove("TMPDIR")),
        Some(temporary) => drop(command.env("TMPDIR", temporary)),
        None => {}
    }
    if spec.network == Network::Hosts {
        command.env_remove("ALL_PROXY").env_remove("all_proxy").envs(network::proxy());
    }
    if spec.notified {
        command.envs([network::resolver()]);
    }
    if start.followed {
        std::env::set_current_dir(start.folder)?;
        let Streams { input, output, error } = streams;
        return guarda_notify::following::start(
            &command,
            &start.name,
            [&input, &output, &error].map(|it| it.as_fd()),
        );
    }
    command.arg0(start.name).current_dir(start.folder).process_group(0);
    command.stdin(streams.input).stdout(streams.output).stderr(streams.error);
    let child = command.spawn()?;
    Ok(Pid::from_child(&child))
}

/// Sets the limits of this process, which its children inherit.
fn limit(limits: &Limits) -> Result<(), NotHeld> {
    let wanted = [
        (Resource::Core, Some(0)),
        (Resource::Nproc, limits.processes),
        (Resource::Data, limits.memory),
        (Resource::Fsize, limits.file_size),
        (Resource::Nofile, limits.open_files),
        (Resource::Cpu, limits.cpu_seconds),
    ];
    for (resource, most) in wanted {
        let Some(most) = most else { continue };
        // A lower limit stays.
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |now| now.min(most));
        let both = Rlimit { current: Some(most), maximum: Some(most) };
        rustix::process::setrlimit(resource, both)
            .map_err(|error| NotHeld(format!("{resource:?}: {error}")))?;
    }
    Ok(())
}

/// A sandbox's temporary folder; removed with its contents.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Creates one for a specification. A staged run's usual temporary folder may be missing on this machine
    /// or covered by something readable; another one is then used.
    fn of(spec: &Spec) -> io::Result<Self> {
        let own: &[&str] = if spec.staged.is_empty() { &[] } else { &["/dev/shm", "/tmp"] };
        let mut others = own.iter().map(Path::new);
        Self::new(&spec.temporary)
            .or_else(|error| others.find_map(|other| Self::new(other).ok()).ok_or(error))
    }

    fn new(below: &Path) -> io::Result<Self> {
        let below = std::fs::canonicalize(below)?;
        for attempt in 0..100_u32 {
            let mut name = OsString::from("guarda-");
            name.push(format!("{}-{attempt}", rustix::process::getpid().as_raw_nonzero()));
            let path = below.join(name);
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Links in it are removed, not followed.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
