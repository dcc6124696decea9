//! The files that a sandbox opens: a list of folders and files with their access. Landlock can only allow,
//! and a rule for a folder covers everything below it. A folder that contains something hidden is therefore
//! split up, and its entries are allowed one by one.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

use super::spec::{Network, SandboxLevel, Spec};
use guarda_core::policy::secrets;

/// System folders that every program may read and run programs from.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/snap",
    "/run/current-system",
    "/run/log",
    "/run/udev",
    "/run/utmp",
    "/var/log",
    "/var/lib/dpkg",
    "/var/lib/apt",
    "/var/cache/apt",
    "/var/lib/rpm",
    "/var/lib/pacman",
    "/var/lib/flatpak",
    "/var/cache/fontconfig",
    "/var/cache/man",
    "/proc",
    "/sys",
];
/// Resolver configuration outside `/etc`.
const NAMES: &[&str] = &["/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/run/resolvconf"];
/// Devices without anyone's data. Terminals are not among them: a program that may open `/dev/pts` reads the
/// keys meant for other programs, including answers to this one's questions.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// In its own namespaces, a command gets terminals and shared memory that it shares with no other program.
const OWN_DEVICES: &[&str] = &["/dev/pts", "/dev/ptmx", "/dev/tty", "/dev/shm"];
/// Folders that no working folder makes writable, nor anything below them.
const NEVER_WRITTEN: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/boot",
    "/dev",
    "/proc",
    "/sys",
    "/run",
    "/var/lib",
    "/var/spool",
    "/var/log",
    "/var/cache",
    "/nix",
    "/gnu",
    "/snap",
];
/// Folders that are never writable as a whole, because they contain other owners' files.
const NOT_AS_A_WHOLE: &[&str] = &["/", "/home", "/var", "/opt", "/srv", "/mnt", "/media", "/tmp", "/var/tmp"];

/// Access to a folder or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Names in it and below it may be listed; nothing else.
    List,
    /// Read and run.
    Read,
    /// Read, execute, change, create and remove.
    Write,
    /// Names below it may be created and removed; files may be written but not read.
    Change,
    /// Read and written, but not created.
    Device,
}

/// A folder or file that is opened.
#[derive(Debug)]
pub(super) struct Grant {
    /// An open descriptor, so that another file put in its place gets no access.
    pub file: OwnedFd,
    /// Whether it is a folder.
    pub folder: bool,
    /// The access.
    pub access: Access,
}

/// Sorted paths. Each covers everything below it. Every opened file is looked up among hundreds
/// of them.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<Box<[u8]>>);

/// A path without its insignificant parts: `//`, `.` and a trailing slash.
fn plain(path: &Path) -> Vec<u8> {
    path.components().collect::<PathBuf>().into_os_string().into_vec()
}

impl Places {
    fn new(paths: &[PathBuf]) -> Self {
        let mut places: Vec<Box<[u8]>> = paths.iter().map(|path| plain(path).into_boxed_slice()).collect();
        places.sort_unstable();
        places.dedup();
        Self(places)
    }

    /// True if a path is one of these or lies below one.
    fn holds(&self, path: &Path) -> bool {
        let named = |path: &Path| {
            let bytes = path.as_os_str().as_bytes();
            self.0.binary_search_by(|place| place.as_ref().cmp(bytes)).is_ok()
        };
        let path = PathBuf::from(OsString::from_vec(plain(path)));
        path.ancestors().any(named)
    }

    /// True if one of these lies below a folder.
    fn any_below(&self, folder: &Path) -> bool {
        let mut inside = plain(folder);
        if inside.last() != Some(&b'/') {
            inside.push(b'/');
        }
        let first = self.0.partition_point(|place| place.as_ref() <= inside.as_slice());
        self.0.get(first).is_some_and(|place| place.starts_with(&inside))
    }

    /// Each of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|place| Path::new(OsStr::from_bytes(place)))
    }
}

