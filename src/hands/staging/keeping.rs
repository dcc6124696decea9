//! Keeps old versions before a deed that is not staged: of the files of a file operation, and of the files that a
//! command's words say it will delete or overwrite.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use guarda_core::action::{Action, Way};
use guarda_core::policy::Situation;
use guarda_sandbox::stage::{Fate, Kept, Left, NotKept, Note, Stages};

use crate::devices::filesystem::touch;
use crate::hands::deeds::Deed;
use crate::hands::facts::{preview, preview::ResolvedPath};
use crate::hands::staging::undoable::{Undoable, keep_note};
use crate::wording::Keeping;

/// The most paths that are kept for one command.
const MOST: usize = 10_000;
/// Why a command may have changed more than its words name.
const PARTLY: &str =
    "it may have changed more than its words name; what they name is held, and can be put back";

/// Old versions, kept before the deed.
pub(in crate::hands) struct OldVersions {
    stages: Stages,
    id: uuid::Uuid,
    kept: Result<Kept, NotKept>,
}

impl OldVersions {
    /// Keeps the current versions of these paths.
    pub(in crate::hands) fn begin(stages: Stages, id: uuid::Uuid, paths: &[(PathBuf, Fate)]) -> Self {
        let kept = stages.keep(id, paths);
        Self { stages, id, kept }
    }

    /// Why nothing could be kept.
    pub(in crate::hands) fn fault(&self) -> Option<String> {
        self.kept.as_ref().err().map(ToString::to_string)
    }

    /// Whether the deed can be undone; `None` if it changed nothing.
    pub(in crate::hands) fn end(self, note: &Note) -> Option<Undoable> {
        let Self { stages, id, kept } = self;
        match kept.map(Kept::done) {
            Err(error) => Some(Undoable::Not(error.to_string())),
            Ok(Err(error)) => Some(Undoable::Not(error.to_string())),
            Ok(Ok(Left::Unchanged)) => None,
            Ok(Ok(Left::Lost(path))) => Some(Undoable::Not(format!("{} was written to", path.display()))),
            Ok(Ok(Left::Held)) => {
                keep_note(&stages, id, note);
                Some(Undoable::held(&stages))
            }
        }
    }
}

/// The old versions that are kept for a command.
pub(in crate::hands) struct OfCommand {
    keeping: OldVersions,
    /// It may change more than its words name.
    open: bool,
}

/// Keeps the files that a command will delete or overwrite by its words. Keeps nothing for a command that is staged or
/// changes nothing.
pub(in crate::hands) async fn of_command(deed: &Deed<'_>, action: &Action) -> Option<OfCommand> {
    if deed.is_held_back() || !matches!(deed.way, Way::Act | Way::None) {
        return None;
    }
    let stages = deed.config.stages.clone()?;
    let (paths, open) = named(action, deed.situation)?;
    let id = deed.run.id;
    let begun = tokio::task::spawn_blocking(move || OldVersions::begin(stages, id, &paths));
    match begun.await {
        Ok(keeping) => Some(OfCommand { keeping, open }),
        Err(panic) => {
            deed.run.tally.set_undo(Some(Undoable::Not(panic.to_string())));
            None
        }
    }
}

/// Whether what a command will delete or overwrite by its words can be kept, as [`of_command`] does it; `None` if they name
/// nothing of that kind.
pub(in crate::hands) fn foreseen(stages: &Stages, action: &Action, situation: &Situation) -> Option<Keeping> {
    let (paths, open) = named(action, situation)?;
    Some(match stages.may_keep(&paths) {
        Ok(()) if open => Keeping::Named,
        Ok(()) => Keeping::All,
        Err(NotKept::TooMuch(bytes)) => Keeping::NoRoom(bytes),
        Err(_) => Keeping::Never,
    })
}

/// The paths to keep for a command, and whether it may change more; `None` if its words name none.
fn named(action: &Action, situation: &Situation) -> Option<(Vec<(PathBuf, Fate)>, bool)> {
    let (home, folder) = (PathBuf::from(&situation.home), PathBuf::from(&situation.cwd));
    let (touched, open) = preview::touched(action, &home, &folder);
    let stamped = |path: &Path| situation.stamps.keys().any(|file| Path::new(file).starts_with(path));
    let paths = fates(&touched, open, &stamped);
    (!paths.is_empty()).then_some((paths, open))
}

