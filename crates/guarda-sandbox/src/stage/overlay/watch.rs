//! Examines files that are about to be exchanged: their size, whether somebody else changed them, and whether somebody else
//! holds them open for writing.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, OFlags, StatxFlags};

use crate::stage::entries::entry::{Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::StageError;
use crate::stage::overlay::touches::Touches;
use crate::stage::run::StagesConfig;
use crate::stage::vault::room::OwnMade;
use guarda_core::effects::Below;

/// The number of a file on its file system, and of that.
type Inode = ((u32, u32), u64);

/// The observed files and folders, with everything in them.
#[derive(Debug)]
pub(in crate::stage) struct FileWatch<'a> {
    config: &'a StagesConfig,
    pub(in crate::stage) since: Time,
    /// The paths that were changed since then.
    pub(in crate::stage) foreign: BTreeSet<PathBuf>,
    /// The amount that was examined; bytes are those on the disk.
    pub(in crate::stage) sum: Below,
    /// One of the files is neither the session's own nor built again.
    pub(in crate::stage) of_others: bool,
    made: OwnMade,
    files: HashMap<Inode, PathBuf>,
    /// Steps of the guard itself, which do not count.
    touches: Option<&'a Touches>,
}

impl<'a> FileWatch<'a> {
    /// Watches for changes from this time on.
    pub(in crate::stage) fn new(config: &'a StagesConfig, since: Time) -> Self {
        let (foreign, files) = (BTreeSet::new(), HashMap::new());
        let made = OwnMade::default();
        Self { config, since, foreign, sum: Below::default(), of_others: false, made, files, touches: None }
    }

    /// Tells the files of others from those that the session made.
    pub(in crate::stage) fn beside(self, made: OwnMade) -> Self {
        Self { made, ..self }
    }

    /// Does not count steps of the guard itself.
    pub(in crate::stage) fn without(self, touches: &'a Touches) -> Self {
        Self { touches: Some(touches), ..self }
    }

    /// Examines a path and everything below it.
    ///
    /// # Errors
    /// If something cannot be read, or the guard's own files are there.
    pub(in crate::stage) fn look(&mut self, tree: &Tree, path: &Path, seen: &Seen) -> Result<(), StageError> {
        self.note(tree, path, seen);
        if !seen.is_folder() {
            return Ok(());
        }
        let own = self.config.own();
        let mut guarded = None;
        tree.each(path, |_, path, seen| {
            self.note(tree, path, seen);
            if own.is(&tree.path(path)) {
                guarded = Some(tree.path(path));
            }
            Ok(())
        })?;
        guarded.map_or(Ok(()), |path| Err(StageError::Guarded(path)))
    }

    /// Examines one path, for a walk that visits everything below a folder itself.
    pub(in crate::stage) fn note(&mut self, tree: &Tree, path: &Path, seen: &Seen) {
        let changed = self.touches.map_or(seen.changed, |touches| touches.before(seen).1);
        if changed >= self.since {
            self.foreign.insert(tree.path(path));
        }
        self.sum.add(seen.is_folder(), seen.stored);
        self.of_others |= !seen.is_folder() && self.made.is_of_others(&tree.path(path), changed);
        if seen.kind == FileType::RegularFile {
            self.files.insert(seen.inode(), tree.path(path));
        }
    }

    /// One of the files that a program of this user holds open for writing, and that program. Its later writes would go
    /// to the old version.
    ///
    /// A lease (`F_SETLEASE`) would report it, but there is no safe call for that. The descriptors of processes are read
    /// instead, so programs of other users and files that are only mapped to memory are not seen.
    pub(in crate::stage) fn writer(&self) -> Option<(PathBuf, String)> {
        if self.files.is_empty() {
            return None;
        }
        let processes = std::fs::read_dir("/proc").ok()?.flatten();
        let numbered = processes.filter(|entry| {
            entry.file_name().to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
        });
        numbered.map(|entry| entry.path()).find_map(|process| {
            let descriptors = std::fs::read_dir(process.join("fd")).ok()?.flatten();
            let written = descriptors.filter_map(|entry| {
                let file = self.files.get(&inode(&entry.path())?)?;
                let number = entry.file_name();
                let about = std::fs::read_to_string(process.join("fdinfo").join(number)).ok()?;
                writes(&about).then(|| file.clone())
            });
            let file = written.into_iter().next()?;
            let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
            let number = process.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Some((file, format!("{} ({number})", name.trim_end())))
        })
    }
}

/// The file behind a descriptor. Network file systems answer from their cache.
fn inode(descriptor: &Path) -> Option<Inode> {
    let flags = AtFlags::STATX_DONT_SYNC | AtFlags::NO_AUTOMOUNT;
    let found = rustix::fs::statx(rustix::fs::CWD, descriptor, flags, StatxFlags::INO).ok()?;
    Some(((found.stx_dev_major, found.stx_dev_minor), found.stx_ino))
}

/// Whether a descriptor was opened for writing, by the kernel's information about it.
fn writes(about: &str) -> bool {
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    let has = |one: OFlags| flags.is_some_and(|flags| flags & one.bits() != 0);
    has(OFlags::RWMODE) && !has(OFlags::PATH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_opened_for_writing_is_told_by_its_flags() {
        for (flags, expected) in [
            ("0100000", false),
            ("0100001", true),
            ("0102002", true),
            ("012000000", false),
            ("012000002", false),
            ("", false),
        ] {
            assert_eq!(writes(&format!("pos:\t0\nflags:\t{flags}\nmnt_id:\t29\n")), expected, "{flags}");
        }
    }
}
