//! Runs another program of this installation.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs a program with these changes to the environment and this input until its end.
///
/// # Errors
/// If it cannot be started or does not take its input.
pub fn ask(
    program: &Path,
    words: &[&str],
    environment: &[(&str, &Path)],
    input: &[u8],
) -> std::io::Result<Output> {
    #[expect(clippy::disallowed_methods, reason = "devices are where programs are started")]
    let mut command = Command::new(program);
    command
        .args(words)
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut to) = child.stdin.take() {
        match to.write_all(input) {
            // It ended without reading; its output tells why.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    child.wait_with_output()
}

/// Runs a program on this terminal until its end. True if it succeeded.
///
/// # Errors
/// If it cannot be started.
pub fn attended(program: &str, words: &[&str]) -> std::io::Result<bool> {
    #[expect(clippy::disallowed_methods, reason = "devices are where programs are started")]
    let mut command = Command::new(program);
    Ok(command.args(words).status()?.success())
}

/// A running program of this installation. Dropping it asks the program to end, and waits.
#[derive(Debug)]
pub struct RunningProgram(std::process::Child);

impl RunningProgram {
    /// Its process number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Whether it has not ended.
    #[must_use]
    pub fn runs(&self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        // It is not reaped here, so that its number stays its own.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        matches!(waitid(WaitId::Pid(Pid::from_child(&self.0)), options), Ok(None))
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        if rustix::process::kill_process(pid, rustix::process::Signal::TERM).is_err() {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

/// Starts a program without standard streams.
///
/// # Errors
/// If it cannot be started.
pub fn start(program: &str, words: &[&str]) -> std::io::Result<RunningProgram> {
    #[expect(clippy::disallowed_methods, reason = "devices are where programs are started")]
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(RunningProgram(command.spawn()?))
}

/// Starts a program on this terminal and returns its first line; the rest of its output is discarded.
///
/// # Errors
/// If it cannot be started, or ends without a line.
pub fn run(
    program: &Path,
    words: &[&str],
    environment: &[(&str, &Path)],
) -> std::io::Result<(RunningProgram, String)> {
    use std::io::BufRead as _;
    #[expect(clippy::disallowed_methods, reason = "devices are where programs are started")]
    let mut command = Command::new(program);
    command.args(words).envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = RunningProgram(command.spawn()?);
    let mut line = String::new();
    if let Some(out) = running.0.stdout.take() {
        std::io::BufReader::new(out).read_line(&mut line)?;
    }
    if line.is_empty() {
        return Err(std::io::Error::other("it ended at once"));
    }
    Ok((running, line))
}
