//! Reads the changes of a run from the upper folder of an overlay.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use serde::{Deserialize, Serialize};

use crate::stage::entries::attributes::{Attributes, is_copied_up, is_opaque, is_ours, rights};
use crate::stage::entries::entry::{Id, Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::fault::{Fault, StageError};
use crate::stage::overlay::compare::{SideEntry, contents};
use crate::stage::place::{Own, is_beside};

/// The changes of a run below one root.
#[derive(Debug, Default)]
pub(in crate::stage) struct Delta {
    /// Folders on both sides, each after its parent.
    pub(in crate::stage) merged: Vec<Merged>,
    /// Everything else that differs.
    pub(in crate::stage) pairs: Vec<Pair>,
    /// What the run changed of somebody else's, and could not have changed outside.
    pub(in crate::stage) refused: Vec<PathBuf>,
}

/// The entries that the upper folder had before the run, by the real paths of the lower ones.
pub(in crate::stage) type Dressed = HashMap<PathBuf, Prepared>;

/// An entry of the upper folder as it was before the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::stage) struct Prepared {
    pub(in crate::stage) is: Attributes,
    id: Id,
    changed: Time,
}

impl Prepared {
    pub(in crate::stage) fn new(is: Attributes, seen: &Seen) -> Self {
        Self { is, id: seen.id, changed: seen.changed }
    }

    /// Whether nothing was done to the file since, not even to one of its names.
    fn is_untouched(&self, seen: &Seen) -> bool {
        (self.id, self.changed) == (seen.id, seen.changed)
    }
}

/// What to read.
pub(in crate::stage) struct Reading<'a> {
    pub(in crate::stage) own: &'a Own,
    pub(in crate::stage) dressed: &'a Dressed,
    pub(in crate::stage) depth: Depth,
    /// The most names that are examined.
    pub(in crate::stage) most: u64,
}

impl Delta {
    /// Whether a folder may not be the one that the run saw: replacing it changes both the new one and the folder above. For
    /// roots, the identity is known. The same holds for attributes that somebody else may have changed as well.
    pub(in crate::stage) fn is_other(&self, folder: &Merged, since: Time) -> bool {
        let holds = |above: &&Merged| Some(above.path.as_path()) == folder.path.parent();
        let exchanged = || self.merged.iter().find(holds).is_some_and(|above| above.low.changed >= since);
        folder.low.changed >= since && (folder.before.differs(&folder.after) || exchanged())
    }
}

/// A folder that exists on both sides and in which something may have changed.
#[derive(Debug)]
pub(in crate::stage) struct Merged {
    /// The path from the root.
    pub(in crate::stage) path: PathBuf,
    pub(in crate::stage) low: Seen,
    pub(in crate::stage) up: Seen,
    pub(in crate::stage) before: Attributes,
    pub(in crate::stage) after: Attributes,
    /// Whether a name in it was created, deleted or replaced.
    pub(in crate::stage) touched: bool,
    /// Whether the overlay copied it up; otherwise the run made this folder, and somebody else made the lower one.
    pub(in crate::stage) copied_up: bool,
}

/// A name at which something was created, changed, replaced or deleted.
#[derive(Debug)]
pub(in crate::stage) struct Pair {
    /// The path from the root.
    pub(in crate::stage) path: PathBuf,
    /// Its folder, as an index into [`Delta::merged`].
    pub(in crate::stage) folder: usize,
    pub(in crate::stage) low: Option<Seen>,
    pub(in crate::stage) up: Option<Seen>,
    pub(in crate::stage) likeness: Likeness,
    /// Whether it was created by the run: it was not copied up from a lower file that is gone now.
    pub(in crate::stage) fresh: bool,
    /// Whether it is in a folder that was replaced as a whole by another one.
    pub(in crate::stage) inner: bool,
    /// The difference between the two texts.
    pub(in crate::stage) diff: Option<String>,
}

impl Pair {
    /// A created or deleted path, to find moves.
    pub(in crate::stage) fn of(path: PathBuf, low: Option<Seen>, up: Option<Seen>) -> Self {
        Self { path, folder: 0, low, up, likeness: Likeness::None, fresh: true, inner: false, diff: None }
    }
}

/// The depth of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::stage) enum Depth {
    /// For a person: also inside folders that were replaced by others.
    Shown,
    /// For a commit: such a folder is exchanged as a whole.
    Moved,
}

/// A folder that is still to be read.
struct Next {
    path: PathBuf,
    /// Its index in [`Delta::merged`]; for a replaced folder, the index of its parent.
    merged: usize,
    inner: bool,
}

