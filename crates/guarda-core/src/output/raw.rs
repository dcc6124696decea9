//! The raw output of a deed, not yet safe to see: no `Display`, no `Serialize`, no `Debug` of its bytes.

use std::time::Duration;

use crate::action::Setting;
use crate::output::traffic::HostTraffic;

/// Bytes that cannot be printed or sent. Only [`crate::output::clean`] leads to text.
#[must_use]
pub struct RawOutput {
    /// Standard output, capped while reading.
    pub stdout: Vec<u8>,
    /// Standard error, capped while reading.
    pub stderr: Vec<u8>,
    /// The total size of standard output, in bytes.
    pub stdout_total: u64,
    /// The total size of standard error, in bytes.
    pub stderr_total: u64,
    /// The exit status, if a program exited; 127 if it was not found.
    pub exit_code: Option<i32>,
    /// How it ended.
    pub ended: Ended,
    /// The duration.
    pub duration: Duration,
    /// The sandbox; `None` if nothing was executed.
    pub sandbox: Option<super::Protection>,
    /// What it exchanged with other machines, by host; empty if it had no network of its own.
    pub hosts: Vec<HostTraffic>,
    /// A desktop device's state after the deed; `None` if there is nothing to report.
    pub now: Option<Now>,
}

/// A desktop device's state after a deed, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Now {
    /// A setting, as it is now.
    Set(Setting),
    /// A media player.
    Player {
        /// What it does.
        state: PlayerState,
        /// The title that it plays; empty if unknown.
        title: String,
        /// The artist; empty if unknown.
        artist: String,
    },
    /// The path of a file that was written.
    Written(String),
}

/// What a media player does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayerState {
    /// It plays.
    Playing,
    /// It is paused.
    Paused,
    /// It is stopped.
    Stopped,
}

/// How a deed ended.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Ended {
    /// It finished, possibly with an exit status other than zero.
    Finished,
    /// The application, file or program with this name does not exist.
    NotFound(String),
    /// It took too long and was stopped.
    TimedOut,
    /// It was cancelled and stopped.
    Cancelled,
    /// It was ended by the signal with this number.
    Signalled(i32),
    /// No media player is running.
    NoPlayer,
    /// This machine cannot do it: the cause, and the remedy.
    Unavailable(super::Failure),
    /// It failed: the cause.
    Failed(super::Failure),
    /// The thing with this name has changed since the judgement.
    Changed(String),
}

impl Ended {
    /// The name on the wire.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The missing program, the signal, or the cause.
    #[must_use]
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::NotFound(what) | Self::Changed(what) => Some(what.clone()),
            Self::Unavailable(why) | Self::Failed(why) => Some(why.detail.clone()),
            Self::Signalled(signal) => Some(format!("signal {signal}")),
            Self::Finished | Self::TimedOut | Self::Cancelled | Self::NoPlayer => None,
        }
    }
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
            hosts: Vec::new(),
            now: None,
        }
    }
}
