//! Confines executed programs: what a command may read, write, reach and leave behind.
//!
//! [`Sandbox::open`] makes a [`SandboxHandle`], in which programs are started as in a
//! [`crate::process::Group`]. A supervisor surrounds them: `guarda-keeper`, or this program started again as
//! `guarda __confine`. It reports for each cell which measures hold ([`Protection`]). Measures that this
//! machine cannot provide are named there, or the cell is refused ([`Spec::require`]).
//!
//! `isolated` holds back what `confined` cannot: changes of mode, owner and times wherever the user may make
//! them; the existence of files, and names in secret folders below a working folder that is the home folder;
//! the arguments of other processes, as `ps` shows them.

mod isolation;
mod bubblewrap;
mod calls;
mod handle;
mod files;
mod folders;
mod ipc;
mod network;
mod pool;
mod privileges;
mod serving;
pub mod session;
mod session_cell;
mod spec;
mod strays;
mod supervisor;
pub mod capture;
pub mod process;
pub mod relay;
pub mod stage;

use isolation::{hide, mounts, namespaces};
use std::io::Write as _;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};

pub use guarda_core::output::{Lack, Measure, NotHeld, Protection};
pub use handle::{Over, SandboxError, SandboxHandle};
pub use network::{Ends, Listeners, PORT as PROXY_PORT, original_destination};
pub use pool::SessionCell;
pub use spec::{Limits, Network, SandboxLevel, Spec};
pub use strays::{adopt_orphans, reap_strays};

use crate::pool::{
    Around, HELD, HOLD, JOIN, LOOK, MOUNTED, NEST, NETWORK, NETWORKED, Place, SUPERVISE, WAIT,
};
use crate::process::{Start, Streams};
use crate::stage::StagedRoot;

/// Its argument for the supervisor inside.
const WITHIN: &str = "within";
/// Runs this process as a supervisor if it was started as one, and returns its exit status. `main` calls it
/// first of all.
#[must_use]
pub fn run_as_supervisor() -> Option<ExitCode> {
    (std::env::args_os().nth(1)? == SUPERVISE).then(supervise)
}

/// Runs this process as a supervisor and returns its exit status. The whole of `guarda-keeper`.
#[must_use]
pub fn supervise() -> ExitCode {
    let waits = std::env::args_os().nth(3).is_some_and(|word| word == WAIT);
    let how = match std::env::args_os().nth(2) {
        Some(word) if word == LOOK => supervisor::Started::Look { waits },
        Some(word) if word == WITHIN => supervisor::Started::Within { waits },
        Some(word) if word == NETWORKED => supervisor::Started::Networked,
        Some(word) if word == MOUNTED => supervisor::Started::Mounted,
        Some(word) if word == HOLD => return ended(session_cell::make()),
        Some(word) if word == HELD => return ended(session_cell::hold().map(|()| ExitCode::SUCCESS)),
        Some(word) if word == JOIN => {
            if let Err(error) = namespaces::make(namespaces::JOINED) {
                return ended(Err(error));
            }
            supervisor::Started::Within { waits }
        }
        Some(word) if word == NETWORK => {
            let loopback = std::env::args().nth(3).unwrap_or_default();
            let program: Vec<_> = std::env::args_os().skip(4).collect();
            let joined = network::join(&loopback, &program);
            return ended(
                joined
                    .and_then(|()| supervisor::run(supervisor::Started::Networked))
                    .map(|()| ExitCode::SUCCESS),
            );
        }
        Some(word) if word == NEST => {
            let words = [SUPERVISE, WITHIN].into_iter().chain(waits.then_some(WAIT));
            return ended(namespaces::enter(namespaces::STAGED, words));
        }
        _ => supervisor::Started::Now,
    };
    ended(supervisor::run(how).map(|()| ExitCode::SUCCESS))
}

fn ended(life: std::io::Result<ExitCode>) -> ExitCode {
    match life {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "guarda: {error}");
            ExitCode::from(125)
        }
    }
}

/// True if this machine seems able to make a cell that can do no harm. Only queries the kernel. A service
/// makes one at its start and therefore knows ([`Capabilities::look`]).
#[must_use]
pub fn may_look() -> bool {
    static THERE: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *THERE.get_or_init(files::there)
}

/// True if this machine seems able to hold back a run's writes. Only queries the kernel. A service tries at
/// its start and therefore knows ([`Capabilities::stage`]).
#[must_use]
pub fn may_stage() -> bool {
    let reads = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    reads("/proc/filesystems").contains("overlay")
        && reads("/proc/sys/user/max_user_namespaces").trim() != "0"
        && (!apparmor_restricts() || Path::new(PROFILE).exists())
}

