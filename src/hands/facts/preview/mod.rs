//! The paths that an action would touch, for the question. Finds the paths and counts their content with a bounded amount of
//! work. Nothing is run, and only folders are opened. The preview never decides; if more may be touched than is known in
//! advance, it says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::devices::filesystem::census::{Census, Fuel, count};
use crate::devices::filesystem::paths;
use crate::devices::filesystem::patterns::{Part, expand_within};
use crate::devices::filesystem::touch::{Fate, Group, Preview, TouchedPath};
use guarda_core::action::{Action, FileOperation, Object};
use guarda_core::catalogue::{Deed, Done, FILE_READERS, FILELESS, SEARCHERS, base_name, deed, given};
use guarda_shell::script::{Piece, Reach, RedirectKind, Run, Script, Word};

/// The most paths of one fate, and the most missing paths, that are listed.
const TOLD: usize = 5;
/// Paths that denote no file.
const NOWHERE: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"];
pub(in crate::hands) fn preview(action: &Action, home: &Path, folder: &Path) -> Preview {
    let mut gathering = Gathering::new(home);
    match (action, action.applies_to()) {
        (Action::RunCommand { script: Ok(script), .. }, _) => gathering.script(script, folder),
        (Action::RunCommand { script: Err(_), .. }, _) => gathering.open = true,
        (Action::File(FileOperation::Delete(path)), _) => gathering.named(path, Fate::Deleted, Depth::All),
        (Action::File(FileOperation::MakeFolder(path)), _) => gathering.named(path, Fate::Made, Depth::One),
        (_, Object::Path(path)) => gathering.named(path, Fate::Read, Depth::One),
        (_, Object::Paths(from, to)) => {
            let moves = matches!(action, Action::File(FileOperation::Move { .. }));
            gathering.named(from, if moves { Fate::Moved } else { Fate::Read }, Depth::All);
            let [from, to] = [from, to].map(|path| paths::of_person(path, home, home));
            gathering.lands(&[from], &to);
        }
        _ => {}
    }
    gathering.told()
}

/// The real paths that a command deletes, writes to, moves or makes by its words, and whether there may be more. Nothing is
/// counted.
pub(in crate::hands) fn touched(action: &Action, home: &Path, folder: &Path) -> (Vec<ResolvedPath>, bool) {
    let mut gathering = Gathering { counts: false, ..Gathering::new(home) };
    match action {
        Action::RunCommand { script: Ok(script), .. } => gathering.script(script, folder),
        _ => gathering.open = true,
    }
    (gathering.touched, gathering.open)
}

/// A real path that a command touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::hands) struct ResolvedPath {
    pub(in crate::hands) fate: Fate,
    pub(in crate::hands) path: PathBuf,
    /// Whether everything below it is touched, too.
    pub(in crate::hands) below: bool,
}

/// How much of a folder is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// The folder itself.
    One,
    /// The folder with everything below it.
    All,
    /// Files only; folders are not touched.
    Files,
}

struct Gathering<'a> {
    home: &'a Path,
    fuel: Fuel,
    groups: BTreeMap<Fate, Group>,
    seen: BTreeSet<(Fate, PathBuf)>,
    missing: Vec<String>,
    open: bool,
    /// Whether the files at a path are counted, for a person.
    counts: bool,
    touched: Vec<ResolvedPath>,
}

impl<'a> Gathering<'a> {
    fn new(home: &'a Path) -> Self {
        Self {
            home,
            fuel: Fuel::default(),
            groups: BTreeMap::new(),
            seen: BTreeSet::new(),
            missing: Vec::new(),
            open: false,
            counts: true,
            touched: Vec::new(),
        }
    }

    fn told(self) -> Preview {
        Preview { groups: self.groups.into_values().collect(), missing: self.missing, open: self.open }
    }

    /// Enters a path as a person writes it.
    fn named(&mut self, path: &str, fate: Fate, depth: Depth) {
        let path = paths::of_person(path, self.home, self.home);
        let missing = if fate == Fate::Made { Missing::Told } else { Missing::Noted };
        self.path(&path, fate, depth, missing);
    }

    fn script(&mut self, script: &Script, folder: &Path) {
        self.open |= !script.doubts().is_empty();
        let runs = script.runs();
        let mut folder = Some(folder.to_owned());
        for (index, run) in runs.iter().enumerate() {
            if !crate::wording::runs_here(runs, run) {
                self.open = true;
                continue;
            }
            let program = run.program().map(base_name).unwrap_or_default();
            if matches!(program, "cd" | "pushd") {
                folder = folder.and_then(|folder| self.moved(run, &folder));
                continue;
            }
            let wraps = runs.iter().any(|other| {
                other.parent == Some(index) && matches!(other.reach, Reach::Wrapper(_) | Reach::Text(_))
            });
            self.redirects(run, folder.as_deref());
            if !wraps || program == "find" {
                self.run(program, run, folder.as_deref());
            }
        }
        // A yes is bound to exactly the names that a loop's pattern matches.
        for item in script.items().iter().filter(|item| item.word.glob()) {
            self.words(&[&item.word], folder.as_deref(), Fate::Named, Depth::One);
        }
    }

