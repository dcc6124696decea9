//! The state folder: one guard at a time, its tokens, its address, its socket.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::devices::filesystem::own::{FileError, FileFault, own_uid, write_private};
use crate::devices::filesystem::rewrite::delete;

/// The socket of a folder.
pub(super) const SOCKET: &str = "guarda.sock";

/// The guard's own folder, locked by this process for as long as the value lives.
#[derive(Debug)]
pub struct StateFolder {
    path: PathBuf,
    _lock: File,
}

impl StateFolder {
    /// Opens the folder, creates it (mode 0700) if it is missing, and locks it.
    ///
    /// # Errors
    /// If it is a symbolic link, belongs to another user, cannot be created, or another guard holds it.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let fault = |error: std::io::Error| FileError::new(path, error);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(fault)?;
        }
        match std::fs::DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(fault(error)),
            Ok(()) | Err(_) => {}
        }
        check(path)?;
        if std::fs::symlink_metadata(path).map_err(fault)?.mode() & 0o077 != 0 {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).map_err(fault)?;
        }
        Ok(Self { path: path.to_owned(), _lock: lock(&path.join("lock"))? })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A token: 256 random bits in hexadecimal, created at the first call and stored in the file `name`.
    ///
    /// # Errors
    /// If the file cannot be created, or was not created by this function.
    pub fn token(&self, name: &str) -> Result<zeroize::Zeroizing<String>, FileError> {
        let path = self.path.join(name);
        read_token(&path)?.map_or_else(|| new_token(&path), Ok)
    }

    /// Writes the service's address to a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_address(&self, name: &str, address: std::net::SocketAddr) -> Result<(), FileError> {
        write_private(&self.path.join(name), format!("{address}\n").as_bytes())
    }

    /// Removes the files `names`, which tell clients where the service is. For the end.
    pub fn leave(&self, names: &[&str]) {
        for name in names {
            let _ = std::fs::remove_file(self.path.join(name));
        }
    }

    /// Opens the socket, mode 0600. Removes one that a crashed guard left behind: no other guard holds the folder.
    ///
    /// # Errors
    /// If it cannot be opened; a path of more than about 100 bytes is too long for a socket.
    pub fn socket(&self) -> Result<UnixListener, FileError> {
        open_socket(&self.path)
    }
}

/// Opens the socket of a folder, mode 0600. Removes one that a crashed guard left behind.
pub(super) fn open_socket(folder: &Path) -> Result<UnixListener, FileError> {
    let path = folder.join(SOCKET);
    let fault = |error: std::io::Error| FileError::new(&path, error);
    delete(&path)?;
    let socket = UnixListener::bind(&path).map_err(fault)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(fault)?;
    socket.set_nonblocking(true).map_err(fault)?;
    Ok(socket)
}

/// Draws a token and writes it to a file.
pub(super) fn new_token(path: &Path) -> Result<zeroize::Zeroizing<String>, FileError> {
    let drawn = crate::devices::random::hex::<32>().map_err(|error| FileError::new(path, error))?;
    let token = zeroize::Zeroizing::new(drawn);
    write_private(path, format!("{}\n", token.as_str()).as_bytes())?;
    Ok(token)
}

/// Reads a token that the service created; for its clients. `None` if there is none.
///
/// # Errors
/// If the file is not a private file of this user with a token in it.
pub fn read_token(path: &Path) -> Result<Option<zeroize::Zeroizing<String>>, FileError> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = match File::options().read(true).custom_flags(flags.bits() as i32).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::new(path, error)),
    };
    let about = file.metadata().map_err(|error| FileError::new(path, error))?;
    if !about.is_file() || about.uid() != own_uid() {
        return Err(FileError::new(path, FileFault::NotOwn));
    }
    if about.mode() & 0o077 != 0 {
        return Err(FileError::new(path, FileFault::Readable));
    }
    let mut text = zeroize::Zeroizing::new(String::new());
    file.take(256).read_to_string(&mut text).map_err(|error| FileError::new(path, error))?;
    let token = text.trim();
    if token.len() != 64 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(FileError::new(path, FileFault::NoToken));
    }
    Ok(Some(zeroize::Zeroizing::new(token.to_owned())))
}