/// Where the package installs the AppArmor profile that lets the supervisor make user namespaces.
const PROFILE: &str = "/etc/apparmor.d/guarda-keeper";

/// True if AppArmor reserves user namespaces for programs with a profile.
#[must_use]
pub fn apparmor_restricts() -> bool {
    let switch = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
    std::fs::read_to_string(switch).is_ok_and(|value| value.trim() == "1")
}

/// True if a folder belongs to one person as a whole, so that its writes may be held back and committed
/// together.
#[must_use]
pub fn is_own(folder: &Path) -> bool {
    folders::writable(folder)
}

/// True if something is mounted below a folder, so that its writes cannot be held back as a whole.
#[must_use]
pub fn has_mounts(folder: &Path) -> bool {
    let below = |mount: mounts::Mount| mount.place.starts_with(folder) && mount.place != folder;
    mounts::all().map_or(true, |mounts| mounts.into_iter().any(below))
}

/// The factory of sandboxes.
#[derive(Debug, Clone)]
pub struct Sandbox {
    /// The supervisor's program, with the identity of its file when this was created: an update may replace
    /// it.
    supervisor: PathBuf,
    file: Option<Arc<OwnedFd>>,
    bubblewrap: Option<PathBuf>,
    /// Waiting supervisors; only after [`Sandbox::keep_ready`].
    pool: Option<Arc<pool::Pool>>,
    /// The session's cell in which its sandboxes are made; only after [`Sandbox::within`].
    session: Option<Arc<SessionCell>>,
}

/// The measures that this machine provides, found by making one sandbox of each kind.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Capabilities {
    /// The measures of `confined`.
    pub confined: Result<Protection, NotHeld>,
    /// The measures of `isolated`.
    pub isolated: Result<Protection, NotHeld>,
    /// The measures of a cell that can do no harm ([`Spec::look`]); an error if none can be made.
    pub look: Result<Protection, NotHeld>,
    /// The measures around a staged run ([`Spec::stage`]); an error if none can be made.
    pub stage: Result<Protection, NotHeld>,
    /// How a `confined` run reaches its hosts; an error if it cannot.
    pub network: Result<NetworkWay, NotHeld>,
}

/// How a run's connections come to the guard ([`Network::Hosts`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkWay {
    /// Through a network namespace of the run, with the guard at its end.
    Own,
    /// Through the supervisor, which makes each connection in the program's place. Needs no namespaces.
    Notified,
}

impl Sandbox {
    /// Uses `guarda-keeper` beside the running program as the supervisor, because it starts in a fraction of
    /// the time. If it is missing, the running program is used, which must then be `guarda`.
    #[must_use]
    pub fn new() -> Self {
        let running = std::env::current_exe().unwrap_or_else(|_unknown| "/proc/self/exe".into());
        let beside = running.with_file_name("guarda-keeper");
        Self::with_supervisor(if beside.is_file() { beside } else { running })
    }

    /// Uses the program at this path as the supervisor: `guarda-keeper` or `guarda`.
    pub fn with_supervisor(supervisor: impl Into<PathBuf>) -> Self {
        let places =
            ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
        let bubblewrap = places.iter().map(PathBuf::from).find(|path| path.is_file());
        let supervisor = supervisor.into();
        let supervisor = std::path::absolute(&supervisor).unwrap_or(supervisor);
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = rustix::fs::open(&supervisor, flags, Mode::empty()).ok().map(Arc::new);
        Self { supervisor, file, bubblewrap, pool: None, session: None }
    }

    /// From now on, each use of a supervisor lets others wait for the next commands.
    #[must_use]
    pub fn keep_ready(self) -> Self {
        Self { pool: Some(Arc::default()), ..self }
    }

    /// Starts the cell of a session, with its `/tmp` in `folder`. It stands until it is dropped.
    ///
    /// # Errors
    /// The operating system's.
    pub fn session(&self, folder: &Path) -> std::io::Result<SessionCell> {
        SessionCell::begin(&self.program(), folder)
    }

    /// Makes sandboxes in the cell of a session: their programs share its processes.
    #[must_use]
    pub fn within(&self, session: Arc<SessionCell>) -> Self {
        Self { session: Some(session), ..self.clone() }
    }

    /// The path of the supervisor's program.
    fn program(&self) -> PathBuf {
        match &self.file {
            Some(file) => format!("/proc/self/fd/{}", file.as_raw_fd()).into(),
            None => self.supervisor.clone(),
        }
    }

