//! Confines what is executed: what a command may read, write, reach and leave behind.
//!
//! [`Sandbox::open`] makes a [`SandboxHandle`]; programs are started in it as in a [`crate::process::Group`]. Around
//! them stands a supervisor: `guarda-keeper`, or this program itself, started again as `guarda __confine`. What held is
//! told by it for each cell ([`Protection`]); what this machine could not give is named there, or the cell is refused
//! ([`Spec::require`]).
//!
//! What `confined` cannot hold back, and `isolated` does: changes of a file's mode, owner and times wherever the user
//! may make them; that files exist, and the names in secret folders below a working folder that is the home folder;
//! the arguments of other processes, as `ps` shows them.

mod bubblewrap;
mod calls;
mod handle;
mod files;
mod folders;
mod ipc;
mod mounts;
mod namespaces;
mod network;
mod pool;
mod privileges;
mod spec;
mod strays;
mod supervisor;
pub mod capture;
pub mod process;
pub mod relay;
pub mod stage;

use std::io::Write as _;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};

pub use guarda_core::output::{Lack, Measure, NotHeld, Protection};
pub use handle::{Over, SandboxError, SandboxHandle};
pub use network::{Ends, Listeners, PORT as PROXY_PORT, original_destination};
pub use spec::{Limits, Network, SandboxLevel, Spec};
pub use strays::{adopt_orphans, reap_strays};

use crate::process::{Start, Streams};
use crate::stage::StagedRoot;

/// The hidden sub-command that makes this program a supervisor.
const SUPERVISE: &str = "__confine";
/// The word after it, or after the next two, for one that waits until it is needed.
const WAIT: &str = "wait";
/// The word after it for one that makes namespaces and starts another in them.
const NEST: &str = "nest";
/// The word after it for the one in them.
const WITHIN: &str = "within";
/// The word after it for one that makes a network of its own, and then becomes another program if one is named.
const NETWORK: &str = "network";
/// The word after it for one that another has put into such a network.
const NETWORKED: &str = "networked";

/// If this program was started as a supervisor: the whole of its life, and its exit status. For `main`, before anything
/// else is done.
#[must_use]
pub fn run_as_supervisor() -> Option<ExitCode> {
    (std::env::args_os().nth(1)? == SUPERVISE).then(supervise)
}

/// The whole of a supervisor's life, and its exit status: what `guarda-keeper` does.
#[must_use]
pub fn supervise() -> ExitCode {
    let waits = std::env::args_os().nth(3).is_some_and(|word| word == WAIT);
    let how = match std::env::args_os().nth(2) {
        Some(word) if word == WAIT => supervisor::Started::Beforehand,
        Some(word) if word == WITHIN => supervisor::Started::Within { waits },
        Some(word) if word == NETWORKED => supervisor::Started::Networked,
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
            return ended(namespaces::enter(words));
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

/// Whether this machine seems able to make a cell that can do no harm: a question to the kernel, without making one. A
/// service makes one at its start and knows ([`Capabilities::look`]).
#[must_use]
pub fn may_look() -> bool {
    static THERE: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *THERE.get_or_init(files::there)
}

/// Whether this machine seems able to hold back what a run writes: a look at what the kernel offers, without trying. A
/// service tries at its start and knows ([`Capabilities::stage`]).
#[must_use]
pub fn may_stage() -> bool {
    let reads = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    reads("/proc/filesystems").contains("overlay")
        && reads("/proc/sys/user/max_user_namespaces").trim() != "0"
        && (!apparmor_restricts() || Path::new(PROFILE).exists())
}

/// Where the package puts the AppArmor profile that lets the supervisor make user namespaces.
const PROFILE: &str = "/etc/apparmor.d/guarda-keeper";

/// Whether AppArmor lets only programs with a profile make user namespaces.
#[must_use]
pub fn apparmor_restricts() -> bool {
    let switch = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
    std::fs::read_to_string(switch).is_ok_and(|value| value.trim() == "1")
}

/// Whether a folder is somebody's own as a whole, so that its writes may be held back and let through together.
#[must_use]
pub fn is_own(folder: &Path) -> bool {
    folders::writable(folder)
}

/// What makes sandboxes.
#[derive(Debug, Clone)]
pub struct Sandbox {
    /// The supervisor's program, and the file it was when this was made: an update may put another in its place.
    supervisor: PathBuf,
    file: Option<Arc<OwnedFd>>,
    bubblewrap: Option<PathBuf>,
    /// Supervisors that wait; only where [`Sandbox::keep_ready`] was called.
    pool: Option<Arc<pool::Pool>>,
}

/// What this machine can hold back: found out by making one sandbox of each kind.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Capabilities {
    /// What holds in `confined`.
    pub confined: Result<Protection, NotHeld>,
    /// What holds in `isolated`.
    pub isolated: Result<Protection, NotHeld>,
    /// What holds in a cell that can do no harm ([`Spec::look`]); an error where none can be made.
    pub look: Result<Protection, NotHeld>,
    /// What holds around a staged run ([`Spec::stage`]); an error where none can be made.
    pub stage: Result<Protection, NotHeld>,
    /// How a `confined` run reaches its hosts; an error where it can reach none.
    pub network: Result<NetworkWay, NotHeld>,
}

/// How the connections of a run come to the guard ([`Network::Hosts`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkWay {
    /// It has a network namespace of its own, with the guard at its end.
    Own,
    /// There are no namespaces: the supervisor makes each connection in the program's place.
    Notified,
}

