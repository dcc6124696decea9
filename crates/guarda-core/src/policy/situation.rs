//! What was true when an action was judged. The judge reads nothing else.

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
    /// Words that no program has as a sub-command, with their program (`cargo biuld`): neither a plugin nor an alias of that
    /// name was found.
    pub missing: std::collections::BTreeSet<String>,
    /// Operands that are symbolic links or lie below one: absolute path without `.` and `..` → real path.
    pub links: BTreeMap<String, String>,
    /// The real paths of all operands that were looked up.
    pub named: std::collections::BTreeSet<String>,
    /// Files whose content says what is run (programs and scripts that others than the administrator can change, desktop
    /// entries): real path → how the file was. The hands refuse what has changed since.
    pub stamps: BTreeMap<String, Stamp>,
    /// The folders that relative paths may stand in: the working folder, and those that the command changes to.
    pub folders: Vec<PathBuf>,
    /// What stood at the working folder, at each operand, and at every step of the way to them, as far as others than the
    /// administrator can change it: path by bytes → what stood there.
    pub places: BTreeMap<OsString, Found>,
    /// What else must be the same when the action is done; gathered only where a person is asked.
    pub frozen: Option<Frozen>,
    /// The guard's own files and folders, which no command reads or writes: its configuration, state, keys, record,
    /// sockets.
    pub guard: Vec<String>,
    /// Whether this machine can make a cell in which nothing can be changed, sent or reached ([`crate::action::Way::Look`]).
    pub cells: bool,
    /// The folders whose writes can be held back while the line runs ([`crate::action::Way::Stage`]); empty where this machine,
    /// or this line, cannot be staged: it speaks to other machines or to the system's services, or is to go on running.
    pub stage: Vec<PathBuf>,
    /// The session's working tree: that of its first request in one, wherever it works later.
    pub project: Option<PathBuf>,
    /// The folders in which the session may change files unasked where that can be undone: its own working tree.
    pub roots: Vec<PathBuf>,
    /// Whether no cell can hold what the line starts: every program of it speaks to the system's services or acts on other
    /// processes, as the configuration says (`sandbox.unconfined`).
    pub unconfined: bool,
    /// Whether the working folder lies in an ordinary work tree of git's, with a configuration of its own that starts
    /// nothing. Looked at only where git is started.
    pub plain_repository: bool,
    /// Files that anybody may read and no command writes: the guard's programs, and the settings of clients that say
    /// whether the guard is asked.
    pub settings: Vec<String>,
    /// The deed that an `UNDO` means; `None` where there is none that can be undone.
    pub undoes: Option<uuid::Uuid>,
    /// Whether an `UNDO` only sets a setting of the desktop back: volume, brightness, do-not-disturb.
    pub undoes_setting: bool,
    /// Whether all that an `UNDO` would bring back was changed by this very session, below the folders of the session.
    /// Nobody knows unless it was looked up.
    pub undoes_own: bool,
    /// `advanced_mode`: whether an action that needs a password can be done at all.
    pub advanced_mode: bool,
    /// True while a question is open: what could answer it waits in line.
    pub question_open: bool,
    /// The session has taken in text from outside (feature P1).
    pub corrupted: bool,
    /// The session has seen secrets (feature P1).
    pub secret: bool,
    /// What was found about the network of a command line.
    pub network: crate::network::NetworkFacts,
    /// What the registry knows of the command; `None` for what is no command line, or where there is no registry.
    pub history: Option<crate::policy::History>,
}

impl Situation {
    /// The marks of the session.
    #[must_use]
    pub fn taint(&self) -> crate::policy::Taint {
        crate::policy::Taint { corruption: self.corrupted, secret: self.secret }
    }
}

/// How a file was: another file in its place, or another content, has another stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The device and the number of the file on it.
    pub file: (u64, u64),
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed in any way, in seconds and nanoseconds; nobody can set this back.
    pub changed: (i64, i64),
}

/// What stands at a path, links not followed. Another file or folder in its place is not the same; what it holds does
/// not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing, or nothing that can be seen.
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

/// Which file it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The device and the number of the file on it.
    pub file: (u64, u64),
    /// When it was made, where the file system knows it: the number alone is given again to a file made later.
    /// In seconds and nanoseconds since 1970.
    pub born: Option<(u64, u32)>,
}

/// What was gathered before a person was asked, to be the same when the action is done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frozen {
    /// What patterns stood for, and what folders held.
    pub listings: Vec<Listing>,
    /// There was more that the action may load or run than is watched.
    pub partly: bool,
}

/// The names that were found by a pattern or in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Where it was looked.
    pub folder: PathBuf,
    /// What for.
    pub of: ListingQuery,
    /// What was found, each as the pattern is written, in order.
    pub names: Vec<OsString>,
}

/// What a listing is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListingQuery {
    /// The names that a word with patterns stands for.
    Word(Vec<Piece>),
    /// The files below the folder whose names fit one of these patterns of `*` and `?`; all of them where there is none.
    Tree(Vec<String>),
}

impl Frozen {
    /// What a word with patterns stood for in a folder.
    #[must_use]
    pub fn word(&self, folder: &Path, pieces: &[Piece]) -> Option<&[OsString]> {
        let is = |listing: &&Listing| {
            listing.folder == folder && matches!(&listing.of, ListingQuery::Word(word) if word == pieces)
        };
        self.listings.iter().find(is).map(|listing| listing.names.as_slice())
    }
}

/// What a program name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A file in a folder that only the system's administrator can write to: its real path.
    System(String),
    /// A file elsewhere: its real path.
    Elsewhere(String),
    /// No such program in the search path of executed commands.
    Missing,
}
