//! Keeping in what is executed: what a command may read, write, reach and leave behind.
//!
//! [`Sandbox::open`] makes a [`Cell`]; programs are started in it as in a [`crate::devices::process::Group`]. Around
//! them stands a supervisor: this program itself, started again as `guarda __confine`. What held is told by it for
//! each cell ([`Protection`]); what this machine could not give is named there, or the cell is refused
//! ([`Spec::require`]).
//!
//! What `confined` cannot hold back, and `isolated` does: changes of a file's mode, owner and times wherever the user
//! may make them; that files exist, and the names in secret folders below a working folder that is the home folder;
//! the arguments of other processes, as `ps` shows them.

mod bubblewrap;
mod calls;
mod cell;
mod files;
mod folders;
mod line;
mod privileges;
mod protection;
mod secrets;
mod spec;
mod strays;
mod supervisor;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

pub use cell::{Cell, NoCell, Over};
pub use protection::{Lack, Measure, Protection};
pub use spec::{Limits, Network, Profile, Spec};
pub use strays::{adopt_orphans, reap_strays};

/// The hidden sub-command that makes this program a supervisor.
const SUPERVISE: &str = "__confine";

/// If this program was started as a supervisor: the whole of its life, and its exit status. For `main`, before anything
/// else is done.
#[must_use]
pub fn run_as_supervisor() -> Option<ExitCode> {
    if std::env::args_os().nth(1)? != SUPERVISE {
        return None;
    }
    Some(match supervisor::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "guarda: {error}");
            ExitCode::from(125)
        }
    })
}

/// What makes sandboxes.
#[derive(Debug, Clone)]
pub struct Sandbox {
    helper: PathBuf,
    bubblewrap: Option<PathBuf>,
}

/// What this machine can hold back: found out by making one sandbox of each kind.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Capabilities {
    /// What holds in `confined`.
    pub confined: Result<Protection, String>,
    /// What holds in `isolated`.
    pub isolated: Result<Protection, String>,
}

impl Sandbox {
    /// Makes sandboxes with the running program as their supervisor. Only for `guarda` itself.
    #[must_use]
    pub fn new() -> Self {
        // The link and not its target: it leads to this very program, also after an update has replaced the file.
        Self::with_helper("/proc/self/exe")
    }

    /// Makes sandboxes with the `guarda` program at this path as their supervisor.
    pub fn with_helper(helper: impl Into<PathBuf>) -> Self {
        let places =
            ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
        let bubblewrap = places.iter().map(PathBuf::from).find(|path| path.is_file());
        Self { helper: helper.into(), bubblewrap }
    }

    /// Finds out what this machine can hold back, for the status and the start; takes some ten milliseconds.
    pub async fn probe(&self) -> Capabilities {
        let one = async |profile| {
            let spec = Spec::new(profile, None, "/nonexistent");
            let mut cell = self.open(&spec).await.map_err(|error| error.to_string())?;
            let protection = cell.protection().clone();
            let _ = cell.end(std::time::Duration::ZERO).await;
            Ok(protection)
        };
        Capabilities { confined: one(Profile::Confined).await, isolated: one(Profile::Isolated).await }
    }

    /// Makes a sandbox and waits until it stands. Where bubblewrap is not there or does not work, `isolated` comes to
    /// `confined`, and the lack is told.
    ///
    /// # Errors
    /// If it cannot be made, or not as wholly as the specification requires. Nothing has been run then.
    pub async fn open(&self, spec: &Spec) -> Result<Cell, NoCell> {
        if spec.profile != Profile::Isolated {
            return self.supervisor(&self.helper, Vec::new(), spec).await;
        }
        let why = match &self.bubblewrap {
            None => "bubblewrap is not installed".to_owned(),
            Some(bubblewrap) => match self.isolated(bubblewrap, spec).await {
                Ok(cell) => return Ok(cell),
                Err(NoCell::Lacking(why)) => return Err(NoCell::Lacking(why)),
                Err(error) => format!("bubblewrap does not work here: {error}"),
            },
        };
        if spec.require {
            return Err(NoCell::Lacking(why));
        }
        let mut confined = spec.clone();
        confined.profile = Profile::Confined;
        let mut cell = self.supervisor(&self.helper, Vec::new(), &confined).await?;
        let protection = cell.protection_mut();
        protection.profile = Profile::Isolated;
        protection.enter(Measure::Namespaces, Err(why));
        Ok(cell)
    }

    async fn isolated(&self, bubblewrap: &Path, spec: &Spec) -> Result<Cell, NoCell> {
        let helper = std::fs::canonicalize(&self.helper)?;
        let words = bubblewrap::arguments(spec, &helper, rustix::process::geteuid().is_root());
        let mut within = spec.clone();
        within.temporary = PathBuf::from(bubblewrap::TEMPORARY);
        let mut cell = self.supervisor(bubblewrap, words, &within).await?;
        cell.protection_mut().enter(Measure::Namespaces, Ok(()));
        Ok(cell)
    }

    /// Starts a supervisor, by itself or in what `program` and `words` make around it.
    #[expect(clippy::disallowed_methods, reason = "this is where supervisors are started")]
    async fn supervisor(
        &self,
        program: &Path,
        words: Vec<std::ffi::OsString>,
        spec: &Spec,
    ) -> Result<Cell, NoCell> {
        let (ours, theirs) = line::pair()?;
        line::order(std::os::fd::AsFd::as_fd(&ours), &line::Order::Open(Box::new(spec.clone())))?;
        let mut command = Command::new(program);
        command.args(words).arg(SUPERVISE).env_clear().current_dir("/");
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        let supervisor = tokio::process::Command::from(command).spawn()?;
        Cell::new(ours, supervisor).await
    }
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}
