//! The permissions of a sandbox: plain data that the hands make and that is sent to the supervisor before
//! anything runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::stage::StagedRoot;
pub use guarda_core::action::custody::SandboxLevel;
pub use guarda_core::output::Network;

/// Resource limits of a command. `None` leaves the guard's own limit in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Processes of this user, including those outside the sandbox.
    pub processes: Option<u64>,
    /// Data of one process (private writable memory), in bytes.
    pub memory: Option<u64>,
    /// Size of one written file, in bytes.
    pub file_size: Option<u64>,
    /// Open files of one process.
    pub open_files: Option<u64>,
    /// Processor time of one process, in seconds.
    pub cpu_seconds: Option<u64>,
}

/// The sockets that the filters permit, besides pairs that are connected to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// None.
    None,
    /// Internet sockets in the run's own network, which lead to the guard. `local`: as for [`Sockets::All`].
    Own { local: bool },
    /// Internet streams that the supervisor connects ([`Spec::notified`]).
    Notified,
    /// Those of the internet. `local`: also those at paths, because the run sees none but its own.
    All { local: bool },
}

impl Sockets {
    /// Whether the run is held back in a session's cell: it may signal the others there, and the cell is the fence.
    pub(super) fn share_processes(self) -> bool {
        let held_back = matches!(self, Self::Own { local: true } | Self::All { local: true });
        held_back && !rustix::process::getpid().is_init()
    }
}

/// What one command may reach. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The sandbox level.
    pub profile: SandboxLevel,
    /// True if the command can do no harm ([`guarda_core::action::Way::Look`]): it writes only to the private
    /// temporary folder, changes no mode, owner or time, and makes no sockets. Only [`Spec::look`] sets it.
    pub look: bool,
    /// True if its words say that it goes on running: what it waits for is looked for at once.
    pub stays: bool,
    /// The folders whose writes are held back ([`guarda_core::action::Way::Stage`]); empty for every other
    /// way. Only [`Spec::stage`] sets it.
    pub staged: Vec<StagedRoot>,
    /// The folders and files that a line which goes on running changes at once, as far as they are writable. It gets namespaces like
    /// those of a staged run. Empty for every other way.
    pub live: Vec<PathBuf>,
    /// The folder that is `/tmp` to what its session keeps running: to this run, too, if it goes on, and otherwise its sockets are
    /// seen.
    pub session_tmp: Option<PathBuf>,
    /// The user's home folder, readable except for its secrets. `None`: it is not readable.
    pub home: Option<PathBuf>,
    /// The folders and files that are all of the home folder that the command sees, by their paths in it. `None`: it sees the whole.
    /// A cell with mounts has an empty home folder with these in it; elsewhere the rest is only closed.
    pub pieces: Option<Vec<PathBuf>>,
    /// Links below the home folder that lead to these pieces, and where they lead.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders and files that it may change: the working folder and those that the judged action names.
    pub writable: Vec<PathBuf>,
    /// Paths that a person's yes named. They may be changed, and names next to them created and removed.
    pub named: Vec<PathBuf>,
    /// The program does only what its name says to its operands (`rm`, `cp` …). Names may then also be
    /// created and removed in folders that contain something hidden, such as the home folder.
    pub tidy: bool,
    /// Secrets of the home folder that it may read.
    pub opened: Vec<PathBuf>,
    /// Folders and files that it may read in addition to the system's, the home folder's and the writable
    /// ones.
    pub readable: Vec<PathBuf>,
    /// Paths that it may not even read: the guard's own folders. Overrides everything else.
    pub hidden: Vec<PathBuf>,
    /// Those of the hidden folders that are the guard's own. They look empty, so that listing a folder that holds one does not fail.
    pub own: Vec<PathBuf>,
    /// Sockets of other programs, which a held-back run must not reach, and whether somebody serves them as a stream.
    /// [`super::Sandbox`] finds them.
    pub sockets: BTreeMap<PathBuf, bool>,
    /// Paths that it may read but not write: the guard's programs, the settings of agents' clients.
    pub kept: Vec<PathBuf>,
    /// The network that it may use.
    pub network: Network,
    /// With [`Network::Hosts`]: ports of this machine's own loopback address that it may reach instead of its
    /// own.
    pub loopback: Vec<u16>,
    /// With [`Network::Hosts`] and without namespaces: the supervisor makes each connection in a program's
    /// place. Only [`super::Sandbox::open`] sets it.
    pub notified: bool,
    /// Its resource limits.
    pub limits: Limits,
    /// Refuse, instead of report, if this machine cannot provide a part of the profile.
    pub require: bool,
    /// Where the private temporary folder is created. It is removed when the command ends.
    pub temporary: PathBuf,
}