/// The paths to open and to close, before the file system is consulted.
#[derive(Debug)]
pub(super) struct Wishes {
    /// Folders and files, with the access to each.
    pub opened: Vec<(PathBuf, Access)>,
    /// Paths that stay closed, wherever they are.
    pub hidden: Places,
    /// Paths that are never written, wherever they are.
    pub kept: Places,
    /// Notes for a person.
    pub notes: Vec<String>,
    home: Option<PathBuf>,
    /// The names in the home folder, read once.
    names: HashSet<OsString>,
    /// Secrets that are opened.
    secrets: Vec<PathBuf>,
    tidy: bool,
    look: bool,
    /// Hidden paths are covered by mounts, so that folders need not be split up around them.
    pub covered: bool,
    /// Where only pieces of the home folder are seen: whether they lie in an empty one, which may be listed.
    pub emptied: Option<bool>,
}

/// System folders and files, which every sandbox opens unless something in them is hidden.
#[derive(Debug)]
pub(super) struct System(Vec<(PathBuf, Grant)>);

impl System {
    /// Opens the existing ones, each once.
    pub(super) fn open() -> Self {
        let mut all: Vec<(PathBuf, Grant)> = Vec::new();
        for (path, access) in Self::paths() {
            let path = real(Path::new(path));
            let inside =
                |(above, grant): &(PathBuf, Grant)| grant.access == access && path.starts_with(above);
            if !all.iter().any(inside)
                && let Some(grant) = grant(&path, access)
            {
                all.push((path, grant));
            }
        }
        Self(all)
    }

    /// Removes and returns the folders in which a cell seldom hides anything: all but `/etc`.
    pub(super) fn split_whole(&mut self) -> Self {
        Self(self.0.extract_if(.., |(path, _grant)| path != Path::new("/etc")).collect())
    }

    /// The opened folders and files.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Path, &Grant)> {
        self.0.iter().map(|(path, grant)| (path.as_path(), grant))
    }

    /// Their paths, with the access to each.
    pub(super) fn paths() -> impl Iterator<Item = (&'static str, Access)> {
        let folders = SYSTEM.iter().map(|path| (*path, Access::Read));
        folders.chain(DEVICES.iter().map(|path| (*path, Access::Device)))
    }
}

/// Opens a folder or file; `None` if it is missing or a link.
fn grant(path: &Path, access: Access) -> Option<Grant> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&file).ok()?.st_mode);
    let folder = kind == FileType::Directory;
    (kind != FileType::Symlink).then_some(Grant { file, folder, access })
}

