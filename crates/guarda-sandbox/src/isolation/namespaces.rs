//! The namespaces of a staged run (feature N4). Its supervisor starts in two steps. The first makes the
//! namespaces and is the parent of the second. The second is the first process inside: it mounts the run's
//! file system and is the supervisor.
//!
//! An overlay covers each root at the root's own path, so programs see their usual paths and their writes go
//! to a folder of the guard. Everything else is mounted read-only, and hidden paths are covered: Landlock
//! alone would reveal names, modes and times.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use nix::sched::CloneFlags;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, mount, mount_bind, mount_change, mount_remount,
    move_mount,
};
use rustix::process::Signal;
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::isolation::home::Home;
use crate::isolation::mounts::{self, Mount, restrict};
use crate::isolation::pinned::{DetachedMount, FRESH, copy, folder, held, is_fresh, present};
use crate::isolation::session_sockets::{SessionSockets, TMP};
use crate::isolation::user_namespace::own_user;
use crate::isolation::{alone, session_sockets, stand_ins, stand_ins::StandIns};
use crate::network::watch::PacketWatch;
use crate::stage::StagedRoot;
use crate::{folders, spec::Spec};
use crate::{ipc, ipc::Report};
use guarda_core::effects::Tried;

/// The limit of a staged run's temporary folders, which are in memory.
const TEMPORARY: &str = "mode=1777,size=2g,nr_inodes=200k";
/// Capabilities for mounting, and for setting up and watching the run's network.
const NEEDED: [CapabilitySet; 6] = [
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::NET_BIND_SERVICE,
    CapabilitySet::NET_RAW,
    CapabilitySet::SETPCAP,
    CapabilitySet::DAC_OVERRIDE,
];

/// The namespaces of a session's cell.
pub(crate) const SESSION: CloneFlags = CloneFlags::CLONE_NEWNS
    .union(CloneFlags::CLONE_NEWPID)
    .union(CloneFlags::CLONE_NEWIPC)
    .union(CloneFlags::CLONE_NEWUTS)
    .union(CloneFlags::CLONE_NEWCGROUP);
/// Those of a staged run: also a network.
pub(crate) const STAGED: CloneFlags = SESSION.union(CloneFlags::CLONE_NEWNET);
/// Those of a staged run in a session's cell, whose processes it shares.
pub(crate) const JOINED: CloneFlags = STAGED.difference(CloneFlags::CLONE_NEWPID);

/// Makes these namespaces, and reports if this user gets none.
///
/// # Errors
/// As the operating system says.
pub(crate) fn make(own: CloneFlags) -> io::Result<()> {
    // Root maps the ids of all users if it may; in a container it often may not.
    if (!rustix::process::geteuid().is_root() || nix::sched::unshare(own).is_err())
        && let Err(error) = own_user(own)
    {
        let why = format!("no user namespace can be made: {error}");
        ipc::report(io::stdin().as_fd(), &Report::Refused(why))?;
        return Err(error);
    }
    Ok(())
}

/// The first step: makes the namespaces, starts the supervisor inside with `words`, and lives as long as it does. Only a
/// single-threaded process may call this.
///
/// # Errors
/// If this user gets no namespaces on this machine.
pub(crate) fn enter(own: CloneFlags, words: impl Iterator<Item = &'static str>) -> io::Result<ExitCode> {
    make(own)?;
    // Executing the second step would otherwise drop them for everyone but root.
    let held = rustix::thread::capabilities(None)?;
    rustix::thread::set_capabilities(None, CapabilitySets { inheritable: held.permitted, ..held })?;
    // An administrator in a container may lack some. The steps that then fail report it.
    for one in NEEDED.into_iter().filter(|one| held.permitted.contains(*one)) {
        rustix::thread::configure_capability_in_ambient_set(one, true)?;
    }
    #[expect(clippy::disallowed_methods, reason = "this is where supervisors are started")]
    let mut supervisor = Command::new("/proc/self/exe");
    supervisor.args(words).env_clear().current_dir("/").stdin(Stdio::inherit());
    let status = supervisor.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Ties the second step to the first: it ends when the first ends.
///
/// # Errors
/// As the operating system says.
pub(crate) fn bind_to_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Brings up the loopback interface, so that a run reaches servers that it starts, and watches what it tries
/// to reach. If the kernel does not permit watching, attempts are counted but not named.
pub(crate) fn watch() -> Option<PacketWatch> {
    crate::network::netlink::loopback_up().and_then(|()| PacketWatch::begin()).ok()
}

/// A folder under an overlay, held open because a mount may cover the path to it.
struct Root {
    place: PathBuf,
    layers: Layers,
}

/// What lies at a root.
enum Layers {
    /// An overlay, in which writes are held back.
    Held {
        /// `None`: there is no such folder outside.
        lower: Option<OwnedFd>,
        upper: OwnedFd,
        work: OwnedFd,
    },
    /// The folder or file itself.
    Live(DetachedMount),
}

/// Why the file system of a staged run could not be assembled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotFurnished {
    #[error("{0} cannot be mounted: {1}")]
    NotMounted(String, io::Error),
    #[error("a folder to be staged cannot be opened: {0}")]
    NotOpened(io::Error),
    #[error("{0} cannot be staged: {1}")]
    NotStaged(String, io::Error),
    #[error("the system cannot be mounted for reading only: {0}")]
    Writable(io::Error),
}

