//! Staged runs: the changes of a run are read from the upper folders of its overlays, committed whole or not at all,
//! and can be undone. Nothing is decided here.
//!
//! [`Stages::begin`] makes the folders for an overlay over each root. After the run, [`Stage::effects`]
//! lists its changes, and [`Stage::commit`] exchanges the upper files for those of the tree, so that the upper folder
//! then holds the old versions. [`Stages::undo`] exchanges them again. All functions block.

mod entries;
mod overlay;
mod vault;
mod child;
mod fault;
mod git;
mod note;
mod place;
mod run;
mod several;
mod turn;
mod worker;

use entries::tree;
use overlay::report;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use vault::{announced, commit, keep, plan, recover, restore, room, undo};

use rustix::fs::{AtFlags, FileType};
use uuid::Uuid;

pub use fault::{Fault, NotCommitted, NotKept, NotUndone, StageError};
pub use note::Note;
pub use overlay::compare::text_diff;
pub use overlay::preview::standing;
pub use overlay::report::{Budget, Single};
pub use place::{beside, is_beside, temporary};
pub use run::{StagedRoot, StagesConfig};
pub use vault::announced::After;
pub use vault::apply::Steps;
pub use vault::commit::Committed;
pub use vault::keep::Left;
pub use vault::recovered::{Recovered, Recovery};
pub use vault::spots::Fate;
pub use vault::undo::{Held, Undone};
pub use vault::wipe::wipe;
pub use worker::run_as_child;

use child::{Reply, Task};
use fault::Stopped;
use guarda_core::effects::Effects;
use run::Run;
use turn::{Turn, alone};

/// Creates stages, and holds old versions of committed files.
#[derive(Debug, Clone)]
pub struct Stages {
    config: StagesConfig,
    turn: Turn,
}

/// Files and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskUsage {
    /// Files, folders and links.
    pub files: u64,
    /// Their size on the disk, in bytes.
    pub bytes: u64,
}

impl DiskUsage {
    /// The usage of the upper folders of these roots.
    #[must_use]
    pub fn of(roots: &[StagedRoot]) -> Self {
        let mut sum = Self::default();
        for root in roots {
            // Entries that appear or vanish during the walk are counted the next time.
            let Ok(tree) = tree::Tree::open(&root.upper) else { continue };
            let _ = tree.each(Path::new(""), |_, _, seen| {
                sum.files += 1;
                sum.bytes = sum.bytes.saturating_add(seen.stored);
                Ok(())
            });
        }
        sum
    }
}

/// A staged run: the folders of its overlays, until it is committed or discarded. One that is dropped without either is
/// removed at the next start.
#[derive(Debug)]
pub struct Stage {
    config: StagesConfig,
    turn: Turn,
    run: Run,
}

/// Old versions of the files that a deed without staging is about to change. If dropped, it is finished at the next
/// start.
#[derive(Debug)]
pub struct Kept {
    config: StagesConfig,
    turn: Turn,
    run: Run,
}

impl Stages {
    /// Stores the deed's note.
    ///
    /// # Errors
    /// If it cannot be written. The deed is still held.
    pub fn note(&self, id: Uuid, note: &Note) -> Result<(), Fault> {
        match run::find(&self.config, id) {
            Some((run, _)) => note::write(&self.config, run.id, id, note),
            None => Ok(()),
        }
    }

    /// The note of a held deed.
    #[must_use]
    pub fn noted(&self, id: Uuid) -> Option<Note> {
        let (run, _) = run::find(&self.config, id)?;
        note::read(&self.config, run.id, id)
    }

