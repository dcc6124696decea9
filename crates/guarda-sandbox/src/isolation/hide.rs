//! Covers what is hidden from a run. In place of a hidden file lies a file of the same size and time that
//! nobody may open, and in place of a hidden folder an empty one: opening it fails (but for the guard's own), and nothing is read as empty
//! or written to nowhere. The cost depends on what is hidden, not on what lies beside it.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::mount::{
    MountFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_remount, unmount,
};

use crate::folders::Wishes;
use crate::isolation::mounts;
use crate::spec::Spec;

/// The most names in a folder that is sealed.
const MOST_SEALED: usize = 2000;
/// How covers are mounted.
const SEALED: MountFlags =
    MountFlags::RDONLY.union(MountFlags::NOSUID).union(MountFlags::NODEV).union(MountFlags::NOEXEC);

/// A path that could not be hidden.
#[derive(Debug, thiserror::Error)]
#[error("{0} cannot be hidden: {1}")]
pub(crate) struct NotHidden(String, io::Error);

/// Mounts covers over everything hidden. `place` is an empty folder, which is needed meanwhile. Returns whether
/// files were covered.
///
/// # Errors
/// [`NotHidden`]: some of it may still be seen.
pub(crate) fn cover(spec: &Spec, wishes: &Wishes, place: &Path) -> Result<bool, NotHidden> {
    let root = rustix::process::geteuid().is_root();
    let failed = |path: &Path, error: io::Error| NotHidden(path.display().to_string(), error);
    let named = wishes.secret_names();
    let (mut covers, mut folders, mut sealed) =
        (Vec::<(&Path, Stat)>::new(), Vec::<&Path>::new(), Vec::new());
    for path in wishes.hidden.iter().chain(named.iter().map(PathBuf::as_path)) {
        // Inside a folder that is covered itself, nothing is left to be covered.
        if folders.iter().any(|above| path.starts_with(above)) {
            continue;
        }
        let Ok(found) = rustix::fs::lstat(path) else { continue };
        let kind = FileType::from_raw_mode(found.st_mode);
        if kind == FileType::Directory && root && is_versioned(spec, path) {
            sealed.push(path);
            continue;
        }
        if kind == FileType::Directory {
            folders.push(path);
        }
        // The target of a link is hidden under its own name.
        if kind != FileType::Symlink {
            covers.push((path, found));
        }
    }
    if !covers.is_empty() {
        let stubs = Stubs::mount(place, covers.len()).map_err(|error| failed(place, error))?;
        let made: io::Result<Vec<PathBuf>> = covers
            .iter()
            .enumerate()
            .map(|(number, (path, found))| stub(place, number, found, (root, is_own(spec, path))))
            .collect();
        let made = made.and_then(|made| stubs.close().map(|()| made));
        let made = made.map_err(|error| failed(place, error))?;
        for ((path, _), stub) in covers.iter().zip(made) {
            mount_bind(&stub, *path).map_err(|error| failed(path, error.into()))?;
        }
    }
    for path in sealed {
        seal(path).map_err(|error| failed(path, error))?;
    }
    Ok(covers.iter().any(|(_, found)| FileType::from_raw_mode(found.st_mode) != FileType::Directory))
}

/// Mounts everything that a run may read but not write over itself, read-only. A hidden folder around such a file (`.git`) becomes a
/// mount as well, so that it cannot be renamed and replaced.
///
/// # Errors
/// [`NotHidden`]: some of it may still be written.
pub(crate) fn keep(wishes: &Wishes) -> Result<(), NotHidden> {
    let there = |path: &&Path| {
        rustix::fs::lstat(*path)
            .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) != FileType::Symlink)
    };
    let kept: Vec<&Path> = wishes.kept.iter().filter(there).collect();
    let is_dot =
        |folder: &&Path| folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let around: std::collections::BTreeSet<&Path> =
        kept.iter().filter_map(|path| path.parent()).filter(is_dot).collect();
    let bind = |path: &Path, flags: MountFlags| {
        // With what is mounted in it.
        mount_bind_recursive(path, path)?;
        mounts::restrict(path, flags)
    };
    let around = around.into_iter().map(|path| (path, MountFlags::empty()));
    for (path, flags) in around.chain(kept.into_iter().map(|path| (path, MountFlags::RDONLY))) {
        bind(path, flags).map_err(|error| NotHidden(path.display().to_string(), error))?;
    }
    Ok(())
}

/// Whether a hidden path is one of the guard's own that may look empty.
pub(crate) fn is_own(spec: &Spec, path: &Path) -> bool {
    let named = |own: &PathBuf| own == path || crate::folders::real(own) == path;
    let own = spec.own.iter().any(named) || path.file_name().is_some_and(crate::stage::is_beside);
    // To git, an empty folder would be a deletion.
    own && !is_versioned(spec, path)
}

/// A file system in memory that holds the covers. It is at its place only until this is dropped. Without a size,
/// `df` does not list it.
struct Stubs<'a>(&'a Path);

