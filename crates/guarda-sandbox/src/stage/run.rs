//! The files of one staged run, and the guard's folder with the notes of all runs.
//!
//! Each run has a folder named by its id in `stages/` of the state folder. It contains `run` (the roots, and the paths of
//! their upper folders), `folders` (the roots and, once the effects were read, all folders in which the run changed
//! something), `plan` once a commit is planned, and `progress` once anything may be moved. A run without `progress` was
//! never begun, and can be removed.

use std::fs::File;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::fault::{Fault, StageError};
use super::place::{self, Own};
use crate::stage::entries::attributes::Attributes;
use crate::stage::entries::entry::{Id, Seen, Time};
use crate::stage::entries::tree::Tree;
use crate::stage::vault::plan::{Plan, Progress};
use crate::stage::{entries::frame, vault::wipe};
use guarda_core::effects::{NO_ROOM, native};

/// The settings for stages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StagesConfig {
    /// The guard's state folder, by its real path.
    #[serde(with = "native")]
    pub state: PathBuf,
    /// The time for which a run can be undone.
    pub keep: Duration,
    /// The most bytes of old versions on one file system.
    pub most_bytes: u64,
    /// Another folder for stages, by its real path, for file systems other than that of the state folder.
    #[serde(with = "native")]
    pub extra: Option<PathBuf>,
    /// The program for work that needs a namespace; its `main` calls [`super::run_as_child`]. Default: the supervisor beside
    /// the running program.
    #[serde(with = "native")]
    pub supervisor: Option<PathBuf>,
}

impl StagesConfig {
    /// The folder with the notes of runs.
    pub(super) fn stages(&self) -> PathBuf {
        self.state.join("stages")
    }

    /// The folder of one run.
    pub(super) fn run(&self, id: Uuid) -> PathBuf {
        self.stages().join(id.to_string())
    }

    /// The folder of this guard in a place that other guards of this user may use as well.
    pub(super) fn within(&self, place: &Path) -> PathBuf {
        use std::os::unix::ffi::OsStrExt as _;
        if place == self.stages() {
            return place.to_owned();
        }
        let digest = Sha256::digest(self.state.as_os_str().as_bytes());
        let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        place.join(name)
    }

    /// The folders that are not staged.
    pub(super) fn own(&self) -> Own {
        let extra = self.extra.clone();
        Own([self.state.clone(), place::temporary()].into_iter().chain(extra).collect())
    }

    /// Why old versions of this size are not kept; `None` if they are.
    pub(super) fn too_much(&self, bytes: u64) -> Option<String> {
        (bytes > self.most_bytes).then(|| NO_ROOM.to_owned())
    }

    /// A time by the file system's clock that is later than all changes so far and not later than any change from now on.
    pub(super) fn now(&self) -> Result<Time, Fault> {
        let path = self.stages().join("probe");
        let fault = |error: std::io::Error| Fault::at("touching", &path)(error);
        let probe = File::options().write(true).create(true).truncate(false).open(&path).map_err(fault)?;
        let stamp = || {
            let now = std::time::SystemTime::now();
            probe.set_modified(now)?;
            Ok::<_, std::io::Error>(Seen::of(&probe)?.changed)
        };
        let first = stamp().map_err(fault)?;
        loop {
            let next = stamp().map_err(fault)?;
            if next > first {
                return Ok(next);
            }
            // Kernels without fine timestamps give the same time for some milliseconds.
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}

/// A root of a staged run, and the folders of its overlay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedRoot {
    /// The staged folder: `lowerdir`, and the overlay's mount point.
    #[serde(with = "native")]
    pub root: PathBuf,
    /// `upperdir`.
    #[serde(with = "native")]
    pub upper: PathBuf,
    /// `workdir`.
    #[serde(with = "native")]
    pub work: PathBuf,
}

impl StagedRoot {
    /// Both of its trees, the upper one first.
    pub(super) fn trees(&self) -> Result<(Tree, Tree), Fault> {
        Ok((Tree::open(&self.upper)?, Tree::open(&self.root)?))
    }
}

/// A folder in which a run changed something, as it was when the effects were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shown {
    #[serde(with = "native")]
    pub(super) path: PathBuf,
    pub(super) id: Id,
    pub(super) before: Attributes,
    /// Whether it may be another one than the run saw, by [`crate::stage::overlay::upper::Delta::is_other`].
    pub(super) other: bool,
}

/// The facts about a run that are known at its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) id: Uuid,
    /// Later changes were made by somebody else.
    pub(super) since: Time,
    pub(super) roots: Vec<StagedRoot>,
}

impl Run {
    /// Makes the folders for old versions from these folders, and records their paths.
    pub(super) fn note(config: &StagesConfig, id: Uuid, roots: &[PathBuf]) -> Result<Self, StageError> {
        if config.run(id).exists() {
            return Err(StageError::Twice(id));
        }
        let since = config.now()?;
        let stages = config.stages();
        let mut run = Self { id, since, roots: Vec::new() };
        for (number, root) in roots.iter().enumerate() {
            let place = place::find(root, &stages, config.extra.as_deref())?;
            let within = config.within(&place);
            // It may have been made by somebody else beforehand, as a link that leads elsewhere.
            if !place::make(&within) {
                return Err(StageError::NoPlace(root.clone()));
            }
            let own = within.join(id.to_string()).join(number.to_string());
            run.roots.push(StagedRoot { root: root.clone(), upper: own.join("up"), work: own.join("wk") });
        }
        let made = run.make(config);
        if made.is_err() {
            // What cannot be removed now is removed at the next start.
            let _ = run.remove(config);
        }
        made.map(|()| run).map_err(StageError::from)
    }

