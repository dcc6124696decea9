//! Decides which lines can be staged, and for which folders changes are held back (feature N4).

use std::path::{Path, PathBuf};

use guarda_core::action::Action;
use guarda_core::catalogue;
use guarda_core::catalogue::entry::names_one;
use guarda_core::hosts::{needs_network, only_fetches};
use guarda_core::policy::{Policy, Profile, Situation};
use guarda_sandbox::{has_mounts, is_own};
use guarda_shell::script::{Run, Script, Word};

use crate::hands::commands::sandbox_plan::{is_tidy, signals_session};
use crate::hands::{HandsConfig, staging::git_folders};

/// The folder for temporary files, which everybody may write to.
pub(in crate::hands) const TEMPORARY: &str = "/tmp";

/// Adds to the situation the folders whose changes are held back, and the session's own folders. A line that the reader cannot
/// read has no `script`: whatever bash makes of it reaches nothing there.
pub(in crate::hands) fn place(
    config: &HandsConfig,
    policy: &Policy,
    situation: &mut Situation,
    script: Option<&Script>,
) {
    let profile = policy.profile();
    let fetches = |script| {
        profile == Profile::Workspace && !situation.secret && only_fetches(policy, script, situation)
    };
    let fetches = script.is_some_and(fetches);
    let lacks = |run: &Run| run.program().is_some_and(|name| situation.lacks(name));
    let unconfined = |script: &Script| {
        let listed = |run: &&Run| names_one(&config.keeping.unconfined, run) && !lacks(run);
        script.runs().iter().filter(listed).any(|run| !ends_own(script, run, situation))
    };
    if script.is_some_and(unconfined) {
        return;
    }
    situation.network.reaches = !fetches && script.is_some_and(|script| needs_network(script, situation));
    situation.network.fetches = fetches;
    let home = real_home(situation);
    let cwd = PathBuf::from(&situation.cwd);
    let named = |root: &Path| situation.named.iter().any(|path| Path::new(path).starts_with(root));
    let project = situation.project.clone();
    let besides: Vec<&Path> = situation
        .named
        .iter()
        .map(Path::new)
        .filter(|path| {
            path.starts_with(&home) && project.as_ref().is_none_or(|project| !path.starts_with(project))
        })
        .collect();
    let at_home = project.is_none() && cwd.starts_with(&home);
    let mut stage: Vec<PathBuf> = Vec::new();
    if is_own(&home) && (at_home || !besides.is_empty()) {
        if has_mounts(&home) {
            // A program that does only what its words say writes to what they name.
            let named = !besides.is_empty() && script.is_some_and(|script| is_tidy(situation, script));
            let here = Some(cwd.as_path()).filter(|_| at_home && !named);
            stage.extend(besides.into_iter().chain(here).map(|path| part(path, &home)));
        } else {
            stage.push(home.clone());
        }
    }
    stage.extend(project.iter().cloned());
    // Git writes to the repository of a linked working tree and of a submodule, too.
    situation.git = project.as_deref().and_then(git_folders::of).into_iter().collect();
    stage.extend(situation.git.iter().cloned());
    if !stage.is_empty() {
        stage.extend(kept_caches(config, &home));
    }
    let temporary = PathBuf::from(TEMPORARY);
    let own = |root: &PathBuf| root.starts_with(&temporary);
    let apart = !home.starts_with(&temporary);
    // What a run makes for a while is there for the next command.
    let wanted = cwd == temporary || named(&temporary) || !stage.is_empty() && !has_mounts(&temporary);
    // A folder of one's own below it is held back with it, or what a run writes beside that folder is lost.
    let covers = !stage.iter().any(own) || !has_mounts(&temporary);
    if wanted && covers && apart {
        stage.push(temporary.clone());
    }
    situation.roots = roots(config, profile, situation);
    situation.stage = outermost(stage);
}

/// The highest folder above a path, or at it, below which nothing is mounted: an overlay cannot cover a mount. A drive is one
/// by itself. The home folder, which cannot be staged then, for a file directly in it.
fn part(path: &Path, home: &Path) -> PathBuf {
    let above = path.ancestors().take_while(|above| above.starts_with(home));
    let whole = above.filter(|above| above.is_dir() && !has_mounts(above)).last();
    whole.unwrap_or(home).to_owned()
}

/// The folders without those that lie in another one.
fn outermost(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for folder in &folders {
        let within = |other: &&PathBuf| folder != *other && folder.starts_with(other);
        if !kept.contains(folder) && !folders.iter().any(|other| within(&other)) {
            kept.push(folder.clone());
        }
    }
    kept
}

/// The real path of the home folder. Roots are known by their real paths, and a home folder may be reached through a link
/// (`/home` is one on some systems).
pub(in crate::hands) fn real_home(situation: &Situation) -> PathBuf {
    std::fs::canonicalize(&situation.home).unwrap_or_else(|_| PathBuf::from(&situation.home))
}

