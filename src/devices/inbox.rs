//! A folder of letters between programs: `requests` is read and emptied, `responses` is written. What lies there was put
//! there by somebody who is not believed.

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

use crate::devices::own::{FileError, own_uid};

/// Longest letter, in bytes.
const LONGEST: u64 = 64 * 1024;
/// Most letters that are taken at a time; the others wait.
const MOST: usize = 64;

/// A letter that was taken out of the folder.
#[derive(Debug)]
pub struct Letter {
    /// The file's name without `.json`: 1 to 64 letters, digits, `-` or `_`.
    pub name: String,
    /// What it says, or why it is not read.
    pub text: Result<Vec<u8>, Unreadable>,
}

/// Why a letter is not read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is a folder, a link, a device, or has a second name outside.
    #[error("it is no plain file")]
    NotPlain,
    /// It belongs to this user.
    #[error("it belongs to user {0}")]
    Foreign(u32),
    /// It is longer than a letter may be.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    /// The system refused to open or read it.
    #[error("it cannot be read: {0}")]
    System(#[from] std::io::Error),
}

/// The folder. It is held open, and its parts are opened below it each time, never through a link.
#[derive(Debug)]
pub struct Inbox {
    path: PathBuf,
    folder: OwnedFd,
    heard: Arc<Notify>,
    /// What lies in `requests` and can neither be taken nor moved aside.
    stuck: Mutex<BTreeSet<String>>,
}

const REQUESTS: &str = "requests";
const RESPONSES: &str = "responses";

impl Inbox {
    /// Opens it, making it and its two parts (mode 0700) where they are missing.
    ///
    /// # Errors
    /// If one of the three is a symbolic link, is not this user's, or can be written to by others.
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

    /// Waits until something was put into `requests`.
    pub async fn changed(&self) {
        self.heard.notified().await;
    }

    /// Takes the requests in the folder in the order of their names. Files with other names are left alone.
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
        // Taken before it is answered: after a crash it is not asked again.
        let gone = rustix::fs::unlinkat(requests, &file, AtFlags::empty()).or_else(|error| {
            // A folder of that name cannot be removed like a file, and would be found again at every look.
            let aside = super::random::hex::<8>().map(|drawn| format!(".{file}.{drawn}"));
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

    /// Whether there is an answer of this name.
    #[must_use]
    pub fn answered(&self, name: &str) -> bool {
        below(&self.folder, Path::new(RESPONSES)).is_ok_and(|responses| {
            rustix::fs::statat(responses, format!("{name}.json"), AtFlags::SYMLINK_NOFOLLOW).is_ok()
        })
    }

    /// Puts an answer there, all at once.
    ///
    /// # Errors
    /// If it cannot be written, or `responses` is not a folder of this user's any more.
    pub fn put(&self, name: &str, text: &[u8]) -> std::io::Result<()> {
        let responses = below(&self.folder, Path::new(RESPONSES))?;
        let draft = format!(".{name}.{}", super::random::hex::<8>()?);
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

/// Opens a folder that this user alone can write to, and no link to one.
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

/// Listens in a thread, which lives as long as the process.
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

fn is_name(name: &str) -> bool {
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