impl Spec {
    /// A sandbox with `profile` in which only `folder` is writable.
    pub fn new(profile: SandboxLevel, home: Option<PathBuf>, folder: impl Into<PathBuf>) -> Self {
        Self {
            profile,
            look: false,
            stays: false,
            staged: Vec::new(),
            live: Vec::new(),
            session_tmp: None,
            home,
            pieces: None,
            links: Vec::new(),
            writable: vec![folder.into()],
            named: Vec::new(),
            tidy: false,
            opened: Vec::new(),
            readable: Vec::new(),
            hidden: Vec::new(),
            own: Vec::new(),
            sockets: BTreeMap::new(),
            kept: Vec::new(),
            network: Network::None,
            loopback: Vec::new(),
            notified: false,
            limits: Limits::default(),
            require: false,
            temporary: PathBuf::from("/tmp"),
        }
    }

    /// A cell that can do no harm, in which `folder` and the home folder are readable except for secrets. It
    /// is refused if a measure is missing.
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
    /// A cell in which writes to `staged` never reach the disk. Its network is empty, or has only the guard's
    /// end ([`Network::Hosts`]). It is refused if a measure is missing.
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

    /// Whether it gets namespaces of its own, made by its supervisor.
    pub(super) fn is_within(&self) -> bool {
        !self.staged.is_empty() || !self.live.is_empty()
    }

    /// Whether a path lies in a folder that it changes, held back or at once.
    pub(super) fn changes(&self, path: &Path) -> bool {
        self.staged.iter().map(|staged| &staged.root).chain(&self.live).any(|root| path.starts_with(root))
    }

    /// The sockets that the filters must permit. `local`: nobody else's socket can be reached at a path.
    pub(super) fn sockets(&self, local: bool) -> Sockets {
        match self.network {
            Network::Hosts if self.notified => Sockets::Notified,
            Network::Hosts => Sockets::Own { local },
            // The run's own network is empty, so sockets reach nothing.
            Network::None if !self.is_within() => Sockets::None,
            Network::None | Network::All => Sockets::All { local },
        }
    }

    /// True if what it writes to the usual temporary folder is kept like its other changes.
    pub(super) fn keeps_temporary(&self) -> bool {
        self.staged.iter().any(|staged| Path::new("/tmp").starts_with(&staged.root))
    }

    /// True if a waiting supervisor can serve this: everything that it restricts in advance is the same for
    /// all of them.
    pub(super) fn may_wait(&self) -> bool {
        self.look && self.profile == SandboxLevel::Confined && self.network == Network::None
    }
}

impl Limits {
    /// Limits of a command that was allowed without a question.
    pub const LOOK: Self = Self {
        processes: Some(4096),
        memory: Some(4 << 30),
        file_size: Some(256 << 20),
        open_files: Some(4096),
        cpu_seconds: Some(600),
    };

    /// Limits of a staged run. What it writes is bounded as a whole by the guard: a file that ends at a limit of this
    /// process could be committed as if it were complete.
    pub const STAGE: Self = Self {
        processes: Some(8192),
        memory: Some(8 << 30),
        file_size: None,
        open_files: Some(16384),
        cpu_seconds: Some(3600),
    };
}

/// A cancelled run's grace period, as the socket between guard and supervisor carries it.
pub(super) fn milliseconds(grace: Duration) -> u32 {
    u32::try_from(grace.as_millis()).unwrap_or(u32::MAX)
}

/// The sockets at paths in this process's network, and which of them are streams that somebody serves. A socket that is made
/// later is covered by its folder.
pub(super) fn sockets_at_paths() -> BTreeMap<PathBuf, bool> {
    sockets_in(&std::fs::read_to_string("/proc/self/net/unix").unwrap_or_default())
}

/// Those in the kernel's list of a network, as the programs wrote their paths. A relative one leads from a folder that the list does
/// not tell.
pub(super) fn sockets_in(list: &str) -> BTreeMap<PathBuf, bool> {
    // Listening sockets have this flag, and streams this type. A path that begins with `@` is none.
    let socket = |line: &str| {
        let (mut fields, mut rest) = ([""; 7], line);
        for field in &mut fields {
            (*field, rest) = rest.trim_start().split_once(' ')?;
        }
        let path = Path::new(rest).strip_prefix(".").unwrap_or(Path::new(rest));
        (!rest.is_empty() && !rest.starts_with('@'))
            .then(|| (path.to_owned(), fields[3] == "00010000" && fields[4] == "0001"))
    };
    let mut sockets = BTreeMap::new();
    for (path, served) in list.lines().skip(1).filter_map(socket) {
        *sockets.entry(path).or_default() |= served;
    }
    sockets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_read_as_the_kernel_writes_them() {
        let list = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                    000000005107c41a: 00000002 00000000 00010000 0001 01 19257834 /run/a b.sock\n\
                    000000005107c41b: 00000002 00000000 00010000 0002 01   257 ./c.sock\n\
                    000000005107c41c: 00000002 00000000 00010000 0001 01 1 @abstract/x\n\
                    000000005107c41d: 00000003 00000000 00000000 0001 03 19259232\n\
                    x y\n";
        let expected =
            [("/run/a b.sock", true), ("c.sock", false)].map(|(path, served)| (path.into(), served));
        assert_eq!(sockets_in(list), expected.into());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.sock");
        let _own = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert_eq!(sockets_at_paths().get(&path), Some(&true));
    }

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
