//! Finds files that look like secrets in the folders that a cell opens, so that runs without a person's yes do not see them.
//! The judge's table of secret places says which files look like secrets. What could not be searched is closed as a whole.

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use guarda_core::catalogue::{GENERATED, SOURCES};
use guarda_core::policy::{Policy, Situation};
use guarda_sandbox::stage::StagedRoot;

use crate::hands::facts::view::{View, Why};

/// The most folders that are searched.
const MOST: usize = 100_000;
/// The same where the line only stands in the home folder. Each takes a microsecond for each command.
const MOST_STANDING: usize = 10_000;
/// About the most folders that are closed because they were not searched; each is a mount. Beyond it, folders above are.
const MOST_CLOSED: usize = 64;
/// The most folders that are remembered.
const REMEMBERED: usize = 2 * MOST;
/// The rules for which folders are remembered: those of a few profiles.
const POLICIES: usize = 4;
/// A folder that changed so recently may change again within the same tick of the file system's clock.
const SETTLED: Duration = Duration::from_millis(100);
/// The folders in which git keeps what is named like a branch. None of its names begins with a dot.
const REFERENCES: [&str; 2] = [".git/refs", ".git/logs"];
/// The kernel's folders, which are no files of anybody.
const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev", "/nix", "/snap"];

/// What a run must not see.
#[derive(Debug, Default)]
pub(in crate::hands) struct Hidden {
    /// What looks like a secret.
    pub(in crate::hands) secrets: Vec<PathBuf>,
    /// Folders that hold too much to be searched.
    pub(in crate::hands) closed: Vec<PathBuf>,
}

/// The folders that were searched, valid as long as they do not change.
#[derive(Debug, Default)]
pub(in crate::hands) struct FoundBelow(Arc<Mutex<Vec<Known>>>);

/// What was found by some rules.
#[derive(Debug)]
struct Known {
    policy: Arc<Policy>,
    folders: HashMap<PathBuf, Folder>,
}

/// What was found in a folder.
#[derive(Debug)]
struct Folder {
    stamp: Stamp,
    secrets: Box<[OsString]>,
    folders: Box<[OsString]>,
}

/// The state of a folder's list of names: device, inode and the time of the last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp(u64, u64, i64, i64);

impl Stamp {
    fn of(data: &Metadata) -> Self {
        Self(data.dev(), data.ino(), data.ctime(), data.ctime_nsec())
    }

    /// Whether every later change gives another stamp.
    fn is_settled(self) -> bool {
        let part = |number: i64| u64::try_from(number).unwrap_or(u64::MAX);
        let changed =
            UNIX_EPOCH + Duration::from_secs(part(self.2).min(1 << 40)) + Duration::from_nanos(part(self.3));
        SystemTime::now().duration_since(changed).is_ok_and(|ago| ago > SETTLED)
    }
}

/// Finds secrets by the rules in force.
#[derive(Debug, Clone)]
pub(in crate::hands) struct Secrets<'a> {
    pub(in crate::hands) found: &'a FoundBelow,
    pub(in crate::hands) policy: &'a Arc<Policy>,
    pub(in crate::hands) situation: &'a Situation,
}

impl Secrets<'_> {
    /// The secrets in what is open: in what the view of the home folder shows, and elsewhere in the working folder, in folders whose
    /// writes are held back, and in those that the line names.
    ///
    /// # Errors
    /// If the search failed. Then nothing may run as if there were no secrets.
    pub(in crate::hands) async fn below(
        &self,
        view: &View,
        home: &Path,
        staged: &[StagedRoot],
    ) -> std::io::Result<Hidden> {
        let Situation { named, cwd, home: person, .. } = self.situation;
        // Not the folder for temporary files.
        let apart = staged.iter().map(|staged| &staged.root).filter(|root| guarda_sandbox::is_own(root));
        let elsewhere = apart.cloned().chain([cwd.into()]).chain(named.iter().map(PathBuf::from));
        let elsewhere = elsewhere.filter(|path| view.whole.is_some() || !path.starts_with(home));
        let roots: Vec<PathBuf> = elsewhere.chain(view.searched().map(Path::to_owned)).collect();
        let whole = view.whole.map(|why| (home.to_owned(), why));
        let place = Situation { home: person.clone(), ..Situation::default() };
        let (found, policy) = (Arc::clone(&self.found.0), Arc::clone(self.policy));
        let looked = tokio::task::spawn_blocking(move || {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let at = found.iter().position(|known| Arc::ptr_eq(&known.policy, &policy));
            let mut known =
                at.map_or_else(|| Known { policy, folders: HashMap::new() }, |at| found.swap_remove(at));
            let hidden = known.hidden(&place, roots, whole);
            if known.folders.len() > REMEMBERED {
                known.folders.clear();
            }
            found.insert(0, known);
            found.truncate(POLICIES);
            hidden
        });
        looked.await.map_err(std::io::Error::other)
    }
}

