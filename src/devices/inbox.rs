//! A folder of letters between programs: `requests` is read and emptied, `responses` is written. What lies there was put
//! there by somebody who is not believed.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{OFlags, inotify};
use tokio::sync::Notify;

use super::own::{FileError, own_uid};

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
    pub text: Result<Vec<u8>, String>,
}

/// The folder.
#[derive(Debug)]
pub struct Inbox {
    path: PathBuf,
    requests: PathBuf,
    responses: PathBuf,
    heard: Arc<Notify>,
}

impl Inbox {
    /// Opens it, making it and its two parts (mode 0700) where they are missing.
    ///
    /// # Errors
    /// If one of the three is a symbolic link, is not this user's, or can be written to by others.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let (requests, responses) = (path.join("requests"), path.join("responses"));
        for folder in [path, &requests, &responses] {
            let fault = |error: std::io::Error| FileError::new(folder, error);
            match std::fs::DirBuilder::new().mode(0o700).create(folder) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(fault(error)),
                Ok(()) | Err(_) => {}
            }
            let about = std::fs::symlink_metadata(folder).map_err(fault)?;
            if !about.is_dir() || about.uid() != own_uid() || about.mode() & 0o022 != 0 {
                return Err(FileError::new(folder, "not a folder that this user alone can write to"));
            }
        }
        let heard = listen(&requests)?;
        Ok(Self { path: path.to_owned(), requests, responses, heard })
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

    /// Takes the letters that lie there, oldest name first. What is no letter by its name is left alone.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn letters(&self) -> std::io::Result<Vec<Letter>> {
        let mut names: Vec<String> = std::fs::read_dir(&self.requests)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|file| file.strip_suffix(".json").map(str::to_owned))
            .filter(|name| is_name(name))
            .collect();
        names.sort_unstable();
        names.truncate(MOST);
        Ok(names.into_iter().map(|name| self.take(name)).collect())
    }

    fn take(&self, name: String) -> Letter {
        let file = self.requests.join(format!("{name}.json"));
        let text = read(&file);
        // Taken before it is answered: after a crash it is not asked again.
        let gone = std::fs::remove_file(&file);
        let text = text.and_then(|text| gone.map(|()| text).map_err(|error| error.to_string()));
        Letter { name, text }
    }

    /// Whether there is an answer of this name.
    #[must_use]
    pub fn answered(&self, name: &str) -> bool {
        self.responses.join(format!("{name}.json")).symlink_metadata().is_ok()
    }

    /// Puts an answer there, all at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&self, name: &str, text: &[u8]) -> std::io::Result<()> {
        let draft = self.responses.join(format!(".{name}.{}", super::random::hex::<8>()?));
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
        let written = file
            .write_all(text)
            .and_then(|()| std::fs::rename(&draft, self.responses.join(format!("{name}.json"))));
        written.inspect_err(|_| {
            let _ = std::fs::remove_file(&draft);
        })
    }
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

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = File::options().read(true).custom_flags(flags.bits() as i32).open(file);
    let file = opened.map_err(|error| format!("it cannot be opened: {error}"))?;
    let about = file.metadata().map_err(|error| error.to_string())?;
    if !about.is_file() || about.nlink() != 1 {
        return Err("it is no plain file".to_owned());
    }
    if about.uid() != own_uid() {
        return Err(format!("it belongs to user {}", about.uid()));
    }
    let mut text = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    Ok(text)
}