impl Next {
    /// Opens it on both sides, the upper one first. In a replaced folder, the names of both count.
    fn names(&self, up: &Tree, low: &Tree) -> Result<(OwnedFd, OwnedFd, Vec<OsString>), Fault> {
        let (u, mut names) = up.names(&self.path)?;
        if !self.inner {
            return Ok((u, low.folder(&self.path)?, names));
        }
        let (l, lower) = low.names(&self.path)?;
        names.extend(lower);
        names.sort_unstable();
        names.dedup();
        Ok((u, l, names))
    }
}

/// Reads the differences below one root. `diffs` is the number of bytes that remain for differences between texts, with
/// their paths.
pub(in crate::stage) fn read(
    up: &Tree,
    low: &Tree,
    reading: &Reading<'_>,
    diffs: &mut usize,
) -> Result<Delta, StageError> {
    let Reading { own, dressed, depth, most } = *reading;
    let mut delta = Delta::default();
    let (u, l) = (up.folder(Path::new(""))?, low.folder(Path::new(""))?);
    let first = merged((up, &u), (low, &l), Path::new(""), dressed)?;
    delta.add(first, low);
    let mut left = vec![Next { path: PathBuf::new(), merged: 0, inner: false }];
    let mut looked = 0_u64;
    while let Some(next) = left.pop() {
        let (u, l, names) = next.names(up, low)?;
        let guards = own.names_in(&low.path(&next.path));
        let closed = Closed::of(&l, &low.path(&next.path))?;
        for name in names {
            looked += 1;
            if looked > most {
                return Err(StageError::TooMany(most));
            }
            if is_beside(&name) || guards.contains(&name.as_os_str()) {
                continue;
            }
            let path = next.path.join(&name);
            let (above, below) = (up.see(&u, &path)?, low.see(&l, &path)?);
            if above.is_none() && !next.inner {
                continue;
            }
            let above = above.filter(|seen| !seen.is_whiteout());
            let both_folders = match (&above, &below) {
                (None, None) => continue,
                (Some(above), Some(below)) => above.is_folder() && below.is_folder(),
                _ => false,
            };
            let opaque = above.as_ref().is_some_and(Seen::is_folder) && is_opaque(&u, &name);
            if both_folders && !(opaque && depth == Depth::Moved) {
                let inner = next.inner || opaque;
                let place = if inner { next.merged } else { delta.merged.len() };
                let folder = merged((up, &u), (low, &l), &path, dressed)?;
                if inner {
                    delta.add_inner(folder, place)
                } else {
                    delta.add(folder, low)
                }
                left.push(Next { path, merged: place, inner });
                continue;
            }
            if closed.keeps(below.as_ref()) {
                delta.refused.push(low.path(&path));
                continue;
            }
            if let Some(below) = below.filter(Seen::is_folder) {
                own.spare(&low.path(&path), &below)?;
            }
            let prepared = dressed.get(&low.path(&path)).zip(above.as_ref());
            if prepared.is_some_and(|(then, now)| !now.is_folder() && then.is_untouched(now)) {
                continue;
            }
            // A name that the file had before the run.
            let is_own_name = prepared.is_some_and(|(then, now)| then.id == now.id);
            let (likeness, diff) = match (&above, &below) {
                (Some(above), Some(below)) => {
                    let above = SideEntry { folder: &u, path: &path, seen: above };
                    let below = SideEntry { folder: &l, path: &path, seen: below };
                    alike(above, below, (depth, is_own_name), *diffs)?
                }
                _ => (Likeness::None, None),
            };
            let shown = diff.as_ref().map_or(0, |diff| diff.len() + path.as_os_str().len());
            *diffs = diffs.saturating_sub(shown);
            if likeness == Likeness::Whole && above.is_none_or(|seen| seen.links == 1) {
                continue;
            }
            let was = above.is_none() || below.is_some() || next.inner;
            let fresh = was || !(is_copied_up(&u, &name) || dressed.contains_key(&low.path(&path)));
            let (folder, inner) = (next.merged, next.inner);
            delta.pairs.push(Pair { path, folder, low: below, up: above, likeness, fresh, inner, diff });
        }
    }
    delta.leave_out_names();
    delta.mark_touched();
    Ok(delta)
}

impl Delta {
    /// Adds a folder below one that replaced another: only what differs is a change.
    fn add_inner(&mut self, folder: Merged, place: usize) {
        if folder.before.differs(&folder.after) {
            let pair = Pair::of(folder.path, Some(folder.low), Some(folder.up));
            self.pairs.push(Pair { folder: place, likeness: Likeness::Content, inner: true, ..pair });
        }
    }

    /// Drops files that only lost some of their names: every remaining name existed before the run.
    fn leave_out_names(&mut self) {
        let is_whole = |pair: &Pair| pair.likeness == Likeness::Whole;
        let mut names: HashMap<Id, u64> = HashMap::new();
        for seen in self.pairs.iter().filter(|pair| is_whole(pair)).filter_map(|pair| pair.up.as_ref()) {
            *names.entry(seen.id).or_default() += 1;
        }
        let is_all = |seen: &Seen| names.get(&seen.id) == Some(&seen.links);
        self.pairs.retain(|pair| !(is_whole(pair) && pair.up.as_ref().is_some_and(is_all)));
    }

