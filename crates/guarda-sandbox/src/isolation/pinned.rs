//! Folders and mounts that are held open, because other mounts cover the path to them.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::mount::{OpenTreeFlags, open_tree};

/// Folders that are new and in memory for each run.
pub(crate) const FRESH: &[&str] = &["/tmp", "/var/tmp", "/dev/shm"];

/// Whether a path is new for each run.
pub(crate) fn is_fresh(path: &Path) -> bool {
    FRESH.iter().any(|fresh| path.starts_with(fresh))
}

/// Opens a folder.
pub(crate) fn folder(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// Opens a folder, if there is one.
pub(crate) fn present(path: &Path) -> io::Result<Option<OwnedFd>> {
    match folder(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}

/// A path to a folder that is held open, even if mounts cover the way to it.
pub(crate) fn held(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// A copy of a folder with every mount below it, not yet attached anywhere. The kernel refuses an ordinary
/// user a copy without those mounts, because it would reveal what lies under them.
pub(crate) fn copy(file: &OwnedFd) -> rustix::io::Result<OwnedFd> {
    let whole = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::AT_RECURSIVE;
    open_tree(file, "", whole | OpenTreeFlags::AT_EMPTY_PATH | OpenTreeFlags::OPEN_TREE_CLOEXEC)
}