impl<'a> Stubs<'a> {
    fn mount(place: &'a Path, count: usize) -> io::Result<Self> {
        let data = std::ffi::CString::new(format!("mode=700,size=0,nr_inodes={}", count + 8))?;
        mount("tmpfs", place, "tmpfs", SEALED - MountFlags::RDONLY, data.as_c_str())?;
        Ok(Self(place))
    }

    /// Makes them read-only, wherever they are bound from now on.
    fn close(&self) -> io::Result<()> {
        Ok(mount_remount(self.0, SEALED | MountFlags::BIND, c"")?)
    }
}

impl Drop for Stubs<'_> {
    fn drop(&mut self) {
        // The bound covers stay. If this fails, they can be seen here too, and tell nothing.
        let _ = unmount(self.0, UnmountFlags::DETACH);
    }
}

/// Makes what covers a file or folder, with what may be seen of that from outside: its kind, size and time.
/// `own`: a folder of the guard's own, which may be listed.
fn stub(place: &Path, number: usize, found: &Stat, (root, own): (bool, bool)) -> io::Result<PathBuf> {
    let stub = place.join(number.to_string());
    if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
        let mode = if own { Mode::RUSR | Mode::XUSR } else { Mode::empty() };
        rustix::fs::mkdir(&stub, mode)?;
    } else if root {
        // No mode keeps an administrator out, but nobody can open a socket.
        rustix::fs::mknodat(CWD, &stub, FileType::Socket, Mode::empty(), 0)?;
    } else {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = rustix::fs::open(&stub, flags, Mode::empty())?;
        if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile {
            rustix::fs::ftruncate(&file, u64::try_from(found.st_size).unwrap_or(0))?;
        }
    }
    let at = |tv_sec, tv_nsec: u64| Timespec { tv_sec, tv_nsec: tv_nsec.cast_signed() };
    let times = Timestamps {
        last_access: at(found.st_atime, found.st_atime_nsec),
        last_modification: at(found.st_mtime, found.st_mtime_nsec),
    };
    rustix::fs::utimensat(CWD, &stub, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(stub)
}

/// Folders and files on disk that bubblewrap mounts over what is hidden; removed on drop.
pub(crate) struct StubFolder(PathBuf, usize);

impl StubFolder {
    /// Makes an empty one.
    pub(crate) fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("guarda-{}", uuid::Uuid::new_v4()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self(folder, 0))
    }

    /// Makes what covers a file or folder; `None` if there is none, or a link, whose target is hidden under its own name.
    pub(crate) fn cover(&mut self, path: &Path, own: bool) -> io::Result<Option<PathBuf>> {
        let found = rustix::fs::lstat(path).ok();
        let Some(found) = found.filter(|found| FileType::from_raw_mode(found.st_mode) != FileType::Symlink)
        else {
            return Ok(None);
        };
        self.1 += 1;
        // Inside, an administrator has no capability to open what no mode permits.
        stub(&self.0, self.1, &found, (false, own)).map(Some)
    }
}

impl Drop for StubFolder {
    fn drop(&mut self) {
        for number in 1..=self.1 {
            let stub = self.0.join(number.to_string());
            let _ = std::fs::remove_file(&stub).or_else(|_a_folder| std::fs::remove_dir(&stub));
        }
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// True if a folder is in a working tree whose writes are held back, so that a git commit could include it.
fn is_versioned(spec: &Spec, folder: &Path) -> bool {
    spec.staged.iter().any(|staged| {
        let inside = folder.ancestors().skip(1).take_while(|above| above.starts_with(&staged.root));
        inside.into_iter().any(|above| rustix::fs::lstat(above.join(".git")).is_ok())
    })
}

/// Covers a folder from an administrator, whom no mode keeps out. With an empty folder git would see every
/// file as deleted and commit that. So each name is covered by a socket, which cannot be opened and which git
/// refuses to add.
fn seal(folder: &Path) -> io::Result<()> {
    let mut names = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inner) = open.pop() {
        for entry in std::fs::read_dir(folder.join(&inner))? {
            let entry = entry?;
            if names.len() == MOST_SEALED {
                return Err(io::Error::other("too much lies in it"));
            }
            let (path, is_folder) = (inner.join(entry.file_name()), entry.file_type()?.is_dir());
            if is_folder {
                open.push(path.clone());
            }
            names.push((path, is_folder));
        }
    }
    let writable = SEALED - MountFlags::RDONLY;
    mount("tmpfs", folder, "tmpfs", writable, c"mode=0,size=4k,nr_inodes=2k")?;
    // A folder precedes its contents.
    for (path, is_folder) in names {
        let path = folder.join(path);
        if is_folder {
            rustix::fs::mkdir(path, Mode::empty())?;
        } else {
            let kind = rustix::fs::FileType::Socket;
            rustix::fs::mknodat(rustix::fs::CWD, path, kind, Mode::empty(), 0)?;
        }
    }
    Ok(mount_remount(folder, SEALED | MountFlags::BIND, c"")?)
}
