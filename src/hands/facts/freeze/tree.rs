//! The files below a folder, as `find` would visit them.

use std::ffi::OsString;
use std::path::Path;

use crate::devices::filesystem::patterns;

/// The most directory entries that are read.
const MOST: usize = 20_000;
/// The greatest depth.
const DEEPEST: usize = 16;

/// The files and links below a folder whose names match one of these patterns; without patterns, all. Relative paths,
/// sorted. `None` if there are too many.
pub(super) fn below(folder: &Path, names: &[String]) -> Option<Vec<OsString>> {
    let mut found = Vec::new();
    let mut left = MOST;
    let mut open = vec![(OsString::new(), 0)];
    while let Some((at, depth)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(folder.join(&at)) else { continue };
        for entry in entries.flatten() {
            left = left.checked_sub(1)?;
            let mut path = at.clone();
            if !path.is_empty() {
                path.push("/");
            }
            path.push(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if depth == DEEPEST {
                    return None;
                }
                open.push((path, depth + 1));
            } else if names.is_empty() || names.iter().any(|name| patterns::matches(&entry.file_name(), name))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Some(found)
}