    /// Notes the folders in which a name differs.
    fn mark_touched(&mut self) {
        for pair in self.pairs.iter().filter(|pair| !pair.inner) {
            if let Some(folder) = self.merged.get_mut(pair.folder) {
                folder.touched = true;
            }
        }
    }

    /// Adds a folder. Of one that belongs to somebody else, the run could change the content only.
    fn add(&mut self, mut folder: Merged, low: &Tree) {
        if !is_ours(folder.low.owner) {
            if folder.before.differs(&folder.after) {
                self.refused.push(low.path(&folder.path));
            }
            folder.after = folder.before.clone();
        }
        self.merged.push(folder);
    }
}

/// The entries of a folder that this user may not remove or replace. The overlay lets it, since the upper folder is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closed {
    None,
    /// Those of others: it is sticky.
    Others,
    All,
}

impl Closed {
    fn of(folder: &OwnedFd, path: &Path) -> Result<Self, Fault> {
        let seen = Seen::of(folder).map_err(Fault::at("looking at", path))?;
        Ok(match is_ours(seen.owner) {
            true => Self::None,
            false if rights(folder) & 0o200 == 0 => Self::All,
            false if seen.mode & 0o1000 != 0 => Self::Others,
            false => Self::None,
        })
    }

    fn keeps(self, below: Option<&Seen>) -> bool {
        match self {
            Self::None => false,
            Self::Others => below.is_some_and(|below| !is_ours(below.owner)),
            Self::All => true,
        }
    }
}

fn merged(
    (up, u): (&Tree, &OwnedFd),
    (low, l): (&Tree, &OwnedFd),
    path: &Path,
    dressed: &Dressed,
) -> Result<Merged, Fault> {
    let gone = |tree: &Tree| Fault::at("looking at", &tree.path(path))(rustix::io::Errno::NOENT);
    let above = up.see(u, path)?.ok_or_else(|| gone(up))?;
    let below = low.see(l, path)?.ok_or_else(|| gone(low))?;
    let before = Attributes::read(l, path, &below)?;
    let mut after = Attributes::shown(u, path, &above)?;
    let then = dressed.get(&low.path(path));
    match then {
        Some(then) => after.unless_changed(&then.is, &before),
        None => after.unhide(&before),
    }
    Ok(Merged {
        before,
        after,
        path: path.to_owned(),
        low: below,
        up: above,
        touched: false,
        copied_up: then.is_some() || is_copied_up(u, path.file_name().unwrap_or_default()),
    })
}

/// What two entries have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::stage) enum Likeness {
    /// Everything, and the upper entry has a single name, or had this name before the run.
    Whole,
    /// Everything but the times, under the same condition.
    Touched,
    /// The bytes of a file, or the target of a link.
    Content,
    None,
}

impl Likeness {
    pub(in crate::stage) fn is_same(self) -> bool {
        self != Self::None
    }
}

/// What two entries have in common, and the difference between the texts, at most `most` bytes of it. `is_own_name`: the upper one
/// had this name before the run.
fn alike(
    up: SideEntry<'_>,
    low: SideEntry<'_>,
    (depth, is_own_name): (Depth, bool),
    most: usize,
) -> Result<(Likeness, Option<String>), Fault> {
    if up.seen.kind != low.seen.kind {
        return Ok((Likeness::None, None));
    }
    // A commit only needs to know whether everything is the same, without reading the bytes.
    let told = |seen: &Seen| (seen.size, seen.mode, seen.owner, seen.modified);
    let is_known = up.seen.links == 1 || is_own_name;
    if depth == Depth::Moved && (!is_known || told(up.seen) != told(low.seen)) {
        return Ok((Likeness::None, None));
    }
    let (content, diff) = match up.seen.kind {
        FileType::RegularFile => contents(low, up, most)?,
        FileType::Symlink => (up.target()? == low.target()?, None),
        kind => (kind != FileType::Directory, None),
    };
    if !content {
        return Ok((Likeness::None, diff));
    }
    let after = Attributes::shown(up.folder, up.path, up.seen)?;
    let before = Attributes::shown(low.folder, low.path, low.seen)?;
    // Later writes to a copied file would also appear under its other names.
    let is_touched = up.seen.kind == FileType::RegularFile && !before.differs(&after);
    let likeness = match is_known {
        true if before == after => Likeness::Whole,
        true if is_touched => Likeness::Touched,
        _ => Likeness::Content,
    };
    Ok((likeness, None))
}
