//! Removes the guard's own stages and old versions, whatever modes and depths they have.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::stage::entries::entry::Seen;
use crate::stage::entries::tree::{Tree, through};
use crate::stage::fault::Fault;

/// Removes a folder with its content; a missing one is not an error. Folders in it are first moved up to it, so that neither
/// their depth nor the length of their paths matters.
///
/// # Errors
/// The operating system's.
pub fn wipe(folder: &Path) -> Result<(), Fault> {
    let fault = |error: Errno| Fault::at("removing", folder)(error);
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { return Ok(()) };
    let parent = match Tree::open(parent).and_then(|tree| tree.folder(Path::new(""))) {
        Ok(parent) => parent,
        Err(fault) if fault.errno == Errno::NOENT.raw_os_error() => return Ok(()),
        Err(fault) => return Err(fault),
    };
    let seen = match Seen::at(&parent, name).map_err(fault)? {
        None => return Ok(()),
        Some(seen) => seen,
    };
    if !seen.is_folder() {
        return rustix::fs::unlinkat(&parent, name, AtFlags::empty()).map_err(fault);
    }
    let top = entered(&parent, name).map_err(fault)?;
    let mut number = 0_u64;
    loop {
        let inner = emptied(&top, &top, &mut number).map_err(fault)?;
        if inner.is_empty() {
            break;
        }
        for name in inner {
            let below = entered(&top, &name).map_err(fault)?;
            emptied(&below, &top, &mut number).map_err(fault)?;
            rustix::fs::unlinkat(&top, &name, AtFlags::REMOVEDIR).map_err(fault)?;
        }
    }
    rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR).map_err(fault)
}

/// Opens one of our folders and makes it writable.
fn entered(parent: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let seen = Seen::at(parent, name)?.ok_or(Errno::NOENT)?;
    if seen.mode & 0o700 != 0o700 {
        rustix::fs::chmodat(rustix::fs::CWD, through(parent, name), Mode::RWXU, AtFlags::empty())?;
    }
    rustix::fs::openat2(parent, name, flags, Mode::empty(), ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS)
}

/// Removes everything but folders, and moves folders to the top. Returns the names of the folders at the top.
fn emptied(folder: &OwnedFd, top: &OwnedFd, number: &mut u64) -> Result<Vec<OsString>, Errno> {
    use std::os::unix::ffi::OsStrExt as _;
    let is_top = std::ptr::eq(folder, top);
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            names.push(name.to_owned());
        }
    }
    let mut folders = Vec::new();
    for name in names {
        match rustix::fs::unlinkat(folder, &name, AtFlags::empty()) {
            Ok(()) => {}
            Err(Errno::ISDIR) if is_top => folders.push(name),
            Err(Errno::ISDIR) => {
                // Moving a folder changes its entry `..`, which requires write access to it.
                drop(entered(folder, &name)?);
                folders.push(moved(folder, &name, top, number)?);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(folders)
}

/// Moves a folder to the top, under a name that is free there.
fn moved(folder: &OwnedFd, name: &OsStr, top: &OwnedFd, number: &mut u64) -> Result<OsString, Errno> {
    loop {
        *number += 1;
        let free = OsString::from(format!(".{number}"));
        match rustix::fs::renameat_with(folder, name, top, &free, rustix::fs::RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(free),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
}
