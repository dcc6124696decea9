//! The folder of the record: private, and accessed through one descriptor, so that it cannot be swapped.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use guarda_core::action::is_session_name;
use rustix::fs::{AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::trouble::{RecordError, RecordFault};

const FOLDER: Mode = Mode::RWXU;
const FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const LOCK: &str = "lock";
const PREFIX: &str = "shell_audit_";
const SUFFIX: &str = ".jsonl";
/// How often a file is opened that is replaced each time in between.
const OPENED: u32 = 100;

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder for writing, and creates it if it is missing.
    pub fn make(path: &Path) -> Result<Self, RecordError> {
        let place = path.display().to_string();
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| RecordError::system(&place, &error))?;
        }
        match rustix::fs::mkdirat(CWD, path, FOLDER) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(RecordError::system(&place, &error.into())),
        }
        Self::claim(path)
    }

    /// Opens an existing folder for writing, and makes it private.
    pub fn claim(path: &Path) -> Result<Self, RecordError> {
        let place = path.display().to_string();
        let folder = Self::open(path)?;
        let facts = rustix::fs::fstat(&folder.handle).map_err(|error| folder.trouble(error))?;
        if facts.st_mode & 0o077 != 0 {
            // A folder that others can read is made private, unless it visibly serves another purpose.
            if !folder.is_ours()? {
                return Err(RecordFault::Open(place).into());
            }
            rustix::fs::fchmod(&folder.handle, FOLDER).map_err(|error| folder.trouble(error))?;
        }
        Ok(folder)
    }

    /// Opens the folder as it is. It must belong to this user and not be a link.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let place = path.display().to_string();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(|error| match error {
            Errno::LOOP | Errno::NOTDIR => RecordFault::NoFolder(place.clone()).into(),
            other => RecordError::system(&place, &other.into()),
        })?;
        let folder = Self { handle, path: path.to_path_buf() };
        let facts = rustix::fs::fstat(&folder.handle).map_err(|error| folder.trouble(error))?;
        owned(&place, &facts)?;
        Ok(folder)
    }

    /// A folder below this one, created if it is missing.
    pub fn below(&self, name: &str) -> Result<Self, RecordError> {
        Self::make(&self.path.join(name))
    }

    /// The path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock that keeps a second guard out. It is held as long as the returned file.
    pub fn lock(&self) -> Result<File, RecordError> {
        let file = self.file(LOCK, OFlags::RDWR | OFlags::CREATE)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(file),
            Err(Errno::WOULDBLOCK) => Err(RecordFault::Busy(self.path.display().to_string()).into()),
            Err(error) => Err(self.trouble(error)),
        }
    }

    /// Whether a guard holds the lock.
    pub fn is_kept(&self) -> bool {
        let Ok(file) = self.file(LOCK, OFlags::RDWR) else { return false };
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
    }

    /// Opens a file in the folder: a regular file of this user with one name, never a link.
    pub fn file(&self, name: &str, flags: OFlags) -> Result<File, RecordError> {
        let place = self.path.join(name).display().to_string();
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let mut tries = OPENED;
        let (handle, facts) = loop {
            let handle =
                rustix::fs::openat(&self.handle, name, flags, FILE).map_err(|error| match error {
                    Errno::LOOP => RecordFault::Link(place.clone()).into(),
                    other => RecordError::system(&place, &other.into()),
                })?;
            let facts = rustix::fs::fstat(&handle).map_err(|error| self.trouble(error))?;
            tries -= 1;
            // A file without a name was replaced or removed by the guard while it was being opened.
            if facts.st_nlink != 0 || tries == 0 {
                break (handle, facts);
            }
        };
        owned(&place, &facts)?;
        if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile || facts.st_nlink != 1 {
            return Err(RecordFault::NotPlain(place).into());
        }
        if facts.st_mode & 0o077 != 0 {
            rustix::fs::fchmod(&handle, FILE).map_err(|error| self.trouble(error))?;
        }
        Ok(File::from(handle))
    }

    /// Opens a file for reading, compressed or not; one of a folder below is named `folder/file`.
    pub fn read(&self, place: &str) -> Result<Box<dyn std::io::BufRead>, RecordError> {
        let file = match place.split_once('/') {
            Some((below, name)) => Self::open(&self.path.join(below))?.file(name, OFlags::RDONLY)?,
            None => self.file(place, OFlags::RDONLY)?,
        };
        if place.ends_with(".gz") {
            return Ok(Box::new(std::io::BufReader::new(flate2::read::MultiGzDecoder::new(file))));
        }
        Ok(Box::new(std::io::BufReader::new(file)))
    }

    /// Whether the file with this name is still the open one.
    pub fn still(&self, name: &str, file: &File) -> Result<(), RecordError> {
        let gone = || RecordError::from(RecordFault::Replaced(self.path.join(name).display().to_string()));
        let now = rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|_| gone())?;
        let held = rustix::fs::fstat(file).map_err(|error| self.trouble(error))?;
        let same = (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino);
        if same && self.is_reachable() { Ok(()) } else { Err(gone()) }
    }

    /// Whether the path still leads to this folder.
    pub fn is_reachable(&self) -> bool {
        let now = rustix::fs::statat(CWD, &self.path, AtFlags::SYMLINK_NOFOLLOW);
        let held = rustix::fs::fstat(&self.handle);
        matches!((now, held), (Ok(now), Ok(held)) if (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino))
    }

    /// The names of the files in the folder, sorted.
    pub fn names(&self) -> Result<Vec<String>, RecordError> {
        let entries = std::fs::read_dir(&self.path)
            .map_err(|error| RecordError::system(&self.path.display().to_string(), &error))?;
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Writes a whole file atomically, also with regard to power cuts.
    pub fn replace(&self, name: &str, content: &[u8]) -> Result<(), RecordError> {
        let draft = format!("{name}.new");
        self.remove(&draft)?;
        let mut file = self.file(&draft, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        let write = std::io::Write::write_all(&mut file, content).and_then(|()| file.sync_data());
        write.map_err(|error| RecordError::system(&self.path.join(&draft).display().to_string(), &error))?;
        self.rename(&draft, self, name)
    }

    /// Tests whether this many bytes can be written.
    pub fn room(&self, bytes: usize) -> Result<(), RecordError> {
        let name = "room.new";
        self.remove(name)?;
        let mut file = self.file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        let write = std::io::Write::write_all(&mut file, &vec![0; bytes]).and_then(|()| file.sync_data());
        let removed = self.remove(name);
        write.map_err(|error| RecordError::system(&self.path.display().to_string(), &error))?;
        removed
    }

    /// Moves a file to another name or folder, and syncs it.
    pub fn rename(&self, name: &str, folder: &Self, new: &str) -> Result<(), RecordError> {
        rustix::fs::renameat(&self.handle, name, &folder.handle, new).map_err(|error| self.trouble(error))?;
        self.sync()?;
        folder.sync()
    }

    /// Removes a file, if it exists.
    pub fn remove(&self, name: &str) -> Result<(), RecordError> {
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.trouble(error)),
        }
    }

    /// Syncs the names in the folder.
    pub fn sync(&self) -> Result<(), RecordError> {
        rustix::fs::fsync(&self.handle).map_err(|error| self.trouble(error))
    }

    fn is_ours(&self) -> Result<bool, RecordError> {
        let names = self.names()?;
        Ok(names.is_empty() || names.iter().any(|name| name == LOCK || session_of(name).is_some()))
    }

    fn trouble(&self, error: Errno) -> RecordError {
        RecordError::system(&self.path.display().to_string(), &error.into())
    }
}