impl OfCommand {
    /// Records the state after the command, and returns whether it can be undone.
    pub(in crate::hands) async fn end(self, deed: &Deed<'_>) {
        let (Self { keeping, open }, note) = (self, deed.note());
        let left = tokio::task::spawn_blocking(move || keeping.end(&note)).await;
        deed.run.tally.set_undo(match left {
            Ok(Some(Undoable::Until(_))) if open => Some(Undoable::Not(PARTLY.to_owned())),
            Ok(left) => left,
            Err(panic) => Some(Undoable::Not(panic.to_string())),
        });
    }
}

/// The paths to keep, and how. A hard link suffices for a file that a known program only removes, and a note of the
/// attributes for one that only gets other attributes. A file that is watched for changes must not even get a hard
/// link.
fn fates(touched: &[ResolvedPath], open: bool, watched: &dyn Fn(&Path) -> bool) -> Vec<(PathBuf, Fate)> {
    let mut paths: BTreeMap<&Path, Fate> = BTreeMap::new();
    for ResolvedPath { fate, path, below } in touched.iter().take(MOST) {
        let fate = match fate {
            touch::Fate::Attributes => Fate::Dressed { below: *below },
            touch::Fate::Deleted | touch::Fate::Moved if !open && !watched(path) => Fate::Removed,
            touch::Fate::Deleted
            | touch::Fate::Moved
            | touch::Fate::Overwritten
            | touch::Fate::Changed
            | touch::Fate::Made => Fate::Copied,
            touch::Fate::Read | touch::Fate::Named => continue,
        };
        paths.entry(path).and_modify(|known| *known = known.with(fate)).or_insert(fate);
    }
    // A file that is changed before it is removed would change under its other name, too.
    let changed = |fate: &Fate| *fate != Fate::Removed;
    let written: Vec<&Path> = paths.iter().filter(|(_, fate)| changed(fate)).map(|(path, _)| *path).collect();
    let dressed: Vec<&Path> = paths
        .iter()
        .filter(|(_, fate)| **fate == Fate::Dressed { below: true })
        .map(|(path, _)| *path)
        .collect();
    for (path, fate) in paths.iter_mut().filter(|(_, fate)| **fate == Fate::Removed) {
        // Both lists are sorted, so a folder's content follows it directly.
        let next = written.partition_point(|other| other < path);
        let below = written.get(next).is_some_and(|below| below.starts_with(path));
        if below || path.ancestors().any(|above| dressed.binary_search(&above).is_ok()) {
            *fate = Fate::Copied;
        }
    }
    paths.into_iter().map(|(path, fate)| (path.to_owned(), fate)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_to_is_copied() {
        use touch::Fate::{Attributes, Deleted, Made, Moved, Named, Overwritten, Read};
        for (touched, open, kept) in [
            (&[(Deleted, "/a")][..], false, &[("/a", Fate::Removed)][..]),
            (&[(Deleted, "/a")], true, &[("/a", Fate::Copied)]),
            (&[(Deleted, "/watched")], false, &[("/watched", Fate::Copied)]),
            (&[(Moved, "/a"), (Made, "/b")], false, &[("/a", Fate::Removed), ("/b", Fate::Copied)]),
            (
                &[(Overwritten, "/a/b"), (Deleted, "/a")],
                false,
                &[("/a", Fate::Copied), ("/a/b", Fate::Copied)],
            ),
            (&[(Deleted, "/a"), (Overwritten, "/a")], false, &[("/a", Fate::Copied)]),
            (&[(Deleted, "/a"), (Deleted, "/ab")], false, &[("/a", Fate::Removed), ("/ab", Fate::Removed)]),
            (&[(Read, "/a"), (Named, "/b")], true, &[]),
            (&[(Attributes, "/a")], true, &[("/a", Fate::Dressed { below: true })]),
            (&[(Attributes, "/a"), (Deleted, "/a")], false, &[("/a", Fate::Copied)]),
            (
                &[(Deleted, "/a"), (Attributes, "/a/b")],
                false,
                &[("/a", Fate::Copied), ("/a/b", Fate::Dressed { below: true })],
            ),
            (
                &[(Attributes, "/a"), (Deleted, "/a/b/c"), (Deleted, "/ab")],
                false,
                &[("/a", Fate::Dressed { below: true }), ("/a/b/c", Fate::Copied), ("/ab", Fate::Removed)],
            ),
        ] {
            let touched: Vec<_> = touched
                .iter()
                .map(|(fate, path)| ResolvedPath { fate: *fate, path: PathBuf::from(path), below: true })
                .collect();
            let kept: Vec<_> = kept.iter().map(|(path, fate)| (PathBuf::from(path), *fate)).collect();
            assert_eq!(fates(&touched, open, &|path| path == Path::new("/watched")), kept, "{touched:?}");
        }
    }
}