    /// The folder after a `cd`.
    fn moved(&mut self, run: &Run, folder: &Path) -> Option<PathBuf> {
        match run.words.get(1) {
            None => Some(self.home.to_owned()),
            Some(word) => self.paths(word, Some(folder)).into_iter().next(),
        }
    }

    fn redirects(&mut self, run: &Run, folder: Option<&Path>) {
        for redirect in &run.redirects {
            let fate = match redirect.kind {
                RedirectKind::Write => Fate::Overwritten,
                RedirectKind::Append | RedirectKind::ReadWrite => Fate::Changed,
                RedirectKind::Read => Fate::Read,
                RedirectKind::Text | RedirectKind::Duplicate | RedirectKind::Close => continue,
            };
            self.words(&[&redirect.target], folder, fate, Depth::One);
        }
    }

    /// Enters what one program does to its operands, by its name.
    fn run(&mut self, program: &str, run: &Run, folder: Option<&Path>) {
        let given = given(program, run);
        let all = given.operands.as_slice();
        if let Some(done) = deed(program, &given) {
            return self.done(&done, folder);
        }
        match program {
            "dd" => self.values(all, folder),
            "find" => self.find(run, folder),
            _ if FILELESS.contains(&program) => {}
            _ if FILE_READERS.contains(&program) => {
                let depth = if matches!(program, "du" | "tree" | "rg") || given.recursive() {
                    Depth::All
                } else {
                    Depth::One
                };
                // The first operand of a search is the pattern.
                let skip = usize::from(SEARCHERS.contains(&program));
                self.words(all.get(skip..).unwrap_or_default(), folder, Fate::Read, depth);
            }
            _ => {
                self.open = true;
                self.words(all, folder, Fate::Named, Depth::All);
            }
        }
    }

    /// Enters an operation on files.
    fn done(&mut self, done: &Done<'_>, folder: Option<&Path>) {
        let deep = if done.below { Depth::All } else { Depth::Files };
        let (fate, depth) = match done.deed {
            Deed::Delete => (Fate::Deleted, deep),
            Deed::RemoveFolder => (Fate::Deleted, Depth::One),
            Deed::Trash => (Fate::Moved, deep),
            Deed::Move => return self.carry(Fate::Moved, deep, done, folder),
            Deed::Copy | Deed::Mirror => return self.carry(Fate::Read, deep, done, folder),
            Deed::Overwrite => (Fate::Overwritten, deep),
            Deed::Change => (Fate::Changed, deep),
            Deed::MakeFolder => (Fate::Made, Depth::One),
            Deed::Touch | Deed::Mode | Deed::Owner => {
                (Fate::Attributes, if done.below { Depth::All } else { Depth::One })
            }
        };
        self.words(done.files, folder, fate, depth);
    }

    /// Enters sources and their destination.
    fn carry(&mut self, fate: Fate, depth: Depth, done: &Done<'_>, folder: Option<&Path>) {
        let mut sources = Vec::new();
        for word in done.files {
            for path in self.paths(word, folder) {
                self.path(&path, fate, depth, Missing::Noted);
                sources.push(path);
            }
        }
        let to = done.to.map(|to| self.paths(to, folder)).unwrap_or_default();
        if let [to] = to.as_slice() {
            self.lands(&sources, to);
        }
    }

    /// Enters the destination: inside an existing folder, or a new name.
    fn lands(&mut self, sources: &[PathBuf], to: &Path) {
        if !to.is_dir() {
            return self.path(to, Fate::Overwritten, Depth::Files, Missing::Made);
        }
        for source in sources {
            if let Some(name) = source.file_name() {
                self.path(&to.join(name), Fate::Overwritten, Depth::All, Missing::Made);
            }
        }
    }

    /// Enters the files of `dd`: `if=` and `of=`.
    fn values(&mut self, operands: &[&Word], folder: Option<&Path>) {
        for word in operands {
            let Some(text) = word.literal() else {
                self.open = true;
                continue;
            };
            let (fate, path) = match text.split_once('=') {
                Some(("if", path)) => (Fate::Read, path),
                Some(("of", path)) => (Fate::Overwritten, path),
                _ => continue,
            };
            match folder {
                Some(folder) => self.path(&folder.join(path), fate, Depth::One, Missing::Made),
                None => self.open = true,
            }
        }
    }