impl Known {
    fn hidden(
        &mut self,
        place: &Situation,
        mut roots: Vec<PathBuf>,
        whole: Option<(PathBuf, Why)>,
    ) -> Hidden {
        roots.retain(|path| path.is_dir() && whole.as_ref().is_none_or(|(home, _)| !home.starts_with(path)));
        // What lies deeper is searched first, and counts as searched below what lies above.
        roots.sort_unstable_by(|one, other| deeper_first(one, other));
        roots.dedup();
        let (mut hidden, mut left) = (Hidden::default(), MOST);
        for (number, root) in roots.iter().enumerate() {
            self.search(root, place, roots.get(..number).unwrap_or_default(), &mut left, &mut hidden);
        }
        if let Some((home, why)) = whole {
            let mut left = if why == Why::Named { MOST } else { MOST_STANDING };
            self.search(&home, place, &roots, &mut left, &mut hidden);
        }
        let Hidden { secrets, closed } = &mut hidden;
        for paths in [secrets, closed] {
            paths.sort_unstable();
            paths.dedup();
        }
        hidden
    }

    /// Searches a folder, nearest entries first. Links are not followed, because their targets have their own names.
    fn search(
        &mut self,
        root: &Path,
        place: &Situation,
        done: &[PathBuf],
        left: &mut usize,
        hidden: &mut Hidden,
    ) {
        let mut open = VecDeque::from([root.to_owned()]);
        let mut closed = Vec::new();
        while let Some(path) = open.pop_front() {
            if done.binary_search_by(|root| deeper_first(root, &path)).is_ok() {
                continue;
            }
            match left.checked_sub(1) {
                Some(rest) => *left = rest,
                None if done.iter().any(|root| root.starts_with(&path)) => {}
                None => {
                    closed.push(path);
                    continue;
                }
            }
            let Some(folder) = self.folder(&path, place) else { continue };
            hidden.secrets.extend(folder.secrets.iter().map(|name| path.join(name)));
            open.extend(folder.folders.iter().map(|name| path.join(name)));
        }
        hidden.closed.extend(gathered(closed, root, done));
    }

    /// What lies in a folder; `None` if there is none.
    fn folder(&mut self, path: &Path, place: &Situation) -> Option<&Folder> {
        let stamp =
            std::fs::symlink_metadata(path).ok().filter(Metadata::is_dir).map(|data| Stamp::of(&data));
        let Some(stamp) = stamp else {
            self.folders.remove(path);
            return None;
        };
        let is_known = self.folders.get(path).is_some_and(|known| known.stamp == stamp);
        if !is_known || !stamp.is_settled() {
            let (mut secrets, mut folders) = (Vec::new(), Vec::new());
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let Ok(kind) = entry.file_type() else { continue };
                let system = SYSTEM.iter().any(|system| path == Path::new(system));
                match self.is_secret(&path, kind.is_dir(), place) {
                    true => secrets.push(name),
                    false if kind.is_dir() && !system => folders.push(name),
                    false => {}
                }
            }
            let folder = Folder { stamp, secrets: secrets.into(), folders: folders.into() };
            self.folders.insert(path.to_owned(), folder);
        }
        self.folders.get(path)
    }

    /// Whether an entry is of the class of secrets.
    fn is_secret(&self, path: &Path, is_folder: bool, place: &Situation) -> bool {
        let name = path.file_name().unwrap_or_default();
        let by_name = || self.policy.secret(&path.to_string_lossy(), place);
        if guarda_sandbox::stage::is_beside(name) {
            return true;
        }
        let generated = |part: Component<'_>| GENERATED.iter().any(|folder| part.as_os_str() == *folder);
        if !path.parent().is_some_and(|folder| folder.components().any(generated)) {
            return by_name();
        }
        if is_folder {
            // A class of folders, not of files.
            return by_name() && self.policy.secret(&path.join("x").to_string_lossy(), place);
        }
        let text = path.to_string_lossy();
        let refers = REFERENCES.iter().any(|folder| text.contains(folder))
            && !name.as_encoded_bytes().starts_with(b".");
        let source =
            Path::new(name).extension().is_some_and(|ending| SOURCES.iter().any(|source| ending == *source));
        !refers && !source && by_name()
    }
}

/// The order in which folders are searched for their own sake.
fn deeper_first(one: &Path, other: &Path) -> Ordering {
    let (one, other) = (one.as_os_str(), other.as_os_str());
    other.len().cmp(&one.len()).then_with(|| one.cmp(other))
}

/// Replaces folders by folders above them while they are too many. None of those holds a folder that was searched for
/// its own sake.
fn gathered(mut folders: Vec<PathBuf>, root: &Path, done: &[PathBuf]) -> Vec<PathBuf> {
    let depth = |path: &Path| path.components().count();
    let deepest = folders.iter().map(|path| depth(path)).max().unwrap_or(0);
    for level in (depth(root) + 1..deepest).rev() {
        if folders.len() <= MOST_CLOSED {
            break;
        }
        for folder in &mut folders {
            let above: PathBuf = folder.components().take(level).collect();
            if !done.iter().any(|root| root.starts_with(&above)) {
                *folder = above;
            }
        }
        folders.sort_unstable();
        folders.dedup();
    }
    folders
}

#[cfg(test)]
mod tests;
