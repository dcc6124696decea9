//! The permissions of a sandbox: plain data, made by the hands, sent to the supervisor before anything runs.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::stage::StagedRoot;
pub use guarda_core::action::custody::SandboxLevel;
pub use guarda_core::output::Network;

/// Resource limits of a command. `None` leaves the guard's own limit in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Processes of this user, those outside the sandbox included.
    pub processes: Option<u64>,
    /// Data of one process (its private writable memory), in bytes.
    pub memory: Option<u64>,
    /// Size of one file it writes, in bytes.
    pub file_size: Option<u64>,
    /// Open files of one process.
    pub open_files: Option<u64>,
    /// Processor time of one process, in seconds.
    pub cpu_seconds: Option<u64>,
}

/// The sockets that the filters leave to programs, beside pairs that are connected to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// None.
    None,
    /// Those of the internet that lead to the guard, in a network of the run's own.
    Own,
    /// Streams of the internet that the supervisor connects ([`Spec::notified`]).
    Notified,
    /// Those of the internet.
    All,
}

/// What one command may reach. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// How much it is kept in.
    pub profile: SandboxLevel,
    /// Whether it can do no harm ([`guarda_core::action::Way::Look`]): nothing is written but the private temporary
    /// folder, no mode, owner or time is changed, and no socket is made. Only [`Spec::look`] sets it.
    pub look: bool,
    /// The folders whose writes are held back ([`guarda_core::action::Way::Stage`]); empty for every other way. Only
    /// [`Spec::stage`] sets it.
    pub staged: Vec<StagedRoot>,
    /// The user's home folder: readable but for its secrets. `None`: nothing of it is.
    pub home: Option<PathBuf>,
    /// Folders and files it may change: the working folder, and those that the judged action names.
    pub writable: Vec<PathBuf>,
    /// Paths that a person's yes named: they may be changed, and names beside them created and removed.
    pub named: Vec<PathBuf>,
    /// The program does to what it is given what its name says, and nothing else (`rm`, `cp` …): names may then also be
    /// made and removed in folders with something hidden below them, such as the home folder.
    pub tidy: bool,
    /// Folders and files it may read beyond the system's, the home folder's and the writable ones.
    pub readable: Vec<PathBuf>,
    /// Paths that it may not even read: the guard's own folders. Overrides everything else.
    pub hidden: Vec<PathBuf>,
    /// Paths that it may read and not write: the guard's programs, the settings of agents' clients.
    pub kept: Vec<PathBuf>,
    /// What of the network it may use.
    pub network: Network,
    /// With [`Network::Hosts`]: ports of this machine's own loopback address that it may reach, in place of its own.
    pub loopback: Vec<u16>,
    /// With [`Network::Hosts`]: there are no namespaces, so the supervisor makes each connection in a program's place. Only
    /// [`super::Sandbox::open`] sets it.
    pub notified: bool,
    /// Its resource limits.
    pub limits: Limits,
    /// Refuse, rather than report, when this machine lacks a part of the profile.
    pub require: bool,
    /// Where the private temporary folder is made; it is removed when the command ends.
    pub temporary: PathBuf,
}

impl Spec {
    /// A sandbox with `profile`, in which only `folder` can be written to.
    pub fn new(profile: SandboxLevel, home: Option<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            profile,
            look: false,
            staged: Vec::new(),
            home,
            writable: vec![folder.into()],
            named: Vec::new(),
            tidy: false,
            readable: Vec::new(),
            hidden: Vec::new(),
            kept: Vec::new(),
            network: Network::None,
            loopback: Vec::new(),
            notified: false,
            limits: Limits::default(),
            require: false,
            temporary: PathBuf::from("/tmp"),
        }
    }

    /// A cell that can do no harm, in which `folder` and the home folder can be read but for their secrets. It is
    /// refused rather than made with less.
    pub fn look(profile: SandboxLevel, home: Option<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Self {
            look: true,
            writable: Vec::new(),
            readable: vec![folder.clone()],
            limits: Limits::LOOK,
            require: true,
            ..Self::new(profile.max(SandboxLevel::Confined), home, folder)
        }
    }
}

impl Spec {
    /// A cell in which `staged` can be written to and nothing of it reaches the disk. It has a network of its own with
    /// nobody in it, or with the guard's end alone ([`Network::Hosts`]). It is refused rather than made with less.
    pub fn stage(home: Option<PathBuf>, folder: impl Into<PathBuf>, staged: Vec<StagedRoot>) -> Self {
        Self {
            writable: staged.iter().map(|staged| staged.root.clone()).collect(),
            staged,
            readable: vec![folder.into()],
            limits: Limits::STAGE,
            require: true,
            temporary: PathBuf::from("/var/tmp"),
            ..Self::new(SandboxLevel::Isolated, home, "/")
        }
    }

    /// What the filters are to leave open.
    pub(super) fn sockets(&self) -> Sockets {
        match self.network {
            Network::Hosts if self.notified => Sockets::Notified,
            Network::Hosts => Sockets::Own,
            // In a network of its own nobody is there to be reached.
            Network::None if self.staged.is_empty() => Sockets::None,
            Network::None | Network::All => Sockets::All,
        }
    }

    /// Whether a supervisor can have waited for this: all that it takes upon itself beforehand is the same in each of
    /// them.
    pub(super) fn may_wait(&self) -> bool {
        self.look && self.profile == SandboxLevel::Confined && self.network == Network::None
    }
}

impl Limits {
    /// Limits of a command that nobody was asked about.
    pub const LOOK: Self = Self {
        processes: Some(4096),
        memory: Some(4 << 30),
        file_size: Some(256 << 20),
        open_files: Some(4096),
        cpu_seconds: Some(600),
    };

    /// Limits of a staged run.
    pub const STAGE: Self = Self {
        processes: Some(8192),
        memory: Some(8 << 30),
        file_size: Some(4 << 30),
        open_files: Some(16384),
        cpu_seconds: Some(3600),
    };
}

/// How long a cancelled run may take to end by itself, as the socket between guard and supervisor carries it.
pub(super) fn milliseconds(grace: Duration) -> u32 {
    u32::try_from(grace.as_millis()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_cell_without_network_and_namespaces_can_have_been_waited_for() {
        let look = Spec::look(SandboxLevel::Confined, None, "/");
        let open = Spec { network: Network::All, ..look.clone() };
        let isolated = Spec { profile: SandboxLevel::Isolated, ..look.clone() };
        for (spec, may) in [
            (look, true),
            (open, false),
            (isolated, false),
            (Spec::new(SandboxLevel::Confined, None, "/"), false),
        ] {
            assert_eq!(spec.may_wait(), may, "{spec:?}");
        }
    }
}
