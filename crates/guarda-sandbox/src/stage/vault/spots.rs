//! The names that a deed without staging would change, by the folder that exists.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::stage::fault::NotKept;

/// A name in an existing folder.
pub(in crate::stage::vault) struct Spot {
    pub(in crate::stage::vault) folder: PathBuf,
    pub(in crate::stage::vault) name: OsString,
    pub(in crate::stage::vault) fate: Fate,
}

/// The names to keep.
pub(in crate::stage::vault) struct Spots {
    /// Names that are deleted, overwritten or created.
    pub(in crate::stage::vault) moved: Vec<Spot>,
    /// Names that only get other attributes.
    pub(in crate::stage::vault) dressed: Vec<Spot>,
    /// The folders of both, each once and in order.
    pub(in crate::stage::vault) folders: Vec<PathBuf>,
}

impl Spots {
    pub(in crate::stage::vault) fn of(paths: &[(PathBuf, Fate)]) -> Result<Self, NotKept> {
        let (moved, dressed) = (spots(paths)?, dressed(paths)?);
        let mut folders: Vec<PathBuf> =
            moved.iter().chain(&dressed).map(|spot| spot.folder.clone()).collect();
        folders.sort();
        folders.dedup();
        Ok(Self { moved, dressed, folders })
    }
}

/// For each path, the nearest existing folder and the name in it that would change.
fn spots(paths: &[(PathBuf, Fate)]) -> Result<Vec<Spot>, NotKept> {
    let mut spots: Vec<Spot> = Vec::new();
    let moves = |(_, fate): &&(PathBuf, Fate)| !matches!(fate, Fate::Dressed { .. });
    let mut sorted: Vec<&(PathBuf, Fate)> = paths.iter().filter(moves).collect();
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    for (path, fate) in sorted {
        let below = |spot: &Spot| path.starts_with(spot.folder.join(&spot.name));
        if spots.iter().any(below) {
            continue;
        }
        let there = path.ancestors().skip(1).find(|above| above.is_dir());
        let name = there.and_then(|there| path.strip_prefix(there).ok()?.components().next());
        let (Some(there), Some(name)) = (there, name) else { return Err(NotKept::Path(path.clone())) };
        spots.push(Spot { folder: there.to_owned(), name: name.as_os_str().to_owned(), fate: *fate });
    }
    Ok(spots)
}

/// Existing files that only get other attributes, by folder.
fn dressed(paths: &[(PathBuf, Fate)]) -> Result<Vec<Spot>, NotKept> {
    let mut spots = Vec::new();
    for (path, fate) in paths.iter().filter(|(_, fate)| matches!(fate, Fate::Dressed { .. })) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(NotKept::Path(path.clone()));
        };
        spots.push(Spot { folder: folder.to_owned(), name: name.to_owned(), fate: *fate });
    }
    Ok(spots)
}

/// The expected change of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is deleted or moved away: another name for each file is enough.
    Removed,
    /// It is created, written to or replaced: its bytes are copied, and the file itself is also kept by a hard link.
    Written,
    /// As [`Fate::Written`], but without a hard link, which would change the file's status time.
    Copied,
    /// Only its attributes change: mode, owner, times. No content is kept.
    Dressed {
        /// Also of everything below it.
        below: bool,
    },
}

impl Fate {
    /// The fate of a path that has both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::Dressed { .. }, Self::Dressed { .. }) => Self::Dressed { below: true },
            (_, _) => Self::Copied,
        }
    }
}
