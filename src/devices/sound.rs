//! The default output, asked through a child. The sound server's library brings two dozen others with it, which are not
//! kept in memory by a guard that hardly ever asks.
//!
//! Every function here waits, a few seconds at most, and belongs on a thread of its own.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::fault::DeviceFault;
use super::pulse::{self, OutputChange, Sink};
use super::session::DesktopSession;

/// The hidden sub-command of the child.
pub const COMMAND: &str = "__sound";
/// What the child may know of the session.
const KNOWN: &[&str] = &["HOME", "PULSE_COOKIE", "PULSE_SERVER", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"];
/// The child ends after this time, whatever it waits for.
const LONGEST: Duration = Duration::from_secs(5);

/// What the child is to do.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// Say how the output is.
    Look,
    /// Change it, and say how it is then.
    Change(Vec<OutputChange>),
    /// Play the sound that announces a question, and say how the output is.
    Announce,
}

/// The sound of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSound {
    /// The program that is linked with the library: `guarda-desktop`.
    pub program: PathBuf,
    /// Where the sound server is.
    pub session: DesktopSession,
}

impl SessionSound {
    /// The default output as it is now: what the volume is, and whether anything would be heard.
    ///
    /// # Errors
    /// [`DeviceFault::Absent`] where there is no sound server or no output; [`DeviceFault::Failed`] where it cannot be asked.
    pub fn sink(&self) -> Result<Sink, DeviceFault> {
        self.ask(&Order::Look)
    }

    /// Changes the default output: `decide` is shown what it is now and says what to change. What it is afterwards, read
    /// back from the server.
    ///
    /// # Errors
    /// Those of [`SessionSound::sink`]; [`DeviceFault::Failed`] where the server refuses.
    pub fn change(&self, decide: impl FnOnce(&Sink) -> Vec<OutputChange>) -> Result<Sink, DeviceFault> {
        let changes = decide(&self.sink()?);
        self.ask(&Order::Change(changes))
    }

    /// Plays the sound that announces a question, and waits for its end.
    ///
    /// # Errors
    /// Those of [`SessionSound::sink`]; [`DeviceFault::Failed`] where the server refuses.
    pub fn announce(&self) -> Result<(), DeviceFault> {
        self.ask(&Order::Announce).map(drop)
    }

    fn ask(&self, order: &Order) -> Result<Sink, DeviceFault> {
        // Without a server there is nothing to start a program for.
        pulse::server(&self.session)?;
        let failed = |what: String| DeviceFault::failed(format!("{}: {what}", self.program.display()));
        let order = serde_json::to_vec(order).map_err(|error| failed(error.to_string()))?;
        #[expect(
            clippy::disallowed_methods,
            reason = "our own program, without a shell, with one fixed word"
        )]
        let mut command = Command::new(&self.program);
        command.arg(COMMAND).env_clear().envs(super::helper::environment(&self.session, KNOWN));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        // Dropped when it is written, so that the child sees its end; one that is gone says nothing, which is told below.
        let _ = child.stdin.take().map(|mut input| input.write_all(&order));
        let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
            Err(DeviceFault::failed(format!("the sound server went away ({})", output.status)))
        })
    }
}

/// The child's whole life: one order, one answer.
#[must_use]
pub fn child_main() -> ExitCode {
    let watched = std::thread::Builder::new().name("watch".to_owned()).spawn(|| {
        std::thread::sleep(LONGEST);
        std::process::exit(1)
    });
    let Ok(order) = serde_json::from_reader(std::io::stdin().lock()) else { return ExitCode::FAILURE };
    let session = DesktopSession::of_process();
    let done = match order {
        Order::Look => pulse::sink(&session),
        Order::Change(changes) => pulse::change(&session, &changes),
        Order::Announce => {
            pulse::play(&session, &super::tone::samples()).and_then(|()| pulse::sink(&session))
        }
    };
    let told = watched.is_ok() && serde_json::to_writer(std::io::stdout().lock(), &done).is_ok();
    if told { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
