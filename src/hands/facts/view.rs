//! What a cell opens of the home folder: a list that is made from the situation, each entry with its reason. Nothing else of the
//! home folder exists in there, whatever lies beside it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use guarda_core::catalogue::home_rows;
use guarda_core::policy::{Policy, Program, Situation};
use serde::Serialize;

use crate::devices::filesystem::paths::{Is, Walk};
use crate::hands::HandsConfig;
use crate::hands::staging::{git_folders, stageable};

/// Why something is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The session may change it: its own tree, or a cache whose changes are kept.
    Trusted,
    /// The working folder, with the tree around it.
    Folder,
    /// The git folder of that tree, which lies elsewhere.
    Git,
    /// The line names it.
    Named,
    /// A program that the line starts, or the virtual environment around it.
    Program,
    /// A person approved the line.
    Approved,
    /// A folder of the search path.
    Path,
    /// A tool needs it: a row of the catalogue's `home.toml`.
    Tool,
}

impl Why {
    /// Whether secrets are searched for in it. What tools need holds none, by the choice of its rows.
    pub(in crate::hands) fn is_searched(self) -> bool {
        self != Self::Tool
    }
}

/// Something of the home folder that a cell opens, with everything below it but secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ViewEntry {
    /// Its path below the home folder.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
    /// The programs that need it, for [`Why::Tool`].
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    pub programs: &'static [&'static str],
    /// Whether a held-back run may write to it.
    pub writes: bool,
}

/// What a cell opens of the home folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct View {
    /// Why the whole home folder is open, but for secrets and what could not be searched for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<Why>,
    /// What is open, sorted by path. None lies in another.
    pub opened: Vec<ViewEntry>,
    /// Links by which the line names what is open, and where they lead.
    #[serde(skip)]
    pub(in crate::hands) links: Vec<(PathBuf, PathBuf)>,
}

/// What the view depends on besides the situation.
#[derive(Debug)]
pub(in crate::hands) struct Ground<'a> {
    /// The real path of the home folder.
    pub(in crate::hands) home: PathBuf,
    /// The tree of the working folder, and its git folder outside of it.
    pub(in crate::hands) tree: Vec<PathBuf>,
    /// The caches whose changes are kept.
    pub(in crate::hands) kept: Vec<PathBuf>,
    /// The search path of the guard's own configuration.
    pub(in crate::hands) search_path: &'a [PathBuf],
    /// The caller's, which is a claim: only virtual environments count.
    pub(in crate::hands) claimed: Vec<PathBuf>,
}

impl<'a> Ground<'a> {
    pub(in crate::hands) fn of(
        situation: &Situation,
        config: &'a HandsConfig,
        claimed: Option<&str>,
    ) -> Self {
        let home = stageable::real_home(situation);
        let git = situation.project.as_deref().and_then(git_folders::of);
        let tree = situation.project.iter().cloned().chain(git).collect();
        let claimed = claimed.into_iter().flat_map(std::env::split_paths).collect();
        let kept = stageable::kept_caches(config, &home);
        Self { tree, kept, search_path: &config.search_path, claimed, home }
    }
}

/// Finds the real path of a folder or a regular file. Sockets, devices and what is missing are not opened. What many paths have in
/// common is looked at once.
pub(in crate::hands) fn real() -> impl Fn(&Path) -> Option<PathBuf> {
    let walk = RefCell::new(Walk::default());
    move |path| {
        let target = walk.borrow_mut().follow(path);
        matches!(target.is, Is::Folder | Is::File { .. }).then_some(target.real)
    }
}

impl View {
    /// Makes the list. `real` gives the real path of a folder or file that exists.
    pub(in crate::hands) fn of(
        policy: &Policy,
        situation: &Situation,
        ground: &Ground<'_>,
        real: &dyn Fn(&Path) -> Option<PathBuf>,
    ) -> Self {
        let Ground { home, tree, kept, search_path, claimed } = ground;
        let cwd = Path::new(&situation.cwd);
        let named = || situation.named.iter().map(PathBuf::from);
        // What is named and missing may be about to be made: in the folder that is there.
        let there = |path: PathBuf| {
            let found = path.ancestors().find(|above| real(above).is_some()).map(Path::to_owned);
            found.unwrap_or(path)
        };
        if named().any(|path| path == *home) {
            return Self { whole: Some(Why::Named), ..Self::default() };
        }
        if home.starts_with(cwd) {
            return Self { whole: Some(Why::Folder), ..Self::default() };
        }
        let programs = situation.programs.values().filter_map(|program| match program {
            Program::Elsewhere(file) => Some(PathBuf::from(file)),
            Program::System(_) | Program::Missing => None,
        });
        let programs: Vec<PathBuf> = programs.collect();
        let folders = programs.iter().filter_map(|program| program.parent());
        let environments =
            folders.chain(claimed.iter().map(PathBuf::as_path)).flat_map(|folder| environment(folder, real));
        let programs = environments.collect::<Vec<_>>().into_iter().chain(programs.iter().cloned());
        let each = |paths: Vec<PathBuf>, why: Why| paths.into_iter().map(move |path| (path, why));
        // Trust in another folder opens nothing here.
        let trusted = situation.roots.iter().filter(|root| cwd.starts_with(root)).cloned().collect();
        let candidates = each(trusted, Why::Trusted)
            .chain(each(kept.clone(), Why::Trusted))
            .chain(each(tree.clone(), Why::Folder))
            .chain(each(vec![cwd.to_owned()], Why::Folder))
            .chain(each(situation.git.clone(), Why::Git))
            .chain(each(named().map(there).collect(), Why::Named))
            .chain(each(programs.collect(), Why::Program))
            .chain(each(search_path.to_vec(), Why::Path));
        let mut view = Self::default();
        for (path, why) in candidates {
            view.open(policy, situation, (home, path), (why, &[]), real);
        }
        // For most rows the first part of the path settles that nothing is there.
        let firsts: BTreeSet<&str> = home_rows().filter_map(|(_, path, _)| path.split('/').next()).collect();
        let there: BTreeSet<&str> =
            firsts.into_iter().filter(|first| real(&home.join(first)).is_some()).collect();
        for (programs, path, _) in home_rows() {
            if path.split('/').next().is_some_and(|first| there.contains(first)) {
                view.open(policy, situation, (home, home.join(path)), (Why::Tool, programs), real);
            }
        }
        view.settle(situation, home);
        view
    }

