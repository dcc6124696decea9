//! The rules of git for programs that change its folders: the order of the changes, and a lock.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD};
use rustix::io::Errno;

use crate::stage::entries::entry::{Id, Seen};

/// The file that git makes while it changes the index beside it.
pub(super) const LOCK: &str = "index.lock";

/// The steps of a commit, in order. Objects come before what names them, so that a git that looks meanwhile finds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GitRank {
    Objects,
    Tree,
    /// References, logs and the index.
    Names,
}

impl GitRank {
    /// When a name has its turn. `whole`: the root itself is a git folder.
    pub(super) fn of(path: &Path, whole: bool) -> Self {
        let mut parts = path.components().map(|part| part.as_os_str());
        let inside = whole || parts.by_ref().any(|part| part == ".git");
        let mut rest = parts.peekable();
        if !inside || rest.peek().is_none() {
            return Self::Tree;
        }
        if rest.any(|part| part == "objects") { Self::Objects } else { Self::Names }
    }
}

/// Whether a folder is a repository without a work tree, or the git folder of one elsewhere.
pub(super) fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir())
}

/// Whether a path is below a git folder.
pub(super) fn is_inside(root: &Path, path: &Path, whole: bool) -> bool {
    whole || root.join(path).components().any(|part| part.as_os_str() == ".git")
}

/// Whether programs rewrite a file even when they only read, so that a change means nothing.
pub(super) fn is_derived(root: &Path, folder: &Path, name: &OsStr) -> bool {
    name == "index" && (is_inside(root, folder, false) || is_repository(root))
}

/// The locks of the indices that a plan exchanges. They are names of a file of the run, by which an interrupted walk knows its own.
#[derive(Default)]
pub(super) struct Locks(Vec<(OwnedFd, Id)>);

impl Locks {
    /// Takes the lock in a folder, with a file beside the store; false if somebody else has it.
    pub(super) fn take(&mut self, store: &Path, folder: OwnedFd) -> Result<bool, Errno> {
        let own = store.with_file_name("lock");
        let file = File::options().write(true).create(true).truncate(false).open(&own);
        let file = file.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let id = Seen::of(&file)?.id;
        match rustix::fs::linkat(CWD, &own, &folder, LOCK, AtFlags::empty()) {
            Ok(()) => {}
            Err(Errno::EXIST) if Seen::at(&folder, OsStr::new(LOCK))?.is_some_and(|seen| seen.id == id) => {}
            Err(Errno::EXIST) => return Ok(false),
            Err(error) => return Err(error),
        }
        self.0.push((folder, id));
        Ok(true)
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        for (folder, id) in &self.0 {
            if Seen::at(folder, OsStr::new(LOCK)).is_ok_and(|seen| seen.is_some_and(|seen| seen.id == *id)) {
                // What cannot be removed now is removed when the run is recovered.
                let _ = rustix::fs::unlinkat(folder, LOCK, AtFlags::empty());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_come_first_and_what_names_them_last() {
        for (path, whole, expected) in [
            ("src/main.rs", false, GitRank::Tree),
            (".git", false, GitRank::Tree),
            ("objects/x", false, GitRank::Tree),
            (".gitignore", false, GitRank::Tree),
            (".git/objects/ab", false, GitRank::Objects),
            ("sub/.git/objects/pack/x.pack", false, GitRank::Objects),
            (".git/modules/a/objects/ab/cd", false, GitRank::Objects),
            (".git/index", false, GitRank::Names),
            (".git/refs/heads/main", false, GitRank::Names),
            ("objects/ab", true, GitRank::Objects),
            ("worktrees/w/index", true, GitRank::Names),
        ] {
            assert_eq!(GitRank::of(Path::new(path), whole), expected, "{path}");
        }
    }

    #[test]
    fn git_itself_rewrites_an_index() {
        for (root, folder, name, expected) in [
            ("/home/ana/a", ".git", "index", true),
            ("/home/ana/a/.git", "worktrees/b", "index", true),
            ("/home/ana/a", ".git", "HEAD", false),
            ("/home/ana/a", "src", "index", false),
        ] {
            assert_eq!(
                is_derived(Path::new(root), Path::new(folder), OsStr::new(name)),
                expected,
                "{folder}"
            );
        }
    }
}