fn check(path: &Path) -> Result<(), FileError> {
    let about = std::fs::symlink_metadata(path).map_err(|error| FileError::new(path, error))?;
    if about.is_symlink() {
        return Err(FileError::new(path, FileFault::Link));
    }
    if !about.is_dir() {
        return Err(FileError::new(path, FileFault::NotFolder));
    }
    if about.uid() != own_uid() {
        return Err(FileError::new(path, FileFault::OfUser(about.uid())));
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File, FileError> {
    let fault = |error: std::io::Error| FileError::new(path, error);
    let flags = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let options = || File::options().read(true).write(true).create(true).truncate(false).mode(0o600).clone();
    let mut file = options().custom_flags(flags).open(path).map_err(fault)?;
    if let Err(error) = rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        let mut holder = String::new();
        let _ = (&mut file).take(32).read_to_string(&mut holder);
        return Err(match error {
            rustix::io::Errno::WOULDBLOCK => FileError::new(path, FileFault::InUse(holder.trim().to_owned())),
            other => FileError::new(path, other),
        });
    }
    file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())).map_err(fault)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn the_folder_is_private_and_held_once() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("a/b/state");
        let folder = StateFolder::open(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
        let second = StateFolder::open(&path).unwrap_err().to_string();
        assert!(second.contains(&format!("process {}", std::process::id())), "{second}");
        drop(folder);
        // A program that a test beside this one is just starting holds a copy of the lock until it is executed.
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while StateFolder::open(&path).is_err() {
            assert!(std::time::Instant::now() < until, "it stays locked");
            std::thread::yield_now();
        }
    }

    #[test]
    fn an_open_folder_is_closed_and_a_link_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let (open, link) = (base.path().join("open"), base.path().join("link"));
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();
        drop(StateFolder::open(&open).unwrap());
        assert_eq!(mode(&open), 0o700);
        std::os::unix::fs::symlink(&open, &link).unwrap();
        assert!(StateFolder::open(&link).unwrap_err().to_string().contains("symbolic link"));
        std::fs::write(base.path().join("file"), "").unwrap();
        assert!(
            StateFolder::open(&base.path().join("file")).unwrap_err().to_string().contains("not a folder")
        );
    }

    #[test]
    fn tokens_are_made_once_differ_and_are_private() {
        let base = tempfile::tempdir().unwrap();
        let folder = StateFolder::open(base.path()).unwrap();
        let (one, two) = (folder.token("token").unwrap(), folder.token("approve-token").unwrap());
        assert_ne!(*one, *two);
        assert_eq!(one.len(), 64);
        assert_eq!(folder.token("token").unwrap(), one);
        let path = base.path().join("token");
        assert_eq!(mode(&path), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(folder.token("token").unwrap_err().to_string().contains("others can read it"));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "abc").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(folder.token("token").unwrap_err().to_string().contains("no token"));
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(base.path().join("approve-token"), &path).unwrap();
        assert!(folder.token("token").is_err());
    }

    #[test]
    fn a_socket_left_behind_is_replaced() {
        let base = tempfile::tempdir().unwrap();
        let folder = StateFolder::open(base.path()).unwrap();
        drop(folder.socket().unwrap());
        let _socket = folder.socket().unwrap();
        assert_eq!(mode(&base.path().join("guarda.sock")), 0o600);
        folder.leave(&["guarda.sock"]);
        assert!(!base.path().join("guarda.sock").exists());
    }

    #[test]
    fn a_configuration_that_others_could_write_is_not_believed() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("config.toml");
        assert_eq!(crate::devices::filesystem::own::read_config(&path).unwrap(), None);
        std::fs::write(&path, "a").unwrap();
        assert_eq!(crate::devices::filesystem::own::read_config(&path).unwrap().as_deref(), Some("a"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert!(
            crate::devices::filesystem::own::read_config(&path)
                .unwrap_err()
                .to_string()
                .contains("chmod o-w")
        );
        assert!(crate::devices::filesystem::own::read_config(base.path()).is_err());
    }
}
