//! The guard's own files.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use guarda_core::output::Failure;

/// A file or folder that cannot be used. The text is English, for logs and programs; [`crate::wording::fault::file`] has a
/// person's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The cause.
    pub fault: FileFault,
}

impl FileError {
    pub(in crate::devices) fn new(path: &Path, fault: impl Into<FileFault>) -> Self {
        Self { path: path.to_owned(), fault: fault.into() }
    }
}

/// Why a file or folder cannot be used, and the remedy.
#[derive(
    Debug, serde::Serialize, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum FileFault {
    /// The system refused; its message.
    #[error("{0}")]
    System(Failure),
    /// It is no regular file.
    #[error("not a plain file")]
    NotPlain,
    /// A configuration that belongs to this other user.
    #[error("it belongs to user {0}, who could change what is allowed here")]
    Foreign(u32),
    /// A configuration that everybody can write to.
    #[error("everybody can write to it: run `chmod o-w` on it")]
    Writable,
    /// A configuration that is longer than any.
    #[error("longer than 1 MiB, which is no configuration")]
    TooLong,
    /// A token that is no regular file of this user.
    #[error("not a plain file of this user")]
    NotOwn,
    /// A token that others can read.
    #[error("others can read it: delete it, and the next start makes a new token")]
    Readable,
    /// A file of a token without one.
    #[error("no token in it: delete it, and the next start makes a new one")]
    NoToken,
    /// A symbolic link in place of a folder.
    #[error("a symbolic link: name the folder itself")]
    Link,
    /// Something else than a folder.
    #[error("not a folder")]
    NotFolder,
    /// A folder that belongs to this other user.
    #[error("it belongs to user {0}, not to this one")]
    OfUser(u32),
    /// A state folder that the guard with this process number uses.
    #[error(
        "another guard (process {0}) uses this state folder: end it, or set GUARDA_STATE_DIR to another one"
    )]
    InUse(String),
    /// A container's folder that exists.
    #[error("it is there already")]
    Exists,
    /// This name, which no container can have.
    #[error("{0:?} is not a container name: 1 to 32 letters, digits, '-' or '_'")]
    ContainerName(String),
    /// Its content cannot be read; the parser's message.
    #[error("{0}")]
    Unreadable(String),
}

impl From<std::io::Error> for FileFault {
    fn from(error: std::io::Error) -> Self {
        Self::System((crate::devices::fault::kind(error.kind()), error.to_string()).into())
    }
}

impl From<rustix::io::Errno> for FileFault {
    fn from(error: rustix::io::Errno) -> Self {
        std::io::Error::from(error).into()
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
        return Err(FileError::new(path, FileFault::NotPlain));
    }
    let (owner, own) = (about.uid(), own_uid());
    if owner != own && owner != 0 {
        return Err(FileError::new(path, FileFault::Foreign(owner)));
    }
    if about.mode() & 0o002 != 0 {
        return Err(FileError::new(path, FileFault::Writable));
    }
    let mut text = String::new();
    let read =
        file.take(CONFIG_LIMIT + 1).read_to_string(&mut text).map_err(|error| FileError::new(path, error))?;
    if read as u64 > CONFIG_LIMIT {
        return Err(FileError::new(path, FileFault::TooLong));
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
    replace(path, bytes, mode).map_err(|error| FileError::new(path, error))
}

/// Writes a file under another name beside `path`, and renames it to `path`. `mode` is the new file's, whatever the umask.
///
/// # Errors
/// If it cannot be written; the old file is then unchanged.
pub(super) fn replace(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}.new", crate::devices::random::hex::<8>()?));
    let file = File::options().write(true).create_new(true).mode(mode).open(&draft);
    let written = file.and_then(|mut file| {
        file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&draft, path)
    });
    written.inspect_err(|_| drop(std::fs::remove_file(&draft)))
}
