//! Opens files by the path that was judged. Links on the way are never followed, whoever put them there
//! since.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, MemfdFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::devices::filesystem::paths;
use guarda_core::policy::Found;

/// The purpose of opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenPurpose {
    /// To read it.
    Read,
    /// Create or truncate, and write.
    Write,
    /// Create if missing, and append.
    Append,
    /// Create if missing; read and write.
    ReadWrite,
}

/// The identity of a file and of its folder when the path was judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Held<'a> {
    /// The folder; `None` if any folder is accepted.
    pub folder: Option<&'a Found>,
    /// The file; `None` if any file is accepted.
    pub file: Option<&'a Found>,
}

/// Opens a file by its real path. An object other than the judged one is neither truncated nor created.
///
/// # Errors
/// One that [`is_changed`] recognises if a part of the path is now a symbolic link, or the object is not the one in
/// `held`; `Unsupported` for named pipes and sockets, which could block the guard; otherwise the operating system's.
pub fn open(real: &Path, purpose: OpenPurpose, held: Held<'_>) -> std::io::Result<OwnedFd> {
    let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
        return Err(std::io::ErrorKind::IsADirectory.into());
    };
    let parent = folder(parent)?;
    if held.folder.is_some_and(|held| paths::found_in(&parent).as_ref().ok() != Some(held)) {
        return Err(Errno::STALE.into());
    }
    let known = held.file.filter(|found| !matches!(found, Found::Nothing | Found::Link(_)));
    let new = held.file == Some(&Found::Nothing);
    let (how, makes) = match purpose {
        OpenPurpose::Read => (OFlags::RDONLY, false),
        OpenPurpose::Write => (OFlags::WRONLY, true),
        OpenPurpose::Append => (OFlags::WRONLY | OFlags::APPEND, true),
        OpenPurpose::ReadWrite => (OFlags::RDWR, true),
    };
    let make = match (makes, new, known) {
        (false, _, _) | (true, _, Some(_)) => OFlags::empty(),
        (true, true, None) => OFlags::CREATE | OFlags::EXCL,
        (true, false, None) => OFlags::CREATE,
    };
    let mode = if makes { Mode::from_raw_mode(0o666) } else { Mode::empty() };
    // Non-blocking until it is known not to be a named pipe, since opening one would wait for its other end.
    let flags = how | make | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let fd = match rustix::fs::openat(&parent, name, flags, mode) {
        Err(Errno::EXIST) if new => return Err(Errno::STALE.into()),
        Err(Errno::NOENT) if known.is_some() => return Err(Errno::STALE.into()),
        opened => opened?,
    };
    if known.is_some() && paths::found_in(&fd).as_ref().ok() != known || new && !makes {
        return Err(Errno::STALE.into());
    }
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
    match kind {
        FileType::RegularFile if purpose == OpenPurpose::Write => rustix::fs::ftruncate(&fd, 0)?,
        FileType::RegularFile | FileType::CharacterDevice | FileType::BlockDevice | FileType::Directory => {}
        FileType::Fifo | FileType::Socket | FileType::Symlink | FileType::Unknown => {
            return Err(std::io::Error::from(std::io::ErrorKind::Unsupported));
        }
    }
    let set = rustix::fs::fcntl_getfl(&fd)?;
    rustix::fs::fcntl_setfl(&fd, set.difference(OFlags::NONBLOCK))?;
    Ok(fd)
}

/// Opens a folder by its real path without reading it.
///
/// # Errors
/// One that [`is_changed`] recognises if a part of the path is a symbolic link; otherwise the operating system's.
pub fn folder(real: &Path) -> std::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match rustix::fs::openat2(CWD, real, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // An older kernel, or a container that refuses this call.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(real),
        opened => Ok(opened?),
    }
}

/// Opens the path one step at a time.
fn step_by_step(real: &Path) -> std::io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut reached = rustix::fs::open("/", flags, Mode::empty())?;
    for part in real.components() {
        let Component::Normal(name) = part else { continue };
        reached = match rustix::fs::openat(&reached, name, flags, Mode::empty()) {
            Err(Errno::NOTDIR) => {
                let data = rustix::fs::statat(&reached, name, AtFlags::SYMLINK_NOFOLLOW)?;
                let link = FileType::from_raw_mode(data.st_mode) == FileType::Symlink;
                return Err(if link { Errno::LOOP } else { Errno::NOTDIR }.into());
            }
            opened => opened?,
        };
    }
    Ok(reached)
}

