//! What all handlers share, and who is at the other end of a connection.

use std::sync::Arc;

use super::access::guesses::Guesses;
use super::access::hosts::Hosts;
use super::access::tokens::Tokens;
use super::action::jobs::{JobOwner, Jobs};
use super::console::session::ConsoleSessions;
use super::metrics::{Gauges, Metrics};

/// The other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peer {
    /// A TCP connection.
    Tcp {
        /// From this address.
        address: std::net::SocketAddr,
        /// The program, as its `User-Agent` names it. A program chooses this name freely, as it does its process name.
        program: Option<String>,
    },
    /// The socket in the state folder. The system identifies the process.
    Socket {
        /// The process id, if the system knows it.
        pid: Option<i32>,
    },
    /// The service's own MCP server. Its caller has shown the token.
    Mcp,
    /// A container's socket. Its client must show this container's token.
    Container(Arc<crate::devices::exchange::containers::ContainerFolder>),
}

impl Peer {
    /// Whose places its requests take.
    #[must_use]
    pub(crate) fn owner(peer: Option<&Self>) -> JobOwner {
        match peer {
            Some(Self::Container(place)) => JobOwner::Container(place.name.clone()),
            Some(Self::Tcp { .. } | Self::Socket { .. } | Self::Mcp) | None => JobOwner::Token,
        }
    }

    /// The peer as the record names it.
    #[must_use]
    pub fn caller(&self) -> guarda_journal::Caller {
        match self {
            Self::Tcp { address, program } => {
                let name = program.as_ref().map(|program| format!("{program} ({address})"));
                guarda_journal::Caller {
                    door: "http".to_owned(),
                    name: name.unwrap_or_else(|| address.to_string()),
                    container: None,
                }
            }
            Self::Socket { pid } => guarda_journal::Caller {
                door: "socket".to_owned(),
                name: pid.map_or_else(String::new, process),
                container: None,
            },
            Self::Mcp => {
                guarda_journal::Caller { door: crate::guard::MCP_DOOR.to_owned(), ..Default::default() }
            }
            Self::Container(place) => guarda_journal::Caller {
                door: "container".to_owned(),
                name: place.name.clone(),
                container: Some(place.name.clone()),
            },
        }
    }
}

/// A process, for the record and for people: `claude (process 4711)`. A process chooses its own name.
fn process(pid: i32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match crate::wording::plain::visible(name.trim()).as_str() {
        "" => format!("process {pid}"),
        name => format!("{name} (process {pid})"),
    }
}

/// The shared state of all handlers.
pub struct AppState {
    /// The guard.
    pub guard: Arc<crate::guard::Guard>,
    /// The tokens.
    pub tokens: Tokens,
    /// The host names of the service. The socket needs none.
    pub hosts: Hosts,
    /// The running actions, and those that ended recently.
    pub jobs: Jobs,
    /// The browsers with an open console.
    pub consoles: ConsoleSessions,
    /// Whether questions may be answered over HTTP.
    pub answers: bool,
    /// Whether a requesting MCP client may put a question to its own person.
    pub elicits: bool,
    /// The longest request body, in bytes.
    pub body_limit: usize,
    /// The recent wrong tokens.
    pub guesses: Guesses,
    /// The counters.
    pub metrics: Metrics,
    /// How hooks are answered.
    pub hooks: crate::config::HooksSection,
    /// How long a question about an agent's command waits.
    pub hook_wait: std::time::Duration,
    /// Whether an agent is told first of what a cell refused.
    pub told_first: bool,
    /// What the tools of agents read and can do.
    pub services: crate::config::ServicesSection,
    /// The longest time for a request body.
    pub body_timeout: std::time::Duration,
}

impl AppState {
    /// What the metrics count at this moment.
    pub(crate) fn gauges(&self) -> Gauges {
        Gauges {
            under_way: self.jobs.under_way(),
            open_questions: self.guard.prompter().open_questions().len(),
            record_writable: self.guard.journal().trouble().is_none(),
        }
    }
}

impl std::fmt::Debug for AppState {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("AppState").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}
