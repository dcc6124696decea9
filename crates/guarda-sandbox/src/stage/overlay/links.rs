//! Files with several names. An overlay copies a file to which a run writes by one name, and leaves it alone by the others.
//! Those near the top of the tree are therefore copied before the run ([`within`]). To others, a commit gives the copy all
//! the names that the file has in the tree. A name in another place cannot be known, and a person is asked.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType};

use crate::stage::entries::attributes::{Attributes, is_copied_up};
use crate::stage::entries::entry::Seen;
use crate::stage::entries::tree::Tree;
use crate::stage::fault::Fault;
use crate::stage::overlay::upper::{Delta, Pair};
use crate::stage::place::is_beside;
use crate::stage::run::{StagedRoot, make};
use crate::stage::vault::plan::{Folder, Move, Plan, Root};
use crate::stage::vault::wipe;

/// About the most entries that are looked at before a run. Each takes two microseconds.
const MOST_SEEN: usize = 2_000;

/// The hard-linked files whose names are all in the tree, each with its names, starting with those nearest to the root.
pub(in crate::stage) fn within(low: &Tree) -> Vec<(Seen, Vec<PathBuf>)> {
    let mut files: Vec<(Seen, Vec<PathBuf>)> = Vec::new();
    let mut places = HashMap::new();
    let (mut folders, mut left) = (VecDeque::from([PathBuf::new()]), MOST_SEEN);
    while let Some(next) = folders.pop_front().filter(|_| left > 0) {
        // What cannot be listed here cannot be listed by the run either.
        let Ok((folder, names)) = low.names(&next) else { continue };
        let looked = names.len().min(left);
        left -= looked;
        for name in names.into_iter().take(looked).filter(|name| !is_beside(name)) {
            let path = next.join(name);
            match low.see(&folder, &path) {
                Ok(Some(seen)) if seen.is_folder() => folders.push_back(path),
                Ok(Some(seen)) if seen.kind == FileType::RegularFile && seen.links > 1 => {
                    let place = *places.entry(seen.inode()).or_insert_with(|| {
                        files.push((seen, Vec::new()));
                        files.len() - 1
                    });
                    files.get_mut(place).into_iter().for_each(|(_, names)| names.push(path.clone()));
                }
                _ => {}
            }
        }
    }
    files.retain(|(seen, names)| names.len() as u64 == seen.links);
    files
}

/// A changed file that has several names.
#[derive(Debug)]
pub(in crate::stage) struct Linked {
    /// The change, as an index into [`Delta::pairs`].
    pub(in crate::stage) pair: usize,
    /// The names by which the run did not change it.
    pub(in crate::stage) others: Vec<(PathBuf, Seen)>,
    /// Whether it has further names, outside of the tree or where nobody may look.
    pub(in crate::stage) elsewhere: bool,
}

/// The files that a run changed in place and that have several names. One that a program replaced by a new file is none: its
/// other names keep the old content without a guard, too.
pub(in crate::stage) fn find(delta: &Delta, (up, low): (&Tree, &Tree)) -> Vec<Linked> {
    let several = |seen: &&Seen| seen.kind == FileType::RegularFile && seen.links > 1;
    let gone: Vec<&Seen> = delta
        .pairs
        .iter()
        .filter(|pair| pair.up.is_none())
        .filter_map(|pair| pair.low.as_ref().filter(several))
        .collect();
    let mut found = Vec::new();
    let mut files = HashMap::new();
    for (at, pair) in delta.pairs.iter().enumerate().filter(|(_, pair)| !pair.inner) {
        let itself = pair.low.as_ref().filter(several);
        let Some(above) = pair.up.as_ref().filter(|seen| seen.kind == FileType::RegularFile) else {
            continue;
        };
        // A copy of a file with one name, which the run put here.
        let single = || {
            let name = pair.path.file_name().unwrap_or_default();
            let folder = up.folder(pair.path.parent().unwrap_or(Path::new("")));
            folder.is_ok_and(|folder| is_copied_up(&folder, name))
        };
        let told = |seen: &Seen| (seen.size, seen.modified);
        let moved = |below: &&&Seen| pair.low.is_none() && told(below) == told(above);
        let mut candidates = itself.into_iter().chain(gone.iter().filter(moved).copied());
        if let Some(file) = candidates.find(|below| is_copy(above, below)).filter(|_| !single()) {
            files.entry(file.inode()).or_insert_with(|| {
                found.push((Linked { pair: at, others: Vec::new(), elsewhere: true }, file.links));
                found.len() - 1
            });
        }
    }
    if !files.is_empty() {
        let changed: std::collections::HashSet<&Path> =
            delta.pairs.iter().map(|pair| pair.path.as_path()).collect();
        names(low, |path, seen| {
            let Some((linked, left)) = files.get(&seen.inode()).and_then(|at| found.get_mut(*at)) else {
                return;
            };
            *left = left.saturating_sub(1);
            linked.elsewhere = *left > 0;
            if !changed.contains(path.as_path()) {
                linked.others.push((path, *seen));
            }
        });
    }
    found.into_iter().map(|(linked, _)| linked).collect()
}

