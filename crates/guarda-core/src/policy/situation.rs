//! The facts at the time of a judgement. The judge reads nothing else.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use guarda_shell::script::Piece;

/// The facts that the judge may use, gathered once by the hands before judging.
///
/// Paths are absolute and have no trailing slash (but `/`). A path or program that is missing here was not looked at,
/// and the judge must treat it as unknown, never as harmless.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Situation {
    /// The user's home folder.
    pub home: String,
    /// The folder in which a command would run.
    pub cwd: String,
    /// The programs of the action that were looked up: name as written → what it is.
    pub programs: BTreeMap<String, Program>,
    /// Sub-commands that do not exist, with their program (`cargo biuld`): neither a plugin nor an alias of that
    /// name was found.
    pub missing: std::collections::BTreeSet<String>,
    /// Operands that are symbolic links or lie below one: absolute path without `.` and `..` → real path.
    pub links: BTreeMap<String, String>,
    /// The names that patterns in known folders stand for, with the real paths of links among them: [`Place::marked`] → absolute
    /// paths. A pattern that stands for too many is not here.
    ///
    /// [`Place::marked`]: crate::places::Place::marked
    pub listed: BTreeMap<String, Vec<String>>,
    /// The real paths of all operands that were looked up.
    pub named: std::collections::BTreeSet<String>,
    /// Secrets that were hidden from the line when it was tried with its changes held back, and for want of which it failed. A
    /// yes to the line lets it read these.
    pub opened: Vec<PathBuf>,
    /// Files whose content determines what runs (programs and scripts that users other than the administrator can change,
    /// desktop entries): real path → version. The hands refuse a run if one has changed.
    pub stamps: BTreeMap<String, Stamp>,
    /// The folders that relative paths may be relative to: the working folder, and those that the command changes to.
    pub folders: Vec<PathBuf>,
    /// The file-system objects at the working folder, at each operand and at every step of the paths to them, where users other
    /// than the administrator can change them: path as bytes → object.
    pub places: BTreeMap<OsString, Found>,
    /// Further state that must be unchanged when the action runs; gathered only if a person is asked.
    pub frozen: Option<Frozen>,
    /// The guard's own files and folders, which no command reads or writes: its configuration, state, keys, record,
    /// sockets.
    pub guard: Vec<String>,
    /// Whether this machine can make a cell in which nothing can be changed, sent or reached ([`crate::action::Way::Look`]).
    pub cells: bool,
    /// The folders whose writes can be held back while the line runs ([`crate::action::Way::Stage`], or after a person's yes); empty
    /// where this machine, or this line, cannot be staged: it speaks to the system's services, or is to go on running.
    pub stage: Vec<PathBuf>,
    /// Whether the line is to go on running: a server or a watcher.
    pub goes_on: bool,
    /// What it made in its working folder when it was tried: each path, and whether it is a folder.
    pub made: Vec<(PathBuf, bool)>,
    /// Whether the line only has git bring files from its own objects. Known where changes are judged.
    pub from_objects: bool,
    /// Whether a person said yes to the line's words. Known where changes are judged.
    pub approved: bool,
    /// The working tree of the working folder; `None` for the home folder and shared folders.
    pub project: Option<PathBuf>,
    /// The folders in which files may be changed unasked where that can be undone: those that a person trusts.
    pub roots: Vec<PathBuf>,
    /// The session, by the name that the guard knows it by; `None` for the day's.
    pub session: Option<String>,
    /// The git folders of linked working trees and submodules, which lie outside of them. They count as `.git` folders.
    pub git: Vec<PathBuf>,
    /// Files and folders of the working tree that git's configuration names: as programs that it runs (hooks, filters, aliases, an
    /// editor), or as further configuration.
    pub git_named: Vec<PathBuf>,
    /// Whether no cell can hold the line: all its programs talk to services of the system or act on other processes, according
    /// to the configuration (`sandbox.unconfined`).
    pub unconfined: bool,
    /// Whether the working folder lies in an ordinary git work tree whose configuration starts no program. Looked up only if
    /// the line starts git.
    pub plain_repository: bool,
    /// Files of a secret's name that git tracks in the working folder's tree, by their paths in it. Looked up only if the line has git
    /// print what its objects hold.
    pub tracked: Vec<String>,
    /// Files that any command may read and none may write: the guard's programs, and the clients' settings that decide
    /// whether they ask the guard.
    pub settings: Vec<String>,
    /// The deeds that an `UNDO` reverts, the latest first; empty if none can be undone.
    pub undoes: Vec<uuid::Uuid>,
    /// The path to which an `UNDO` is limited; `None` if it reverts all of each deed.
    pub undoes_within: Option<PathBuf>,
    /// Whether an `UNDO` only restores settings of the desktop, such as the volume.
    pub undoes_setting: bool,
    /// Whether this session itself made every change that an `UNDO` would revert, inside its own folders.
    /// False if it was not looked up.
    pub undoes_own: bool,
    /// Whether the guard, and so every command without `sudo`, runs as the system's administrator.
    pub administrator: bool,
    /// `advanced_mode`: whether actions that need a password are possible at all.
    pub advanced_mode: bool,
    /// True while a question is open. Actions that could answer it are queued.
    pub question_open: bool,
    /// The session has taken in text from outside (feature P1).
    pub corrupted: bool,
    /// The session has seen secrets (feature P1).
    pub secret: bool,
    /// Facts about the network use of a command line.
    pub network: crate::network::NetworkFacts,
    /// The grants that stand for the asker, here and now.
    pub grants: Vec<crate::policy::StandingGrant>,
    /// The registry's entry for the command; `None` for other actions, or without a registry.
    pub history: Option<crate::policy::History>,
}