    /// Opens a path, unless it lies elsewhere, is missing, or is a secret by its own name or by the name of what it leads to.
    fn open(
        &mut self,
        policy: &Policy,
        situation: &Situation,
        (home, path): (&Path, PathBuf),
        (why, programs): (Why, &'static [&'static str]),
        real: &dyn Fn(&Path) -> Option<PathBuf>,
    ) {
        let secret = |path: &Path| policy.secret(&path.to_string_lossy(), situation);
        if !path.starts_with(home) || path == home || secret(&path) {
            return;
        }
        let Some(goal) = real(&path) else { return };
        if home.starts_with(&goal) || goal != path && secret(&goal) {
            return;
        }
        // Secrets are hidden by their real paths.
        let moved = why.is_searched() && goal != path;
        if moved && !goal.starts_with(home) {
            return;
        }
        let path = if moved {
            self.links.push((path, goal.clone()));
            goal
        } else {
            path
        };
        self.opened.push(ViewEntry { path, why, programs, writes: false });
    }

    /// Leaves out what lies in something else that is open, and notes what is written to and which links lead here.
    fn settle(&mut self, situation: &Situation, home: &Path) {
        self.opened.sort_by(|one, other| one.path.cmp(&other.path));
        // Of the reasons for a path, the first counts.
        self.opened.dedup_by(|later, first| later.path == first.path);
        let written: Vec<PathBuf> =
            home_rows().filter(|(_, _, writes)| *writes).map(|(_, path, _)| home.join(path)).collect();
        let mut kept: Vec<ViewEntry> = Vec::new();
        // Those among them in which the next path may lie: in this order, a folder comes right before what is in it.
        let mut around: Vec<(PathBuf, bool)> = Vec::new();
        for mut opened in std::mem::take(&mut self.opened) {
            around.retain(|(above, _)| opened.path.starts_with(above));
            let searched = opened.why.is_searched();
            // What is searched takes in what is not, and the other way round only by the same path.
            if !around.iter().any(|(_, above)| *above || !searched) {
                opened.writes = situation.stage.iter().any(|root| opened.path.starts_with(root))
                    || written.contains(&opened.path);
                around.push((opened.path.clone(), searched));
                kept.push(opened);
            }
        }
        self.opened = kept;
        let links = situation.links.iter().map(|(link, goal)| (PathBuf::from(link), PathBuf::from(goal)));
        let links: Vec<_> = links
            .chain(std::mem::take(&mut self.links))
            .filter(|(link, goal)| link.starts_with(home) && !self.shows(link) && self.shows(goal))
            .collect();
        self.links = links;
    }

    /// Whether a path of the home folder is open.
    pub(in crate::hands) fn shows(&self, path: &Path) -> bool {
        self.whole.is_some() || self.opened.iter().any(|opened| path.starts_with(&opened.path))
    }

    /// A view of this folder alone.
    pub(in crate::hands) fn of_tree(path: PathBuf) -> Self {
        let opened = vec![ViewEntry { path, why: Why::Folder, programs: &[], writes: false }];
        Self { opened, ..Self::default() }
    }

    /// The folders in which secrets are searched for.
    pub(in crate::hands) fn searched(&self) -> impl Iterator<Item = &Path> {
        let searched = self.opened.iter().filter(|opened| opened.why.is_searched());
        searched.map(|opened| opened.path.as_path())
    }

    /// What lies in a folder whose writes are held back as a whole and is not open: neither opened nor on the way to something that
    /// is.
    pub(in crate::hands) fn closed_in(&self, root: &Path) -> Vec<PathBuf> {
        let mut closed = Vec::new();
        if self.shows(root) {
            return closed;
        }
        let mut open = vec![root.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let leads_on = self.opened.iter().any(|opened| opened.path.starts_with(&path));
                if self.shows(&path) {
                } else if leads_on {
                    open.push(path);
                } else {
                    closed.push(path);
                }
            }
        }
        closed
    }
}

/// The parts of the virtual environment to which a folder of programs belongs.
fn environment(folder: &Path, real: &dyn Fn(&Path) -> Option<PathBuf>) -> Vec<PathBuf> {
    let prefix = folder.parent().filter(|prefix| real(&prefix.join("pyvenv.cfg")).is_some());
    let parts = ["pyvenv.cfg", "bin", "lib", "lib64"];
    prefix.map_or_else(Vec::new, |prefix| parts.map(|part| prefix.join(part)).to_vec())
}

#[cfg(test)]
mod tests;