/// Whether an upper file can be a copy that the overlay made of a lower one. It notes that only of files with one name. But it keeps the
/// time of the last access, which nothing changes in a stage (`noatime`), while a new file has that of its making. A time without
/// a fraction may have been set by an archiver.
fn is_copy(above: &Seen, below: &Seen) -> bool {
    above.accessed == below.accessed && above.accessed.nanos != 0
}

/// Visits every name of a file that has several. What cannot be listed is left out.
fn names(low: &Tree, mut visit: impl FnMut(PathBuf, &Seen)) {
    let mut left = vec![PathBuf::new()];
    while let Some(next) = left.pop() {
        let Ok((folder, names)) = low.names(&next) else { continue };
        for name in names {
            let path = next.join(name);
            match low.see(&folder, &path) {
                Ok(Some(seen)) if seen.is_folder() => left.push(path),
                Ok(Some(seen)) if seen.links > 1 => visit(path, &seen),
                _ => {}
            }
        }
    }
}

/// Adds the other names to a plan, each with a further name of the copy, from a folder beside the store.
pub(in crate::stage) fn add(
    plan: &mut Plan,
    root: &StagedRoot,
    (delta, linked): (&Delta, &[Linked]),
    (up, low): (&Tree, &Tree),
) -> Result<(), Fault> {
    let others = linked.iter().flat_map(|one| one.others.iter().map(|other| (one.pair, other)));
    let store = root.upper.with_file_name("ln");
    let number = plan.roots.len();
    let mut places: HashMap<&Path, usize> = HashMap::new();
    for (at, (pair, (path, seen))) in others.enumerate() {
        let Some(pair) = delta.pairs.get(pair) else { continue };
        if at == 0 {
            // An earlier attempt may have made it.
            wipe::wipe(&store)?;
            make(&store)?;
            plan.roots.push(Root { path: root.root.clone(), store: store.clone() });
        }
        let stored = at.to_string();
        let (from, to) = (up.folder(parent(&pair.path))?, Tree::open(&store)?.folder(Path::new(""))?);
        rustix::fs::linkat(from, name(pair), to, &stored, AtFlags::empty())
            .map_err(Fault::at("linking", &low.path(path)))?;
        let folder = match places.get(parent(path)) {
            Some(folder) => *folder,
            None => {
                plan.folders.push(place(number, parent(path), delta, low)?);
                places.insert(parent(path), plan.folders.len() - 1);
                plan.folders.len() - 1
            }
        };
        plan.moves.push(Move {
            folder,
            name: path.file_name().unwrap_or_default().to_owned(),
            stored: Some(stored.into()),
            old: Some(seen.id),
            new: pair.up.map(|seen| seen.id),
        });
    }
    Ok(())
}

/// The folder of a name, with the attributes that it gets anyway.
fn place(root: usize, path: &Path, delta: &Delta, low: &Tree) -> Result<Folder, Fault> {
    let opened = low.folder(path)?;
    let seen = Seen::of(&opened).map_err(Fault::at("looking at", &low.path(path)))?;
    let now = || Attributes::of(&opened, path, &seen);
    let (old, new) = match delta.merged.iter().find(|folder| folder.path == path) {
        Some(folder) => (folder.before.clone(), folder.after.clone()),
        None => (now()?, now()?),
    };
    Ok(Folder { root, path: path.to_owned(), store: Some(PathBuf::new()), id: seen.id, old, new })
}

pub(in crate::stage) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn name(pair: &Pair) -> &std::ffi::OsStr {
    pair.path.file_name().unwrap_or_default()
}
