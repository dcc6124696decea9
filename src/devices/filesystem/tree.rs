//! Operations on files and folders by an open folder and a name in it. No link is followed on the way, and
//! nothing that exists is overwritten.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};

/// The most nested folders that are copied; each level needs a descriptor.
const DEEPEST: usize = 128;

/// A name in an open folder, which cannot be swapped for another one.
#[derive(Debug)]
pub struct NameAt {
    folder: OwnedFd,
    name: OsString,
}

impl NameAt {
    /// A name in the folder with this real path.
    ///
    /// # Errors
    /// If the folder does not exist, or there is a link in its path.
    pub fn new(folder: &Path, name: &OsStr) -> Result<Self> {
        Ok(Self { folder: crate::devices::filesystem::files::folder(folder)?, name: name.to_owned() })
    }

    /// The identity of the open folder.
    ///
    /// # Errors
    /// The operating system's.
    pub fn folder(&self) -> Result<guarda_core::policy::Found> {
        crate::devices::filesystem::paths::found_in(&self.folder)
    }

    /// The type of the entry; links are not followed. `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be examined.
    pub fn kind(&self) -> Result<Option<FileType>> {
        match rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(data) => Ok(Some(FileType::from_raw_mode(data.st_mode))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates an empty folder.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken.
    pub fn make_folder(&self) -> Result<()> {
        Ok(rustix::fs::mkdirat(&self.folder, &self.name, Mode::from_raw_mode(0o777))?)
    }

    /// Deletes the entry: a folder with its contents; for a link, only the link.
    ///
    /// # Errors
    /// `NotFound` if there is nothing; the operating system's if something cannot be deleted. Part of a folder may then
    /// be gone.
    pub fn delete(&self) -> Result<()> {
        match self.kind()? {
            None => Err(ErrorKind::NotFound.into()),
            // The library's walk follows no links either, and this path begins at the open folder.
            Some(FileType::Directory) => std::fs::remove_dir_all(self.path()),
            Some(_) => Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?),
        }
    }

    /// Moves the entry to another place.
    ///
    /// # Errors
    /// `AlreadyExists` if that name is taken; `CrossesDevices` if it would have to be copied.
    pub fn move_to(&self, to: &Self) -> Result<()> {
        Ok(rustix::fs::renameat_with(&self.folder, &self.name, &to.folder, &to.name, RenameFlags::NOREPLACE)?)
    }

    /// Copies the entry to another place: files, folders with their contents, links as links. Stops when
    /// `stop` becomes true.
    ///
    /// # Errors
    /// `AlreadyExists` if that name is taken; `Unsupported` for devices and sockets; `Interrupted` if it was
    /// stopped. A part may then have been copied.
    pub fn copy_to(&self, to: &Self, stop: &AtomicBool) -> Result<()> {
        copy(&self.folder, &self.name, &to.folder, &to.name, stop, DEEPEST)
    }

    fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.folder.as_raw_fd())).join(&self.name)
    }
}

fn copy(
    from: &OwnedFd,
    name: &OsStr,
    to: &OwnedFd,
    new: &OsStr,
    stop: &AtomicBool,
    depth: usize,
) -> Result<()> {
    if stop.load(Ordering::Relaxed) {
        return Err(ErrorKind::Interrupted.into());
    }
    let data = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?;
    // Set-id bits are not copied: they were not requested.
    let mode = Mode::from_raw_mode(data.st_mode & 0o777);
    let read = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match FileType::from_raw_mode(data.st_mode) {
        FileType::RegularFile => {
            let mut source = File::from(rustix::fs::openat(from, name, read, Mode::empty())?);
            let write = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mut copy = File::from(rustix::fs::openat(to, new, write, mode)?);
            std::io::copy(&mut source, &mut copy).map(drop)
        }
        FileType::Symlink => {
            let goal = rustix::fs::readlinkat(from, name, Vec::new())?;
            Ok(rustix::fs::symlinkat(goal, to, new)?)
        }
        FileType::Directory => {
            let deeper = depth.checked_sub(1).ok_or_else(|| Error::other("folders are nested too deeply"))?;
            rustix::fs::mkdirat(to, new, mode | Mode::RWXU)?;
            let flags = read | OFlags::DIRECTORY;
            let source = rustix::fs::openat(from, name, flags, Mode::empty())?;
            let target = rustix::fs::openat(to, new, flags, Mode::empty())?;
            for entry in Dir::read_from(&source)? {
                let entry = entry?;
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name != "." && name != ".." {
                    copy(&source, name, &target, name, stop, deeper)?;
                }
            }
            Ok(())
        }
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => {
            Err(Error::new(ErrorKind::Unsupported, "devices, pipes and sockets are not copied"))
        }
    }
}

/// At most `most` sorted names in the folder with this real path; true marks a folder.
///
/// # Errors
/// If it is not a folder, or cannot be read.
pub fn list(real: &Path, most: usize) -> Result<Vec<(OsString, bool)>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(real)?.take(most) {
        let entry = entry?;
        names.push((entry.file_name(), entry.file_type().is_ok_and(|kind| kind.is_dir())));
    }
    names.sort();
    Ok(names)
}