impl Sandbox {
    /// Makes sandboxes with `guarda-keeper`, which lies beside the running program, as their supervisor; where it does
    /// not, with the running program, which has to be `guarda`. The small one starts in a fraction of the time.
    #[must_use]
    pub fn new() -> Self {
        let running = std::env::current_exe().unwrap_or_else(|_unknown| "/proc/self/exe".into());
        let beside = running.with_file_name("guarda-keeper");
        Self::with_supervisor(if beside.is_file() { beside } else { running })
    }

    /// Makes sandboxes with the program at this path as their supervisor: `guarda-keeper`, or `guarda`.
    pub fn with_supervisor(supervisor: impl Into<PathBuf>) -> Self {
        let places =
            ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
        let bubblewrap = places.iter().map(PathBuf::from).find(|path| path.is_file());
        let supervisor = supervisor.into();
        let supervisor = std::path::absolute(&supervisor).unwrap_or(supervisor);
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = rustix::fs::open(&supervisor, flags, Mode::empty()).ok().map(Arc::new);
        Self { supervisor, file, bubblewrap, pool: None }
    }

    /// Has supervisors wait for the next commands, from now on. Within a runtime.
    #[must_use]
    pub fn keep_ready(self) -> Self {
        let pool = Arc::new(pool::Pool::default());
        pool.fill(&self.program(), pool::Kind::Look);
        if may_stage() {
            pool.fill(&self.program(), pool::Kind::Stage);
        }
        Self { pool: Some(pool), ..self }
    }

    /// The path by which the supervisor's program is started.
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

    /// Finds out what this machine can hold back, for the status and the start; takes some ten milliseconds.
    pub async fn probe(&self) -> Capabilities {
        let one = async |spec: Spec| {
            let mut cell = self.open(&spec).await.map_err(|error| NotHeld(error.to_string()))?;
            let protection = cell.protection().clone();
            let _ = cell.end(std::time::Duration::ZERO).await;
            Ok(protection)
        };
        Capabilities {
            confined: one(Spec::new(SandboxLevel::Confined, None, "/nonexistent")).await,
            isolated: one(Spec::new(SandboxLevel::Isolated, None, "/nonexistent")).await,
            look: one(Spec::look(SandboxLevel::Confined, None, "/nonexistent")).await,
            stage: match Rehearsal::new() {
                Ok(rehearsal) => one(Spec::stage(None, "/nonexistent", vec![rehearsal.staged()])).await,
                Err(error) => Err(NotHeld(error.to_string())),
            },
            network: self.network_way().await,
        }
    }

    /// Makes a sandbox and waits until it stands. Where bubblewrap is not there or does not work, `isolated` comes to
    /// `confined`. Where no network namespace can be made, the supervisor makes the connections of a `confined` run; where it
    /// cannot do that either, the run has no network. The lack is told.
    ///
    /// # Errors
    /// If it cannot be made, or not as wholly as the specification requires. Nothing has been run then.
    pub async fn open(&self, spec: &Spec) -> Result<SandboxHandle, SandboxError> {
        match self.open_as_specified(spec).await {
            Err(SandboxError::NoNetwork(why)) => {
                let notified = Spec { notified: true, ..spec.clone() };
                let possible = spec.profile == SandboxLevel::Confined && spec.staged.is_empty();
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
        if spec.profile != SandboxLevel::Isolated || !spec.staged.is_empty() {
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

    /// Makes a sandbox and starts a program in it at once: nobody has to wake in between. What came of the program is
    /// told beside the sandbox that stands.
    ///
    /// # Errors
    /// As [`Sandbox::open`]: then the program was not started either.
    pub async fn begin(
        &self,
        spec: &Spec,
        start: Start,
        streams: Streams,
    ) -> Result<(SandboxHandle, std::io::Result<usize>), SandboxError> {
        let namespaces = spec.profile == SandboxLevel::Isolated && spec.staged.is_empty();
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
        let words = bubblewrap::arguments(spec, &supervisor, rustix::process::geteuid().is_root());
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

    /// Orders this sandbox from a supervisor: one that waits, or one that is started now, by itself or in what another
    /// program makes around it.
    fn supervisor(&self, around: Option<Around<'_>>, spec: &Spec) -> std::io::Result<pool::Supervisor> {
        let kind = if spec.staged.is_empty() { pool::Kind::Look } else { pool::Kind::Stage };
        let pool = self.pool.as_ref().filter(|_| kind == pool::Kind::Stage || spec.may_wait());
        let supervisor = match pool.and_then(|pool| pool.take(kind)) {
            Some(supervisor) => supervisor,
            None if !spec.staged.is_empty() => pool::Supervisor::nest(&self.program())?,
            None if spec.network == Network::Hosts && !spec.notified => {
                pool::Supervisor::network(&self.program(), around, &spec.loopback)?
            }
            None => pool::Supervisor::start(&self.program(), around)?,
        };
        match ipc::order(supervisor.socket.as_fd(), &ipc::Order::Open(Box::new(spec.clone()))) {
            // A supervisor that is gone by now has said why; its message is read next.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            ordered => ordered?,
        }
        if let Some(pool) = pool.cloned() {
            let program = self.program();
            tokio::spawn(async move {
                tokio::time::sleep(pool::LATER).await;
                pool.fill(&program, kind);
            });
        }
        Ok(supervisor)
    }
}

/// A program that makes something around a supervisor, and its arguments up to the supervisor's own path.
type Around<'a> = (&'a Path, Vec<std::ffi::OsString>);

/// Folders to try a staged run with; removed when this is dropped.
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
        // The kernel leaves a folder that nobody may look into.
        let within = self.0.join("work/work");
        let _ = std::fs::set_permissions(&within, std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}
