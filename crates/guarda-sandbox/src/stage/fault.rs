//! Errors of staged runs, by kind.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use guarda_core::effects::native;

/// A call that the operating system refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{doing} {}: {}", path.display(), std::io::Error::from_raw_os_error(*errno))]
pub struct Fault {
    /// The operation, as a participle: "opening".
    pub doing: Cow<'static, str>,
    /// The path it was done to.
    #[serde(with = "native")]
    pub path: PathBuf,
    /// The operating system's error.
    pub errno: i32,
}

impl Fault {
    /// For `map_err`: the fault of doing this to that path.
    pub(super) fn at<E: Into<std::io::Error>>(doing: &'static str, path: &Path) -> impl FnOnce(E) -> Self {
        move |error| {
            let unknown = rustix::io::Errno::IO.raw_os_error();
            let errno = error.into().raw_os_error().unwrap_or(unknown);
            Self { doing: Cow::Borrowed(doing), path: path.to_owned(), errno }
        }
    }

    /// Whether a permission was missing, which a namespace of our own may grant.
    pub(super) fn denied(&self) -> bool {
        [rustix::io::Errno::ACCESS, rustix::io::Errno::PERM].iter().any(|no| no.raw_os_error() == self.errno)
    }
}

/// Why a run cannot be staged, or its effects cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum StageError {
    /// A stage with this id already exists.
    #[error("there is a staged run {0} already")]
    Twice(uuid::Uuid),
    /// A root is missing, is not a folder, or has a link in its path.
    #[error("{} is not the real path of a folder", .0.display())]
    Root(#[serde(with = "native")] PathBuf),
    /// Roots within roots.
    #[error("{} lies in another root", .0.display())]
    Nested(#[serde(with = "native")] PathBuf),
    /// Something is mounted below a root.
    #[error("{} is mounted below a root", .0.display())]
    Mounted(#[serde(with = "native")] PathBuf),
    /// No folder on the root's own file system can hold the stage.
    #[error("no folder on the file system of {} can hold what is staged", .0.display())]
    NoPlace(#[serde(with = "native")] PathBuf),
    /// The run deleted or replaced a folder in which the guard keeps its own files.
    #[error("{} holds files of the guard", .0.display())]
    Guarded(#[serde(with = "native")] PathBuf),
    /// An outside program holds a file that the run changed open for writing; its later writes would be lost.
    #[error("{} is open for writing in {program}", path.display())]
    Open {
        /// The file.
        #[serde(with = "native")]
        path: PathBuf,
        /// The program's name and process number.
        program: String,
    },
    /// It has more changes than the budget permits to read.
    #[error("more than {0} files and folders were changed")]
    TooMany(u64),
    /// The operating system refused.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Why a run was not committed. Nothing of it is left in the tree, unless [`NotCommitted::Unfinished`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum NotCommitted {
    /// Somebody else changed these paths in the meantime.
    #[error("changed by somebody else meanwhile: {}", listed(.0))]
    Conflict(#[serde(with = "native")] Vec<PathBuf>),
    /// Its changes were to be undoable, and others have been promised the room meanwhile.
    #[error("the room for old versions was taken meanwhile")]
    NoRoom,
    /// Its changes cannot be read.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The operating system refused.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The guard ended before anything was moved.
    #[error("nothing of it had been done")]
    Interrupted,
    /// It stopped half-way and could not be rolled back completely. The rest is held like a deed.
    #[error(
        "stopped halfway, and not all of it could be put back; `guarda undo --list` shows what is held of it: {0}"
    )]
    Unfinished(Fault),
}

/// Why a commit or an undo stopped.
pub(in crate::stage) enum Stopped<E> {
    /// Finally refused; everything is as it was before.
    Refused(E),
    /// A permission is missing. The next attempt, in a user namespace, continues from here.
    Denied(Fault),
}

/// Why the files of a deed cannot be kept. Nothing was kept; the deed could not be undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// It takes more bytes than the limit.
    #[error("it takes {} MiB, which is more than is kept", .0.div_ceil(1 << 20))]
    TooMuch(u64),
    /// More files and folders would get other attributes than the limit.
    #[error("more than {0} files and folders would be changed")]
    TooMany(u64),
    /// No folder above the path exists.
    #[error("{} has no folder that is there", .0.display())]
    Path(PathBuf),
    /// It cannot be stored.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The operating system refused.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Why a run was not undone. Nothing was changed, unless [`NotUndone::Unfinished`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum NotUndone {
    /// These paths were changed since.
    #[error("changed since: {}", listed(.0))]
    Changed(#[serde(with = "native")] Vec<PathBuf>),
    /// The new content was not announced, so it cannot be told from later changes.
    #[error(
        "nobody said before what would be written; `guarda undo --beside FOLDER ID` copies the old versions: {}",
        listed(.0)
    )]
    Unforeseen(#[serde(with = "native")] Vec<PathBuf>),
    /// Nothing is held under this id: it is unknown, was undone, or is too old.
    #[error("nothing is held of {0}")]
    Unknown(uuid::Uuid),
    /// It expired, or took too much space.
    #[error("{0} is not held any more")]
    Expired(uuid::Uuid),
    /// Old versions are not copied into a folder that belongs to somebody else or that everybody may write to, because files
    /// could be exchanged there.
    #[error("{} belongs to somebody else, or everybody may write to it", .0.display())]
    Shared(#[serde(with = "native")] PathBuf),
    /// The current version could not be kept, so nothing was put in its place.
    #[error("the current version could not be kept: {0}")]
    Unkept(String),
    /// The operating system refused.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The guard ended before anything was moved.
    #[error("nothing of it had been done")]
    Interrupted,
    /// It stopped half-way and could not be rolled back completely. The deed is held.
    #[error(
        "stopped halfway, and not all of it could be put back; `guarda undo --list` shows what is held of it: {0}"
    )]
    Unfinished(Fault),
}

/// The first few paths.
fn listed(paths: &[PathBuf]) -> String {
    const MOST: usize = 5;
    let mut text: Vec<String> = paths.iter().take(MOST).map(|path| path.display().to_string()).collect();
    if let Some(more) = paths.len().checked_sub(MOST).filter(|more| *more > 0) {
        text.push(format!("and {more} more"));
    }
    text.join(", ")
}