/// Gives a cell that can do no harm mounts of its own, so that hidden paths can be covered. It still sees the machine's
/// processes and network. Only a single-threaded process may call this.
///
/// # Errors
/// If this user may not mount anything on this machine.
pub(crate) fn own_mounts() -> io::Result<()> {
    if !rustix::process::geteuid().is_root() || nix::sched::unshare(CloneFlags::CLONE_NEWNS).is_err() {
        own_user(CloneFlags::CLONE_NEWNS)?;
    }
    // Drives that are mounted later are seen, and nothing mounted here is seen outside.
    Ok(mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?)
}

/// Mounts the parts that every staged run gets: processes and terminals.
///
/// # Errors
/// [`NotFurnished`]. Nothing may then be run.
pub(crate) fn prepare() -> Result<(), NotFurnished> {
    // What is mounted outside later appears here too, and what is unmounted there is not held here; the mounts made here
    // stay here.
    let follows = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", follows).map_err(failed("/"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    // In a session's cell, its first process has mounted it.
    if rustix::process::getpid().is_init() {
        mount("proc", "/proc", "proc", flags, None).map_err(failed("/proc"))?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let data = c"newinstance,ptmxmode=0666,mode=620";
    mount("devpts", "/dev/pts", "devpts", flags, data).map_err(failed("/dev/pts"))?;
    mount_bind("/dev/pts/ptmx", "/dev/ptmx").map_err(failed("/dev/ptmx"))
}

fn not_mounted(what: &str) -> impl FnOnce(io::Error) -> NotFurnished {
    let what = what.to_owned();
    move |error| NotFurnished::NotMounted(what, error)
}

fn failed(what: &str) -> impl FnOnce(rustix::io::Errno) -> NotFurnished {
    let what = what.to_owned();
    move |error| NotFurnished::NotMounted(what, error.into())
}

/// Mounts the rest of a staged run's file system, except for what covers hidden paths. Returns what stands in for the sockets
/// of anybody else, or `None` if some may be left at their paths.
///
/// # Errors
/// [`NotFurnished`]. Nothing may then be run.
pub(crate) fn furnish(spec: &Spec) -> Result<Option<StandIns>, NotFurnished> {
    let served = stand_ins::served(spec);
    let staged = spec.staged.iter().map(|staged| Root::open(spec, staged).map(Some));
    let live = spec.live.iter().map(|path| Root::live(path));
    let roots: io::Result<Vec<Root>> = staged.chain(live).filter_map(Result::transpose).collect();
    let roots = roots.map_err(NotFurnished::NotOpened)?;
    let tmp = spec.session_tmp.as_ref().filter(|_| !spec.live.is_empty());
    let tmp = tmp
        .map(|path| DetachedMount::hold(path, TMP.into()))
        .transpose()
        .map_err(NotFurnished::NotOpened)?
        .flatten();
    let sockets = SessionSockets::hold(spec).map_err(NotFurnished::NotOpened)?;
    let home = Home::hold(spec).map_err(not_mounted("the home folder"))?;
    let whole = spec.home.iter().filter(|_| home.is_none());
    let visible = whole.chain(&spec.readable).filter(|path| is_fresh(path));
    let visible = visible.filter(|path| !home.as_ref().is_some_and(|home| home.holds(path)));
    let visible = visible.filter_map(|path| Some((path.as_path(), folder(path).ok()?)));
    let visible: Vec<(&Path, OwnedFd)> = visible
        .map(|(path, file)| Ok((path, copy(&file).map_err(failed(&path.display().to_string()))?)))
        .collect::<Result<_, _>>()?;
    for fresh in FRESH {
        let data = CString::new(TEMPORARY).unwrap_or_default();
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        match mount("tmpfs", *fresh, "tmpfs", flags, data.as_c_str()) {
            // A run does not get folders that this machine does not have.
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(failed(fresh)(error)),
        }
    }
    if let Some(tmp) = tmp {
        tmp.put().and_then(|()| restrict(Path::new(TMP), MountFlags::empty())).map_err(not_mounted(TMP))?;
    }
    let places = sockets.places().map_err(not_mounted(TMP))?;
    for (path, tree) in &visible {
        show(path, tree).map_err(|error| NotFurnished::NotMounted(path.display().to_string(), error))?;
    }
    let is_alone = alone::furnish(spec).is_ok();
    if let Some(home) = &home {
        home.empty().map_err(not_mounted("the home folder"))?;
    }
    // What lies in another comes after it.
    let pieces = home.iter().flat_map(Home::places).map(|place| (place, None));
    let mut order: Vec<(&Path, Option<&Root>)> =
        pieces.chain(roots.iter().map(|root| (root.place.as_path(), Some(root)))).collect();
    order.sort_by_key(|(place, root)| (place.components().count(), root.is_some()));
    for (place, root) in order {
        match (root, &home) {
            (Some(root), home) => {
                if home.as_ref().is_some_and(|home| home.holds(place)) {
                    std::fs::create_dir_all(place).map_err(not_mounted(&place.display().to_string()))?;
                }
                root.cover(places.as_ref())
                    .map_err(|error| NotFurnished::NotStaged(place.display().to_string(), error))?;
            }
            (None, Some(home)) => {
                home.put(spec, place).map_err(not_mounted(&place.display().to_string()))?;
            }
            (None, None) => {}
        }
    }
    if let Some(home) = &home {
        home.link().map_err(not_mounted("the home folder"))?;
    }
    for socket in session_sockets::of_others(spec) {
        alone::cover(&socket).map_err(not_mounted(&socket.display().to_string()))?;
    }
    let stand_ins = is_alone.then(|| StandIns::of(served, spec));
    sockets.put(spec);
    // After the overlays: read-only folders could not hold their writes.
    read_only(&roots).map_err(NotFurnished::Writable)?;
    Ok(stand_ins)
}

/// Restores a folder that a new one covers, read-only.
fn show(path: &Path, tree: &OwnedFd) -> io::Result<()> {
    std::fs::create_dir_all(path)?;
    move_mount(tree, "", rustix::fs::CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    restrict(path, MountFlags::RDONLY)
}

impl Root {
    /// A root that the run must not see has no lower layer, so it is empty.
    fn open(spec: &Spec, staged: &StagedRoot) -> io::Result<Self> {
        let unseen = folders::pieces(spec).is_some_and(|(home, pieces)| {
            staged.root.starts_with(home) && !pieces.iter().any(|piece| staged.root.starts_with(piece))
        });
        let lower = if unseen { None } else { present(&staged.root)? };
        let (upper, work) = (folder(&staged.upper)?, folder(&staged.work)?);
        Ok(Self { place: staged.root.clone(), layers: Layers::Held { lower, upper, work } })
    }

    /// A folder or file that is changed at once; `None` if there is none.
    fn live(path: &Path) -> io::Result<Option<Self>> {
        let tree = DetachedMount::hold(path, path.to_owned())?;
        Ok(tree.map(|tree| Self { place: path.to_owned(), layers: Layers::Live(tree) }))
    }

    /// Mounts the root on its own path. One that is missing outside is empty, where the run has a place for it. `places`: a folder
    /// below that of temporary files, with what the overlay must have.
    fn cover(&self, places: Option<&OwnedFd>) -> io::Result<()> {
        let (lower, upper, work) = match &self.layers {
            Layers::Held { lower, upper, work } => (lower, upper, work),
            Layers::Live(tree) => {
                if is_fresh(&self.place) {
                    tree.make_place(&self.place)?;
                }
                tree.put()?;
                return restrict(&self.place, MountFlags::empty());
            }
        };
        let Some(lower) = lower else {
            if self.place.is_dir() {
                mount_bind(held(upper), &self.place)?;
                restrict(&self.place, MountFlags::empty())?;
            }
            return Ok(());
        };
        if is_fresh(&self.place) {
            std::fs::create_dir_all(&self.place)?;
        }
        let [mut lower, upper, work] = [lower, upper, work].map(held);
        if let Some(places) = places.filter(|_| self.place == Path::new(TMP)) {
            lower = format!("{lower}:{}", held(places));
        }
        let data = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr,volatile");
        let data = CString::new(data).map_err(io::Error::other)?;
        // The time of the last access tells a copy of a lower file from a new one.
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOATIME;
        Ok(mount("overlay", &self.place, "overlay", flags, data.as_c_str())?)
    }
}

/// Mounts everything read-only that does not belong to the run.
fn read_only(roots: &[Root]) -> io::Result<()> {
    for Mount { place, options } in mounts::all()? {
        let own = FRESH.iter().chain(&["/proc", "/dev/pts"]).any(|own| place == Path::new(own));
        if own || roots.iter().any(|root| root.place == place) {
            continue;
        }
        let mut flags = MountFlags::BIND | MountFlags::RDONLY;
        for option in options.split(|byte| *byte == b',') {
            flags |= match option {
                b"nosuid" => MountFlags::NOSUID,
                b"nodev" => MountFlags::NODEV,
                b"noexec" => MountFlags::NOEXEC,
                b"noatime" => MountFlags::NOATIME,
                b"nodiratime" => MountFlags::NODIRATIME,
                b"relatime" => MountFlags::RELATIME,
                _ => MountFlags::empty(),
            };
        }
        match mount_remount(&place, flags, c"") {
            Ok(()) => {}
            // What cannot be reached, or is under another mount, cannot be written either.
            Err(rustix::io::Errno::ACCESS | rustix::io::Errno::NOENT | rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The network attempts in these namespaces. The kernel's counters give the totals: packets to other machines,
/// which have no route, or name look-ups without a server; and packets to local ports without a listener. The
/// watch separates the two and names them.
pub(crate) fn tried(watch: Option<&PacketWatch>) -> Tried {
    let (refused, mut sought) = watch.map(PacketWatch::seen).unwrap_or_default();
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let (old, new) = (read("/proc/self/net/snmp"), read("/proc/self/net/snmp6"));
    let named = |name: &str| {
        let line = new.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    };
    let machines = refused
        + count(&old, "Ip:", "OutNoRoutes")
        + count(&old, "Udp:", "NoPorts")
        + named("Ip6OutNoRoutes")
        + named("Udp6NoPorts");
    let served = count(&old, "Tcp:", "PassiveOpens") > 0;
    let ports = if served { 0 } else { count(&old, "Tcp:", "AttemptFails").saturating_sub(refused) };
    sought.retain(|one| ports > 0 || !one.host.is_local());
    Tried { machines, ports, sought, ..Tried::default() }
}

/// A counter from a table whose names are on one line and whose values are on the next, both after `table`.
fn count(text: &str, table: &str, name: &str) -> u64 {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(table));
    let (Some(names), Some(numbers)) = (lines.next(), lines.next()) else { return 0 };
    let place = names.split_whitespace().position(|one| one == name);
    let number = place.and_then(|place| numbers.split_whitespace().nth(place));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_found_by_its_name() {
        let text = "Ip: Forwarding OutNoRoutes\nIp: 1 7\nUdp: InDatagrams NoPorts\nUdp: 3 2\n";
        assert_eq!((count(text, "Ip:", "OutNoRoutes"), count(text, "Udp:", "NoPorts")), (7, 2));
        assert_eq!((count(text, "Tcp:", "x"), count("Ip: OutNoRoutes", "Ip:", "OutNoRoutes")), (0, 0));
    }
}
