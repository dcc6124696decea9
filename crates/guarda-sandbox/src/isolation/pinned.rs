//! Folders and mounts that are held open, because other mounts cover the path to them.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};

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

/// A file or folder as a mount that is attached nowhere, because something else covers its place meanwhile.
#[derive(Debug)]
pub(crate) struct DetachedMount {
    place: PathBuf,
    file: OwnedFd,
    is_folder: bool,
}

impl DetachedMount {
    /// Holds what lies at `path`, to be shown at `place`; `None` if nothing is there, or a link leads there.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn hold(path: &Path, place: PathBuf) -> io::Result<Option<Self>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(file) => Self::of(&file, place).map(Some),
            Err(_gone) => Ok(None),
        }
    }

    /// Holds this file or folder.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn of(file: &OwnedFd, place: PathBuf) -> io::Result<Self> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(file)?.st_mode);
        Ok(Self { place, file: copy(file)?, is_folder: kind == FileType::Directory })
    }

    /// Where it is shown.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// Whether it is a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.is_folder
    }

    /// Makes an empty folder or file on which it can be mounted, if nothing is there.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn make_place(&self, place: &Path) -> io::Result<()> {
        if std::fs::symlink_metadata(place).is_ok() {
            return Ok(());
        }
        match (self.is_folder, place.parent()) {
            (true, _) | (_, None) => std::fs::create_dir_all(place),
            (false, Some(above)) => {
                std::fs::create_dir_all(above)?;
                std::fs::File::create(place).map(drop)
            }
        }
    }

    /// Mounts it at its place.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn put(&self) -> io::Result<()> {
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        Ok(move_mount(&self.file, "", CWD, &self.place, flags)?)
    }
}
