//! Starts applications of the desktop, which outlive the action that starts them.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use guarda_sandbox::process::{Start, Status, command};

/// The result of starting an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launched {
    /// It is running.
    Running,
    /// It has already ended, with this status.
    Ended(Status),
}

/// Starts an application that outlives its action: its own process group, no standard streams. Watches it for
/// `patience`, to detect an early failure.
///
/// # Errors
/// If it cannot be started: missing, not executable …
pub async fn launch(start: Start, patience: Duration) -> std::io::Result<Launched> {
    let mut command = command(start);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    watch(command, patience).await
}

async fn watch(command: Command, patience: Duration) -> std::io::Result<Launched> {
    let mut child = tokio::process::Command::from(command).spawn()?;
    let early = tokio::time::timeout(patience, child.wait()).await;
    match early {
        // A dropped child is reaped by tokio.
        Err(_still_running) => Ok(Launched::Running),
        Ok(status) => {
            use std::os::unix::process::ExitStatusExt as _;
            let status = status?;
            let signalled = status.signal().map(Status::Signalled);
            Ok(Launched::Ended(signalled.unwrap_or(Status::Exited(status.code().unwrap_or(-1)))))
        }
    }
}
