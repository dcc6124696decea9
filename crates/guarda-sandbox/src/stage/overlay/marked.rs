//! Removes the overlay's own attributes from files before a commit moves them into a root.
//!
//! A file that the overlay copied up has the attributes of the lower file, and some of those may be named like the
//! overlay's own. The lower file shows which of them the run did not set. If the run moved the file, the overlay does not
//! record the lower file, so it is searched for. The search fails if the file was also written to, none of its
//! attributes was copied, and the run deleted, moved or replaced other files as well.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, FileType};

use crate::stage::entries::attributes::{Extended, is_copied, marks, named_alike, strip};
use crate::stage::entries::entry::{Id, Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::Fault;
use crate::stage::overlay::compare::{SideEntry, same_bytes};
use crate::stage::overlay::upper::{Delta, Pair};
use crate::stage::run::Run;
use guarda_core::effects::Below;

/// The entries with attributes of the overlay's own, by root.
#[derive(Default)]
pub(in crate::stage) struct Marked(Vec<Vec<Mark>>);

/// A whiteout, or a file or folder with attributes of the overlay's own.
struct Mark {
    path: PathBuf,
    seen: Seen,
    /// The attributes of the lower file that are named like the overlay's own; empty except for copied files.
    real: Extended,
}

/// A lower file that a copied file may come from.
struct Source {
    path: PathBuf,
    seen: Seen,
    named_alike: Extended,
    taken: bool,
}

impl Marked {
    /// Searches one root, and adds the size of everything that the commit moves to `sum`.
    pub(in crate::stage) fn find(
        &mut self,
        up: &Tree,
        low: &Tree,
        delta: &Delta,
        sum: &mut Below,
    ) -> Result<(), Fault> {
        let (mut found, mut copied) = (Vec::new(), Vec::new());
        // True if the lower file of one of them may be in a folder that was deleted as a whole.
        let mut from_afar = false;
        let mut look = |folder: &OwnedFd, path: &Path, seen: &Seen, is_here: bool| {
            if seen.is_whiteout() {
                found.push(Mark { path: path.to_owned(), seen: *seen, real: Extended::new() });
                return Ok(());
            }
            let marks = marks(folder, path.file_name().unwrap_or_default(), seen)
                .map_err(Fault::at("reading the attributes of", path))?;
            if marks.copied_up && !seen.is_folder() {
                copied.push(found.len());
                from_afar |= marks.escaped || !is_here;
            }
            if marks.any {
                found.push(Mark { path: path.to_owned(), seen: *seen, real: Extended::new() });
            }
            sum.add(seen.is_folder(), if seen.kind == FileType::RegularFile { seen.stored } else { 0 });
            Ok(())
        };
        each_on(
            up,
            delta,
            |pair| pair.up.as_ref(),
            |folder, pair, seen| {
                look(folder, &pair.path, seen, pair.low.is_some_and(|low| low.kind == seen.kind))?;
                match seen.is_folder() {
                    true => up.each(&pair.path, |folder, path, seen| look(folder, path, seen, false)),
                    false => Ok(()),
                }
            },
        )?;
        if !copied.is_empty() {
            restore(&mut found, copied, up, low, sources(low, delta, from_afar)?)?;
        }
        self.0.push(found);
        Ok(())
    }

    /// Checks the permissions that [`Marked::strip`] needs.
    pub(in crate::stage) fn may_strip(&self, run: &Run) -> Result<(), Fault> {
        self.each(run, |folder, Mark { path, seen, .. }| {
            if !seen.is_whiteout() && seen.mode & 0o600 != 0o600 {
                let name = path.file_name().unwrap_or_default();
                let needed = Access::READ_OK | Access::WRITE_OK;
                let may = rustix::fs::accessat(folder, name, needed, AtFlags::EACCESS);
                may.map_err(Fault::at("setting the attributes of", path))?;
            }
            Ok(())
        })
    }

    /// Removes the attributes and whiteouts. Must run once: it restores the names of user attributes that are named like
    /// the overlay's own, and a second run would remove those.
    pub(in crate::stage) fn strip(&self, run: &Run) -> Result<(), Fault> {
        // The names of a file share its attributes.
        let mut stripped = HashSet::new();
        self.each(run, |folder, Mark { path, seen, real }| {
            let name = path.file_name().unwrap_or_default();
            let done = match seen.is_whiteout() {
                true => rustix::fs::unlinkat(folder, name, AtFlags::empty()),
                false if seen.links > 1 && !seen.is_folder() && !stripped.insert(seen.id) => Ok(()),
                false => strip(folder, name, seen, real),
            };
            done.map_err(Fault::at("setting the attributes of", path))
        })
    }

    fn each(
        &self,
        run: &Run,
        mut visit: impl FnMut(&OwnedFd, &Mark) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        for (root, found) in run.roots.iter().zip(&self.0) {
            let store = Tree::open(&root.upper)?;
            let mut open: Option<(&Path, OwnedFd)> = None;
            for mark in found {
                let parent = mark.path.parent().unwrap_or(Path::new(""));
                let opened = match open.take().filter(|(folder, _)| *folder == parent) {
                    Some((_, opened)) => opened,
                    None => store.folder(parent)?,
                };
                visit(&opened, mark)?;
                open = Some((parent, opened));
            }
        }
        Ok(())
    }
}

/// The lower files of all differing entries; with `from_afar`, also those below their folders.
fn sources(low: &Tree, delta: &Delta, from_afar: bool) -> Result<Vec<Source>, Fault> {
    let mut sources = Vec::new();
    let mut add = |folder: &OwnedFd, path: &Path, seen: &Seen| {
        if seen.kind == FileType::RegularFile {
            let named_alike = named_alike(folder, path.file_name().unwrap_or_default(), seen)
                .map_err(Fault::at("reading the attributes of", &low.path(path)))?;
            sources.push(Source { path: path.to_owned(), seen: *seen, named_alike, taken: false });
        }
        Ok(())
    };
    each_on(
        low,
        delta,
        |pair| pair.low.as_ref(),
        |folder, pair, seen| {
            add(folder, &pair.path, seen)?;
            if seen.is_folder() && from_afar { low.each(&pair.path, &mut add) } else { Ok(()) }
        },
    )?;
    Ok(sources)
}

/// Visits the differing entries that exist on one side. A folder is opened once for all its entries.
fn each_on(
    tree: &Tree,
    delta: &Delta,
    side: impl Fn(&Pair) -> Option<&Seen>,
    mut visit: impl FnMut(&OwnedFd, &Pair, &Seen) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut open: Option<(usize, OwnedFd)> = None;
    for pair in &delta.pairs {
        let (Some(seen), Some(folder)) = (side(pair), delta.merged.get(pair.folder)) else { continue };
        let opened = match open.take().filter(|(place, _)| *place == pair.folder) {
            Some((_, opened)) => opened,
            None => tree.folder(&folder.path)?,
        };
        visit(&opened, pair, seen)?;
        open = Some((pair.folder, opened));
    }
    Ok(())
}

/// Finds the lower file of each copied file and notes its attributes. In this order: a file with the same content and
/// time, a file whose copied attributes match, the file at the same path, the only file that is left.
fn restore(
    found: &mut [Mark],
    copied: Vec<usize>,
    up: &Tree,
    low: &Tree,
    mut sources: Vec<Source>,
) -> Result<(), Fault> {
    if sources.iter().all(|source| source.named_alike.is_empty()) {
        return Ok(());
    }
    let by_path: HashMap<PathBuf, usize> =
        sources.iter().enumerate().map(|(place, source)| (source.path.clone(), place)).collect();
    let mut by_time: HashMap<(u64, Time), Vec<usize>> = HashMap::new();
    for (place, source) in sources.iter().enumerate() {
        by_time.entry((source.seen.size, source.seen.modified)).or_default().push(place);
    }
    let with_own: Vec<usize> =
        (0..sources.len()).filter(|place| sources.get(*place).is_some_and(Source::has_copied)).collect();
    let mut known: HashMap<Id, usize> = HashMap::new();
    let mut left = Vec::new();
    for place in copied {
        let Some(mark) = found.get_mut(place) else { continue };
        let here = by_path.get(&mark.path).copied();
        let source = match known.get(&mark.seen.id) {
            Some(source) => Some(*source),
            None => {
                let folder = up.folder(mark.path.parent().unwrap_or(Path::new("")))?;
                let alike = by_time.get(&(mark.seen.size, mark.seen.modified));
                let alike = alike.map(Vec::as_slice).unwrap_or_default();
                // Most files stay where they are. Beyond that, four candidates are enough, as for renames.
                let mut same = here.iter().filter(|here| alike.contains(here)).chain(alike.iter().take(4));
                let same = same.find_map(|other| match is_same(low, sources.get(*other)?, &folder, mark) {
                    Ok(same) => same.then_some(Ok(*other)),
                    Err(fault) => Some(Err(fault)),
                });
                let carried = named_alike(&folder, mark.path.file_name().unwrap_or_default(), &mark.seen)
                    .map_err(Fault::at("reading the attributes of", &mark.path))?;
                let mut with_own = here.iter().chain(&with_own);
                let has_its_own =
                    |other: &&usize| sources.get(**other).is_some_and(|source| source.is_in(&carried));
                same.transpose()?.or_else(|| with_own.find(has_its_own).copied()).or(here)
            }
        };
        match source.and_then(|source| Some((source, sources.get_mut(source)?))) {
            Some((number, source)) => {
                known.insert(mark.seen.id, number);
                source.taken = true;
                mark.real.clone_from(&source.named_alike);
            }
            None => left.push(place),
        }
    }
    let mut free = sources.iter().filter(|source| !source.taken);
    if let ([last], Some(source), None) = (left.as_slice(), free.next(), free.next())
        && let Some(mark) = found.get_mut(*last)
    {
        mark.real.clone_from(&source.named_alike);
    }
    Ok(())
}

impl Source {
    /// The attributes that the overlay copies.
    fn copied(&self) -> impl Iterator<Item = &(std::ffi::OsString, Vec<u8>)> {
        self.named_alike.iter().filter(|(name, _)| is_copied(name))
    }

    fn has_copied(&self) -> bool {
        self.copied().next().is_some()
    }

    /// True if the overlay copies attributes of this file, and `carried` contains them all.
    fn is_in(&self, carried: &Extended) -> bool {
        self.has_copied() && self.copied().all(|one| carried.contains(one))
    }
}

/// True if a copied file still has the content of a lower file.
fn is_same(low: &Tree, source: &Source, folder: &OwnedFd, mark: &Mark) -> Result<bool, Fault> {
    let lower = low.folder(source.path.parent().unwrap_or(Path::new("")))?;
    let was = SideEntry { folder: &lower, path: &source.path, seen: &source.seen };
    same_bytes(was, SideEntry { folder, path: &mark.path, seen: &mark.seen })
}
