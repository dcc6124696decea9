//! The changes of a staged run, before they are committed (feature N4). They are judged and shown to a
//! person.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::network::Host;

/// [`Effects::final_because`] if there is no room for the old versions; displayed with their size.
pub const NO_ROOM: &str = "the old versions do not fit into the vault";

/// Everything that committing a run would change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// The changes, ordered by path: a folder precedes its contents. A new or deleted folder is one change,
    /// whose [`Entry::below`] counts its contents. A changed folder stands only for its own attributes.
    pub changes: Vec<Change>,
    /// Processes that outlived the run and were ended.
    pub strays: u32,
    /// Network access that the run was refused.
    pub tried: Tried,
    /// What it did to entries of somebody else's that it may not change: left out of the changes.
    #[serde(default, with = "native")]
    pub refused: Vec<PathBuf>,
    /// Why a commit could not be undone, as an English clause; `None` if it can.
    pub final_because: Option<String>,
}

/// What a run wanted and was refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// Attempts to reach another machine or to resolve a name.
    pub machines: u64,
    /// Attempts to reach a port of this machine. 0 if a program of the run served one, since programs look
    /// for each other before they are ready.
    pub ports: u64,
    /// The destinations, each once, in the order of the attempts; at most [`Tried::MOST_SOUGHT`]. Empty if
    /// the kernel does not permit watching.
    pub sought: Vec<Sought>,
    /// Secrets that were hidden from it, and which it complained that it may not open.
    #[serde(default, with = "native")]
    pub hidden: Vec<PathBuf>,
    /// The ports on which it waited for connections that nobody can make, for which it was ended.
    #[serde(default)]
    pub serves: BTreeSet<u16>,
    /// Programs that outlived it and were ended: the beginnings of their command lines, some of them.
    #[serde(default)]
    pub survivors: Vec<String>,
    /// The ports on which those listened.
    #[serde(default)]
    pub survivors_ports: BTreeSet<u16>,
    /// What a run that is to go on running made in its working folder, or at a path that it names: each path, and whether it is a folder.
    #[serde(skip)]
    pub made: Vec<(PathBuf, bool)>,
    /// Other programs' sockets to which it connected: something else stood there for them.
    #[serde(default, with = "native")]
    pub sockets: Vec<PathBuf>,
}

/// A machine or port that a run tried to reach.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sought {
    /// The machine: an address, or a name that the run tried to resolve.
    pub host: Host,
    /// The port; `None` for a name, since a connection comes only after its address is known.
    pub port: Option<u16>,
}

impl Tried {
    /// The most entries that [`Tried::sought`] holds.
    pub const MOST_SOUGHT: usize = 32;

    /// The destinations on this machine (`local`) or on others.
    pub fn sought(&self, local: bool) -> impl Iterator<Item = &Sought> {
        self.sought.iter().filter(move |one| one.host.is_local() == local)
    }

    /// Adds the attempts of another part of the run.
    pub fn add(&mut self, other: Self) {
        self.machines = self.machines.saturating_add(other.machines);
        self.ports = self.ports.saturating_add(other.ports);
        for one in other.sought {
            if self.sought.len() < Self::MOST_SOUGHT && !self.sought.contains(&one) {
                self.sought.push(one);
            }
        }
        self.serves.extend(other.serves);
        self.survivors.extend(other.survivors);
        self.survivors_ports.extend(other.survivors_ports);
        self.made.extend(other.made);
        for (known, more) in [(&mut self.hidden, other.hidden), (&mut self.sockets, other.sockets)] {
            known.extend(more);
            known.sort_unstable();
            known.dedup();
        }
    }
}

/// `registry.npmjs.org`, `192.0.2.1:443`, `[::1]:5432`.
impl std::fmt::Display for Sought {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.host, self.port) {
            (Host::Address(address), Some(port)) => std::net::SocketAddr::new(*address, port).fmt(out),
            (host, Some(port)) => write!(out, "{host}:{port}"),
            (host, None) => host.fmt(out),
        }
    }
}

/// The change of one path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Absolute path, links in its folders resolved.
    #[serde(with = "native")]
    pub path: PathBuf,
    /// The entry before the run; `None` if the path is new.
    pub was: Option<Entry>,
    /// The entry after a commit; `None` if the path is deleted.
    pub is: Option<Entry>,
    /// The old path of a file that was moved here. Its disappearance there is a separate change.
    #[serde(with = "native")]
    pub from: Option<PathBuf>,
    /// Whether a file's bytes are the same as before.
    pub same: bool,
    /// True if only a file's times differ: bytes, mode, owner and extended attributes are the same, and the
    /// run could not have given it another name.
    pub touched: bool,
    /// True if this change alone starts nothing and redirects nothing: a git configuration in which only harmless settings changed,
    /// the steps of a rebase that only move commits, or a new folder, since the entries that a rule is about are listed as changes of their own.
    #[serde(default)]
    pub inert: bool,
    /// True for a file that was written in place and has further names outside of the folders that the run could change: a
    /// commit leaves the old content there.
    #[serde(default)]
    pub parted: bool,
    /// The difference between two texts in unified form, cut to the budget; `None` if the content is not text
    /// or too large.
    pub diff: Option<String>,
}