    async fn network_way(&self) -> Result<NetworkWay, NotHeld> {
        let confined = Spec::new(SandboxLevel::Confined, None, "/nonexistent");
        let spec = Spec { network: Network::Hosts, ..confined };
        let mut cell = self.open(&spec).await.map_err(|error| NotHeld(error.to_string()))?;
        let way = match cell.take_network() {
            Some(Ends::Own(_)) => Ok(NetworkWay::Own),
            Some(Ends::Notified(_)) => Ok(NetworkWay::Notified),
            None => Err(NotHeld(cell.protection().notes.join("; "))),
        };
        let _ = cell.end(std::time::Duration::ZERO).await;
        way
    }

    /// Finds the measures that this machine provides, for the status and the start. Takes about ten milliseconds.
    pub async fn probe(&self) -> Capabilities {
        let one = async |spec: Spec| {
            let mut cell = self.open(&spec).await.map_err(|error| NotHeld(error.to_string()))?;
            let protection = cell.protection().clone();
            let _ = cell.end(std::time::Duration::ZERO).await;
            Ok(protection)
        };
        let stage = async {
            let rehearsal = Rehearsal::new().map_err(|error| NotHeld(error.to_string()))?;
            one(Spec::stage(None, "/nonexistent", vec![rehearsal.staged()])).await
        };
        // At once: each waits for processes of its own.
        let (confined, isolated, look, stage, network) = tokio::join!(
            one(Spec::new(SandboxLevel::Confined, None, "/nonexistent")),
            one(Spec::new(SandboxLevel::Isolated, None, "/nonexistent")),
            one(Spec::look(SandboxLevel::Confined, None, "/nonexistent")),
            stage,
            self.network_way(),
        );
        Capabilities { confined, isolated, look, stage, network }
    }

    /// Makes a sandbox and waits until it is ready. If bubblewrap is missing or does not work, `isolated` becomes `confined`.
    /// If no network namespace can be made, the supervisor makes the connections of a `confined` run; if it cannot do that
    /// either, the run has no network. Each lack is reported.
    ///
    /// # Errors
    /// If it cannot be made, or lacks a measure that the specification requires. Nothing has been run then.
    pub async fn open(&self, spec: &Spec) -> Result<SandboxHandle, SandboxError> {
        match self.open_as_specified(spec).await {
            Err(SandboxError::NoNetwork(why)) => {
                let notified = Spec { notified: true, ..spec.clone() };
                let possible = spec.profile == SandboxLevel::Confined && !spec.is_within();
                let also = match possible {
                    true => match self.start(None, &notified).await {
                        Err(SandboxError::NoNetwork(also)) => also,
                        cell => {
                            let mut cell = cell?;
                            let note = "network without namespaces: only connections by TCP, no ports of its own, names \
                                        only for programs that use the proxy or the C library";
                            cell.protection_mut().notes.push(format!("{note} ({why})"));
                            return Ok(cell);
                        }
                    },
                    false => "only in the profile confined can connections be made for a program".to_owned(),
                };
                let why = format!("{why}; {also}");
                let offline = Spec { network: Network::None, ..spec.clone() };
                let mut cell = self.open_as_specified(&offline).await?;
                cell.protection_mut().notes.push(format!("no network: {why}"));
                Ok(cell)
            }
            cell => cell,
        }
    }

    async fn open_as_specified(&self, spec: &Spec) -> Result<SandboxHandle, SandboxError> {
        if spec.profile != SandboxLevel::Isolated || spec.is_within() {
            return self.start(None, spec).await;
        }
        let why = match &self.bubblewrap {
            None => "bubblewrap is not installed".to_owned(),
            Some(bubblewrap) => match self.isolated(bubblewrap, spec).await {
                Ok(cell) => return Ok(cell),
                Err(error @ (SandboxError::Lacking(_) | SandboxError::NoNetwork(_))) => return Err(error),
                Err(error) => format!("bubblewrap does not work here: {error}"),
            },
        };
        if spec.require {
            return Err(SandboxError::Lacking(why));
        }
        let mut confined = spec.clone();
        confined.profile = SandboxLevel::Confined;
        let mut cell = self.start(None, &confined).await?;
        let protection = cell.protection_mut();
        protection.profile = SandboxLevel::Isolated;
        protection.enter(Measure::Namespaces, Err(NotHeld(why)));
        Ok(cell)
    }

