//! Finds files that look like secrets in the folders that a cell opens, so that runs without a person's yes do not see them.
//! The judge's table of secret places says which files look like secrets.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use guarda_core::policy::{Policy, Situation};

/// The most entries that are examined below one folder. The others stay open, protected by redaction alone.
const MOST: usize = 50_000;
/// The depth to which the hidden folders of a home folder are searched. Of its other folders, only the direct entries are
/// examined: a person's whole archive is too much for each command.
const HOME_DEPTH: usize = 3;
/// The most named folders that are searched.
const NAMED: usize = 8;
/// The most folders whose results are cached.
const REMEMBERED: usize = 32;
/// Folders whose content programs download or generate, and which are too large to be searched.
const SKIPPED: &[&str] = &[
    ".git",
    ".hg",
    "node_modules",
    "target",
    "site-packages",
    "__pycache__",
    ".cargo",
    ".rustup",
    ".npm",
    ".cache",
    ".venv",
    "venv",
    "Trash",
];

/// The entries found below some folders, valid as long as the folders do not change.
#[derive(Debug, Default)]
pub(super) struct FoundBelow {
    folders: Mutex<HashMap<(PathBuf, bool), Arc<Below>>>,
}

/// The search result for one folder.
#[derive(Debug)]
struct Below {
    hidden: Vec<PathBuf>,
    /// Every searched folder, and when its list of names last changed.
    seen: Vec<(PathBuf, SystemTime)>,
    /// The rules that the search used.
    policy: Arc<Policy>,
}

impl Below {
    fn holds(&self, policy: &Arc<Policy>) -> bool {
        let same = |(folder, time): &(PathBuf, SystemTime)| changed(folder) == Some(*time);
        Arc::ptr_eq(&self.policy, policy) && self.seen.iter().all(same)
    }
}

/// Finds secrets by the rules in force.
#[derive(Debug, Clone)]
pub(super) struct Secrets<'a> {
    pub(super) found: &'a FoundBelow,
    pub(super) policy: &'a Arc<Policy>,
    pub(super) situation: &'a Situation,
}

impl Secrets<'_> {
    /// The secrets in the working folder, in and near the home folder ([`HOME_DEPTH`]), and in the folders that the line names.
    ///
    /// # Errors
    /// If the search failed. Then nothing may run as if there were no secrets.
    pub(super) async fn below(&self, folder: &Path, home: &Path) -> std::io::Result<Vec<PathBuf>> {
        let mut hidden = self.of(folder, folder == home).await?;
        if folder != home {
            hidden.extend(self.of(home, true).await?);
        }
        let named = self.situation.named.iter().map(Path::new);
        let apart = named.filter(|path| {
            path.parent().is_some() && !path.starts_with(folder) && *path != home && path.is_dir()
        });
        for path in apart.take(NAMED) {
            hidden.extend(self.of(path, false).await?);
        }
        hidden.sort_unstable();
        hidden.dedup();
        Ok(hidden)
    }

    async fn of(&self, folder: &Path, home: bool) -> std::io::Result<Vec<PathBuf>> {
        let key = (folder.to_owned(), home);
        let known = self.found.folders.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let (policy, root, person) =
            (Arc::clone(self.policy), folder.to_owned(), PathBuf::from(&self.situation.home));
        let looked = tokio::task::spawn_blocking(move || match known.filter(|below| below.holds(&policy)) {
            Some(below) => below,
            None => Arc::new(look(&root, &person, home, policy)),
        });
        let below = looked.await.map_err(std::io::Error::other)?;
        let mut folders = self.found.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.len() >= REMEMBERED {
            folders.clear();
        }
        folders.insert(key, Arc::clone(&below));
        Ok(below.hidden.clone())
    }
}

fn changed(folder: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(folder).and_then(|data| data.modified()).ok()
}

/// Searches a folder, nearest entries first. Links are not followed, because their targets have their own names.
fn look(root: &Path, person: &Path, home: bool, policy: Arc<Policy>) -> Below {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let situation = Situation { home: text(person), cwd: text(root), ..Situation::default() };
    let (mut hidden, mut seen, mut left) = (Vec::new(), Vec::new(), MOST);
    let mut open = VecDeque::from([(root.to_owned(), 0, if home { HOME_DEPTH } else { usize::MAX })]);
    while let Some((folder, depth, deepest)) = open.pop_front() {
        let Some(time) = changed(&folder) else { continue };
        seen.push((folder.clone(), time));
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Some(rest) = left.checked_sub(1) else { return Below { hidden, seen, policy } };
            left = rest;
            let (path, name) = (entry.path(), entry.file_name());
            if guarda_sandbox::stage::is_beside(&name) || policy.secret(&text(&path), &situation) {
                hidden.push(path);
                continue;
            }
            let name = name.to_string_lossy();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let deepest = if home && depth == 0 && !name.starts_with('.') { 1 } else { deepest };
            if is_folder && depth < deepest && !SKIPPED.contains(&name.as_ref()) {
                open.push_back((path, depth + 1, deepest));
            }
        }
    }
    Below { hidden, seen, policy }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guarda_core::policy::Profile;

    #[tokio::test]
    async fn secrets_are_found_when_they_come_and_forgotten_when_they_go() {
        let home = tempfile::tempdir().unwrap();
        let at = |below: &str| home.path().join(below);
        std::fs::create_dir_all(at("work/src/deep")).unwrap();
        std::fs::create_dir_all(at(".config/tool")).unwrap();
        std::fs::create_dir_all(at("other/sub")).unwrap();
        for file in [
            "work/.env",
            "work/README",
            "work/src/deep/id_ed25519",
            ".config/tool/credentials.json",
            "other/.env",
            "other/sub/.env",
        ] {
            std::fs::write(at(file), "x").unwrap();
        }
        let policy = Arc::new(Policy::builtin(Profile::Workspace).unwrap());
        let situation =
            Situation { home: home.path().to_string_lossy().into_owned(), ..Situation::default() };
        let found = FoundBelow::default();
        let secrets = Secrets { found: &found, policy: &policy, situation: &situation };
        let hidden = async || secrets.below(&at("work"), home.path()).await.unwrap();
        let near = [at(".config/tool/credentials.json"), at("other/.env"), at("work/.env")];
        let all = [near.as_slice(), &[at("work/src/deep/id_ed25519")]].concat();
        assert_eq!(secrets.below(home.path(), home.path()).await.unwrap(), near);
        assert_eq!(hidden().await, all);
        assert_eq!(hidden().await, all);
        std::fs::write(at("work/src/deep/.netrc"), "x").unwrap();
        assert!(hidden().await.contains(&at("work/src/deep/.netrc")));
        std::fs::remove_file(at("work/.env")).unwrap();
        assert!(!hidden().await.contains(&at("work/.env")));
    }
}
