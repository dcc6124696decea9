//! The guard's own files.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file that cannot be used, and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause, and the remedy.
    pub why: String,
}

impl FileError {
    pub(in crate::devices) fn new(path: &Path, why: impl std::fmt::Display) -> Self {
        Self { path: path.to_owned(), why: why.to_string() }
    }
}

/// The largest configuration file, in bytes.
const CONFIG_LIMIT: u64 = 1024 * 1024;

/// The user of this process.
#[must_use]
pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The name of this process's user, if it has one.
#[must_use]
pub fn user_name() -> Option<String> {
    nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(own_uid())).ok().flatten().map(|user| user.name)
}

/// Reads a configuration file; `None` if it does not exist. It may be a symbolic link, but the target must be a
/// regular file of this user or of root that not everybody can write to.
///
/// # Errors
/// If the file exists but cannot be read or must not be trusted.
pub fn read_config(path: &Path) -> Result<Option<String>, FileError> {
    // Without O_NONBLOCK, opening a named pipe would wait for its other end.
    let opened =
        File::options().read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::new(path, error)),
    };
    let about = file.metadata().map_err(|error| FileError::new(path, error))?;
    if !about.is_file() {
        return Err(FileError::new(path, "not a plain file"));
    }
    let (owner, own) = (about.uid(), own_uid());
    if owner != own && owner != 0 {
        return Err(FileError::new(
            path,
            format!("it belongs to user {owner}, who could change what is allowed here"),
        ));
    }
    if about.mode() & 0o002 != 0 {
        return Err(FileError::new(
            path,
            format!("everybody can write to it: run chmod o-w {}", path.display()),
        ));
    }
    let mut text = String::new();
    let read =
        file.take(CONFIG_LIMIT + 1).read_to_string(&mut text).map_err(|error| FileError::new(path, error))?;
    if read as u64 > CONFIG_LIMIT {
        return Err(FileError::new(path, "longer than 1 MiB, which is no configuration"));
    }
    Ok(Some(text))
}

/// Writes a file that only this user can read: first under another name, then renamed, so that no reader sees an
/// incomplete file.
///
/// # Errors
/// If it cannot be written.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes, 0o600)
}

/// Writes a file that everybody can read, the same way.
///
/// # Errors
/// If it cannot be written.
pub fn write_public(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes, 0o644)
}

fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), FileError> {
    let fault = |error: std::io::Error| FileError::new(path, error);
    let draft = path.with_extension(format!("{}.new", super::random::hex::<8>().map_err(fault)?));
    let written =
        File::options().write(true).create_new(true).mode(mode).open(&draft).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()?;
            std::fs::rename(&draft, path)
        });
    written.map_err(|error| {
        let _ = std::fs::remove_file(&draft);
        fault(error)
    })
}
