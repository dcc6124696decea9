//! A folder for exchanging letters with other programs: the guard reads and empties `requests`, and writes
//! `responses`. The contents are untrusted.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, inotify};
use rustix::io::Errno;
use tokio::sync::Notify;

use crate::devices::filesystem::own::{FileError, own_uid};

/// Longest letter, in bytes.
const LONGEST: u64 = 64 * 1024;
/// The most letters per round; the others wait.
const MOST: usize = 64;

/// A letter that was removed from the folder.
#[derive(Debug)]
pub struct Letter {
    /// The file's name without `.json`: 1 to 64 letters, digits, `-` or `_`.
    pub name: String,
    /// The content, or why it was not read.
    pub text: Result<Vec<u8>, Unreadable>,
}

/// Why a letter is not read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is a folder, link or device, or has another name outside.
    #[error("it is no plain file")]
    NotPlain,
    /// It belongs to this user.
    #[error("it belongs to user {0}")]
    Foreign(u32),
    /// It exceeds the length limit.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    /// The operating system's error.
    #[error("it cannot be read: {0}")]
    System(#[from] std::io::Error),
}

/// The folder. Its descriptor is kept, and its parts are opened below it each time, never through a link.
#[derive(Debug)]
pub struct Inbox {
    path: PathBuf,
    folder: OwnedFd,
    heard: Arc<Notify>,
    /// Entries of `requests` that can be neither read nor moved aside.
    stuck: Mutex<BTreeSet<String>>,
}

const REQUESTS: &str = "requests";
const RESPONSES: &str = "responses";

impl Inbox {
    /// Opens it. Creates it and its two parts (mode 0700) if they are missing.
    ///
    /// # Errors
    /// If one of the three is a symbolic link, belongs to another user, or is writable by others.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let requests = path.join(REQUESTS);
        for folder in [path, &requests, &path.join(RESPONSES)] {
            match std::fs::DirBuilder::new().mode(0o700).create(folder) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(FileError::new(folder, error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        let folder = below(CWD, path).map_err(|error| FileError::new(path, error))?;
        for part in [REQUESTS, RESPONSES] {
            below(&folder, Path::new(part)).map_err(|error| FileError::new(&path.join(part), error))?;
        }
        let heard = listen(&requests)?;
        Ok(Self { path: path.to_owned(), folder, heard, stuck: Mutex::default() })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until something is put into `requests`.
    pub async fn changed(&self) {
        self.heard.notified().await;
    }

    /// Takes the requests, sorted by name. Files with other names stay untouched.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn letters(&self) -> std::io::Result<Vec<Letter>> {
        let requests = below(&self.folder, Path::new(REQUESTS))?;
        let stuck = self.stuck.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut names: Vec<String> = rustix::fs::Dir::read_from(&requests)?
            .filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned))
            .filter_map(|file| file.strip_suffix(".json").map(str::to_owned))
            .filter(|name| is_name(name) && !stuck.contains(name))
            .collect();
        names.sort_unstable();
        names.truncate(MOST);
        Ok(names.into_iter().map(|name| self.take(&requests, name)).collect())
    }

    fn take(&self, requests: &OwnedFd, name: String) -> Letter {
        let file = format!("{name}.json");
        let text = read(requests, &file);
        // Removed before it is answered, so that a crash does not repeat it.
        let gone = rustix::fs::unlinkat(requests, &file, AtFlags::empty()).or_else(|error| {
            // A folder cannot be unlinked like a file and would be found again every time.
            let aside = crate::devices::random::hex::<8>().map(|drawn| format!(".{file}.{drawn}"));
            let moved = aside
                .map_err(|_| error)
                .and_then(|aside| rustix::fs::renameat(requests, &file, requests, aside));
            moved.inspect_err(|_| {
                self.stuck.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
            })
        });
        let text =
            text.and_then(|text| gone.map(|()| text).map_err(|error| Unreadable::System(error.into())));
        Letter { name, text }
    }

    /// True if there is an answer with this name.
    #[must_use]
    pub fn answered(&self, name: &str) -> bool {
        below(&self.folder, Path::new(RESPONSES)).is_ok_and(|responses| {
            rustix::fs::statat(responses, format!("{name}.json"), AtFlags::SYMLINK_NOFOLLOW).is_ok()
        })
    }

    /// Writes an answer atomically.
    ///
    /// # Errors
    /// If it cannot be written, or `responses` no longer belongs to this user.
    pub fn put(&self, name: &str, text: &[u8]) -> std::io::Result<()> {
        let responses = below(&self.folder, Path::new(RESPONSES))?;
        let draft = format!(".{name}.{}", crate::devices::random::hex::<8>()?);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&responses, &draft, flags, Mode::RUSR | Mode::WUSR)?;
        let written = File::from(file)
            .write_all(text)
            .and_then(|()| Ok(rustix::fs::renameat(&responses, &draft, &responses, format!("{name}.json"))?));
        written.inspect_err(|_| {
            let _ = rustix::fs::unlinkat(&responses, &draft, AtFlags::empty());
        })
    }
}

/// Opens a folder that only this user can write to; never through a link.
fn below(folder: impl AsFd, name: &Path) -> std::io::Result<OwnedFd> {
    let wrong = || std::io::Error::other("not a folder that this user alone can write to");
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(folder, name, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => wrong(),
        other => other.into(),
    })?;
    let about = rustix::fs::fstat(&opened)?;
    if about.st_uid != own_uid() || about.st_mode & 0o022 != 0 { Err(wrong()) } else { Ok(opened) }
}

/// Watches the folder in a thread that lives as long as the process.
pub(super) fn listen(folder: &Path) -> Result<Arc<Notify>, FileError> {
    let fault = |error: rustix::io::Errno| FileError::new(folder, error);
    let ear = inotify::init(inotify::CreateFlags::CLOEXEC).map_err(fault)?;
    let wanted = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::CLOSE_WRITE;
    inotify::add_watch(&ear, folder, wanted).map_err(fault)?;
    let heard = Arc::new(Notify::new());
    let bell = Arc::clone(&heard);
    let work = move || {
        let mut noise = [0; 4096];
        while rustix::io::read(&ear, &mut noise).is_ok_and(|count| count > 0) {
            bell.notify_one();
        }
    };
    let thread = std::thread::Builder::new().name("inbox".to_owned()).spawn(work);
    thread.map(|_| heard).map_err(|error| FileError::new(folder, error))
}

/// Whether a letter or a container can have this name.
pub(super) fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(plain)
}

fn read(folder: &OwnedFd, name: &str) -> Result<Vec<u8>, Unreadable> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(folder, name, flags, Mode::empty());
    let file = File::from(opened.map_err(std::io::Error::from)?);
    let about = file.metadata()?;
    if !about.is_file() || about.nlink() != 1 {
        return Err(Unreadable::NotPlain);
    }
    if about.uid() != own_uid() {
        return Err(Unreadable::Foreign(about.uid()));
    }
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(Unreadable::TooLong);
    }
    Ok(text)
}
