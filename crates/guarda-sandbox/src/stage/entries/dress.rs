//! Prepares the upper folders of a run: the overlay shows their attributes, can copy nothing up whose owner or group has
//! no number in the run's namespace, and takes a file apart that has several names.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use guarda_core::effects::native;
use rustix::fs::{AtFlags, CWD, FileType, Gid, Mode};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::stage::entries::attributes::{Attributes, is_ours, rights};
use crate::stage::entries::copy::{How, copy};
use crate::stage::entries::entry::Seen;
use crate::stage::entries::frame;
use crate::stage::entries::tree::{Tree, through};
use crate::stage::fault::{Fault, StageError};
use crate::stage::overlay::upper::{Dressed, Prepared};
use crate::stage::overlay::{links, links::parent};
use crate::stage::run::{Run, Shown, StagedRoot, StagesConfig};
use crate::stage::{place, place::is_beside};

/// The most files and folders of a foreign group that are copied before a run.
const MOST: usize = 2_000;
/// The most bytes of them.
const MOST_BYTES: u64 = 64 << 20;
/// The most entries that are looked at to find them.
const MOST_SEEN: usize = 20_000;
/// The most names of files with several names that are copied before a run.
const MOST_NAMES: usize = 200;
/// The most bytes of one such file; what has more is seldom written to by two names.
const LARGEST: u64 = 1 << 20;

impl Run {
    /// Makes the folders of a run.
    pub(in crate::stage) fn begin(
        config: &StagesConfig,
        id: Uuid,
        roots: &[PathBuf],
    ) -> Result<Self, StageError> {
        place::check(roots)?;
        let run = Self::note(config, id, roots)?;
        match run
            .roots
            .iter()
            .try_fold(Dress::default(), Dress::put_on)
            .and_then(|all| all.write(config, &run))
        {
            Ok(()) => Ok(run),
            Err(fault) => {
                let _ = run.remove(config);
                Err(fault.into())
            }
        }
    }
}

/// The upper folders of a run, as they are prepared.
#[derive(Default)]
pub(in crate::stage) struct Dress {
    /// The roots themselves.
    roots: Vec<Shown>,
    /// Everything that was prepared.
    dressed: Dressed,
}

impl Dress {
    /// Prepares the upper folder of one root.
    pub(in crate::stage) fn put_on(mut self, root: &StagedRoot) -> Result<Self, Fault> {
        let (up, low) = root.trees()?;
        let folder = low.folder(Path::new(""))?;
        let seen = Seen::of(&folder).map_err(Fault::at("looking at", &root.root))?;
        let before = Attributes::of(&folder, &root.root, &seen)?;
        let mut folders = vec![PathBuf::new()];
        // In a folder for everybody, each has his own files.
        if !seen.is_common() && seen.mode & 0o1000 == 0 {
            self.foreign(&up, &low, &mut folders)?;
        } else if seen.is_common() {
            self.linked(&up, &low, &mut folders)?;
        }
        // Some cannot be entered or written to any more once they are prepared.
        for folder in folders.iter().rev() {
            self.folder(&up, &low, folder)?;
        }
        self.roots.push(Shown { path: root.root.clone(), id: seen.id, before, other: false });
        Ok(self)
    }

    pub(in crate::stage) fn write(self, config: &StagesConfig, run: &Run) -> Result<(), Fault> {
        let dressed: Vec<One> = self.dressed.into_iter().map(|(path, is)| One { path, is }).collect();
        frame::write(&config.run(run.id).join("dressed"), &dressed)?;
        run.write_shown(config, &self.roots)
    }

    /// Gives an upper folder the attributes of the lower one, as far as this user can. It is ours in any case, so its mode
    /// gives us what we may do in the lower one.
    fn folder(&mut self, up: &Tree, low: &Tree, path: &Path) -> Result<(), Fault> {
        let pinned = |tree: &Tree| tree.pin(path)?.ok_or_else(|| gone(&tree.path(path)));
        let ((u, own), (l, seen)) = (pinned(up)?, pinned(low)?);
        let mut wanted = Attributes::shown_of(&l, &low.path(path), &seen)?;
        wanted.owner = own.owner;
        let _ = rustix::fs::chownat(
            CWD,
            through(&u, OsStr::new("")),
            None,
            Some(Gid::from_raw(seen.owner.1)),
            AtFlags::empty(),
        );
        if let Ok(now) = Seen::of(&u) {
            wanted.owner = now.owner;
        }
        if !is_ours(seen.owner) {
            wanted.extended.retain(|(name, _)| name != "system.posix_acl_access");
            wanted.mode = wanted.mode & !0o700 | rights(&l);
        }
        wanted.put(&u, OsStr::new(""), &up.path(path))?;
        let now = Seen::of(&u).map_err(Fault::at("looking at", path))?;
        self.dressed.insert(low.path(path), Prepared::new(Attributes::shown_of(&u, path, &now)?, &now));
        Ok(())
    }

