//! What a deed left behind, not yet fit for anybody's eyes: no `Display`, no `Serialize`, no `Debug` of its bytes.

use std::time::Duration;

/// Bytes that cannot be printed or sent. Only [`crate::output::clean`] leads to text.
#[must_use]
pub struct RawOutput {
    /// Standard output, capped while it was read.
    pub stdout: Vec<u8>,
    /// Standard error, capped while it was read.
    pub stderr: Vec<u8>,
    /// How many bytes of standard output there were in all.
    pub stdout_total: u64,
    /// How many bytes of standard error there were in all.
    pub stderr_total: u64,
    /// The exit status, where a program ended by itself; 127 where it was not found.
    pub exit_code: Option<i32>,
    /// How it ended.
    pub ended: Ended,
    /// How long it took.
    pub duration: Duration,
    /// What held around the command; `None` where nothing was executed.
    pub sandbox: Option<super::Protection>,
}

/// How a deed ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It was done; a command may still have an exit status other than zero.
    Finished,
    /// The application, file or program is not there: its name.
    NotFound(String),
    /// It took too long and was ended.
    TimedOut,
    /// It was called off and ended.
    Cancelled,
    /// A signal ended it: the signal's number.
    Signalled(i32),
    /// No media player is running.
    NoPlayer,
    /// This machine cannot do it: why, and what would mend it.
    Unavailable(String),
    /// It was tried and failed: why.
    Failed(String),
    /// Something is no longer what was judged: what.
    Changed(String),
}

impl RawOutput {
    /// A deed without any output.
    pub fn quiet(ended: Ended, duration: Duration) -> Self {
        Self {
            stdout: Vec::new(),
            stderr: Vec::new(),
            stdout_total: 0,
            stderr_total: 0,
            exit_code: None,
            ended,
            duration,
            sandbox: None,
        }
    }
}