/// What a specification opens and closes. `temporary` is the private temporary folder; `root` says whether
/// the guard is root.
pub(super) fn wishes(spec: &Spec, temporary: Option<&Path>, root: bool) -> Wishes {
    let home = spec.home.as_deref().and_then(own_home);
    let mut hidden: Vec<PathBuf> =
        spec.hidden.iter().filter(|path| !below_any(path, &SYSTEM_FOR_ALL)).cloned().collect();
    let mut kept = spec.kept.clone();
    let names = names(home.as_deref(), spec.pieces.as_deref());
    if let Some(home) = &home {
        // Only names that exist in the home folder are opened, and a missing secret needs no rule.
        let there = |below: &&Path| begins_in(&names, below);
        let secret = secrets::of_home().filter(there).map(|below| home.join(below));
        // Where a mount covers what is hidden, nothing below it can be reached.
        let covered = spec.profile == SandboxLevel::Isolated;
        let opens = |path: &PathBuf, opened: &PathBuf| {
            path.starts_with(opened) || covered && opened.starts_with(path)
        };
        hidden.extend(secret.filter(|path| !spec.opened.iter().any(|opened| opens(path, opened))));
        kept.extend(secrets::run_later().filter(there).map(|below| home.join(below)));
    }
    if root {
        hidden.extend(secrets::of_system().map(Path::to_owned));
    }
    // A secret that is a link, or below one, is hidden under both names.
    both_names(&mut hidden, home.as_deref(), &names);
    both_names(&mut kept, home.as_deref(), &names);

    let mut notes = Vec::new();
    let mut opened: Vec<(PathBuf, Access)> = Vec::new();
    if spec.network != Network::None {
        opened.extend(NAMES.iter().map(|path| (PathBuf::from(path), Access::Read)));
    }
    if spec.is_within() {
        // These are new and belong to this command, or its session, alone. One with a project in it that may not be written as a
        // whole stays closed, since a rule for a folder covers everything below it.
        let parts = spec.live.iter().filter(|root| !spec.writable.contains(root));
        let new = ["/tmp", "/var/tmp"].map(PathBuf::from).into_iter();
        let alone = new.filter(|path| !parts.clone().any(|root| root.starts_with(path)));
        opened.extend(alone.map(|path| (path, Access::Write)));
    }
    if spec.profile == SandboxLevel::Isolated {
        opened.extend(OWN_DEVICES.iter().map(|path| (PathBuf::from(path), Access::Write)));
    }
    match (&home, &spec.pieces) {
        (Some(home), Some(pieces)) => {
            opened.push((home.clone(), Access::List));
            opened.extend(pieces.iter().map(|piece| (piece.clone(), Access::Read)));
        }
        (home, _) => opened.extend(home.iter().map(|path| (path.clone(), Access::Read))),
    }
    for path in spec.readable.iter().chain(&spec.opened) {
        // A path below `/dev` may lead to a terminal with input for another program.
        if spec.look && real(path).starts_with("/dev") {
            continue;
        }
        opened.push((real(path), Access::Read));
        opened.push((real(path), Access::List));
    }
    for path in &spec.writable {
        let path = real(path);
        opened.push((path.clone(), Access::List));
        // Writes to a staged folder never reach the disk.
        if writable(&path) || !spec.staged.is_empty() {
            opened.push((path, Access::Write));
        } else {
            notes.push(format!("{} is not made writable, since it is not one project's", path.display()));
            opened.push((path, Access::Read));
        }
    }
    for path in &spec.named {
        name(&real(path), spec.tidy, &mut opened);
    }
    opened.extend(temporary.map(|path| (path.to_owned(), Access::Write)));
    Wishes {
        opened,
        hidden: Places::new(&hidden),
        kept: Places::new(&kept),
        notes,
        home,
        names,
        secrets: spec.opened.clone(),
        tidy: spec.tidy,
        look: spec.look,
        // In a staged run, hidden paths were covered when the namespace was made.
        covered: spec.profile == SandboxLevel::Isolated,
        emptied: spec.pieces.as_ref().map(|_| spec.profile == SandboxLevel::Isolated),
    }
}

/// The real path of the home folder and the pieces of it, if nothing else of it is seen.
pub(super) fn pieces(spec: &Spec) -> Option<(PathBuf, &[PathBuf])> {
    Some((own_home(spec.home.as_deref()?)?, spec.pieces.as_deref()?))
}

/// The real path of a home folder. A shared folder is none: `HOME=/` would open everything.
fn own_home(home: &Path) -> Option<PathBuf> {
    Some(real(home)).filter(|home| !NOT_AS_A_WHOLE.iter().any(|whole| home == Path::new(whole)))
}

/// The names in the home folder; of pieces, where only they are seen.
fn names(home: Option<&Path>, pieces: Option<&[PathBuf]>) -> HashSet<OsString> {
    let Some(home) = home else { return HashSet::new() };
    let first = |piece: &PathBuf| Some(piece.strip_prefix(home).ok()?.iter().next()?.to_owned());
    match pieces {
        Some(pieces) => pieces.iter().filter_map(first).collect(),
        None => {
            std::fs::read_dir(home).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
        }
    }
}

/// Opens a path that a person's yes named, and the folder that contains it.
fn name(path: &Path, tidy: bool, opened: &mut Vec<(PathBuf, Access)>) {
    let never = |path: &Path| below_any(path, NEVER_CHANGED) || path.parent().is_none();
    if never(path) {
        return;
    }
    let folder = path.is_dir();
    if folder && (tidy || !writable(path)) {
        opened.push((path.to_owned(), Access::Change));
    } else if path.exists() {
        opened.push((path.to_owned(), Access::Write));
    }
    if let Some(above) = path.ancestors().skip(1).find(|above| above.is_dir())
        && !never(above)
    {
        opened.push((above.to_owned(), Access::Change));
    }
}

/// Even a person's yes opens nothing here: these trees contain no files.
const NEVER_CHANGED: &[&str] = &["/dev", "/proc", "/sys"];

