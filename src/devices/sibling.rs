//! Another program of this installation, asked once.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Starts a program with these changes to the environment, gives it its input, and waits for its end.
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
            // It ended without reading: what it said tells why.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    child.wait_with_output()
}
