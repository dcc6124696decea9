//! File operations. Nothing is overwritten; deleting or moving a link affects only the link.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::devices::filesystem::paths::{self, Is, Target, Walk};
use crate::devices::filesystem::tree::{self, NameAt};
use guarda_core::action::FileOperation;
use guarda_core::output::{Ended, FailureKind, RawOutput};
use guarda_core::policy::Found;
use guarda_sandbox::stage::Fate;

use super::deeds::Deed;
use crate::hands::staging::keeping::OldVersions;

/// The most names of one folder that are listed.
const MOST_NAMES: usize = 10_000;

/// Runs one operation. Cancelling stops a copy.
pub(super) async fn operate(deed: &Deed<'_>, operation: &FileOperation) -> RawOutput {
    if let FileOperation::Open(path) = operation {
        return crate::hands::desktop::open::file(deed, path).await;
    }
    let stop = Stop(Arc::new(AtomicBool::new(false)));
    let work = Work {
        home: PathBuf::from(&deed.situation.home),
        links: deed.situation.links.clone(),
        places: deed.situation.frozen.as_ref().map(|_| deed.situation.places.clone()).unwrap_or_default(),
        stop: Arc::clone(&stop.0),
    };
    let operation = operation.clone();
    let stages = deed.config.stages.clone();
    let (id, note) = (deed.run.id, deed.note());
    let working = tokio::task::spawn_blocking(move || {
        let keeping = stages.map(|stages| OldVersions::begin(stages, id, &work.touched(&operation)));
        // The question promised that it can be undone.
        if let (FileOperation::Delete(_), Some(why)) =
            (&operation, keeping.as_ref().and_then(OldVersions::fault))
        {
            return (Err(Ended::Failed((FailureKind::Unkept, why).into())), None);
        }
        let done = work.operate(&operation);
        (done, keeping.and_then(|keeping| keeping.end(&note)))
    });
    let done = working.await.map(|(done, held)| {
        deed.run.tally.set_undo(held);
        done
    });
    match done {
        Ok(Ok(text)) => {
            RawOutput { stdout_total: text.len() as u64, stdout: text, ..deed.quiet(Ended::Finished) }
        }
        Ok(Err(ended)) => deed.quiet(ended),
        Err(_panic) => deed.quiet(Ended::Failed("the work on files broke off".into())),
    }
}

/// Dropping the future stops its thread.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Work {
    home: PathBuf,
    links: std::collections::BTreeMap<String, String>,
    /// The objects at the paths when the person was asked.
    places: std::collections::BTreeMap<std::ffi::OsString, Found>,
    stop: Arc<AtomicBool>,
}

/// A path, its real path, and its name in its folder.
struct Spot {
    written: String,
    target: Target,
    folder: PathBuf,
    name: std::ffi::OsString,
}

impl Work {
    /// The changes that an operation will make, as far as they are known.
    fn touched(&self, operation: &FileOperation) -> Vec<(PathBuf, Fate)> {
        let there = |path: &str| self.spot(path).ok().map(|spot| spot.folder.join(&spot.name));
        let goal = |from: &str, to: &str| Some(self.goal(&self.spot(from).ok()?, to).ok()?.1);
        let removed = |path: &str| there(path).map(|path| (path, Fate::Removed));
        let written = |path: Option<PathBuf>| path.map(|path| (path, Fate::Written));
        let both = match operation {
            FileOperation::Open(_) | FileOperation::List(_) => [None, None],
            FileOperation::MakeFolder(path) => [written(there(path)), None],
            FileOperation::Delete(path) => [removed(path), None],
            FileOperation::Copy { from, to } => [written(goal(from, to)), None],
            FileOperation::Move { from, to } => [removed(from), written(goal(from, to))],
        };
        both.into_iter().flatten().collect()
    }

