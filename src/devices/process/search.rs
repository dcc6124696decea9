//! Where a search path (`PATH`) has a program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The first file of this name that fits, in the folders of a search path. A relative folder counts for nothing.
#[must_use]
pub fn in_path(
    path: impl AsRef<OsStr>,
    name: impl AsRef<Path>,
    fits: impl Fn(&PathBuf) -> bool,
) -> Option<PathBuf> {
    let folders = std::env::split_paths(path.as_ref()).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name.as_ref())).find(fits)
}

/// The file of this name in this process's own search path.
#[must_use]
pub fn in_own_path(name: &str) -> Option<PathBuf> {
    in_path(std::env::var_os("PATH")?, name, |file| file.is_file())
}