/// Folders that are the same for every program. Splitting them up would be expensive and hide nothing.
const SYSTEM_FOR_ALL: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys"];

/// True if a folder may be writable at all.
pub(super) fn writable(path: &Path) -> bool {
    !below_any(path, NEVER_WRITTEN) && !NOT_AS_A_WHOLE.iter().any(|whole| path == Path::new(whole))
}

fn below_any(path: &Path, folders: &[&str]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Adds each existing path's real path, if it differs. Most of the paths do not exist: `names`, the names in
/// the home folder, saves most look-ups.
fn both_names(paths: &mut Vec<PathBuf>, home: Option<&Path>, names: &HashSet<OsString>) {
    let there = |path: &&PathBuf| {
        let below = home.and_then(|home| path.strip_prefix(home).ok());
        below.is_none_or(|below| begins_in(names, below))
            && rustix::fs::access(path.as_path(), rustix::fs::Access::EXISTS).is_ok()
    };
    let mut names: Vec<PathBuf> = paths.iter().filter(there).map(|path| real(path)).collect();
    names.retain(|name| !paths.contains(name));
    paths.append(&mut names);
}

/// True if the first part of a path in the home folder is one of these names, or if it is the home folder
/// itself.
fn begins_in(names: &HashSet<OsString>, below: &Path) -> bool {
    below.iter().next().is_none_or(|first| names.contains(first))
}

/// The real path, or the path itself if nothing is there.
pub(super) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_absent| path.to_owned())
}

impl Wishes {
    /// True if a path stays closed.
    pub(super) fn hides(&self, path: &Path) -> bool {
        let secret_name = || {
            let home = self.home.as_deref()?;
            let mut below = path.strip_prefix(home).ok()?.components();
            let Some(Component::Normal(name)) = below.next() else {
                return None;
            };
            Some(secrets::named(name.to_str()?))
        };
        let opened = || self.secrets.iter().any(|opened| path.starts_with(opened));
        (self.hidden.holds(path) || secret_name().unwrap_or(false)) && !opened()
    }

