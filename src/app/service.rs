//! The running service: the guard, and the doors that are open.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, UnixListener};
use tokio::task::JoinHandle;

use crate::config::ServerSection;
use crate::devices::exchange::containers::Containers;
use crate::devices::exchange::state_folder::StateFolder;
use crate::devices::process::holder;
use crate::devices::process::socket_activation::SocketActivation;
use crate::doors::http::listen::{Limits, Listener};
use crate::doors::http::{self, AppState, ConsoleSessions, Guesses, Hosts, Jobs, Metrics, Tokens};
use crate::doors::ipc::IpcFolder;
use crate::doors::telemetry::Telemetry;
use crate::doors::wyoming::Wyoming;
use crate::doors::{mcp, socket};
use crate::guard::Guard;
use crate::wording::fault::record;

use super::assemble::assemble;
use super::error::CliError;
use super::load::{self, Loaded};
use super::terminal;

/// A service that answers requests.
pub(super) struct Service {
    pub(super) folder: StateFolder,
    pub(super) guard: Arc<Guard>,
    pub(super) state: Arc<AppState>,
    pub(super) address: SocketAddr,
    pub(super) listener: Listener,
    pub(super) telemetry: Option<Telemetry>,
    /// Serves the containers' sockets.
    pub(super) containers: JoinHandle<()>,
    /// Signs the end of the record from time to time.
    pub(super) anchoring: JoinHandle<()>,
    /// The files that name this service's own sockets. Those of a service manager outlive it.
    pub(super) own_sockets: Vec<&'static str>,
}

impl Service {
    /// Builds the guard and opens its doors; `ipc` are the folders of containers.
    pub(super) async fn start(
        loaded: &Loaded,
        sockets: SocketActivation,
        telemetry: Option<Telemetry>,
        ipc: &[PathBuf],
    ) -> Result<Self, CliError> {
        let server = &loaded.config.server;
        let folder = StateFolder::open(&load::state()?)?;
        let tokens = tokens(&folder, server)?;
        let files = [("address", sockets.address.is_none()), ("guarda.sock", sockets.socket.is_none())];
        let own_sockets = files.into_iter().filter(|(_, own)| *own).map(|(name, _)| name);
        let own_sockets = own_sockets.chain(["wyoming-address"]).collect();
        let tcp = match sockets.address {
            Some(address) => TcpListener::from_std(address)?,
            None => TcpListener::bind(server.listen).await.map_err(|error| unbound(server.listen, &error))?,
        };
        let address = tcp.local_addr()?;
        let guard = Arc::new(assemble(loaded, &folder)?);
        warn(&guard).await;
        let anchoring = tokio::spawn(Arc::clone(&guard).keep_anchor());
        let state = Arc::new(state(loaded, Arc::clone(&guard), tokens, address));
        if let Some(telemetry) = &telemetry {
            telemetry.count(&state);
        }
        let listener = listener(&state, server);
        tokio::spawn(listener.clone().tcp(tcp));
        if server.socket {
            let socket = match sockets.socket {
                Some(socket) => socket,
                None => folder.socket()?,
            };
            tokio::spawn(listener.clone().socket(UnixListener::from_std(socket)?));
        }
        let containers = socket::containers::serve(listener.clone(), Containers::of(folder.path()));
        let containers = tokio::spawn(containers);
        for path in ipc {
            tokio::spawn(IpcFolder::open(Arc::clone(&state), path)?.serve());
        }
        let wyoming = match loaded.config.wyoming.listen {
            Some(place) => Some(TcpListener::bind(place).await.map_err(|error| unbound(place, &error))?),
            None => None,
        };
        if let Some((listener, door)) = wyoming.zip(Wyoming::new(Arc::clone(&state), &loaded.config)) {
            folder.write_address("wyoming-address", listener.local_addr()?)?;
            tokio::spawn(door.serve(listener));
        }
        folder.write_address("address", address)?;
        Ok(Self { folder, guard, state, address, listener, telemetry, containers, anchoring, own_sockets })
    }

    /// Tries the cells. Not before the registry is open and the address known: they would compete for the processors. What
    /// depends on them waits for them.
    pub(super) fn try_cells(&self) {
        let guard = Arc::clone(&self.guard);
        tokio::spawn(async move {
            if let Err(why) = &guard.hands().capabilities().await.look {
                terminal::note(&load::say("serve-no-cell", &[("why", why.to_string())]));
            }
        });
    }
}

fn tokens(folder: &StateFolder, server: &ServerSection) -> Result<Tokens, CliError> {
    let spoken = if server.spoken_answers { Some(folder.token("spoken-token")?) } else { None };
    let spoken = spoken.as_ref().map(|token| token.as_str());
    Ok(Tokens::new(&folder.token("token")?, &folder.token("approve-token")?, spoken))
}

/// The listener for every socket, with the API and the tool server behind it.
fn listener(state: &Arc<AppState>, server: &ServerSection) -> Listener {
    let tool_server = http::beside(state, "/mcp", mcp::service(Arc::clone(state)));
    Listener::new(
        http::router(Arc::clone(state), tool_server),
        Limits {
            connections: usize::try_from(server.connection_limit).unwrap_or(usize::MAX),
            head: Duration::from_secs(server.header_timeout_seconds),
        },
    )
}

/// What all doors share.
fn state(loaded: &Loaded, guard: Arc<Guard>, tokens: Tokens, address: SocketAddr) -> AppState {
    let config = &loaded.config;
    let server = &config.server;
    AppState {
        guard,
        tokens,
        hosts: Hosts::new(address, &server.names),
        jobs: Jobs::new(usize::try_from(server.waiting_limit).unwrap_or(usize::MAX)),
        consoles: ConsoleSessions::default(),
        guesses: Guesses::default(),
        metrics: Metrics::default(),
        answers: server.answer_over_http,
        elicits: config.channels.mcp,
        hooks: config.hooks.clone(),
        hook_wait: config.hooks.wait(&config.security),
        told_first: config.hooks.first == crate::config::sections::hooks::First::Tell,
        services: config.services.clone(),
        body_limit: usize::try_from(server.body_limit).unwrap_or(usize::MAX),
        body_timeout: Duration::from_secs(server.body_timeout_seconds),
    }
}

/// Tells what was found wrong with the record and the registry.
async fn warn(guard: &Guard) {
    let behind = match guard.compare_anchor().await {
        Ok(warning) => warning.map(|warning| record::warning(load::words(), &warning)),
        Err(error) => Some(record::fault(load::words(), &error.why)),
    };
    if let Some(why) = behind {
        terminal::note(&load::say("serve-record", &[("why", why)]));
    }
    if let Some(count) = guard.unsealed().await {
        terminal::note(&load::words().say("registry-unsealed", &[("count", count.into())]));
    }
}

/// Why the service cannot listen at an address, and the next step.
fn unbound(address: SocketAddr, error: &std::io::Error) -> CliError {
    use std::io::ErrorKind;
    match (error.kind(), holder::of_port(address)) {
        (ErrorKind::AddrInUse, Some(holder)) => {
            CliError::say("serve-taken-by", &[("address", &address), ("holder", &holder)])
        }
        (ErrorKind::AddrInUse, None) => CliError::say("serve-taken", &[("address", &address)]),
        (ErrorKind::PermissionDenied, _) => CliError::say("serve-not-allowed", &[("address", &address)]),
        (ErrorKind::AddrNotAvailable, _) => CliError::say("serve-no-address", &[("address", &address)]),
        _ => CliError::say("serve-unheard", &[("address", &address), ("why", error)]),
    }
}