    fn operate(&self, operation: &FileOperation) -> Result<Vec<u8>, Ended> {
        match operation {
            FileOperation::Open(_) => Err(Ended::Failed("it is not opened here".into())),
            FileOperation::List(path) => self.list(path),
            FileOperation::MakeFolder(path) => {
                let spot = self.spot(path)?;
                self.place(&spot.folder, &spot.name, path)?
                    .make_folder()
                    .map_err(|error| ended(path, &error))?;
                Ok(line(&spot.target.real))
            }
            FileOperation::Delete(path) => {
                let spot = self.spot(path)?;
                let whole = spot.folder.join(&spot.name);
                // The judge forbids these too; this is a second barrier.
                if whole == self.home || self.home.starts_with(&whole) || whole.parent().is_none() {
                    return Err(Ended::Failed(
                        (FailureKind::HomeFolder, format!("{path} holds the home folder; it is not deleted"))
                            .into(),
                    ));
                }
                self.place(&spot.folder, &spot.name, path)?.delete().map_err(|error| ended(path, &error))?;
                Ok(line(&whole))
            }
            FileOperation::Copy { from, to } => {
                let from = self.spot(from)?;
                let (to, goal) = self.goal(&from, to)?;
                // The target of a link is copied, as judged.
                let (folder, name) = (from.target.real.parent(), from.target.real.file_name());
                let (Some(folder), Some(name)) = (folder, name) else {
                    return Err(Ended::Failed(format!("{} is not copied as a whole", from.written).into()));
                };
                if goal.starts_with(&from.target.real) {
                    return Err(Ended::Failed(
                        (FailureKind::IntoItself, format!("{} cannot be copied into itself", from.written))
                            .into(),
                    ));
                }
                let source = self.place(folder, name, &from.written)?;
                source.copy_to(&to, &self.stop).map_err(|error| self.half_done(&from, &goal, &error))?;
                Ok(line(&goal))
            }
            FileOperation::Move { from, to } => {
                let from = self.spot(from)?;
                let (to, goal) = self.goal(&from, to)?;
                let source = self.place(&from.folder, &from.name, &from.written)?;
                if goal.starts_with(from.folder.join(&from.name)) {
                    return Err(Ended::Failed(
                        (FailureKind::IntoItself, format!("{} cannot be moved into itself", from.written))
                            .into(),
                    ));
                }
                match source.move_to(&to) {
                    Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                        source
                            .copy_to(&to, &self.stop)
                            .map_err(|error| self.half_done(&from, &goal, &error))?;
                        source.delete().map_err(|error| ended(&from.written, &error))?;
                    }
                    done => done.map_err(|error| self.half_done(&from, &goal, &error))?,
                }
                Ok(line(&goal))
            }
        }
    }

    fn list(&self, path: &str) -> Result<Vec<u8>, Ended> {
        let spot = self.spot(path)?;
        match spot.target.is {
            Is::Nothing => return Err(Ended::NotFound(path.to_owned())),
            Is::File { .. } | Is::Other => return Ok(line(&spot.target.real)),
            Is::Folder => {}
        }
        let names = tree::list(&spot.target.real, MOST_NAMES).map_err(|error| ended(path, &error))?;
        let mut text = Vec::new();
        for (name, folder) in names {
            text.extend_from_slice(name.as_bytes());
            text.extend_from_slice(if folder { b"/\n" } else { b"\n" });
        }
        Ok(text)
    }

    /// Resolves a path again; it must lead to the judged object.
    fn spot(&self, path: &str) -> Result<Spot, Ended> {
        let written = paths::of_person(path, &self.home, &self.home);
        let mut walk = Walk::default();
        let target = walk.follow(&written);
        if super::deeds::judged(&self.links, &written) != target.real {
            return Err(Ended::Changed(path.to_owned()));
        }
        // A path that ends in `..` or `/` has no name; its real path has one.
        let (folder, name) = match written.file_name() {
            Some(name) => (walk.follow(written.parent().unwrap_or(Path::new("/"))).real, name.to_owned()),
            None => {
                let name = target
                    .real
                    .file_name()
                    .ok_or_else(|| Ended::Failed(format!("{path} is the root").into()))?;
                (target.real.parent().unwrap_or(Path::new("/")).to_owned(), name.to_owned())
            }
        };
        Ok(Spot { written: path.to_owned(), target, folder, name })
    }

    /// The destination of a copy or move: inside an existing folder, otherwise the given name.
    fn goal(&self, from: &Spot, to: &str) -> Result<(NameAt, PathBuf), Ended> {
        if from.target.is == Is::Nothing
            && self.place(&from.folder, &from.name, &from.written)?.kind().ok().flatten().is_none()
        {
            return Err(Ended::NotFound(from.written.clone()));
        }
        let spot = self.spot(to)?;
        let (folder, name): (&Path, &OsStr) = if spot.target.is == Is::Folder {
            (&spot.target.real, &from.name)
        } else {
            (&spot.folder, &spot.name)
        };
        Ok((self.place(folder, name, to)?, folder.join(name)))
    }

    fn place(&self, folder: &Path, name: &OsStr, written: &str) -> Result<NameAt, Ended> {
        let place = NameAt::new(folder, name).map_err(|error| ended(written, &error))?;
        // The folder stays open, so it cannot be exchanged.
        let was = self.places.get(folder.as_os_str());
        let same = was.is_none_or(|was| place.folder().as_ref().ok() == Some(was));
        let whole = folder.join(name);
        let was = self.places.get(whole.as_os_str());
        if !same || was.is_some_and(|was| paths::found(&whole) != *was) {
            return Err(Ended::Changed(written.to_owned()));
        }
        Ok(place)
    }

    fn half_done(&self, from: &Spot, goal: &Path, error: &std::io::Error) -> Ended {
        let kind = error.kind();
        if kind == ErrorKind::AlreadyExists {
            Ended::Failed(
                (FailureKind::Exists, format!("{} is already there and is not written over", goal.display()))
                    .into(),
            )
        } else if kind == ErrorKind::Interrupted {
            Ended::Cancelled
        } else {
            ended(&from.written, error)
        }
    }
}

/// The real path, as the outcome.
fn line(path: &Path) -> Vec<u8> {
    let mut line = path.as_os_str().as_bytes().to_vec();
    line.push(b'\n');
    line
}

fn ended(path: &str, error: &std::io::Error) -> Ended {
    if crate::devices::filesystem::files::is_changed(error) {
        return Ended::Changed(path.to_owned());
    }
    let kind = error.kind();
    if kind == ErrorKind::NotFound {
        Ended::NotFound(path.to_owned())
    } else if kind == ErrorKind::AlreadyExists {
        Ended::Failed((FailureKind::Exists, format!("{path} is already there")).into())
    } else {
        Ended::Failed(
            (
                crate::devices::fault::kind(kind),
                format!("{path}: {}", crate::devices::filesystem::files::words(error)),
            )
                .into(),
        )
    }
}
