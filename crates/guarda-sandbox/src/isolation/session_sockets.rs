//! The sockets of what a session keeps running, in the view of its other commands. To a program, a socket in an overlay is another
//! one than that below it, so each is mounted at its place.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use crate::isolation::pinned::{DetachedMount, folder};
use crate::spec::{Spec, sockets_in};

/// The usual folder for temporary files.
pub(crate) const TMP: &str = "/tmp";
/// Where the overlay over that finds places for what is mounted in it. Covered by the overlay itself.
const PLACES: &str = "/tmp/.guarda-costas";
/// How deep a socket lies in the session's `/tmp`, at most.
const DEEPEST: usize = 2;

/// Those sockets, and folders of the session's `/tmp` that hold some.
#[derive(Debug)]
pub(crate) struct SessionSockets(Vec<DetachedMount>);

impl SessionSockets {
    /// Holds those that are there. What goes on running itself has all of them before it.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn hold(spec: &Spec) -> io::Result<Self> {
        let Some(tmp) = spec.session_tmp.as_ref().filter(|_| spec.live.is_empty()) else {
            return Ok(Self(Vec::new()));
        };
        let entries = std::fs::read_dir(tmp)?.flatten().map(|entry| entry.path());
        let temporary = entries.filter(|path| holds_socket(path, DEEPEST)).filter_map(|path| {
            let place = Path::new(TMP).join(path.file_name()?);
            Some((path, place))
        });
        let mut shown: Vec<(PathBuf, PathBuf)> = temporary.collect();
        // What the same path leads to outside is not the session's.
        let mut elsewhere = listening(spec);
        elsewhere.retain(|path| !shown.iter().any(|(_, place)| path.starts_with(place)));
        shown.extend(elsewhere.into_iter().map(|path| (path.clone(), path)));
        let trees = shown.into_iter().map(|(path, place)| DetachedMount::hold(&path, place));
        trees.filter_map(Result::transpose).collect::<io::Result<_>>().map(Self)
    }

    /// A folder with a place for each that is mounted in the folder for temporary files, which must be new.
    ///
    /// # Errors
    /// As the operating system says.
    pub(crate) fn places(&self) -> io::Result<Option<OwnedFd>> {
        let mut any = None;
        for tree in self.0.iter().filter(|tree| tree.place().parent() == Some(Path::new(TMP))) {
            let name = tree.place().file_name().unwrap_or_default();
            std::fs::create_dir_all(PLACES)?;
            tree.make_place(&Path::new(PLACES).join(name))?;
            any = Some(());
        }
        any.map(|()| folder(Path::new(PLACES))).transpose()
    }

    /// Mounts each at its place. One that has just gone, or whose place is taken by something else, is not reached.
    pub(crate) fn put(&self, spec: &Spec) {
        for tree in &self.0 {
            let made = if spec.changes(tree.place()) { Ok(()) } else { tree.make_place(tree.place()) };
            if let Err(error) = made.and_then(|()| tree.put()) {
                tracing::debug!(%error, "a socket of the session is not seen");
            }
        }
    }
}

/// Whether a path is a socket, or a folder with one.
fn holds_socket(path: &Path, depth: usize) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let Ok(found) = std::fs::symlink_metadata(path) else { return false };
    let inside = || std::fs::read_dir(path).into_iter().flatten().flatten();
    found.file_type().is_socket()
        || found.is_dir()
            && depth > 0
            && inside().any(|entry| holds_socket(&entry.path(), depth.saturating_sub(1)))
}

/// The sockets in the folders of a run at which processes of its session listen. What somebody outside listens at is none of them,
/// whatever a process of the session says of its own view.
fn listening(spec: &Spec) -> Vec<PathBuf> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_number = |name: &OsStr| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let lists = processes
        .filter(|entry| is_number(&entry.file_name()))
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("net/unix")).ok());
    let mut found: Vec<PathBuf> = lists
        .flat_map(|list| sockets_in(&list).into_keys())
        .flat_map(|path| places(spec, &path))
        .filter(|path| spec.changes(path) && holds_socket(path, 0) && !is_of_others(spec, path))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Where a socket can lie whose program gave this path: a relative one in each folder of the run.
fn places(spec: &Spec, path: &Path) -> Vec<PathBuf> {
    if path.is_absolute() {
        return vec![path.to_owned()];
    }
    let staged = spec.staged.iter().map(|staged| &staged.root);
    staged.chain(&spec.live).chain(&spec.readable).map(|folder| folder.join(path)).collect()
}

/// Whether a socket may be one that somebody outside listens at.
fn is_of_others(spec: &Spec, path: &Path) -> bool {
    spec.sockets.keys().any(|own| own == path || own.is_relative() && own.file_name() == path.file_name())
}

/// The sockets of others in the folders that a run changes at once.
pub(crate) fn of_others(spec: &Spec) -> Vec<PathBuf> {
    // Every held-back command passes here, and has none.
    if spec.live.is_empty() {
        return Vec::new();
    }
    let live = |path: &PathBuf| spec.live.iter().any(|root| path.starts_with(root));
    let all = spec.sockets.keys().flat_map(|path| places(spec, path));
    all.filter(|path| live(path) && holds_socket(path, 0)).collect()
}
