//! What was true when an action was judged. The judge reads nothing else.

use std::collections::BTreeMap;

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
    /// Operands that are symbolic links or lie below one: absolute path without `.` and `..` → real path.
    pub links: BTreeMap<String, String>,
    /// The real paths of all operands that were looked up.
    pub named: std::collections::BTreeSet<String>,
    /// Files whose content says what is run (programs and scripts that others than the administrator can change, desktop
    /// entries): real path → how the file was. The hands refuse what has changed since.
    pub stamps: BTreeMap<String, Stamp>,
    /// Files and folders of the guard itself: its program, configuration, state, sockets.
    pub guard: Vec<String>,
    /// `advanced_mode`: whether an action that needs a password can be done at all.
    pub advanced_mode: bool,
    /// True while a question is open: nothing that could press a key may run.
    pub question_open: bool,
    /// The session has taken in text from outside (seed 001).
    pub corrupted: bool,
    /// The session has seen secrets (seed 001).
    pub secret: bool,
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
