//! Starts applications of the desktop, which outlive the deed that starts them.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use guarda_sandbox::process::{Start, Status, command};

/// How the start of an application went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launched {
    /// It runs.
    Running,
    /// It ended already, with this status.
    Ended(Status),
}

/// Starts an application that is to outlive its deed: a process group of its own, no standard streams. Watches it for
/// `patience`, so that an early failure is seen.
///
/// # Errors
/// If it cannot be started: not there, not executable …
pub async fn launch(start: Start, patience: Duration) -> std::io::Result<Launched> {
    let mut command = command(start);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    watch(command, patience).await
}

/// Tries one launcher of the desktop after the other (`xdg-open`, `gio open` …) until one shows `target`.
///
/// # Errors
/// If there is none, or none of them can; what the last one said.
pub async fn hand_over(
    target: &str,
    environment: &[(String, String)],
    patience: Duration,
) -> std::io::Result<Launched> {
    let mut last = Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    for mut command in open::commands(target) {
        command.env_clear().envs(environment.iter().cloned());
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match watch(command, patience).await {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Ok(Launched::Ended(Status::Exited(code))) if code != 0 => {
                last = Ok(Launched::Ended(Status::Exited(code)));
            }
            other => return other,
        }
    }
    last
}

async fn watch(command: Command, patience: Duration) -> std::io::Result<Launched> {
    let mut child = tokio::process::Command::from(command).spawn()?;
    let early = tokio::time::timeout(patience, child.wait()).await;
    match early {
        // Anyone who drops a child of tokio's leaves it to tokio to reap.
        Err(_still_running) => Ok(Launched::Running),
        Ok(status) => {
            use std::os::unix::process::ExitStatusExt as _;
            let status = status?;
            let signalled = status.signal().map(Status::Signalled);
            Ok(Launched::Ended(signalled.unwrap_or(Status::Exited(status.code().unwrap_or(-1)))))
        }
    }
}
