//! Access below a folder that is held open: never leaves it, and follows no links.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::stage::entries::entry::Seen;
use crate::stage::fault::Fault;
use guarda_core::effects::Below;

/// A folder that is held open.
#[derive(Debug)]
pub(in crate::stage) struct Tree {
    root: OwnedFd,
    path: PathBuf,
}

impl Tree {
    /// Opens a folder by its real path.
    pub(in crate::stage) fn open(path: &Path) -> Result<Self, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let relative = path.strip_prefix("/").unwrap_or(path);
        let relative = if relative.as_os_str().is_empty() { Path::new(".") } else { relative };
        let root = rustix::fs::open("/", flags, Mode::empty()).and_then(|slash| {
            rustix::fs::openat2(slash, relative, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
        });
        Ok(Self { root: root.map_err(Fault::at("opening", path))?, path: path.to_owned() })
    }

    /// The real path of something below.
    pub(in crate::stage) fn path(&self, below: &Path) -> PathBuf {
        if below.as_os_str().is_empty() { self.path.clone() } else { self.path.join(below) }
    }

    /// Opens a folder below, for calls on names in it.
    pub(in crate::stage) fn folder(&self, below: &Path) -> Result<OwnedFd, Fault> {
        self.open_below(below, OFlags::PATH)
    }

    /// The entry at a path below, pinned; `None` if there is none. Links are not followed.
    pub(in crate::stage) fn pin(&self, below: &Path) -> Result<Option<(OwnedFd, Seen)>, Fault> {
        let fault = |error| Fault::at("looking at", &self.path(below))(error);
        match self.resolve(below, OFlags::PATH) {
            Ok(pinned) => {
                let seen = Seen::of(&pinned).map_err(fault)?;
                Ok(Some((pinned, seen)))
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => Ok(None),
            Err(error) => Err(fault(error)),
        }
    }

    /// The names in a folder below, sorted.
    pub(in crate::stage) fn names(&self, below: &Path) -> Result<(OwnedFd, Vec<OsString>), Fault> {
        let folder = self.open_below(below, OFlags::RDONLY)?;
        let mut names = Vec::new();
        let read = Dir::read_from(&folder).and_then(|entries| {
            for entry in entries {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name != "." && name != ".." {
                    names.push(name.to_owned());
                }
            }
            Ok(())
        });
        read.map_err(|error| Fault::at("listing", &self.path(below))(error))?;
        names.sort_unstable();
        Ok((folder, names))
    }

    /// The entry at a name in an opened folder.
    pub(in crate::stage) fn see(&self, folder: &OwnedFd, below: &Path) -> Result<Option<Seen>, Fault> {
        let name = below.file_name().unwrap_or_default();
        Seen::at(folder, name).map_err(|error| Fault::at("looking at", &self.path(below))(error))
    }

    /// Visits everything below a folder, each folder before its content.
    pub(in crate::stage) fn each(
        &self,
        below: &Path,
        mut visit: impl FnMut(&OwnedFd, &Path, &Seen) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut left = vec![below.to_owned()];
        while let Some(next) = left.pop() {
            let (folder, names) = self.names(&next)?;
            for name in names {
                let path = next.join(name);
                let Some(seen) = self.see(&folder, &path)? else { continue };
                visit(&folder, &path, &seen)?;
                if seen.is_folder() {
                    left.push(path);
                }
            }
        }
        Ok(())
    }

    /// Sums up the content of a folder.
    pub(in crate::stage) fn below(&self, folder: &Path, bytes: fn(&Seen) -> u64) -> Result<Below, Fault> {
        let mut sum = Below::default();
        self.each(folder, |_, _, seen| {
            let counts = seen.kind == FileType::RegularFile;
            sum.add(seen.is_folder(), if counts { bytes(seen) } else { 0 });
            Ok(())
        })?;
        Ok(sum)
    }

    fn open_below(&self, below: &Path, how: OFlags) -> Result<OwnedFd, Fault> {
        self.resolve(below, how | OFlags::DIRECTORY)
            .map_err(|error| Fault::at("opening", &self.path(below))(error))
    }

    fn resolve(&self, below: &Path, how: OFlags) -> Result<OwnedFd, Errno> {
        let flags = how | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        let name = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        rustix::fs::openat2(&self.root, name, flags, Mode::empty(), resolve)
    }
}

impl AsFd for Tree {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.root.as_fd()
    }
}

/// A path to a name in an open folder, for calls that take no descriptor. An empty name gives a path to the open folder
/// itself, which the call must follow.
pub(in crate::stage) fn through(folder: &OwnedFd, name: &OsStr) -> PathBuf {
    let opened = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    if name.is_empty() { opened } else { opened.join(name) }
}
