//! Finds a place for a stage: on the same file system and mount as its root.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::fault::{Fault, StageError};
use crate::isolation::mounts;
use crate::stage::entries::entry::Seen;

/// The name of a folder that is made beside a root if the guard has no other place on that file system. This user's number
/// follows it, since a folder for everybody has one of each user.
const BESIDE: &str = ".guarda-costas-";

/// The guard's own folders, which do not belong to any tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Own(pub(super) Vec<PathBuf>);

impl Own {
    /// Whether a path is one of them.
    pub(super) fn is(&self, path: &Path) -> bool {
        path.file_name().is_some_and(is_beside) || self.0.iter().any(|own| own == path)
    }

    /// The names of those in a folder; [`is_beside`] recognises the others.
    pub(super) fn names_in(&self, folder: &Path) -> Vec<&OsStr> {
        let inside = self.0.iter().filter(|own| own.parent() == Some(folder));
        inside.filter_map(|own| own.file_name()).collect()
    }

    /// Whether a path is in one of them.
    pub(super) fn holds(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.is(above))
    }

    /// Refuses a folder that contains one of them.
    pub(super) fn spare(&self, path: &Path, seen: &Seen) -> Result<(), StageError> {
        match self.0.iter().find(|own| seen.is_folder() && own.starts_with(path)) {
            Some(_) => Err(StageError::Guarded(path.to_owned())),
            None => Ok(()),
        }
    }
}

/// Refuses roots that cannot be staged.
pub(super) fn check(roots: &[PathBuf]) -> Result<(), StageError> {
    for root in roots {
        let real = std::fs::canonicalize(root).is_ok_and(|real| real == *root && real.is_dir());
        if !real || *root == Path::new("/") {
            return Err(StageError::Root(root.clone()));
        }
    }
    for (place, root) in roots.iter().enumerate() {
        let mut others = roots.iter().enumerate().filter(|(other, _)| *other != place);
        if others.any(|(_, other)| root.starts_with(other)) {
            return Err(StageError::Nested(root.clone()));
        }
    }
    let mounts = mounts::all().map_err(Fault::at("reading", Path::new("/proc/self/mountinfo")))?;
    for point in mounts.into_iter().map(|mount| mount.place) {
        if roots.iter().any(|root| point != *root && point.starts_with(root)) {
            return Err(StageError::Mounted(point));
        }
    }
    Ok(())
}

/// The folder for the stages of a root: the first private candidate on the root's file system and mount. Makes it if it is
/// missing.
pub(super) fn find(root: &Path, state: &Path, extra: Option<&Path>) -> Result<PathBuf, StageError> {
    let seen = see(root)?;
    let on_it = |path: &Path| {
        see(path)
            .is_ok_and(|other| other.is_folder() && (other.mount, other.device) == (seen.mount, seen.device))
    };
    let everybodys = temporary();
    for place in [Some(state), extra, Some(&everybodys)].into_iter().flatten() {
        if place.parent().is_some_and(on_it) && make(place) && on_it(place) {
            return Ok(place.to_owned());
        }
    }
    let above = root.ancestors().skip(1).take_while(|above| on_it(above));
    let mut beside = above.chain([root]).map(|above| above.join(own_name()));
    beside.find(|place| make(place) && on_it(place)).ok_or_else(|| StageError::NoPlace(root.to_owned()))
}

/// The places of old versions in folders or above them, found by their name.
pub fn beside(folders: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let name = own_name();
    let mut above: BTreeSet<OsString> = BTreeSet::new();
    for folder in folders {
        // Above one that was there before, all are.
        let _ = folder.ancestors().find(|folder| !above.insert(folder.as_os_str().to_owned()));
    }
    let places = above.into_iter().map(|folder| Path::new(&folder).join(&name));
    places.filter(|place| std::fs::symlink_metadata(place).is_ok()).collect()
}

/// Whether a name is that of a place of old versions.
#[must_use]
pub fn is_beside(name: &OsStr) -> bool {
    let number = name.as_bytes().strip_prefix(BESIDE.as_bytes());
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// The name of this user's.
fn own_name() -> String {
    format!("{BESIDE}{}", rustix::process::geteuid().as_raw())
}

/// This user's folder below the temporary folder that survives a restart of the machine.
#[must_use]
pub fn temporary() -> PathBuf {
    Path::new("/var/tmp").join(format!("guarda-costas-{}", rustix::process::geteuid().as_raw()))
}

/// Makes a folder that only this user can enter. Returns whether it is one, also if it existed.
pub(super) fn make(place: &Path) -> bool {
    let made = std::fs::DirBuilder::new().mode(0o700).create(place);
    let there = matches!(made, Err(ref error) if error.kind() == std::io::ErrorKind::AlreadyExists);
    let private = |seen: Seen| {
        seen.is_folder() && seen.owner.0 == rustix::process::geteuid().as_raw() && seen.mode & 0o077 == 0
    };
    (made.is_ok() || there) && see(place).is_ok_and(private)
}

fn see(path: &Path) -> Result<Seen, Fault> {
    let name = OsStr::from_bytes(path.as_os_str().as_bytes());
    let seen = Seen::at(rustix::fs::CWD, name).and_then(|seen| seen.ok_or(rustix::io::Errno::NOENT));
    seen.map_err(Fault::at("looking at", path))
}