/// The folders in which files are changed without a question: in a workspace those that a person trusts, whatever folder the caller
/// names; a container as a whole was given to its agent.
pub(in crate::hands) fn roots(config: &HandsConfig, profile: Profile, situation: &Situation) -> Vec<PathBuf> {
    match profile {
        Profile::Workspace | Profile::Container => {
            let home = real_home(situation);
            let temporary = Some(PathBuf::from(TEMPORARY)).filter(|temporary| !home.starts_with(temporary));
            let here = situation.project.clone();
            let mut own = match profile {
                Profile::Container => here.iter().cloned().collect(),
                _ => config.trust.standing(situation.session.as_deref()),
            };
            // A linked working tree or a submodule writes to its git folder, which may lie elsewhere.
            let here = here.filter(|here| own.iter().any(|own| here.starts_with(own)));
            let git: Vec<PathBuf> =
                own.iter().chain(&here).filter_map(|tree| git_folders::of(tree)).collect();
            own.extend(git);
            own.into_iter().chain(temporary).chain(kept_caches(config, &home)).collect()
        }
        Profile::Desktop | Profile::Forensics => Vec::new(),
    }
}

/// The working tree of a folder: the nearest folder with a repository, or the folder itself. `None` for the home folder, the
/// folders above it, and shared folders.
pub(in crate::hands) fn project(cwd: &Path, home: &Path) -> Option<PathBuf> {
    let own = |folder: &&Path| !home.starts_with(folder) && is_own(folder);
    let above = cwd.ancestors().take_while(|folder| own(folder));
    let tree = above.clone().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok());
    tree.or_else(|| above.into_iter().next()).map(Path::to_owned)
}

/// Whether a line is to go on running: a server or a watcher, or what it leaves in the background.
pub(in crate::hands) fn goes_on(script: &Script, situation: &Situation) -> bool {
    let lacks = |run: &Run| run.program().is_some_and(|name| situation.lacks(name));
    script.leaves_running() || script.runs().iter().any(|run| stays(run) && !lacks(run))
}

/// Whether a run only signals what its line has started, or what its session keeps running: it sees no other processes.
fn ends_own(script: &Script, run: &Run, situation: &Situation) -> bool {
    signals_session(situation, run) || catalogue::ends_own_jobs(script, run)
}

/// Whether a run is of a program that keeps running.
fn stays(run: &Run) -> bool {
    let watches = |word: &Word| matches!(word.literal(), Some("--watch" | "--follow" | "--serve"));
    names_one(catalogue::STAYS, run) || run.words.iter().skip(1).any(watches)
}

/// The caches whose changes are kept: `[undo] keep_caches`.
pub(in crate::hands) fn kept_caches(config: &HandsConfig, home: &Path) -> Vec<PathBuf> {
    let there = config.keep_caches.iter().map(|cache| home.join(cache));
    there.filter(|path| path.is_dir() && !has_mounts(path)).collect()
}

/// The caches outside the staged folders, and what tools write to in them. An unreadable one, such as another user's, cannot be the
/// lower layer of an overlay. A missing one counts where a program of the line would make it at its first run in this home; `.cache`
/// is everybody's.
pub(in crate::hands) fn caches(home: &Path, roots: &[PathBuf], action: &Action) -> Vec<PathBuf> {
    let runs = match action {
        Action::RunCommand { script: Ok(script), .. } => script.runs(),
        _ => &[],
    };
    let programs: Vec<&str> = runs.iter().filter_map(Run::program).map(catalogue::base_name).collect();
    let is_made = |cache: &str| {
        cache == ".cache" || programs.contains(&catalogue::base_name(cache).trim_start_matches('.'))
    };
    let apart = |path: &PathBuf| !roots.iter().any(|root| path.starts_with(root) || root.starts_with(path));
    let counts = |cache: &str| match std::fs::symlink_metadata(home.join(cache)) {
        Ok(found) => found.is_dir() && std::fs::read_dir(home.join(cache)).is_ok(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound && is_made(cache),
    };
    let known = catalogue::CACHE.iter().copied().filter(|cache| counts(cache));
    let written = catalogue::home_rows().filter(|(_, _, writes)| *writes).map(|(_, path, _)| path);
    let there = |folder: &&str| home.join(folder).is_dir() && std::fs::read_dir(home.join(folder)).is_ok();
    let mut folders: Vec<PathBuf> =
        known.chain(written.filter(there)).map(|folder| home.join(folder)).filter(apart).collect();
    folders.sort_unstable();
    folders.dedup();
    folders
}

#[cfg(test)]
mod tests {
    use guarda_shell::script::Dialect;

    use super::*;

    #[test]
    fn a_folder_with_a_mount_below_it_is_staged_in_parts() {
        for (path, expected) in [("/dev/shm/a/b", "/dev/shm"), ("/dev/none", "/dev"), ("/dev", "/dev")] {
            assert_eq!(part(Path::new(path), Path::new("/dev")), Path::new(expected), "{path}");
        }
        for (folders, expected) in [
            (&["/h/a/b", "/h/c", "/h/a", "/h/c"][..], &["/h/c", "/h/a"][..]),
            (&["/h/ab", "/h/a"], &["/h/ab", "/h/a"]),
        ] {
            let folders = folders.iter().map(PathBuf::from).collect();
            assert_eq!(outermost(folders), expected.iter().map(PathBuf::from).collect::<Vec<_>>());
        }
    }

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
            ("python3 -m unittest", false),
            ("npm run build", false),
        ] {
            let script = guarda_shell::read(line, Dialect::Bash).unwrap();
            assert_eq!(script.runs().iter().any(stays), expected, "{line}");
        }
    }
}
