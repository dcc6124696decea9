//! The default output, through a child process. The sound server's library needs two dozen others; the guard
//! rarely uses them and does not keep them in memory.
//!
//! Every function here waits, at most a few seconds, and belongs on a thread of its own.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::devices::desktop::session::DesktopSession;
use crate::devices::fault::DeviceFault;
#[cfg(feature = "desktop")]
use crate::devices::sound::pulse;
use crate::devices::sound::sink::{OutputChange, Sink, server};

/// The hidden sub-command of the child.
pub const COMMAND: &str = "__sound";
/// Variables of the session that the child may have.
const KNOWN: &[&str] = &["HOME", "PULSE_COOKIE", "PULSE_SERVER", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"];
/// The child ends after this time, whatever it waits for.
#[cfg(feature = "desktop")]
const LONGEST: std::time::Duration = std::time::Duration::from_secs(5);

/// An order to the child.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Report the output's state.
    Look,
    /// Change it and report its new state.
    Change(Vec<OutputChange>),
    /// Play the sound that announces a question, and report the output's state.
    Announce,
}

/// The sound of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSound {
    /// The program that links the library: `guarda-desktop`.
    pub program: PathBuf,
    /// The session with the sound server.
    pub session: DesktopSession,
}

impl SessionSound {
    /// The default output now: its volume, and whether it would be audible.
    ///
    /// # Errors
    /// [`DeviceFault::Absent`] if there is no sound server or no output; [`DeviceFault::Failed`] if it cannot be queried.
    pub fn sink(&self) -> Result<Sink, DeviceFault> {
        self.ask(&Order::Look)
    }

    /// Changes the default output: `decide` receives its state and returns the changes. Returns the new state, read back from
    /// the server.
    ///
    /// # Errors
    /// Those of [`SessionSound::sink`]; [`DeviceFault::Failed`] if the server refuses.
    pub fn change(&self, decide: impl FnOnce(&Sink) -> Vec<OutputChange>) -> Result<Sink, DeviceFault> {
        let changes = decide(&self.sink()?);
        self.ask(&Order::Change(changes))
    }

    /// Plays the sound that announces a question, and waits for its end.
    ///
    /// # Errors
    /// Those of [`SessionSound::sink`]; [`DeviceFault::Failed`] if the server refuses.
    pub fn announce(&self) -> Result<(), DeviceFault> {
        self.ask(&Order::Announce).map(drop)
    }

    fn ask(&self, order: &Order) -> Result<Sink, DeviceFault> {
        // Without a server, no child needs to be started.
        server(&self.session)?;
        let failed = |what: String| DeviceFault::failed(format!("{}: {what}", self.program.display()));
        let order = serde_json::to_vec(order).map_err(|error| failed(error.to_string()))?;
        #[expect(
            clippy::disallowed_methods,
            reason = "our own program, without a shell, with one fixed word"
        )]
        let mut command = Command::new(&self.program);
        command
            .arg(COMMAND)
            .env_clear()
            .envs(crate::devices::process::helper::environment(&self.session, KNOWN));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        // Closed after writing, so that the child sees the end. If the child is gone, the missing answer is
        // reported below.
        let _ = child.stdin.take().map(|mut input| input.write_all(&order));
        let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
            Err(DeviceFault::failed(format!("the sound server went away ({})", output.status)))
        })
    }
}

/// The child's main function: one order, one answer.
#[cfg(feature = "desktop")]
#[must_use]
pub fn child_main() -> std::process::ExitCode {
    use std::process::ExitCode;

    let watched = std::thread::Builder::new().name("watch".to_owned()).spawn(|| {
        std::thread::sleep(LONGEST);
        std::process::exit(1)
    });
    let Ok(order) = serde_json::from_reader(std::io::stdin().lock()) else { return ExitCode::FAILURE };
    let session = DesktopSession::of_process();
    let done = match order {
        Order::Look => pulse::sink(&session),
        Order::Change(changes) => pulse::change(&session, &changes),
        Order::Announce => pulse::play(&session, &crate::devices::sound::tone::samples())
            .and_then(|()| pulse::sink(&session)),
    };
    let told = watched.is_ok() && serde_json::to_writer(std::io::stdout().lock(), &done).is_ok();
    if told { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
