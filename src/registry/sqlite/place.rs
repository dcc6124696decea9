//! The database file: it must be ours alone, and is moved aside if it is damaged.

use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::super::driver::StoreError;

/// The file name of feature B1.
pub const FILE: &str = "command_security.db";

/// Which file was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct File {
    device: u64,
    inode: u64,
}

impl File {
    fn of(facts: &std::fs::Metadata) -> Self {
        Self { device: facts.dev(), inode: facts.ino() }
    }

    /// True if the path still leads to the opened file. Writes to a removed file are lost.
    pub fn still(self, path: &Path) -> Result<(), StoreError> {
        match std::fs::symlink_metadata(path) {
            Ok(facts) if Self::of(&facts) == self => Ok(()),
            Ok(_) => Err(StoreError::Unreachable(format!("{} was replaced", path.display()))),
            Err(error) => Err(StoreError::Unreachable(format!("{}: {error}", path.display()))),
        }
    }
}

/// Creates a missing file for its owner alone (0600), in a folder for its owner alone (0700).
pub(super) fn make(path: &Path) -> Result<(PathBuf, File), StoreError> {
    let unreachable = |error: std::io::Error| StoreError::Unreachable(format!("{}: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unreachable)?;
    // The folder may be reached through a link, but the file may not be one.
    let folder = folder.canonicalize().map_err(unreachable)?;
    let path = folder.join(path.file_name().unwrap_or(FILE.as_ref()));
    let nofollow = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut open = std::fs::OpenOptions::new();
    open.read(true).mode(0o600).custom_flags(i32::try_from(nofollow.bits()).unwrap_or_default());
    let file = match open.open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            open.write(true).create(true).open(&path)
        }
        other => other,
    };
    let facts = file.map_err(unreachable)?.metadata().map_err(unreachable)?;
    if !facts.is_file() || facts.nlink() != 1 {
        return Err(StoreError::Unreachable(format!(
            "{} is no plain file with a single name; move it away",
            path.display()
        )));
    }
    if facts.uid() != rustix::process::geteuid().as_raw() {
        return Err(StoreError::Unreachable(format!(
            "{} belongs to user {}; run guarda as that user, or name another folder",
            path.display(),
            facts.uid()
        )));
    }
    if facts.mode() & 0o077 != 0 {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(unreachable)?;
    }
    Ok((path, File::of(&facts)))
}

/// Moves a damaged file aside with its companion files, and returns its new path. Nothing is deleted.
///
/// # Errors
/// If it cannot be renamed. It then stays where it is.
pub fn quarantine(path: &Path, now: jiff::Timestamp) -> std::io::Result<PathBuf> {
    let date = now.strftime("%Y%m%dT%H%M%SZ");
    let name = path.file_name().unwrap_or(FILE.as_ref()).to_string_lossy().into_owned();
    let aside = (0..100)
        .map(|number| if number == 0 { String::new() } else { format!(".{number}") })
        .map(|number| path.with_file_name(format!("{name}.damaged-{date}{number}")))
        .find(|aside| !aside.exists())
        .ok_or(std::io::ErrorKind::AlreadyExists)?;
    std::fs::rename(path, &aside)?;
    for tail in ["-wal", "-shm"] {
        let with = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(tail);
            PathBuf::from(name)
        };
        match std::fs::rename(with(path), with(&aside)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}
