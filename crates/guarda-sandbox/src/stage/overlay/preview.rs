//! What an undo would change, for the person who is asked, and what stands at a path.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::stage::entries::tree::Tree;
use crate::stage::fault::Fault;
use crate::stage::overlay::upper::Pair;
use crate::stage::run::find;
use crate::stage::vault::plan::{Plan, Side};
use crate::stage::{Stages, overlay::report, vault::announced};
use guarda_core::effects::Effects;
use guarda_core::effects::{Below, Change, Entry, EntryKind};

/// The most entries of a folder that are counted.
const COUNTED: u64 = 100_000;
/// The longest file, in bytes, that is compared with its other version.
const COMPARED: u64 = 1 << 20;

impl Stages {
    /// The changes that an undo would make, for the person who is asked.
    #[must_use]
    pub fn undoing(&self, id: Uuid) -> Option<Effects> {
        let (run, progress) = find(&self.config, id)?;
        let plan = announced::so_far(&self.config, run.plan(&self.config)?, &progress)?;
        let mut left = COUNTED;
        let mut changes = Vec::new();
        let moved = moved(&plan, progress.side).unwrap_or_default();
        for one in &plan.moves {
            let (root, folder) = plan.folder(one)?;
            let stored = root.store.join(folder.stored()).join(one.stored());
            let path = plan.path(one);
            let back = one.at(progress.side.other()).is_some();
            let is = if back { entry(&stored, &mut left) } else { None };
            let was = entry(&path, &mut left);
            let from = moved.get(&path).cloned();
            let same = from.is_some() || same(&path, &stored, (&was, &is));
            changes.push(Change { path, was, is, from, same, ..Change::default() });
        }
        for (folder, path) in plan.redressed() {
            let Some(was) = entry(&path, &mut 0) else { continue };
            let then = folder.attributes(progress.side.other());
            let is = Entry { mode: then.mode, owner: then.owner, ..was.clone() };
            changes.push(Change { path, was: Some(was), is: Some(is), ..Change::default() });
        }
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        // The undo is held as well, with the current versions.
        let then = plan.held(progress.side.other());
        Some(Effects { changes, final_because: self.config.too_much(then.bytes), ..Effects::default() })
    }
}

/// The renames that an undo would make. They were not recorded, so they are found as for a run.
fn moved(plan: &Plan, side: Side) -> Result<HashMap<PathBuf, PathBuf>, Fault> {
    let mut found = HashMap::new();
    for (number, root) in plan.roots.iter().enumerate() {
        let (real, store) = (Tree::open(&root.path)?, Tree::open(&root.store)?);
        let mut pairs = Vec::new();
        for one in &plan.moves {
            let Some(folder) = plan.folders.get(one.folder).filter(|folder| folder.root == number) else {
                continue;
            };
            // Only entries that appear or disappear as a whole can have been moved.
            if one.old.is_some() == one.new.is_some() || one.stored() != one.name || folder.store.is_some() {
                continue;
            }
            let path = folder.path.join(&one.name);
            let (tree, back) = if one.at(side).is_none() { (&store, true) } else { (&real, false) };
            let seen = tree.see(&tree.folder(&folder.path)?, &path)?;
            let (low, up) = if back { (None, seen) } else { (seen, None) };
            pairs.push(Pair::of(path, low, up));
        }
        let renames = report::renames(&pairs, &store, &real)?;
        found.extend(renames.into_iter().map(|(to, from)| (real.path(&to), real.path(&from))));
    }
    Ok(found)
}

/// Whether two files have the same bytes. Long files are not read, and count as different.
fn same(one: &Path, other: &Path, sizes: (&Option<Entry>, &Option<Entry>)) -> bool {
    let (Some(was), Some(is)) = sizes else { return false };
    let files = was.kind == EntryKind::File && is.kind == EntryKind::File;
    files
        && was.size == is.size
        && was.size <= COMPARED
        && matches!((std::fs::read(one), std::fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// The current entry at a path; links are not followed.
#[must_use]
pub fn standing(path: &Path) -> Option<Entry> {
    entry(path, &mut { COUNTED })
}

fn entry(path: &Path, left: &mut u64) -> Option<Entry> {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let found = std::fs::symlink_metadata(path).ok()?;
    let kind = match found.file_type() {
        kind if kind.is_dir() => EntryKind::Folder,
        kind if kind.is_symlink() => EntryKind::Link(std::fs::read_link(path).ok()?),
        kind if kind.is_fifo() => EntryKind::Fifo,
        kind if kind.is_socket() => EntryKind::Socket,
        kind if kind.is_file() => EntryKind::File,
        _ => EntryKind::Device,
    };
    let below = if kind == EntryKind::Folder { below(path, left) } else { Below::default() };
    Some(Entry {
        size: if kind == EntryKind::Folder { 0 } else { found.len() },
        kind,
        mode: found.mode() & 0o7777,
        owner: (found.uid(), found.gid()),
        links: found.nlink(),
        below,
    })
}

fn below(folder: &Path, left: &mut u64) -> Below {
    let mut sum = Below::default();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(rest) = left.checked_sub(1) else { return sum };
            *left = rest;
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                sum.folders += 1;
                open.push(entry.path());
            } else {
                sum.files += 1;
                sum.bytes = sum.bytes.saturating_add(found.len());
            }
        }
    }
    sum
}
