//! Changes other programs' files on the user's behalf: completely or not at all, keeping their permissions, through
//! links.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::devices::filesystem::own::{FileError, replace};

/// The text of a file; `None` if it does not exist.
///
/// # Errors
/// If it exists but cannot be read as text.
pub fn read(path: &Path) -> Result<Option<String>, FileError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::new(path, error)),
    }
}

/// Writes a text to a file, and creates it and its folders (for this user alone) if they are missing. A symbolic link
/// stays one: its target is changed.
///
/// # Errors
/// If it cannot be written; the old file is then unchanged.
pub fn write(path: &Path, text: &str) -> Result<(), FileError> {
    let fault = |error: std::io::Error| FileError::new(path, error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(fault)?;
    }
    let real = match std::fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !path.is_symlink() => path.to_owned(),
        Err(error) => return Err(fault(error)),
    };
    let mode = std::fs::metadata(&real).map_or(0o600, |about| about.permissions().mode() & 0o777);
    replace(&real, text.as_bytes(), mode).map_err(fault)
}

/// Deletes a file; returns whether there was one.
///
/// # Errors
/// If it exists but cannot be deleted.
pub fn delete(path: &Path) -> Result<bool, FileError> {
    match std::fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FileError::new(path, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_its_rights_and_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(read(&real).unwrap().unwrap(), "new");
        assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        let fresh = folder.path().join("a/b/c.json");
        assert_eq!(read(&fresh).unwrap(), None);
        write(&fresh, "x").unwrap();
        assert_eq!(std::fs::metadata(&fresh).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(delete(&fresh).unwrap() && !delete(&fresh).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no draft is left");
    }
}
