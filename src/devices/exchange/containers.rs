//! The folders that are shared with containers, one for each: a socket, and a token that is valid only on this
//! socket.

use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Notify;

use crate::devices::exchange::inbox::is_name;
use crate::devices::exchange::state_folder::{SOCKET, new_token, open_socket, read_token};
use crate::devices::filesystem::own::{FileError, FileFault, own_uid};

/// The folder below the state folder.
const FOLDER: &str = "containers";
/// The longest name; a socket's path must be short.
const LONGEST: usize = 32;

/// All containers' folders.
#[derive(Debug, Clone)]
pub struct Containers {
    path: PathBuf,
}

/// The folder of one container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerFolder {
    /// Its name.
    pub name: String,
    /// The folder to mount into it.
    pub path: PathBuf,
}

impl Containers {
    /// The folders below a state folder.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self { path: state.join(FOLDER) }
    }

    /// Creates a folder with a new token; the running service opens its socket.
    ///
    /// # Errors
    /// If the name is invalid or in use, or the folder cannot be created.
    pub fn add(&self, name: &str) -> Result<ContainerFolder, FileError> {
        let place = self.place(name)?;
        let fault = |error: std::io::Error| FileError::new(&place.path, error);
        let private =
            |path: &Path, all: bool| std::fs::DirBuilder::new().recursive(all).mode(0o700).create(path);
        private(&self.path, true).map_err(fault)?;
        if place.path.symlink_metadata().is_ok() {
            return Err(FileError::new(&place.path, FileFault::Exists));
        }
        // Created under another name, so that nobody sees an incomplete folder.
        let draft = self.path.join(format!(".{name}.{}", crate::devices::random::hex::<8>().map_err(fault)?));
        private(&draft, false).map_err(fault)?;
        new_token(&draft.join("token"))
            .and_then(|_token| std::fs::rename(&draft, &place.path).map_err(fault))
            .inspect_err(|_| drop(std::fs::remove_dir_all(&draft)))?;
        Ok(place)
    }

    /// Removes a folder; its token is invalid from now on. `false` if there is none.
    ///
    /// # Errors
    /// If the name is invalid, or the folder cannot be removed.
    pub fn remove(&self, name: &str) -> Result<bool, FileError> {
        let place = self.place(name)?;
        match std::fs::remove_dir_all(&place.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(FileError::new(&place.path, error)),
        }
    }

    /// The folders, by name. A folder of another user does not count.
    #[must_use]
    pub fn list(&self) -> Vec<ContainerFolder> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut places: Vec<ContainerFolder> = names.filter_map(|name| self.place(&name).ok()).collect();
        places.retain(|place| {
            let about = place.path.symlink_metadata();
            about.is_ok_and(|about| about.is_dir() && about.uid() == own_uid() && about.mode() & 0o022 == 0)
        });
        places.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        places
    }

    /// Notifies about new folders; creates the parent folder if it is missing.
    ///
    /// # Errors
    /// If the folder cannot be created or watched.
    pub fn watch(&self) -> Result<Arc<Notify>, FileError> {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.path);
        made.map_err(|error| FileError::new(&self.path, error))?;
        crate::devices::exchange::inbox::listen(&self.path)
    }

    /// Whether a container can have this name.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        name.len() <= LONGEST && is_name(name)
    }

    fn place(&self, name: &str) -> Result<ContainerFolder, FileError> {
        if !Self::is_name(name) {
            return Err(FileError::new(&self.path, FileFault::ContainerName(name.to_owned())));
        }
        Ok(ContainerFolder { name: name.to_owned(), path: self.path.join(name) })
    }
}

impl ContainerFolder {
    /// Opens its socket, mode 0600. Removes one that a crashed guard left behind.
    ///
    /// # Errors
    /// If it cannot be opened; a path of more than about 100 bytes is too long for a socket.
    pub fn socket(&self) -> Result<UnixListener, FileError> {
        open_socket(&self.path)
    }

    /// Its current token; `None` if there is no trustworthy one.
    #[must_use]
    pub fn token(&self) -> Option<zeroize::Zeroizing<String>> {
        read_token(&self.path.join("token")).ok().flatten()
    }

    /// Removes the socket at the end.
    pub fn leave(&self) {
        let _ = std::fs::remove_file(self.path.join(SOCKET));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn places_are_added_listed_and_removed() {
        let base = tempfile::tempdir().unwrap();
        let containers = Containers::of(base.path());
        assert_eq!(containers.list(), []);
        let (one, two) = (containers.add("one").unwrap(), containers.add("two-2").unwrap());
        assert_eq!(containers.list(), [one.clone(), two.clone()]);
        let tokens = [one.token().unwrap(), two.token().unwrap()];
        assert!(tokens[0] != tokens[1] && tokens[0].len() == 64);
        assert_eq!(one.path.metadata().unwrap().mode() & 0o777, 0o700);
        assert!(containers.add("one").is_err(), "a token is not replaced by the way");
        assert!(containers.remove("one").unwrap() && !containers.remove("one").unwrap());
        assert_eq!((one.token(), containers.list()), (None, vec![two]));
    }

    #[test]
    fn a_name_leads_nowhere_else_and_foreign_folders_are_none() {
        let base = tempfile::tempdir().unwrap();
        let containers = Containers::of(base.path());
        for name in ["", ".", "..", "a/b", "../x", "a b", ".x", "é", &"x".repeat(33)] {
            assert!(containers.add(name).is_err() && containers.remove(name).is_err(), "{name:?}");
        }
        containers.add("good").unwrap();
        let path = base.path().join(FOLDER);
        std::os::unix::fs::symlink(base.path(), path.join("link")).unwrap();
        std::fs::write(path.join("file"), "").unwrap();
        std::fs::create_dir(path.join("open")).unwrap();
        std::fs::set_permissions(path.join("open"), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(containers.list().len(), 1);
        let place = containers.list().remove(0);
        std::fs::remove_file(place.path.join("token")).unwrap();
        std::os::unix::fs::symlink(base.path().join("other"), place.path.join("token")).unwrap();
        assert_eq!(place.token(), None, "a link is no token");
    }
}
