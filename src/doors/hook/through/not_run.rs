//! Why a ticket was not redeemed.

use crate::doors::client::NoAnswer;

use crate::doors::frames::Garbage;

/// A next step that may help after any failure.
const AGAIN: &str = "let the agent send the command again";

/// Why nothing was run, or why the outcome is unknown. Each message names the next step.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotRun {
    /// The argument does not have the form of a ticket.
    #[error("this is no ticket: {AGAIN}")]
    NoTicket,
    /// The current folder no longer exists.
    #[error("the folder that this was started in is not there ({0}): cd into another one")]
    NoFolder(std::io::Error),
    /// The folder's name is not UTF-8, which the service requires.
    #[error("the name of this folder is no UTF-8: run the command in another one")]
    FolderName,
    /// The environment exceeds the service's limit.
    #[error("the environment is longer than 1 MiB: unset what is large in it")]
    Environment,
    /// There is no state folder with the service's socket.
    #[error("there is no home folder: set GUARDA_STATE_DIR")]
    NoHome,
    /// The service cannot be reached.
    #[error("{0}")]
    Unreached(#[from] NoAnswer),
    /// The service refused, with its own text.
    #[error("{0}")]
    Refused(String),
    /// The service refused with this HTTP status and no text.
    #[error("the guard refused with {0}: {AGAIN}")]
    Status(u16),
    /// The service refused with this title and no details.
    #[error("{0}: {AGAIN}")]
    Title(String),
    /// The service has another version.
    #[error("what answers is no guard of this version: restart it with `guarda serve`")]
    Version,
    /// The connection ended before the command did.
    #[error(
        "the guard was ended before the command was: what was held back is dropped, what a person had approved may be done in part; look first, then {AGAIN}"
    )]
    Cut,
    /// The service's stream is malformed.
    #[error("{0}")]
    Garbage(#[from] Garbage),
    /// Standard output or error cannot be written.
    #[error("what the command printed cannot be written: {0}")]
    Unwritten(std::io::Error),
    /// A signal handler cannot be installed.
    #[error("signals cannot be heard: {0}")]
    Signals(std::io::Error),
    /// Another failure in this process.
    #[error("{0}")]
    System(String),
}
