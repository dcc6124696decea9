//! Takes the sockets of other programs out of a held-back run's sight, so that it may make its own. A socket can be
//! connected to wherever its path leads, also below folders that are mounted read-only. It cannot through an
//! overlay, whose files are others than those below it.

use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, unmount};

use crate::isolation::pinned::{DetachedMount, folder, held, is_fresh};
use crate::{folders, spec::Spec};

/// The folder of the system's and the session's sockets.
const RUNNING: &str = "/run";
/// What programs read there. None of it holds sockets.
const KEPT: &[&str] = &[
    "/run/NetworkManager/resolv.conf",
    "/run/booted-system",
    "/run/current-system",
    "/run/host",
    "/run/log",
    "/run/media",
    "/run/opengl-driver",
    "/run/resolvconf",
    "/run/systemd/resolve/resolv.conf",
    "/run/systemd/resolve/stub-resolv.conf",
    "/run/udev/data",
    "/run/utmp",
    "/run/wrappers",
];

/// Where an empty folder may lie for a moment.
const EMPTY: [&str; 2] = ["/var/tmp", "/tmp"];

/// Covers the places of sockets, before the overlays over the roots.
///
/// # Errors
/// If one of them cannot be covered.
pub(crate) fn furnish(spec: &Spec) -> io::Result<()> {
    let mut places: Vec<&Path> = Vec::new();
    // What is seen of the home folder, an empty one takes in.
    let pieces = folders::pieces(spec);
    let home = spec.home.iter().filter(|_| pieces.is_none());
    for place in home.chain(spec.readable.iter().filter(|path| is_fresh(path))) {
        let again = places.iter().any(|above| place.starts_with(above))
            || pieces.as_ref().is_some_and(|(home, _)| place.starts_with(home));
        if !again && place.is_dir() && !spec.changes(place) {
            places.push(place);
        }
    }
    // An overlay shows nothing of a drive that is mounted below its folder, so each drive gets an overlay of its own.
    // A file system that refuses one leaves the run without sockets.
    let below = |place: &Path| places.iter().any(|above| place != *above && place.starts_with(above));
    let mounted = crate::isolation::mounts::all()?.into_iter().map(|mount| mount.place);
    let mut drives = Vec::new();
    for place in mounted.filter(|place| below(place) && !spec.changes(place)) {
        drives.extend(open(&place)?.filter(DetachedMount::is_folder));
    }
    running(spec)?;
    for place in places {
        see_through(spec, place)?;
    }
    for drive in drives {
        drive.put()?;
        see_through(spec, drive.place())?;
    }
    for socket in spec.sockets.keys().filter(|path| path.is_absolute()) {
        elsewhere(spec, socket)?;
    }
    Ok(())
}

/// An empty folder in place of the system's, with what programs read there.
fn running(spec: &Spec) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let needed = spec.home.iter().chain(&spec.readable).chain(&spec.writable).map(PathBuf::as_path);
    let needed = needed.filter(|path| path.starts_with(RUNNING)).chain(KEPT.iter().map(Path::new));
    let mut kept = Vec::new();
    for path in needed {
        kept.extend(open(path)?);
    }
    match mount("tmpfs", RUNNING, "tmpfs", flags, c"mode=755,size=1m,nr_inodes=1k") {
        Err(rustix::io::Errno::NOENT) => return Ok(()),
        mounted => mounted?,
    }
    for tree in kept {
        tree.make_place(tree.place())?;
        tree.put()?;
    }
    Ok(())
}

/// Holds a folder or file; `None` if there is nothing that this user can reach.
fn open(path: &Path) -> io::Result<Option<DetachedMount>> {
    match rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS | rustix::io::Errno::NOTDIR) => Ok(None),
        file => DetachedMount::of(&file?, path.to_owned()).map(Some),
    }
}

/// Shows a folder through an overlay without an upper folder, with places for the staged folders that are missing in it.
pub(crate) fn see_through(spec: &Spec, place: &Path) -> io::Result<()> {
    let lower = folder(place)?;
    let below = spec.staged.iter().filter_map(|staged| staged.root.strip_prefix(place).ok());
    let missing: Vec<&Path> = below.filter(|path| !place.join(path).exists()).collect();
    // An overlay without an upper folder needs a second lower one: one without files, which is gone from its place at once.
    let apart = |at: &&&str| !place.starts_with(at) && !Path::new(at).starts_with(place);
    let at = EMPTY.iter().find(apart).ok_or(io::ErrorKind::NotFound)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let folders: usize = missing.iter().map(|path| path.components().count()).sum();
    let data = CString::new(format!("mode=755,size=4k,nr_inodes={}", folders + 2))?;
    mount("tmpfs", *at, "tmpfs", flags, data.as_c_str())?;
    let made: io::Result<()> =
        missing.iter().try_for_each(|path| std::fs::create_dir_all(Path::new(at).join(path)));
    let mounted = made.and_then(|()| folder(Path::new(at))).and_then(|empty| {
        let data = CString::new(format!("lowerdir={}:{},userxattr", held(&lower), held(&empty)))?;
        Ok(mount("overlay", place, "overlay", flags | MountFlags::RDONLY, data.as_c_str())?)
    });
    unmount(*at, UnmountFlags::DETACH)?;
    mounted
}

/// Covers a socket that lies outside of all those folders.
fn elsewhere(spec: &Spec, socket: &Path) -> io::Result<()> {
    let covered = |path: &Path| {
        is_fresh(path)
            || path.starts_with(RUNNING)
            || spec.changes(path)
            || spec.home.as_ref().is_some_and(|home| path.starts_with(home))
    };
    if covered(socket) {
        return Ok(());
    }
    cover(socket)
}

/// Covers a socket.
///
/// # Errors
/// As the operating system says.
pub(crate) fn cover(socket: &Path) -> io::Result<()> {
    match mount_bind("/dev/null", socket) {
        // It is gone, or its folder is closed to this user.
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS | rustix::io::Errno::NOTDIR) => Ok(()),
        covered => Ok(covered?),
    }
}