fn owned(place: &str, facts: &Stat) -> Result<(), RecordError> {
    if facts.st_uid == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(RecordFault::OfUser { place: place.to_owned(), uid: facts.st_uid }.into())
}

/// The name of a session's current file (feature S11).
pub(crate) fn file_of(session: &str) -> String {
    format!("{PREFIX}{session}{SUFFIX}")
}

/// The name of a session's archived file; compressed, it ends with `.gz`.
pub(crate) fn archived(session: &str, part: u32, damaged: bool) -> String {
    let mark = if damaged { ".damaged" } else { "" };
    format!("{PREFIX}{session}.{part:06}{mark}{SUFFIX}")
}

/// The session, number and damage of an archived file's name.
pub(crate) fn part_of(name: &str) -> Option<(&str, u32, bool)> {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let body = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (body, damaged) = body.strip_suffix(".damaged").map_or((body, false), |body| (body, true));
    let (session, part) = body.rsplit_once('.')?;
    let plain = part.len() == 6 && part.bytes().all(|byte| byte.is_ascii_digit());
    let part = part.parse().ok().filter(|_| plain && check(session).is_ok())?;
    Some((session, part, damaged))
}

/// The session in a current file's name.
pub(crate) fn session_of(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX).filter(|session| check(session).is_ok())
}

/// Checks that a session's name can be part of a file name. The parser of requests requires the same; here it
/// is enforced.
pub(crate) fn check(session: &str) -> Result<(), RecordError> {
    if is_session_name(session) { Ok(()) } else { Err(RecordFault::SessionName.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_can_be_opened_while_it_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(&place.path().join("record")).unwrap();
        let (file, draft) = (folder.path.join("heads"), folder.path.join("draft"));
        std::fs::write(&file, "x").unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    std::fs::write(&draft, "x").unwrap();
                    std::fs::rename(&draft, &file).unwrap();
                }
            });
            let fault = (0..20_000).find_map(|_| folder.file("heads", OFlags::RDONLY).err());
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(fault.is_none(), "{fault:?}");
        });
    }
}
