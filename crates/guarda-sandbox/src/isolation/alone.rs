//! Takes the sockets of other programs out of a held-back run's sight, so that it may make its own. A socket can be
//! connected to wherever its path leads, also below folders that are mounted read-only. It cannot through an
//! overlay, whose files are others than those below it.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::mount::{MountFlags, MoveMountFlags, UnmountFlags, mount, mount_bind, move_mount, unmount};

use crate::isolation::pinned::{copy, folder, held, is_fresh};
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
        if !again && place.is_dir() && !is_staged(spec, place) {
            places.push(place);
        }
    }
    // An overlay shows nothing of a drive that is mounted below its folder, so each drive gets an overlay of its own.
    // A file system that refuses one leaves the run without sockets.
    let below = |place: &Path| places.iter().any(|above| place != *above && place.starts_with(above));
    let mounted = crate::isolation::mounts::all()?.into_iter().map(|mount| mount.place);
    let mut drives = Vec::new();
    for place in mounted.filter(|place| below(place) && !is_staged(spec, place)) {
        if let Some((tree, true)) = open(&place)? {
            drives.push((place, tree));
        }
    }
    running(spec)?;
    for place in places {
        see_through(spec, place)?;
    }
    for (place, tree) in drives {
        move_mount(&tree, "", rustix::fs::CWD, &place, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        see_through(spec, &place)?;
    }
    for socket in spec.sockets.keys() {
        elsewhere(spec, socket)?;
    }
    Ok(())
}

/// Whether what is written at a path counts as a change of the run.
pub(crate) fn is_staged(spec: &Spec, path: &Path) -> bool {
    spec.staged.iter().any(|staged| path.starts_with(&staged.root))
}

/// An empty folder in place of the system's, with what programs read there.
fn running(spec: &Spec) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let needed = spec.home.iter().chain(&spec.readable).chain(&spec.writable).map(PathBuf::as_path);
    let needed = needed.filter(|path| path.starts_with(RUNNING)).chain(KEPT.iter().map(Path::new));
    let mut kept = Vec::new();
    for path in needed {
        kept.extend(open(path)?.map(|(tree, is_folder)| (path, tree, is_folder)));
    }
    match mount("tmpfs", RUNNING, "tmpfs", flags, c"mode=755,size=1m,nr_inodes=1k") {
        Err(rustix::io::Errno::NOENT) => return Ok(()),
        mounted => mounted?,
    }
    for (path, tree, is_folder) in kept {
        match (is_folder, path.parent()) {
            (true, _) | (_, None) => std::fs::create_dir_all(path)?,
            (false, Some(above)) => {
                std::fs::create_dir_all(above)?;
                drop(std::fs::File::create(path)?);
            }
        }
        move_mount(&tree, "", rustix::fs::CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    }
    Ok(())
}

/// A folder or file, as a copy that is not yet attached anywhere, and whether it is a folder; `None` if there is nothing
/// that this user can reach.
fn open(path: &Path) -> io::Result<Option<(OwnedFd, bool)>> {
    match rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS | rustix::io::Errno::NOTDIR) => Ok(None),
        file => {
            let file = file?;
            let kind = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
            Ok(Some((copy(&file)?, kind.is_dir())))
        }
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
            || is_staged(spec, path)
            || spec.home.as_ref().is_some_and(|home| path.starts_with(home))
    };
    if covered(socket) {
        return Ok(());
    }
    match mount_bind("/dev/null", socket) {
        // It is gone, or its folder is closed to this user.
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS | rustix::io::Errno::NOTDIR) => Ok(()),
        covered => Ok(covered?),
    }
}