    /// Enters the folders that `find` searches. Which files its conditions select is unknown.
    fn find(&mut self, run: &Run, folder: Option<&Path>) {
        let starts = |word: &&Word| word.literal().is_none_or(|text| !text.starts_with(['-', '(', '!']));
        let places: Vec<&Word> = run.words.iter().skip(1).take_while(starts).collect();
        let deletes = run.words.iter().any(|word| word.literal() == Some("-delete"));
        self.open |= deletes;
        let fate = if deletes { Fate::Deleted } else { Fate::Read };
        if places.is_empty() {
            if let Some(folder) = folder {
                self.path(folder, fate, Depth::All, Missing::Noted);
            }
            return;
        }
        self.words(&places, folder, fate, Depth::All);
    }

    fn words(&mut self, words: &[&Word], folder: Option<&Path>, fate: Fate, depth: Depth) {
        let missing = match fate {
            Fate::Overwritten | Fate::Changed | Fate::Attributes | Fate::Made => Missing::Made,
            Fate::Named => Missing::Left,
            Fate::Deleted | Fate::Moved | Fate::Read => Missing::Noted,
        };
        for word in words {
            for path in self.paths(word, folder) {
                self.path(&path, fate, depth, missing);
            }
        }
    }

    /// The paths that a word means; none if they are known only at run time.
    fn paths(&mut self, word: &Word, folder: Option<&Path>) -> Vec<PathBuf> {
        let mut parts = Vec::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) => parts.push(Part::Text(text.clone())),
                Piece::Home => parts.push(Part::Text(self.home.to_string_lossy().into_owned())),
                Piece::Cwd if folder.is_some() => parts.push(Part::Text(
                    folder.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default(),
                )),
                Piece::Glob(pattern) if pattern.chars().all(|c| matches!(c, '*' | '?')) => {
                    parts.push(Part::Pattern(pattern.clone()));
                }
                Piece::Cwd | Piece::Glob(_) | Piece::Unknown(_) => {
                    self.open = true;
                    return Vec::new();
                }
            }
        }
        let absolute = matches!(parts.first(), Some(Part::Text(text)) if text.starts_with('/'));
        let Some(base) = folder.or(absolute.then_some(Path::new("/"))) else {
            self.open = true;
            return Vec::new();
        };
        if parts.is_empty() {
            return Vec::new();
        }
        match expand_within(base, &parts, &mut self.fuel.0) {
            Ok(found) => found.into_iter().map(|path| base.join(path)).collect(),
            Err(_) => {
                self.open = true;
                Vec::new()
            }
        }
    }

    /// Enters one path.
    fn path(&mut self, path: &Path, fate: Fate, depth: Depth, missing: Missing) {
        let plain = paths::plain(path);
        if NOWHERE.iter().any(|nowhere| plain == Path::new(nowhere)) {
            return;
        }
        // Operations that remove a name affect a link itself; all others affect its target.
        let real = match fate {
            Fate::Deleted | Fate::Moved => {
                let parent = plain.parent().and_then(|parent| std::fs::canonicalize(parent).ok());
                parent
                    .zip(plain.file_name())
                    .map_or_else(|| plain.clone(), |(parent, name)| parent.join(name))
            }
            Fate::Overwritten | Fate::Changed | Fate::Attributes | Fate::Made | Fate::Read | Fate::Named => {
                std::fs::canonicalize(&plain).unwrap_or_else(|_| plain.clone())
            }
        };
        if !self.seen.insert((fate, real.clone())) {
            return;
        }
        let Ok(data) = std::fs::symlink_metadata(&real) else {
            return match missing {
                Missing::Made | Missing::Told => {
                    self.enter(Fate::Made, (&plain, &plain), false, Census::default());
                }
                Missing::Noted if self.missing.len() < TOLD => self.missing.push(text(&plain)),
                Missing::Noted | Missing::Left => {}
            };
        };
        let census = match depth {
            Depth::Files if data.is_dir() => return,
            Depth::One if data.is_dir() => Census { folders: 1, ..Census::default() },
            Depth::One | Depth::All | Depth::Files if self.counts => count(&real, &mut self.fuel),
            Depth::One | Depth::All | Depth::Files => Census::default(),
        };
        // An existing path is not created.
        let fate = if fate == Fate::Made { Fate::Named } else { fate };
        self.enter(fate, (&plain, &real), depth == Depth::All, census);
    }

    fn enter(&mut self, fate: Fate, (plain, real): (&Path, &Path), below: bool, census: Census) {
        let empty = || Group { fate, paths: 0, items: Vec::new(), census: Census::default() };
        self.touched.push(ResolvedPath { fate, path: real.to_owned(), below });
        let group = self.groups.entry(fate).or_insert_with(empty);
        group.paths += 1;
        group.census.add(&census);
        if group.items.len() < TOLD {
            let leads = (real != plain).then(|| text(real));
            group.items.push(TouchedPath { path: text(plain), leads, census });
        }
    }
}

/// The meaning of a missing path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// It is created.
    Made,
    /// It is created, and the command names it for that.
    Told,
    /// It is reported to the person.
    Noted,
    /// It is ignored, because the word may not be a path.
    Left,
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