    /// Copies hard-linked files whose names are all near the top of the tree, so that a write through one name shows under the others.
    fn linked(&mut self, up: &Tree, low: &Tree, folders: &mut Vec<PathBuf>) -> Result<(), Fault> {
        let mut made: HashSet<PathBuf> = folders.iter().cloned().collect();
        let is_ours = |seen: &Seen| {
            seen.is_common() && seen.mode & 0o7200 == 0o200 && seen.stored.max(seen.size) <= LARGEST
        };
        let files = links::within(low);
        let mut left = MOST_NAMES;
        for (_, names) in files.iter().filter(|(seen, _)| is_ours(seen)) {
            let Some(less) = left.checked_sub(names.len()) else { break };
            left = less;
            for path in names {
                make_folders(up, parent(path), (&mut made, folders))?;
            }
            self.names(up, low, names)?;
        }
        Ok(())
    }

    /// Copies a file with all its names. One that cannot be read is left out.
    fn names(&mut self, up: &Tree, low: &Tree, names: &[PathBuf]) -> Result<(), Fault> {
        let Some((first, others)) = names.split_first() else { return Ok(()) };
        self.file(up, low, first)?;
        if !self.dressed.contains_key(&low.path(first)) {
            return Ok(());
        }
        let from = up.folder(parent(first))?;
        for path in others {
            let (into, name) = (up.folder(parent(path))?, path.file_name().unwrap_or_default());
            let first = first.file_name().unwrap_or_default();
            rustix::fs::linkat(&from, first, into, name, AtFlags::empty())
                .map_err(Fault::at("linking", &up.path(path)))?;
        }
        // Each further name changes the status of the file.
        for path in names {
            self.prepared(up, low, path)?;
        }
        Ok(())
    }

    /// Notes a file as it is prepared.
    fn prepared(&mut self, up: &Tree, low: &Tree, path: &Path) -> Result<(), Fault> {
        let folder = up.folder(parent(path))?;
        if let Some(now) = up.see(&folder, path)? {
            let is = Attributes::shown(&folder, path, &now)?;
            self.dressed.insert(low.path(path), Prepared::new(is, &now));
        }
        Ok(())
    }

    /// Copies what is ours, or open to us, and of a foreign group or owner. Adds the folders that were made for it, each after
    /// its parent.
    fn foreign(&mut self, up: &Tree, low: &Tree, folders: &mut Vec<PathBuf>) -> Result<(), Fault> {
        let (mut looked, mut bytes) = (0_usize, 0_u64);
        let mut made: HashSet<PathBuf> = folders.iter().cloned().collect();
        let mut left = vec![PathBuf::new()];
        while let Some(next) = left.pop() {
            // What cannot be listed here cannot be listed by the run either.
            let Ok((folder, names)) = low.names(&next) else { continue };
            for name in names.into_iter().filter(|name| !is_beside(name)) {
                let path = next.join(&name);
                let Some(seen) = low.see(&folder, &path)? else { continue };
                looked += 1;
                let is_folder = seen.is_folder();
                if is_folder {
                    left.push(path.clone());
                }
                let is_ours =
                    seen.mode & 0o200 != 0 && seen.kind == FileType::RegularFile && is_ours(seen.owner);
                if seen.is_common() || !(is_ours || is_folder && is_open(low, &path)) {
                    continue;
                }
                bytes = bytes.saturating_add(if is_folder { 0 } else { seen.stored });
                if looked > MOST_SEEN || made.len() > MOST || bytes > MOST_BYTES {
                    return Ok(());
                }
                let inner = if is_folder { path.as_path() } else { parent(&path) };
                make_folders(up, inner, (&mut made, folders))?;
                if !is_folder {
                    self.file(up, low, &path)?;
                    made.insert(path);
                }
            }
        }
        Ok(())
    }

    /// Copies a file. One that cannot be read, or whose group cannot be given, is left out.
    fn file(&mut self, up: &Tree, low: &Tree, path: &Path) -> Result<(), Fault> {
        let folder = up.folder(parent(path))?;
        if copy(low, path, up, path, How::Copy).is_err() {
            let _ = rustix::fs::unlinkat(&folder, path.file_name().unwrap_or_default(), AtFlags::empty());
            return Ok(());
        }
        self.prepared(up, low, path)
    }
}

/// Makes a folder with its parents. Each is added after its parent.
fn make_folders(
    up: &Tree,
    path: &Path,
    (made, folders): (&mut HashSet<PathBuf>, &mut Vec<PathBuf>),
) -> Result<(), Fault> {
    let above: Vec<&Path> = path.ancestors().collect();
    for inner in above.into_iter().rev() {
        if made.insert(inner.to_owned()) {
            let into = up.folder(parent(inner))?;
            rustix::fs::mkdirat(&into, inner.file_name().unwrap_or_default(), Mode::RWXU)
                .map_err(Fault::at("making", &up.path(inner)))?;
            folders.push(inner.to_owned());
        }
    }
    Ok(())
}

/// An upper entry as it was prepared.
#[derive(Serialize, Deserialize)]
struct One {
    #[serde(with = "native")]
    path: PathBuf,
    is: Prepared,
}

/// The upper entries before the run.
pub(in crate::stage) fn dressed(config: &StagesConfig, run: &Run) -> Dressed {
    let read: Vec<One> = frame::read(&config.run(run.id).join("dressed")).unwrap_or_default();
    read.into_iter().map(|One { path, is }| (path, is)).collect()
}

/// Whether this user may write in a folder.
fn is_open(low: &Tree, path: &Path) -> bool {
    low.folder(path).is_ok_and(|folder| rights(&folder) & 0o200 != 0)
}

fn gone(path: &Path) -> Fault {
    Fault::at("looking at", path)(rustix::io::Errno::NOENT)
}