impl Situation {
    /// Whether a program was looked up by its bare name, and not found.
    #[must_use]
    pub fn lacks(&self, program: &str) -> bool {
        !program.contains('/') && self.programs.get(program) == Some(&Program::Missing)
    }

    /// Whether it runs until somebody ends it: by its words, or because it waited for connections when it was tried.
    #[must_use]
    pub fn runs_on(&self) -> bool {
        self.goes_on || !self.network.serves.is_empty()
    }

    /// Whether its session keeps something running, and a cell that reaches that, and nothing else, can hold it.
    #[must_use]
    pub fn is_beside_kept(&self) -> bool {
        self.network.session.is_some() && !self.unconfined
    }

    /// The marks of the session.
    #[must_use]
    pub fn taint(&self) -> crate::policy::Taint {
        crate::policy::Taint { corruption: self.corrupted, secret: self.secret }
    }
}

/// Identifies a version of a file: replacing the file or its content changes the stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// Device and inode.
    pub file: (u64, u64),
    /// Its size in bytes.
    pub size: u64,
    /// The inode's change time (ctime) in seconds and nanoseconds, which no program can set back.
    pub changed: (i64, i64),
}

/// The object at a path, links not followed. A replaced file or folder compares as different; its content does not
/// count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing, or nothing visible to this user.
    Nothing,
    /// A symbolic link, and where it points.
    Link(PathBuf),
    /// A folder.
    Folder(Identity),
    /// A regular file.
    File(Identity),
    /// A device, socket or pipe.
    Other(Identity),
}

/// Identifies a file independently of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Device and inode.
    pub file: (u64, u64),
    /// The creation time, if the file system stores it. Inodes alone are reused by later files.
    /// In seconds and nanoseconds since 1970.
    pub born: Option<(u64, u32)>,
}

/// The state gathered before a person is asked. It must be the same when the action runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frozen {
    /// The expansions of patterns, and the contents of folders.
    pub listings: Vec<Listing>,
    /// True if the action may load or run more files than are watched.
    pub partly: bool,
}

/// The names that a pattern matched or that a folder held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The folder that was searched.
    pub folder: PathBuf,
    /// The names searched for.
    pub of: ListingQuery,
    /// The names found, each in the form in which the pattern is written, in order.
    pub names: Vec<OsString>,
}

/// The names that a listing searches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListingQuery {
    /// The expansion of a word with patterns.
    Word(Vec<Piece>),
    /// The files below the folder whose names match one of these patterns (`*`, `?`); without a pattern, all of them.
    Tree(Vec<String>),
}

impl Frozen {
    /// The expansion that a word with patterns had in a folder.
    #[must_use]
    pub fn word(&self, folder: &Path, pieces: &[Piece]) -> Option<&[OsString]> {
        let is = |listing: &&Listing| {
            listing.folder == folder && matches!(&listing.of, ListingQuery::Word(word) if word == pieces)
        };
        self.listings.iter().find(is).map(|listing| listing.names.as_slice())
    }
}

/// The file that a program name resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A file in a folder that only the system's administrator can write to: its real path.
    System(String),
    /// A file elsewhere: its real path.
    Elsewhere(String),
    /// No such program in the search path of executed commands.
    Missing,
}

/// A session's marks, which stay until a person clears them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Taint {
    /// It has seen content that others may have written.
    pub corruption: bool,
    /// It has seen secrets.
    pub secret: bool,
}

impl Taint {
    /// Neither mark.
    pub const NONE: Self = Self { corruption: false, secret: false };
    /// Both marks, for unknown cases.
    pub const BOTH: Self = Self { corruption: true, secret: true };

    /// True if there is a mark.
    #[must_use]
    pub fn any(self) -> bool {
        self.corruption || self.secret
    }

    /// The marks of both.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self { corruption: self.corruption || other.corruption, secret: self.secret || other.secret }
    }

    /// The marks that `other` does not have.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self { corruption: self.corruption && !other.corruption, secret: self.secret && !other.secret }
    }

    /// The names of the marks on the wire and in the record.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let corruption = self.corruption.then_some("corruption");
        corruption.into_iter().chain(self.secret.then_some("secret"))
    }
}