/// True for errors that mean that an object is not the judged one.
#[must_use]
pub fn is_changed(error: &std::io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::STALE))
}

/// The system's text for an error without Rust's error number: `No such file or directory`.
#[must_use]
pub fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// An unnamed file that contains `text`, positioned at its beginning.
///
/// # Errors
/// If memory is short.
pub fn text(text: &str) -> std::io::Result<OwnedFd> {
    let fd = rustix::fs::memfd_create("text", MemfdFlags::CLOEXEC)?;
    let mut file = File::from(fd);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file.into())
}

/// Opens the empty device, which discards writes and is empty for reads.
///
/// # Errors
/// If there is no `/dev/null`.
pub fn nothing() -> std::io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    Ok(rustix::fs::open("/dev/null", flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn tree() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["sub/f", "other/f"] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "precious").unwrap();
        }
        symlink("sub", root.join("link")).unwrap();
        symlink("f", root.join("sub/last")).unwrap();
        (folder, root)
    }

    #[test]
    fn only_what_was_judged_is_opened() {
        let nothing = Found::Nothing;
        for (path, file, folder, purpose, good) in [
            ("sub/f", None, None, OpenPurpose::Write, true),
            ("sub/f", Some("sub/f"), Some("sub"), OpenPurpose::Write, true),
            ("sub/f", Some("other/f"), Some("sub"), OpenPurpose::Write, false),
            ("sub/f", Some("other/f"), None, OpenPurpose::Read, false),
            ("sub/f", Some("sub/f"), Some("other"), OpenPurpose::Append, false),
            ("sub/f", Some("none"), None, OpenPurpose::Write, false),
            ("sub/f", Some("none"), None, OpenPurpose::Read, false),
            ("sub/new", Some("none"), Some("sub"), OpenPurpose::Write, true),
            ("sub/gone", Some("sub/f"), None, OpenPurpose::ReadWrite, false),
            ("link/f", None, None, OpenPurpose::Write, false),
            ("sub/last", None, None, OpenPurpose::Append, false),
        ] {
            let (_folder, root) = tree();
            let found = |name: Option<&str>| match name {
                Some("none") => Some(nothing.clone()),
                name => name.map(|name| paths::found(&root.join(name))),
            };
            let (file_was, folder_was) = (found(file), found(folder));
            let held = Held { file: file_was.as_ref(), folder: folder_was.as_ref() };
            let opened = open(&root.join(path), purpose, held);
            assert_eq!(opened.is_ok(), good, "{path} {file:?} {folder:?} {purpose:?}: {opened:?}");
            assert!(good || is_changed(&opened.unwrap_err()), "{path} {file:?}");
            let text = std::fs::read_to_string(root.join("sub/f")).unwrap();
            let emptied = good && path == "sub/f" && purpose == OpenPurpose::Write;
            assert_eq!(text.is_empty(), emptied, "{path} {file:?} {folder:?}");
        }
    }

    #[test]
    fn a_folder_is_reached_the_same_way_step_by_step() {
        let (_folder, root) = tree();
        for (path, good) in
            [("sub", true), ("", true), ("link", false), ("link/x", false), ("sub/f", false), ("no", false)]
        {
            let path = root.join(path);
            let (one, other) = (folder(&path), step_by_step(&path));
            assert_eq!((one.is_ok(), other.is_ok()), (good, good), "{path:?}");
            let error =
                |result: std::io::Result<OwnedFd>| result.err().and_then(|error| error.raw_os_error());
            assert_eq!(error(one), error(other), "{path:?}");
        }
    }

    /// However often the folder is exchanged in the meantime, only the judged file is truncated.
    #[test]
    fn a_folder_that_flickers_leads_nowhere_else() {
        let (_folder, root) = tree();
        let (file, folder) = (paths::found(&root.join("sub/f")), paths::found(&root.join("sub")));
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    for (from, to) in [("sub", "aside"), ("other", "sub"), ("sub", "other"), ("aside", "sub")]
                    {
                        std::fs::rename(root.join(from), root.join(to)).unwrap();
                    }
                }
            });
            for _ in 0..2000 {
                let held = Held { file: Some(&file), folder: Some(&folder) };
                let _ = open(&root.join("sub/f"), OpenPurpose::Write, held);
            }
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(std::fs::read_to_string(root.join("other/f")).unwrap(), "precious");
    }
}
