//! Folders that a run may write to, and whose changes are discarded after it.

use std::path::{Path, PathBuf};

use crate::stage::entries::dress::Dress;
use crate::stage::fault::Fault;
use crate::stage::run::{StagedRoot, make};
use crate::stage::{Stage, Stages, vault::wipe};

impl Stages {
    /// The guard's state folder, by its real path.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.config.state
    }

    /// The time for which a commit can be undone.
    #[must_use]
    pub fn kept_for(&self) -> std::time::Duration {
        self.config.keep
    }
}

impl Stage {
    /// Makes the folders for an overlay over each of these, which must be neither in a root nor above one. A missing one is empty
    /// in the run.
    ///
    /// # Errors
    /// If they cannot be made. The stage is then removed.
    pub fn with_scratch(self, folders: &[PathBuf]) -> Result<(Self, Vec<StagedRoot>), Fault> {
        match self.make_scratch(folders) {
            Ok(made) => Ok((self, made)),
            Err(fault) => {
                // What cannot be removed now is removed at the next start.
                let _ = self.discard();
                Err(fault)
            }
        }
    }

    fn make_scratch(&self, folders: &[PathBuf]) -> Result<Vec<StagedRoot>, Fault> {
        let Some(place) = self.place_of_scratch() else { return Ok(Vec::new()) };
        let mut made = Vec::new();
        for (number, folder) in folders.iter().enumerate() {
            let own = place.join(number.to_string());
            let scratch = StagedRoot { root: folder.clone(), upper: own.join("up"), work: own.join("wk") };
            make(&scratch.upper)?;
            make(&scratch.work)?;
            if folder.is_dir() {
                Dress::default().put_on(&scratch)?;
            }
            made.push(scratch);
        }
        Ok(made)
    }

    /// Discards everything written there. Call it after the end of the run.
    ///
    /// # Errors
    /// If something cannot be removed. It is removed with the stage.
    pub fn end_scratch(&self) -> Result<(), Fault> {
        self.place_of_scratch().map_or(Ok(()), |place| wipe::wipe(&place))
    }

    fn place_of_scratch(&self) -> Option<PathBuf> {
        let own = self.run.roots.first()?.upper.parent().map(Path::to_owned)?;
        Some(own.join("scratch"))
    }
}