    /// Makes a sandbox and starts a program in it at once, without a wake-up in between. Returns the program's result with
    /// the sandbox.
    ///
    /// # Errors
    /// As [`Sandbox::open`]. The program was then not started either.
    pub async fn begin(
        &self,
        spec: &Spec,
        start: Start,
        streams: Streams,
    ) -> Result<(SandboxHandle, std::io::Result<usize>), SandboxError> {
        let namespaces = spec.profile == SandboxLevel::Isolated && !spec.is_within();
        if namespaces || spec.network == Network::Hosts {
            let mut cell = self.open(spec).await?;
            let started = cell.start(start, streams).await;
            return Ok((cell, started));
        }
        let supervisor = self.supervisor(None, spec)?;
        ipc::order(supervisor.socket.as_fd(), &ipc::Order::Start(Box::new(start), streams))?;
        let mut cell = SandboxHandle::new(supervisor.socket, supervisor.process).await?;
        let started = cell.started().await;
        Ok((cell, started))
    }

    async fn isolated(&self, bubblewrap: &Path, spec: &Spec) -> Result<SandboxHandle, SandboxError> {
        let supervisor = std::fs::canonicalize(&self.supervisor)?;
        let root = rustix::process::geteuid().is_root();
        // Until the cell stands.
        let mut stubs = hide::StubFolder::new()?;
        let words = bubblewrap::arguments(spec, (&supervisor, root), &mut stubs)?;
        let mut within = spec.clone();
        within.temporary = PathBuf::from(bubblewrap::TEMPORARY);
        let mut cell = self.start(Some((bubblewrap, words)), &within).await?;
        cell.protection_mut().enter(Measure::Namespaces, Ok(()));
        Ok(cell)
    }

    async fn start(&self, around: Option<Around<'_>>, spec: &Spec) -> Result<SandboxHandle, SandboxError> {
        let supervisor = self.supervisor(around, spec)?;
        SandboxHandle::new(supervisor.socket, supervisor.process).await
    }

    /// Orders this sandbox from a waiting supervisor, or from one that is started now, alone or inside the
    /// program `around`.
    fn supervisor(&self, around: Option<Around<'_>>, spec: &Spec) -> std::io::Result<pool::Supervisor> {
        let kind = if spec.is_within() { pool::Kind::Stage } else { pool::Kind::Look };
        let place =
            match self.session.clone().filter(|_| around.is_none() && spec.profile != SandboxLevel::None) {
                Some(session) => Place::Session(session),
                None => Place::Here(self.program()),
            };
        let pooled = self.pool.as_ref().filter(|_| kind == pool::Kind::Stage || spec.may_wait());
        let waiting = pooled.and_then(|pool| place.pool(pool).take(kind));
        let supervisor = match waiting {
            Some(supervisor) => supervisor,
            None if spec.is_within() || around.is_none() && spec.may_wait() => {
                pool::Supervisor::of(&place, kind)?
            }
            None if spec.network == Network::Hosts && !spec.notified => {
                pool::Supervisor::network(&place, around, &spec.loopback)?
            }
            // What this does is done on the disk at once, but for what it may only read.
            None if around.is_none() && spec.profile == SandboxLevel::Confined && !spec.kept.is_empty() => {
                pool::Supervisor::mounted(&place)?
            }
            None => pool::Supervisor::start(&place, around)?,
        };
        let mut spec = spec.clone();
        if spec.is_within() {
            spec.sockets = spec::sockets_at_paths();
            if let Place::Session(cell) = &place {
                spec.session_tmp = Some(cell.tmp.path().to_owned());
            }
        }
        match ipc::order(supervisor.socket.as_fd(), &ipc::Order::Open(Box::new(spec))) {
            // A supervisor that is already gone has reported why; that message is read next.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            ordered => ordered?,
        }
        if let Some(pool) = pooled.cloned() {
            tokio::spawn(async move {
                tokio::time::sleep(pool::LATER).await;
                place.pool(&pool).fill(&place, kind);
            });
        }
        Ok(supervisor)
    }
}

/// Folders for a trial of a staged run; removed on drop.
struct Rehearsal(PathBuf);

impl Rehearsal {
    fn new() -> std::io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        let number = uuid::Uuid::new_v4();
        let folder = Self(std::env::temp_dir().join(format!("guarda-{number}")));
        std::fs::DirBuilder::new().mode(0o700).create(&folder.0)?;
        for part in ["root", "upper", "work"] {
            std::fs::create_dir(folder.0.join(part))?;
        }
        Ok(folder)
    }

    fn staged(&self) -> StagedRoot {
        let [root, upper, work] = ["root", "upper", "work"].map(|part| self.0.join(part));
        StagedRoot { root, upper, work }
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        // The kernel leaves behind folders without any permissions.
        let _ = stage::wipe(&self.0);
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}
