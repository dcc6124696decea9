//! What a sandbox is to allow: plain data, made by the hands, carried to the keeper before anything is run.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How much a command is kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Not at all; its processes are still ended with it.
    None,
    /// By the kernel's own means, without namespaces: Landlock, seccomp, no new privileges, limits.
    #[default]
    Confined,
    /// As `Confined`, and in namespaces of its own, made by bubblewrap.
    Isolated,
}

impl Profile {
    /// The name on the wire and in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Confined => "confined",
            Self::Isolated => "isolated",
        }
    }
}

/// What of the network a command may use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// No socket of any kind.
    #[default]
    None,
    /// TCP connections to these ports of any host, and UDP, without which no name is found. Listening is not possible.
    Ports(Vec<u16>),
    /// Internet sockets without restriction, this machine's own services among what they reach.
    All,
}

/// What a command may use up. What is `None` stays as it is for the guard itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Processes of this user, those outside the sandbox included.
    pub processes: Option<u64>,
    /// Address space of one process, in bytes.
    pub memory: Option<u64>,
    /// Size of one file it writes, in bytes.
    pub file_size: Option<u64>,
    /// Open files of one process.
    pub open_files: Option<u64>,
    /// Processor time of one process, in seconds.
    pub cpu_seconds: Option<u64>,
}

/// What one command may reach. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// How much it is kept in.
    pub profile: Profile,
    /// The user's home folder: readable but for its secrets. `None`: nothing of it is.
    pub home: Option<PathBuf>,
    /// Folders and files it may change: the working folder, and what the judged action names.
    pub writable: Vec<PathBuf>,
    /// Folders and files it may read beyond the system's, the home folder's and the writable ones.
    pub readable: Vec<PathBuf>,
    /// What it may not even read, wherever it lies: the guard's own folders. Wins over all else.
    pub hidden: Vec<PathBuf>,
    /// What of the network it may use.
    pub network: Network,
    /// What it may use up.
    pub limits: Limits,
    /// Refuse, rather than report, when this machine lacks a part of the profile.
    pub require: bool,
    /// Where the private temporary folder is made; it is removed when the command ends.
    pub temporary: PathBuf,
}

impl Spec {
    /// A sandbox with `profile`, in which only `folder` can be written to.
    pub fn new(profile: Profile, home: Option<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            profile,
            home,
            writable: vec![folder.into()],
            readable: Vec::new(),
            hidden: Vec::new(),
            network: Network::None,
            limits: Limits::default(),
            require: false,
            temporary: PathBuf::from("/tmp"),
        }
    }
}

/// How long what was called off is given to end by itself, as the line between guard and keeper carries it.
pub(super) fn milliseconds(grace: Duration) -> u32 {
    u32::try_from(grace.as_millis()).unwrap_or(u32::MAX)
}