    /// Makes stages in the guard's state folder.
    ///
    /// # Errors
    /// If that folder cannot be used.
    pub fn open(config: StagesConfig) -> Result<Self, Fault> {
        let real = |path: &PathBuf| std::fs::canonicalize(path).map_err(Fault::at("opening", path));
        let extra = config.extra.as_ref().map(real).transpose()?;
        let config = StagesConfig { state: real(&config.state)?, extra, ..config };
        let stages = config.stages();
        let made =
            std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700).create(&stages);
        match made {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(Fault::at("making", &stages)(error))
            }
            Ok(()) | Err(_) => Ok(Self { config, turn: Turn::default() }),
        }
    }

    /// Makes fresh folders for a run that may write below these roots, given by their real paths.
    ///
    /// # Errors
    /// If an overlay could not be mounted over one of them.
    pub fn begin(&self, id: Uuid, roots: &[PathBuf]) -> Result<Stage, StageError> {
        let run = Run::begin(&self.config, id, roots)?;
        Ok(Stage { config: self.config.clone(), turn: Turn::clone(&self.turn), run })
    }

    /// Completes or rolls back interrupted commits and undos, and removes stages that were never committed. Call it only at the
    /// start: it would remove a stage that is in use.
    #[must_use]
    pub fn recover(&self) -> Vec<Recovery> {
        self.recover_watched(&mut |_step| {})
    }

    /// Like [`Stages::recover`]; reports each step before it is done.
    #[must_use]
    pub fn recover_watched(&self, steps: Steps<'_>) -> Vec<Recovery> {
        let mut stuck = alone(&self.turn);
        let recovered = recover::all(&self.config, steps);
        stuck.clear();
        for Recovery { what, .. } in &recovered {
            if let Recovered::Stuck(id, fault) = what {
                stuck.insert(self.config.run(*id), fault.clone());
            }
        }
        drop(stuck);
        recovered
    }

    /// What could be neither finished nor taken back since the start: the folder that holds it, and why.
    #[must_use]
    pub fn stuck(&self) -> Vec<(PathBuf, Fault)> {
        alone(&self.turn).iter().map(|(folder, fault)| (folder.clone(), fault.clone())).collect()
    }

    /// The deeds that can be undone, the latest first.
    #[must_use]
    pub fn held(&self) -> Vec<Held> {
        undo::held(&self.config)
    }

    /// Undoes a deed: restores exactly the previous state. The undo is held like the deed.
    ///
    /// # Errors
    /// The reason why it was not undone.
    pub fn undo(&self, id: Uuid) -> Result<Undone, NotUndone> {
        self.undo_watched(id, &mut |_step| {})
    }

    /// Like [`Stages::undo`]; reports each step before it is done.
    ///
    /// # Errors
    /// As [`Stages::undo`].
    pub fn undo_watched(&self, id: Uuid, steps: Steps<'_>) -> Result<Undone, NotUndone> {
        self.undo_named(id, Uuid::now_v7(), steps)
    }

    /// Undoes a deed. The undo gets an id from the caller, by which it can itself be undone.
    ///
    /// # Errors
    /// As [`Stages::undo`].
    pub fn undo_as(&self, id: Uuid, new: Uuid) -> Result<Undone, NotUndone> {
        self.undo_named(id, new, &mut |_step| {})
    }

    /// The paths that have changed since a deed, so that its undo would be refused.
    #[must_use]
    pub fn in_the_way(&self, id: Uuid) -> Vec<PathBuf> {
        undo::in_the_way(&self.config, id)
    }

    fn undo_named(&self, id: Uuid, new: Uuid, steps: Steps<'_>) -> Result<Undone, NotUndone> {
        let mut stuck = alone(&self.turn);
        let waiting = announced::waiting(&self.config);
        let undone = self.undo_alone(id, new, steps).inspect_err(|error| {
            if let NotUndone::Unfinished(fault) = error {
                let run = run::find(&self.config, new).map_or(new, |(run, _)| run.id);
                stuck.insert(self.config.run(run), fault.clone());
            }
        })?;
        announced::keep_again(&self.config, waiting, &undone.paths);
        Ok(undone)
    }

    fn undo_alone(&self, id: Uuid, new: Uuid, steps: Steps<'_>) -> Result<Undone, NotUndone> {
        let fault = match undo::undo(&self.config, id, new, steps) {
            Ok(undone) => return Ok(undone),
            Err(Stopped::Refused(error)) => return Err(error),
            Err(Stopped::Denied(fault)) => fault,
        };
        match child::ask(&self.config, Task::Undo(id, new)) {
            Some(Reply::Undo(done)) => done,
            _ => Err(undo::give_up(&self.config, new, fault)),
        }
    }

    /// Puts back what a deed changed at this real path and below it; the rest of the deed stays as it is. That is the deed `new`, and
    /// held like any other.
    ///
    /// # Errors
    /// The reason why it was not restored.
    pub fn restore(&self, id: Uuid, path: &Path, new: Uuid) -> Result<Undone, NotUndone> {
        let (waiting, run, paths, failed) = {
            let _turn = alone(&self.turn);
            let waiting = announced::waiting(&self.config);
            let (run, paths, failed) = restore::restore(&self.config, id, path, new)?;
            (waiting, run, paths, failed)
        };
        let left = Kept { config: self.config.clone(), turn: Turn::clone(&self.turn), run }.done()?;
        if let Some(fault) = failed {
            if left == Left::Held {
                self.undo(new)?;
            }
            return Err(fault.into());
        }
        announced::keep_again(&self.config, waiting, &paths);
        Ok(Undone { id: new, names: paths.len() as u64, paths, final_because: None })
    }

    /// Copies the old versions of a deed into a folder, given by its real path, and returns their number.
    ///
    /// # Errors
    /// If nothing is held, or something cannot be copied.
    pub fn beside(&self, id: Uuid, folder: &Path) -> Result<u64, NotUndone> {
        undo::beside(&self.config, id, folder)
    }

    /// Removes old versions that have expired at `now`, in seconds since 1970, and the oldest ones beyond the space limit.
    /// Returns the number of deeds.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn sweep(&self, now: u64) -> Result<u64, Fault> {
        let _turn = alone(&self.turn);
        undo::sweep(&self.config, now)
    }

    /// Keeps the files that a deed without staging is about to change, and notes those it is about to create. The
    /// folders of the paths are real ones.
    ///
    /// # Errors
    /// If it cannot be kept; the deed could not be undone.
    pub fn keep(&self, id: Uuid, paths: &[(PathBuf, Fate)]) -> Result<Kept, NotKept> {
        let terms = keep::Terms { state: plan::State::Keeping, promises: false, note: &|_| Ok(()) };
        let run = keep::keep(&self.config, id, paths, &terms)?;
        Ok(Kept { config: self.config.clone(), turn: Turn::clone(&self.turn), run })
    }

    /// Whether [`Stages::keep`] would keep the files at these paths, as they are now. Nothing is kept.
    ///
    /// # Errors
    /// The reason why they could not be kept.
    pub fn may_keep(&self, paths: &[(PathBuf, Fate)]) -> Result<(), NotKept> {
        keep::may_keep(&self.config, paths)
    }

    /// Keeps the files at these paths for a deed of a session, and notes the content announced for them. The folders of the paths
    /// are real ones. They are held from now on; [`Stages::withdraw`] drops them if the deed is refused.
    ///
    /// # Errors
    /// If it cannot be kept; the deed could not be undone.
    pub fn announce(&self, id: Uuid, session: &str, paths: &[(PathBuf, After)]) -> Result<(), NotKept> {
        announced::announce(&self.config, id, session, paths)
    }

    /// Promises that what is kept for an announced deed stays until it expires, because nobody was asked about the deed.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub fn promise(&self, id: Uuid) -> Result<(), Fault> {
        Run::read(&self.config, id).map_or(Ok(()), |run| room::promise(&self.config, &run))
    }

    /// Drops the old versions kept for an announced deed that is not done.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn withdraw(&self, id: Uuid) -> Result<(), Fault> {
        let _turn = alone(&self.turn);
        Run::read(&self.config, id).map_or(Ok(()), |run| run.remove(&self.config))
    }
}

