//! Copies files and trees with their attributes, holes and the hard links among them.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::stage::entries::attributes::Attributes;
use crate::stage::entries::entry::{Id, Seen};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::Fault;
use crate::stage::overlay::compare::data;

/// How a file is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::stage) enum How {
    /// Its bytes, or a reference to them if the file system supports that.
    Copy,
    /// As a hard link, which outlives the original's removal; if that is not possible, as a copy.
    Link,
}

/// Copies a file or folder to a path that does not exist.
pub(in crate::stage) fn copy(
    from: &Tree,
    source: &Path,
    to: &Tree,
    target: &Path,
    how: How,
) -> Result<(), Fault> {
    let folder = from.folder(source.parent().unwrap_or(Path::new("")))?;
    let gone = || Fault::at("copying", &from.path(source))(Errno::NOENT);
    let seen = from.see(&folder, source)?.ok_or_else(gone)?;
    let mut copier = Copier { from, to, how, links: HashMap::new() };
    copier.one(&folder, source, &seen, target)?;
    if !seen.is_folder() {
        return Ok(());
    }
    let mut folders = vec![(source.to_owned(), target.to_owned())];
    from.each(source, |folder, path, seen| {
        let target = target.join(path.strip_prefix(source).unwrap_or(path));
        copier.one(folder, path, seen, &target)?;
        if seen.is_folder() {
            folders.push((path.to_owned(), target));
        }
        Ok(())
    })?;
    // Copying into them changed their times.
    for (source, target) in folders.iter().rev() {
        let opened = from.folder(source)?;
        let seen = Seen::of(&opened).map_err(Fault::at("looking at", &from.path(source)))?;
        let attributes = Attributes::of(&opened, source, &seen)?;
        attributes.put(&to.folder(target)?, OsStr::new(""), &to.path(target))?;
    }
    Ok(())
}

struct Copier<'a> {
    from: &'a Tree,
    to: &'a Tree,
    how: How,
    /// The new place of the first name of a file with several names.
    links: HashMap<Id, PathBuf>,
}

impl Copier<'_> {
    fn one(&mut self, folder: &OwnedFd, path: &Path, seen: &Seen, target: &Path) -> Result<(), Fault> {
        let fault = |error: Errno| Fault::at("copying", &self.from.path(path))(error);
        let into = self.to.folder(target.parent().unwrap_or(Path::new("")))?;
        let (name, new) = (path.file_name().unwrap_or_default(), target.file_name().unwrap_or_default());
        if seen.is_folder() {
            return rustix::fs::mkdirat(&into, new, Mode::RWXU).map_err(fault);
        }
        if self.how == How::Link {
            match rustix::fs::linkat(folder, name, &into, new, AtFlags::empty()) {
                Ok(()) => return Ok(()),
                Err(Errno::PERM | Errno::MLINK | Errno::XDEV | Errno::ACCESS) => {}
                Err(error) => return Err(fault(error)),
            }
        }
        if let Some(first) = self.links.get(&seen.id).filter(|_| seen.links > 1) {
            let other = self.to.folder(first.parent().unwrap_or(Path::new("")))?;
            let first = first.file_name().unwrap_or_default();
            return rustix::fs::linkat(other, first, &into, new, AtFlags::empty()).map_err(fault);
        }
        match seen.kind {
            FileType::RegularFile => self.bytes(folder, path, seen, &into, new)?,
            FileType::Symlink => {
                let goal = rustix::fs::readlinkat(folder, name, Vec::new()).map_err(fault)?;
                rustix::fs::symlinkat(goal, &into, new).map_err(fault)?;
            }
            FileType::Fifo | FileType::Socket => {
                rustix::fs::mknodat(&into, new, seen.kind, Mode::RUSR | Mode::WUSR, 0).map_err(fault)?;
            }
            _ => return Err(fault(Errno::OPNOTSUPP)),
        }
        self.links.insert(seen.id, target.to_owned());
        Attributes::read(folder, path, seen)?.put(&into, new, &self.to.path(target))
    }

    fn bytes(
        &self,
        folder: &OwnedFd,
        path: &Path,
        seen: &Seen,
        into: &OwnedFd,
        new: &OsStr,
    ) -> Result<(), Fault> {
        const BLOCK: u64 = 1 << 20;
        let fault = |error: Errno| Fault::at("copying", &self.from.path(path))(error);
        let failed = |error: std::io::Error| Fault::at("copying", &self.from.path(path))(error);
        let read = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let write = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = path.file_name().unwrap_or_default();
        let source = File::from(rustix::fs::openat(folder, name, read, Mode::empty()).map_err(fault)?);
        let target =
            File::from(rustix::fs::openat(into, new, write, Mode::RUSR | Mode::WUSR).map_err(fault)?);
        if rustix::fs::ioctl_ficlone(&target, &source).is_ok() {
            return Ok(());
        }
        let mut block = Vec::new();
        let mut at = 0;
        while at < seen.size {
            at = data(&source, at, seen.size)?;
            let length = usize::try_from(BLOCK.min(seen.size.saturating_sub(at))).unwrap_or_default();
            block.resize(length, 0);
            source.read_exact_at(&mut block, at).map_err(failed)?;
            // A hole stays a hole.
            if seen.stored >= seen.size || block.iter().any(|byte| *byte != 0) {
                target.write_all_at(&block, at).map_err(failed)?;
            }
            at = at.saturating_add(BLOCK);
        }
        target.set_len(seen.size).map_err(failed)
    }
}