/// A file, folder or link, before the run or after a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Its size in bytes; 0 for a folder.
    pub size: u64,
    /// Permission bits with set-id and sticky bits, as for `chmod`.
    pub mode: u32,
    /// User and group.
    pub owner: (u32, u32),
    /// The number of hard links.
    pub links: u64,
    /// The totals below a folder that was created or deleted with its contents.
    pub below: Below,
}

impl Entry {
    /// True for a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.kind == EntryKind::Folder
    }

    /// Its size in bytes; of a folder, with everything below it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        if self.is_folder() { self.below.bytes } else { self.size }
    }

    /// How many files it is; of a folder, those below it.
    #[must_use]
    pub fn files(&self) -> u64 {
        if self.is_folder() { self.below.files } else { 1 }
    }
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link and its target, as written.
    Link(#[serde(with = "native")] PathBuf),
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A device node, which no run may create.
    Device,
}

/// The contents of a folder, in totals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Below {
    /// Files, links and other entries that are not folders.
    pub files: u64,
    /// Folders.
    pub folders: u64,
    /// Bytes in the files.
    pub bytes: u64,
}

impl Below {
    /// Counts one more entry; a folder's own bytes do not count.
    pub fn add(&mut self, is_folder: bool, bytes: u64) {
        if is_folder {
            self.folders += 1;
        } else {
            self.files += 1;
            self.bytes = self.bytes.saturating_add(bytes);
        }
    }
}

/// How a path changes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr, strum::EnumIter,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ChangeKind {
    /// The path is new.
    Created,
    /// Deleted, not moved.
    Deleted,
    /// It was moved here.
    Renamed,
    /// Its content changed, or a link's target.
    Changed,
    /// Only its permissions, owner, times or extended attributes changed.
    Attributes,
    /// It is another kind of entry: a file that was a folder.
    Replaced,
}

impl ChangeKind {
    /// The name on the wire and in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Change {
    /// How the path changes. A path that was moved away is [`ChangeKind::Deleted`] here; [`Effects::lost`]
    /// leaves it out.
    #[must_use]
    pub fn kind(&self) -> ChangeKind {
        match (&self.was, &self.is) {
            (None, _) if self.from.is_some() => ChangeKind::Renamed,
            (None, _) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(was), Some(is)) => match (&was.kind, &is.kind) {
                (EntryKind::Folder, EntryKind::Folder) => ChangeKind::Attributes,
                (EntryKind::Link(was), EntryKind::Link(is)) if was == is => ChangeKind::Attributes,
                (EntryKind::Link(_), EntryKind::Link(_)) => ChangeKind::Changed,
                (EntryKind::File, EntryKind::File) if self.same => ChangeKind::Attributes,
                (was, is) if was == is => ChangeKind::Changed,
                _ => ChangeKind::Replaced,
            },
        }
    }
}

impl Effects {
    /// Whether the run changed nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// SHA-256 over all fields. It binds an approval to exactly these effects.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        use sha2::Digest as _;
        sha2::Sha256::digest(format!("{self:?}")).into()
    }

    /// The changes that delete an entry without moving it.
    pub fn lost(&self) -> impl Iterator<Item = &Change> {
        let moved: std::collections::BTreeSet<&PathBuf> =
            self.changes.iter().filter_map(|change| change.from.as_ref()).collect();
        let gone = self.changes.iter().filter(|change| change.kind() == ChangeKind::Deleted);
        gone.filter(move |change| !moved.contains(&change.path))
    }
}

/// Serialises paths as bytes, for `#[serde(with)]`: serde itself accepts only UTF-8 paths.
pub mod native {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// A value that contains paths.
    pub trait Paths: Sized {
        /// Its serialised form.
        type Written: Serialize + for<'de> Deserialize<'de>;
        /// Converts to the serialised form.
        fn write(&self) -> Self::Written;
        /// Converts from the serialised form.
        fn read(written: Self::Written) -> Self;
    }

    impl Paths for PathBuf {
        type Written = OsString;
        fn write(&self) -> OsString {
            self.clone().into_os_string()
        }
        fn read(written: OsString) -> Self {
            written.into()
        }
    }

    impl Paths for Option<PathBuf> {
        type Written = Option<OsString>;
        fn write(&self) -> Option<OsString> {
            self.as_ref().map(Paths::write)
        }
        fn read(written: Option<OsString>) -> Self {
            written.map(Paths::read)
        }
    }

    impl Paths for Vec<PathBuf> {
        type Written = Vec<OsString>;
        fn write(&self) -> Vec<OsString> {
            self.iter().map(Paths::write).collect()
        }
        fn read(written: Vec<OsString>) -> Self {
            written.into_iter().map(Paths::read).collect()
        }
    }

    /// Serialises paths.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Paths, S: Serializer>(paths: &T, serializer: S) -> Result<S::Ok, S::Error> {
        paths.write().serialize(serializer)
    }

    /// Deserialises paths.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, T: Paths, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        T::Written::deserialize(deserializer).map(T::read)
    }
}