impl Stage {
    /// Stores the deed's note before the commit, so that a recovery can read it.
    ///
    /// # Errors
    /// If it cannot be written. The run can still be committed.
    pub fn note(&self, note: &Note) -> Result<(), Fault> {
        note::write(&self.config, self.run.id, self.run.id, note)
    }

    /// Lets its old versions give way to later ones, because a person approved its changes.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub fn give_way(&self) -> Result<(), Fault> {
        room::give_way(&self.config, &self.run)
    }

    /// Drops the locks that programs of the run left in git folders because they were killed. Call it after the end of the run.
    ///
    /// # Errors
    /// If something cannot be read.
    pub fn drop_locks(&self) -> Result<(), Fault> {
        for root in &self.run.roots {
            let (up, low) = root.trees()?;
            let whole = git::is_repository(&root.root);
            up.each(Path::new(""), |folder, path, seen| {
                let name = path.file_name().unwrap_or_default();
                let lock = seen.kind == FileType::RegularFile
                    && Path::new(name).extension() == Some(OsStr::new("lock"));
                if lock && git::is_inside(&root.root, path, whole) && low.pin(path)?.is_none() {
                    rustix::fs::unlinkat(folder, name, AtFlags::empty())
                        .map_err(Fault::at("removing", path))?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The run's id.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.run.id
    }

    /// The roots, each with the folders of its overlay.
    #[must_use]
    pub fn roots(&self) -> &[StagedRoot] {
        &self.run.roots
    }

    /// The amount written so far; also valid during the run.
    #[must_use]
    pub fn written(&self) -> DiskUsage {
        DiskUsage::of(&self.run.roots)
    }

    /// Reads the changes of the run, after its end.
    ///
    /// # Errors
    /// If there are more changes than the budget permits, or something cannot be read.
    pub fn effects(&self, budget: Budget) -> Result<Effects, StageError> {
        self.effects_with(budget, &|_| false)
    }

    /// Reads the changes of the run. Of the content of a folder that was created or deleted as a whole, only entries that
    /// `single` accepts are listed.
    ///
    /// # Errors
    /// As [`Stage::effects`].
    pub fn effects_with(&self, budget: Budget, single: Single<'_>) -> Result<Effects, StageError> {
        match report::effects(&self.config, &self.run, budget, single) {
            Err(StageError::Fault(fault)) if fault.denied() => {
                match child::ask(&self.config, Task::Effects(self.run.id, budget)) {
                    Some(Reply::Effects(effects)) => {
                        effects.map(|effects| report::without_others(effects, single))
                    }
                    _ => Err(fault.into()),
                }
            }
            read => read,
        }
    }

    /// Discards the run's changes.
    ///
    /// # Errors
    /// If something cannot be removed; the next start tries again.
    pub fn discard(self) -> Result<(), Fault> {
        self.run.remove(&self.config).inspect_err(|fault| {
            alone(&self.turn).insert(self.config.run(self.run.id), fault.clone());
        })
    }

    /// Applies the changes of the run to the roots: all of them, or none. Call it after the end of the run. The old versions
    /// are held, so that the changes can be undone.
    ///
    /// # Errors
    /// The reason why it was not committed. The stage no longer exists.
    pub fn commit(self) -> Result<Committed, NotCommitted> {
        self.commit_watched(&mut |_step| {})
    }

    /// Like [`Stage::commit`]; reports each step before it is done.
    ///
    /// # Errors
    /// As [`Stage::commit`].
    pub fn commit_watched(self, steps: Steps<'_>) -> Result<Committed, NotCommitted> {
        let mut stuck = alone(&self.turn);
        let error = match commit::commit(&self.config, &self.run, steps) {
            Ok(committed) => return Ok(committed),
            Err(Stopped::Refused(error)) => error,
            Err(Stopped::Denied(fault)) => match child::ask(&self.config, Task::Commit(self.run.id)) {
                Some(Reply::Commit(Ok(committed))) => return Ok(committed),
                Some(Reply::Commit(Err(error))) => error,
                _ => commit::give_up(&self.config, &self.run, fault),
            },
        };
        let kept = match &error {
            NotCommitted::Unfinished(fault) => Err(fault.clone()),
            _ => self.run.remove(&self.config),
        };
        if let Err(fault) = kept {
            stuck.insert(self.config.run(self.run.id), fault);
        }
        Err(error)
    }
}

impl Kept {
    /// Notes the result of the deed, even if it ended early.
    ///
    /// # Errors
    /// If that cannot be noted; the next start tries again.
    pub fn done(self) -> Result<Left, Fault> {
        let _turn = alone(&self.turn);
        let noted = self.run.progress(&self.config).zip(self.run.plan(&self.config));
        let (progress, plan) = noted
            .ok_or_else(|| Fault::at("reading", &self.config.run(self.run.id))(rustix::io::Errno::NOENT))?;
        match keep::finish(&self.config, &self.run, plan, progress) {
            Err(fault) if fault.denied() => match child::ask(&self.config, Task::Finish(self.run.id)) {
                Some(Reply::Finish(left)) => left,
                _ => Err(fault),
            },
            left => left,
        }
    }
}
