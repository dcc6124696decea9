//! Decides which lines can be staged, and for which folders changes are held back (feature N4).

use std::path::{Path, PathBuf};

use guarda_core::catalogue;
use guarda_core::catalogue::entry::names_one;
use guarda_core::hosts::{needs_network, only_fetches};
use guarda_core::policy::{Profile, Situation};
use guarda_sandbox::{has_mounts, is_own};
use guarda_shell::script::{Script, Word};

use super::HandsConfig;

/// The folder for temporary files, which everybody may write to.
const TEMPORARY: &str = "/tmp";

/// Adds to the situation the folders whose changes are held back, and the session's own folders. A line that the reader cannot
/// read has no `script`: whatever bash makes of it reaches nothing there.
pub(super) fn place(
    config: &HandsConfig,
    profile: Profile,
    situation: &mut Situation,
    script: Option<&Script>,
) {
    let fetches =
        |script| profile == Profile::Workspace && !situation.secret && only_fetches(script, situation);
    let fetches = script.is_some_and(fetches);
    let unconfined =
        |script: &Script| script.runs().iter().any(|run| names_one(&config.keeping.unconfined, run));
    let fails =
        |script: &Script| stays(script) || unconfined(script) || !fetches && needs_network(script, situation);
    if script.is_some_and(fails) {
        return;
    }
    situation.network.fetches = fetches;
    let home = real_home(situation);
    let cwd = PathBuf::from(&situation.cwd);
    let named = |root: &Path| situation.named.iter().any(|path| Path::new(path).starts_with(root));
    let project = project(&cwd, &home);
    let mut stage: Vec<PathBuf> = Vec::new();
    let within_home = project.as_ref().is_none_or(|project| project.starts_with(&home));
    let besides = situation.named.iter().map(Path::new).any(|path| {
        path.starts_with(&home) && project.as_ref().is_none_or(|project| !path.starts_with(project))
    });
    if is_own(&home) && (besides || project.is_none() && cwd.starts_with(&home)) {
        stage.push(home.clone());
    }
    if let Some(project) = project.as_ref().filter(|_| !(within_home && stage.contains(&home))) {
        stage.push(project.clone());
    }
    let temporary = PathBuf::from(TEMPORARY);
    let own = |root: &PathBuf| root.starts_with(&temporary);
    let apart = !home.starts_with(&temporary);
    // What a run makes for a while is there for the next command.
    let wanted = cwd == temporary || named(&temporary) || !stage.is_empty() && !has_mounts(&temporary);
    if wanted && !stage.iter().any(own) && apart {
        stage.push(temporary.clone());
    }
    situation.roots = roots(profile, situation);
    situation.stage = stage;
}

/// The real path of the home folder. Roots are known by their real paths, and a home folder may be reached through a link
/// (`/home` is one on some systems).
pub(super) fn real_home(situation: &Situation) -> PathBuf {
    std::fs::canonicalize(&situation.home).unwrap_or_else(|_| PathBuf::from(&situation.home))
}

/// The folders in which this session may change files without a question.
pub(super) fn roots(profile: Profile, situation: &Situation) -> Vec<PathBuf> {
    match profile {
        Profile::Workspace | Profile::Container => {
            let home = real_home(situation);
            let temporary = Some(PathBuf::from(TEMPORARY)).filter(|temporary| !home.starts_with(temporary));
            situation.project.iter().cloned().chain(temporary).collect()
        }
        Profile::Desktop | Profile::Forensics => Vec::new(),
    }
}

/// The working tree of a folder: the nearest folder with a repository, or the folder itself. `None` for the home folder, the
/// folders above it, and shared folders.
pub(super) fn project(cwd: &Path, home: &Path) -> Option<PathBuf> {
    let own = |folder: &&Path| !home.starts_with(folder) && is_own(folder);
    let above = cwd.ancestors().take_while(|folder| own(folder));
    let tree = above.clone().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok());
    tree.or_else(|| above.into_iter().next()).map(Path::to_owned)
}

/// Whether the line starts a program that keeps running.
fn stays(script: &Script) -> bool {
    let watches = |word: &Word| matches!(word.literal(), Some("--watch" | "--follow" | "--serve"));
    script.leaves_running()
        || script
            .runs()
            .iter()
            .any(|run| names_one(catalogue::STAYS, run) || run.words.iter().skip(1).any(watches))
}

/// The caches outside the staged folders. An unreadable one, such as another user's, cannot be the lower layer of an overlay.
pub(super) fn caches(home: &Path, roots: &[PathBuf]) -> Vec<PathBuf> {
    let apart = |path: &PathBuf| !roots.iter().any(|root| path.starts_with(root) || root.starts_with(path));
    let there = catalogue::CACHE.iter().map(|cache| home.join(cache)).filter(apart);
    let folder = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    there.filter(|path| folder(path) && std::fs::read_dir(path).is_ok()).collect()
}

#[cfg(test)]
mod tests {
    use guarda_shell::script::Dialect;

    use super::*;

    #[test]
    fn servers_and_watchers_stay_and_builds_do_not() {
        for (line, expected) in [
            ("npm run dev", true),
            ("python3 -m http.server 8000", true),
            ("cd site && php -S localhost:8000", true),
            ("npx vite preview", true),
            ("npx vite build", false),
            ("tsc --watch", true),
            ("tsc", false),
            ("sleep 100 &", true),
            ("python3 -m unittest", false),
            ("npm run build", false),
        ] {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            assert_eq!(stays(&script), expected, "{line}");
        }
    }
}
