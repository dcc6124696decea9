//! Several deeds that are undone as one: all of them, or none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::fault::NotUndone;
use super::note::Note;
use super::vault::undo::Undone;
use super::{Held, Stages};
use guarda_core::effects::{Change, Effects};

impl Stages {
    /// Undoes these deeds, the latest first, in this order. The first undo gets the id `new`. If one is refused, those before it are
    /// taken back, and everything is as it was, but for the ids.
    ///
    /// # Errors
    /// The reason of the one that was refused, or why it could not be taken back.
    pub fn undo_all(&self, ids: &[Uuid], new: Uuid) -> Result<Vec<Undone>, NotUndone> {
        let mut done: Vec<(Undone, Option<Note>)> = Vec::new();
        for id in ids {
            let new = if done.is_empty() { new } else { Uuid::now_v7() };
            let note = self.noted(*id);
            match self.undo_as(*id, new) {
                Ok(undone) => done.push((undone, note)),
                Err(refused) => {
                    self.take_back(done)?;
                    return Err(refused);
                }
            }
        }
        Ok(done.into_iter().map(|(undone, _)| undone).collect())
    }

    /// Undoes these undos, the latest first.
    fn take_back(&self, done: Vec<(Undone, Option<Note>)>) -> Result<(), NotUndone> {
        let mut again = Vec::new();
        for (undone, note) in done.into_iter().rev() {
            again.push((self.undo_as(undone.id, Uuid::now_v7())?.id, note));
        }
        for (id, note) in again {
            note.map_or(Ok(()), |note| self.note(id, &note))?;
        }
        Ok(())
    }

    /// The deeds that go back with this one, the latest first: those of the same `UNDO`, or it alone.
    #[must_use]
    pub fn together(&self, held: &Held) -> Vec<Uuid> {
        let group = |held: &Held| held.note.as_ref().and_then(|note| note.group);
        match group(held) {
            None => vec![held.id],
            group_of => self.held().iter().filter(|one| group(one) == group_of).map(|one| one.id).collect(),
        }
    }

    /// The changes that the undo of these deeds would make, in the same order, for the person who is asked; `within` a path, if only that
    /// is restored.
    #[must_use]
    pub fn undoing_all(&self, ids: &[Uuid], within: Option<&Path>) -> Effects {
        let mut all = Effects::default();
        let mut changes: BTreeMap<PathBuf, Change> = BTreeMap::new();
        for effects in ids.iter().filter_map(|id| self.undoing(*id)) {
            all.final_because = all.final_because.or(effects.final_because);
            // What an earlier deed found is what is there in the end.
            changes.extend(effects.changes.into_iter().map(|change| (change.path.clone(), change)));
        }
        changes.retain(|path, _| within.is_none_or(|within| path.starts_with(within)));
        let kept = |change: &Change| {
            let within = |path: &Path| changes.get(path).is_some_and(|above| above.is.is_none());
            let gone = change.path.ancestors().skip(1).any(within);
            !gone && (change.was.is_some() || change.is.is_some())
        };
        all.changes = changes.values().filter(|change| kept(change)).cloned().collect();
        all
    }

    /// The paths that stand in the way of an undo of these deeds, or of what they changed `within` a path, as far as that is known without a change. What a later one of them
    /// changed does not: it will have been undone.
    #[must_use]
    pub fn in_the_way_of_all(&self, ids: &[Uuid], within: Option<&Path>) -> Vec<PathBuf> {
        let held = self.held();
        let mut later: Vec<&PathBuf> = Vec::new();
        let mut found = Vec::new();
        for id in ids {
            let near =
                |path: &PathBuf| later.iter().any(|one| path.starts_with(one) || one.starts_with(path));
            found.extend(self.in_the_way(*id).into_iter().filter(|path| !near(path)));
            let paths =
                held.iter().find(|held| held.id == *id).into_iter().flat_map(|held: &Held| &held.paths);
            later.extend(paths);
        }
        found.retain(|path| within.is_none_or(|within| path.starts_with(within)));
        found
    }
}