    fn make(&self, config: &StagesConfig) -> Result<(), Fault> {
        let folder = config.run(self.id);
        make(&folder)?;
        frame::write(&folder.join("run"), self)?;
        for root in &self.roots {
            make(&root.upper)?;
            make(&root.work)?;
        }
        Ok(())
    }

    /// Reads the notes of a run.
    pub(super) fn read(config: &StagesConfig, id: Uuid) -> Option<Self> {
        frame::read(&config.run(id).join("run")).filter(|run: &Self| run.id == id)
    }

    /// The folders that were recorded when its effects were read; only the roots if they were not read.
    pub(super) fn shown(&self, config: &StagesConfig) -> Vec<Shown> {
        frame::read(&config.run(self.id).join("folders")).unwrap_or_default()
    }

    pub(super) fn write_shown(&self, config: &StagesConfig, shown: &[Shown]) -> Result<(), Fault> {
        frame::write(&config.run(self.id).join("folders"), &shown)
    }

    /// The plan of its commit; `None` if none was made.
    pub(super) fn plan(&self, config: &StagesConfig) -> Option<Plan> {
        frame::read(&config.run(self.id).join("plan")).filter(Plan::is_sound)
    }

    pub(super) fn progress(&self, config: &StagesConfig) -> Option<Progress> {
        frame::read(&config.run(self.id).join("progress"))
    }

    pub(super) fn write_plan(&self, config: &StagesConfig, plan: &Plan) -> Result<(), Fault> {
        frame::write(&config.run(self.id).join("plan"), plan)
    }

    /// Records the start of a turn, and reserves the space to record its end.
    pub(super) fn begin_turn(&self, config: &StagesConfig, progress: &Progress) -> Result<(), Fault> {
        self.write_progress(config, progress)?;
        frame::reserve(&config.run(self.id).join("progress"))
    }

    pub(super) fn write_progress(&self, config: &StagesConfig, progress: &Progress) -> Result<(), Fault> {
        frame::write(&config.run(self.id).join("progress"), progress)
    }

    /// Syncs everything so far to the disk, the notes last.
    pub(super) fn sync(&self, config: &StagesConfig) -> Result<(), Fault> {
        let stages = config.stages();
        let mut done = Vec::new();
        for path in self.roots.iter().filter_map(|root| root.upper.parent()).chain([stages.as_path()]) {
            let fault = |error: std::io::Error| Fault::at("syncing", path)(error);
            let folder = File::open(path).map_err(fault)?;
            let device = Seen::of(&folder).map_err(|error| fault(error.into()))?.device;
            if !done.contains(&device) {
                rustix::fs::syncfs(&folder).map_err(|error| fault(error.into()))?;
                done.push(device);
            }
        }
        Ok(())
    }

    /// Whether all of it is on one file system, so that one sync is enough.
    pub(super) fn on_one_disk(&self, config: &StagesConfig) -> bool {
        let stages = config.stages();
        let device =
            |path: &Path| Tree::open(path).ok().and_then(|tree| Seen::of(&tree).ok()).map(|seen| seen.device);
        let own = device(&stages);
        self.roots.iter().all(|root| device(&root.upper) == own)
    }

    /// Removes what overlays leave in their work folders: folders of mode 0, which would keep a user from removing the state
    /// folder. Call it after the end of the run.
    pub(super) fn end_work(&self) {
        for root in &self.roots {
            // What cannot be removed now is removed with the run.
            let _ = wipe::wipe(&root.work.join("work"));
        }
    }

    /// Removes everything that was created for it. If this is interrupted, the rest counts as a run that was never
    /// begun.
    pub(super) fn remove(&self, config: &StagesConfig) -> Result<(), Fault> {
        let folder = config.run(self.id);
        for name in ["progress", "plan"] {
            wipe::wipe(&folder.join(name))?;
        }
        for root in &self.roots {
            if let Some(own) = root.upper.parent() {
                wipe::wipe(own)?;
                // The folder of the run is removed with its last root, and the guard's with its last run.
                let emptied = own.ancestors().skip(1).take(2).filter(|above| **above != config.stages());
                let _ = emptied.map(std::fs::remove_dir).find(Result::is_err);
            }
        }
        wipe::wipe(&folder)
    }
}

/// All noted runs, with their progress.
pub(super) fn noted(config: &StagesConfig) -> Vec<(Run, Option<Progress>)> {
    let entries = std::fs::read_dir(config.stages()).into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()));
    let runs = ids.filter_map(|id| Run::read(config, id));
    let with = |run: Run| {
        let progress = run.progress(config);
        (run, progress)
    };
    runs.map(with).collect()
}

/// The run behind a deed.
pub(super) fn find(config: &StagesConfig, id: Uuid) -> Option<(Run, Progress)> {
    let with = |(run, progress): (Run, Option<Progress>)| Some((run, progress?));
    let this = |(_, progress): &(Run, Progress)| progress.id == id;
    // Until a deed is first undone, its id is that of its run; then no other run has to be read.
    let own = Run::read(config, id).map(|run| (run.progress(config), run));
    let own = own.and_then(|(progress, run)| with((run, progress))).filter(this);
    own.or_else(|| noted(config).into_iter().filter_map(with).find(this))
}

/// Makes a folder that only this user can enter, with its missing parents.
pub(super) fn make(path: &Path) -> Result<(), Fault> {
    let made = std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path);
    made.map_err(Fault::at("making", path))
}

/// Seconds since 1970.
pub(super) fn seconds() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