    /// Entries of the home folder whose names are those of secrets.
    pub(super) fn secret_names(&self) -> Vec<PathBuf> {
        let Some(home) = &self.home else { return Vec::new() };
        let named = self.names.iter().filter(|name| name.to_str().is_some_and(secrets::named));
        let paths = named.map(|name| home.join(name)).filter(|path| !self.secrets.contains(path));
        paths.filter(|path| std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_symlink())).collect()
    }

    fn keeps(&self, path: &Path) -> bool {
        self.kept.holds(path)
    }

    /// True if something below this folder has another access than the folder.
    fn is_mixed(&self, path: &Path, access: Access) -> bool {
        // What is seen of a home folder is opened by itself.
        let closed = self.emptied == Some(false);
        if self.covered && !closed {
            return false;
        }
        let home = self.home.as_deref().is_some_and(|home| home.starts_with(path));
        home || self.hidden.any_below(path) || (access == Access::Write && self.kept.any_below(path))
    }

    /// True if a folder or file may be opened with everything in it.
    pub(super) fn leaves_whole(&self, path: &Path, access: Access) -> bool {
        !self.is_mixed(path, access) && !self.hides(path)
    }

    /// Opens what exists, in addition to the system's folders that are already open. Missing paths are
    /// skipped silently. There may be very many, so each is handed over at once.
    pub(super) fn grants(&mut self, system: System, mut take: impl FnMut(Grant)) {
        for (path, grant) in system.0 {
            match self.leaves_whole(&path, grant.access) {
                true => take(grant),
                false => self.open(path, grant.access, &mut take),
            }
        }
        // An empty home folder holds nothing but the pieces that may be read, so one rule for it opens all of them.
        let pieces = self.home.clone().filter(|_| self.covered && self.emptied == Some(true));
        for (path, access) in std::mem::take(&mut self.opened) {
            let access = match &pieces {
                Some(home) if *home == path && access == Access::List => Access::Read,
                Some(home) if path.starts_with(home) && access == Access::Read && !self.hides(&path) => {
                    continue;
                }
                _ => access,
            };
            // Only a path that was requested by its own name may be a link; links found on the way are not
            // followed.
            if rustix::fs::access(path.as_path(), rustix::fs::Access::EXISTS).is_err() {
                continue;
            }
            let path = real(&path);
            let listed = access == Access::List;
            let emptied = self.emptied.filter(|_| self.home.as_ref() == Some(&path));
            if listed && !emptied.unwrap_or_else(|| self.is_mixed(&path, Access::Write)) {
                continue;
            }
            if self.hides(&path) {
                self.notes.push(format!("{} stays closed, since it is kept secret", path.display()));
                continue;
            }
            if access == Access::Change && !self.tidy && self.is_mixed(&path, Access::Write) {
                continue;
            }
            if access == Access::Write && self.keeps(&path) {
                self.notes.push(format!(
                    "{} is not made writable, since what lies there is run later",
                    path.display()
                ));
            }
            if access == Access::Write && self.is_mixed(&path, access) {
                self.notes.push(format!(
                    "nothing new can be made directly in {}, since secrets or start-up files lie below it",
                    path.display()
                ));
            }
            self.open(path, access, &mut take);
        }
    }

    fn open(&self, path: PathBuf, access: Access, take: &mut dyn FnMut(Grant)) {
        let kept = access == Access::Write && !self.covered && self.keeps(&path);
        let access = if kept { Access::Read } else { access };
        let device = self.look && access != Access::Device && path.starts_with("/dev");
        let closed = self.emptied == Some(false) && self.home.as_ref() == Some(&path);
        if device || closed || self.hides(&path) {
            return;
        }
        let Some(grant) = grant(&path, access) else { return };
        let whole = matches!(access, Access::List | Access::Change);
        if grant.folder && !whole && self.is_mixed(&path, access) {
            let home = self.home.as_ref() == Some(&path);
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            for entry in entries {
                let new = home && !self.names.contains(&entry.file_name());
                // A link's target has to be opened by its own name.
                if !new && !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    self.open(entry.path(), access, take);
                }
            }
            return;
        }
        take(grant);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(grant: &Grant) -> PathBuf {
        use std::os::fd::AsRawFd as _;
        std::fs::read_link(format!("/proc/self/fd/{}", grant.file.as_raw_fd())).unwrap()
    }

    fn paths(wishes: &mut Wishes, access: Access) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        wishes.grants(System::open(), |grant| {
            paths.extend((grant.access == access).then(|| path(&grant)));
        });
        paths
    }

    /// A home folder with a project, secrets, and a link that leads out of it.
    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        for folder in [".ssh", "work/src", ".config/gh", ".config/foot", ".local/share/keyrings", "Documents"]
        {
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        for file in [".bash_history", ".bashrc", ".netrc", "notes.txt", "vault.kdbx"] {
            std::fs::write(home.path().join(file), "").unwrap();
        }
        std::os::unix::fs::symlink(home.path().join(".ssh"), home.path().join("link")).unwrap();
        home
    }

    fn spec(home: &Path, folder: &Path) -> Spec {
        Spec::new(SandboxLevel::Confined, Some(home.to_owned()), folder)
    }

    #[test]
    fn a_path_is_found_among_places_as_it_would_be_one_by_one() {
        let all = ["/", "/a", "/a/b", "/a/b/c", "/a/bc", "/a-b", "/a.b/c", "/b", "/b/a", "/a/b/d e", "/z/"];
        let mut chosen: Vec<Vec<PathBuf>> = all.iter().map(|one| vec![PathBuf::from(one)]).collect();
        chosen.extend([
            vec![],
            ["/a-b", "/a/b", "/z"].map(PathBuf::from).to_vec(),
            all.map(PathBuf::from).to_vec(),
        ]);
        for paths in chosen {
            let places = Places::new(&paths);
            for path in all.map(Path::new) {
                assert_eq!(
                    places.holds(path),
                    paths.iter().any(|one| path.starts_with(one)),
                    "{path:?} {paths:?}"
                );
                let below = paths.iter().any(|one| one.starts_with(path) && one != path);
                assert_eq!(places.any_below(path), below, "{path:?} {paths:?}");
            }
        }
    }

    #[test]
    fn secrets_are_left_out_and_their_neighbours_are_not() {
        let home = home();
        let at = |below: &str| real(home.path()).join(below);
        let mut wishes = wishes(&spec(home.path(), &at("work")), None, false);
        let read = paths(&mut wishes, Access::Read);
        for open in ["Documents", "notes.txt", ".bashrc", ".config/foot"] {
            assert!(read.contains(&at(open)), "{open}");
        }
        for closed in ["", ".ssh", "link", ".config", ".config/gh", ".bash_history", ".netrc", "vault.kdbx"] {
            let closed = at(closed).components().collect::<PathBuf>();
            assert!(!read.contains(&closed), "{}", closed.display());
        }
    }

    #[test]
    fn a_project_is_writable_as_a_whole_and_a_home_folder_is_not() {
        let home = home();
        let at = |below: &str| real(home.path()).join(below);
        let mut project = wishes(&spec(home.path(), &at("work")), None, false);
        assert_eq!(paths(&mut project, Access::Write), [at("work")]);
        assert!(project.notes.is_empty(), "{:?}", project.notes);

        let mut whole = wishes(&spec(home.path(), home.path()), None, false);
        let written = paths(&mut whole, Access::Write);
        assert!(written.contains(&at("notes.txt")) && written.contains(&at("Documents")));
        assert!(!written.contains(&at(".bashrc")) && !written.contains(&real(home.path())));
        assert!(whole.notes.iter().any(|note| note.contains("nothing new can be made")));
    }

    #[test]
    fn what_is_hidden_wins_over_what_is_opened() {
        let home = home();
        let at = |below: &str| real(home.path()).join(below);
        let mut spec = spec(home.path(), &at("work"));
        spec.hidden.push(at("work/src"));
        spec.writable.push(at(".ssh"));
        spec.readable.push(at("link"));
        let open = |wanted: &Path| {
            let mut wishes = wishes(&spec, None, false);
            let kinds = [Access::Read, Access::Write, Access::Change, Access::Device];
            kinds
                .into_iter()
                .flat_map(|access| paths(&mut wishes, access))
                .any(|path| wanted.starts_with(path))
        };
        assert!(!open(&at("work/src")) && !open(&at(".ssh")));
    }

    #[test]
    fn a_secret_that_a_person_opens_is_readable_and_its_neighbours_are_not() {
        let home = home();
        let at = |below: &str| real(home.path()).join(below);
        std::fs::write(at(".ssh/one"), "").unwrap();
        let mut spec = spec(home.path(), &at("work"));
        spec.opened = vec![at(".netrc"), at(".ssh/one"), at("vault.kdbx")];
        let mut wishes = wishes(&spec, None, false);
        assert!(!wishes.secret_names().contains(&at("vault.kdbx")));
        let read = paths(&mut wishes, Access::Read);
        for opened in &spec.opened {
            assert!(read.contains(opened), "{}", opened.display());
        }
        assert!(!read.contains(&at(".ssh")) && !read.contains(&at(".config/gh")));
    }

    #[test]
    fn everything_beside_a_secret_is_opened_however_much_it_is() {
        let home = home();
        let at = |below: &str| real(home.path()).join(below);
        for number in 0..12_000 {
            std::fs::write(at(&format!(".config/{number}")), "").unwrap();
        }
        let mut wishes = wishes(&spec(home.path(), &at("work")), None, false);
        let read = paths(&mut wishes, Access::Read);
        assert_eq!(read.iter().filter(|path| path.parent() == Some(&at(".config"))).count(), 12_001);
        assert!(wishes.notes.is_empty(), "{:?}", wishes.notes);
    }

    #[test]
    fn system_folders_are_never_writable() {
        for folder in ["/", "/etc", "/usr/local", "/home", "/tmp", "/run/user/1000", "/var/lib/x"] {
            assert!(!writable(Path::new(folder)), "{folder}");
        }
        for folder in ["/home/ana/work", "/srv/site", "/tmp/job", "/opt/thing", "/var/tmp/x"] {
            assert!(writable(Path::new(folder)), "{folder}");
        }
    }
}
