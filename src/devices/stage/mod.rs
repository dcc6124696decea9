//! Staged runs: what a run changed is read off the upper folders of its overlays, committed whole or not at all, and can
//! be undone. Nothing is decided here.
//!
//! [`Stages::begin`] makes the folders that an overlay over each root takes. When the run is over, [`Stage::effects`]
//! tells what it did, and [`Stage::commit`] exchanges the upper files for those of the tree, so that the upper folder
//! then holds the old versions. [`Stages::undo`] exchanges them again. All functions block.

mod apply;
mod attributes;
mod commit;
mod compare;
mod entry;
mod fault;
mod frame;
mod place;
mod plan;
mod report;
mod run;
mod tree;
mod upper;
mod wipe;

use std::path::PathBuf;

use uuid::Uuid;

pub use apply::Steps;
pub use commit::Committed;
pub use fault::{Fault, NotCommitted, NotUndone, StageError};
pub use report::Budget;
pub use run::{StagedRoot, StagesConfig};

use crate::policy::Effects;
use run::Run;

/// What makes stages, and holds what was committed.
#[derive(Debug, Clone)]
pub struct Stages {
    config: StagesConfig,
}

/// Files and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Volume {
    /// Files, folders and links.
    pub files: u64,
    /// Bytes that they take on the disk.
    pub bytes: u64,
}

/// A staged run: the folders of its overlays, until it is committed or discarded. One that is dropped without either is
/// removed at the next start.
#[derive(Debug)]
pub struct Stage {
    config: StagesConfig,
    run: Run,
}

impl Stages {
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
            Ok(()) | Err(_) => Ok(Self { config }),
        }
    }

    /// Makes fresh folders for a run that may write below these roots, given by their real paths.
    ///
    /// # Errors
    /// If an overlay could not be mounted over one of them.
    pub fn begin(&self, id: Uuid, roots: &[PathBuf]) -> Result<Stage, StageError> {
        let run = Run::begin(&self.config, id, roots)?;
        Ok(Stage { config: self.config.clone(), run })
    }
}

impl Stage {
    /// The run's id.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.run.id
    }

    /// The roots, each with the folders that an overlay over it takes.
    #[must_use]
    pub fn roots(&self) -> &[StagedRoot] {
        &self.run.roots
    }

    /// How much was written until now; also while the run goes on.
    #[must_use]
    pub fn written(&self) -> Volume {
        let mut sum = Volume::default();
        for root in &self.run.roots {
            // What comes and goes while it is looked at is counted at the next look.
            let Ok(tree) = tree::Tree::open(&root.upper) else { continue };
            let _ = tree.each(std::path::Path::new(""), |_, _, seen| {
                sum.files += 1;
                sum.bytes = sum.bytes.saturating_add(seen.stored);
                Ok(())
            });
        }
        sum
    }

    /// Reads what the run did. For when it is over.
    ///
    /// # Errors
    /// If it did more than the budget allows to be read, or something cannot be read.
    pub fn effects(&self, budget: Budget) -> Result<Effects, StageError> {
        report::effects(&self.config, &self.run, budget)
    }

    /// Removes all that the run did.
    ///
    /// # Errors
    /// If something cannot be removed; the next start tries again.
    pub fn discard(self) -> Result<(), Fault> {
        self.run.remove(&self.config)
    }

    /// Does to the roots what the run did in its overlays: all of it, or nothing. For when the run is over. What was there
    /// before is held, so that it can be undone.
    ///
    /// # Errors
    /// If it was not committed, and why. The stage is gone then.
    pub fn commit(self) -> Result<Committed, NotCommitted> {
        self.commit_watched(&mut |_step| {})
    }

    /// Commits, and tells each step before it is done.
    ///
    /// # Errors
    /// As [`Stage::commit`].
    pub fn commit_watched(self, steps: Steps<'_>) -> Result<Committed, NotCommitted> {
        let error = match commit::commit(&self.config, &self.run, steps) {
            Ok(committed) => return Ok(committed),
            Err(commit::Stopped::Refused(error)) => error,
            Err(commit::Stopped::Denied(fault)) => fault.into(),
        };
        if !matches!(error, NotCommitted::Unfinished(_)) {
            // What cannot be removed now is removed at the next start.
            let _ = self.run.remove(&self.config);
        }
        Err(error)
    }
}

/// Seconds since 1970.
fn seconds() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
