//! `guarda serve`: builds the guard, opens its doors, and later closes them in order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::devices::desktop::session::DesktopSession;
use crate::devices::exchange::state_folder::StateFolder;
use crate::devices::process::socket_activation::SocketActivation;
use crate::doors::http::listen::{Limits, Listener};
use crate::doors::http::{AppState, ConsoleSessions, Guesses, Hosts, Jobs, Metrics, Tokens};
use crate::doors::telemetry::Telemetry;
use crate::guard::Guard;
use crate::hands::HandsConfig;
use crate::wording::{Words, fault::record};

use super::args::ServeArgs;
use super::load::{self, Loaded};
use super::{CliError, ExitStatus, show};

pub(super) fn serve(args: ServeArgs) -> Result<ExitStatus, CliError> {
    let socket_activation = SocketActivation::take()?;
    if crate::devices::filesystem::own::own_uid() == 0 {
        if load::environment("GUARDA_ALLOW_ROOT").as_deref() != Some("1") {
            return Err(CliError(load::say("serve-root", &[])));
        }
        show::err(&format!("guarda: {}\n", load::say("serve-as-root", &[])));
    }
    let mut loaded = load::load(args.config.as_deref())?;
    load::listen(&mut loaded.config, args.listen.as_deref())?;
    if let Some(address) = &socket_activation.address {
        load::socket_activation(&mut loaded.config, address)?;
    }
    if socket_activation.socket.is_some() && !loaded.config.server.socket {
        return Err(CliError(load::say("serve-no-socket", &[])));
    }
    loaded.policy()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::new)?;
    let end = runtime.block_on(run(&args, loaded, socket_activation));
    // Helpers that hang must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_secs(1));
    end
}

async fn run(
    args: &ServeArgs,
    loaded: Loaded,
    socket_activation: SocketActivation,
) -> Result<ExitStatus, CliError> {
    let telemetry = Telemetry::start(&loaded.config.telemetry)?;
    log(telemetry.as_ref());
    let server = loaded.config.server.clone();
    let mut signals = Signals::new()?;
    let folder = StateFolder::open(&load::state()?)?;
    let spoken = if server.spoken_answers { Some(folder.token("spoken-token")?) } else { None };
    let tokens = Tokens::new(
        &folder.token("token")?,
        &folder.token("approve-token")?,
        spoken.as_ref().map(|token| token.as_str()),
    );
    // Sockets that a service manager passed in outlive this guard, and so does the file with their address.
    let mut own = vec!["address", "guarda.sock"];
    let socket = if let Some(address) = socket_activation.address {
        own.retain(|name| *name != "address");
        tokio::net::TcpListener::from_std(address).map_err(CliError::new)?
    } else {
        tokio::net::TcpListener::bind(server.listen).await.map_err(|error| {
            let holder = crate::devices::process::holder::of_port(server.listen);
            CliError(unheard(super::load::words(), server.listen, &error, holder.as_deref()))
        })?
    };
    let address = socket.local_addr().map_err(CliError::new)?;
    let guard = Arc::new(super::assemble::assemble(&loaded, &folder)?);
    warn(&guard).await;
    let anchoring = tokio::spawn(Arc::clone(&guard).keep_anchor());
    let door = Arc::new(state(&loaded, Arc::clone(&guard), tokens, address));
    if let Some(telemetry) = &telemetry {
        telemetry.count(&door);
    }
    let tools = crate::doors::mcp::service(Arc::clone(&door));
    let tool_server = crate::doors::http::beside(&door, "/mcp", tools);
    let listener = Listener::new(
        crate::doors::http::router(Arc::clone(&door), tool_server),
        Limits {
            connections: usize::try_from(server.connection_limit).unwrap_or(usize::MAX),
            head: Duration::from_secs(server.header_timeout_seconds),
        },
    );
    tokio::spawn(listener.clone().tcp(socket));
    if server.socket {
        let socket = if let Some(socket) = socket_activation.socket {
            own.retain(|name| *name != "guarda.sock");
            socket
        } else {
            folder.socket()?
        };
        let socket = tokio::net::UnixListener::from_std(socket).map_err(CliError::new)?;
        tokio::spawn(listener.clone().socket(socket));
    }
    let containers = crate::devices::exchange::containers::Containers::of(folder.path());
    let containers = crate::doors::socket::containers::serve(listener.clone(), containers);
    let containers = tokio::spawn(containers);
    for path in &args.ipc {
        let inbox = crate::doors::ipc::IpcFolder::open(Arc::clone(&door), path)?;
        tokio::spawn(inbox.serve());
    }
    folder.write_address(address)?;
    let token = folder.path().join("token");
    if args.ready_json {
        show::out(&format!("{{\"ready\": true, \"address\": \"{address}\"}}\n"));
    }
    try_cells(&guard);
    let file = loaded.file.as_ref().map(|file| file.display().to_string());
    let config = file.unwrap_or_else(|| load::words().say("doctor-built-in", &[]));
    let banner = super::banner::Banner { address, config, token, to_stderr: args.ready_json };
    let telling = tokio::spawn(banner.tell(Arc::clone(&door), loaded.notices()));
    let mut reload = super::reload::Reload::new(args.config.clone(), loaded, Arc::clone(&guard));
    signals.end(|| reload.again()).await;
    telling.abort();
    // This also closes the containers' sockets.
    containers.abort();
    let most = Duration::from_secs(server.shutdown_timeout_seconds);
    close(&door, &listener, &mut signals, most).await;
    anchoring.abort();
    let _ = tokio::time::timeout(most, guard.store_anchor()).await;
    if let Some(telemetry) = telemetry {
        // This waits for the collector; nothing else does.
        let _ = tokio::time::timeout(most, tokio::task::spawn_blocking(|| telemetry.end())).await;
    }
    folder.leave(&own);
    Ok(ExitStatus::Good)
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
        show::err(&format!("guarda: {}\n", load::say("serve-record", &[("why", why)])));
    }
    if let Some(count) = guard.unsealed().await {
        show::err(&format!(
            "guarda: {}\n",
            load::words().say("registry-unsealed", &[("count", count.into())])
        ));
    }
}

/// Tries the cells. Not before the registry is open and the address known: they would compete for the processors. What
/// depends on them waits for them.
fn try_cells(guard: &Arc<Guard>) {
    let trying = Arc::clone(guard);
    tokio::spawn(async move {
        if let Err(why) = &trying.hands().capabilities().await.look {
            show::err(&format!("guarda: {}\n", load::say("serve-no-cell", &[("why", why.to_string())])));
        }
    });
}

/// Ends what is under way, within this time for each step. A second signal calls it off.
async fn close(door: &AppState, listener: &Listener, signals: &mut Signals, most: Duration) {
    door.guard.close();
    door.jobs.tasks().close();
    let mut closing = std::pin::pin!(async {
        listener.close(most).await;
        let _ = tokio::time::timeout(most, door.jobs.tasks().wait()).await;
    });
    tokio::select! {
        () = &mut closing => {}
        () = signals.again() => {
            show::err(&format!("guarda: {}\n", load::say("serve-twice", &[])));
            door.jobs.call_off();
            closing.await;
        }
    }
    door.guard.journal().shut();
}

/// Why the service cannot listen at an address, and the next step.
fn unheard(words: &Words, address: SocketAddr, error: &std::io::Error, holder: Option<&str>) -> String {
    use std::io::ErrorKind;
    let mut told = vec![("address", address.to_string().into())];
    let id = match (error.kind(), holder) {
        (ErrorKind::AddrInUse, Some(holder)) => {
            told.push(("holder", holder.into()));
            "serve-taken-by"
        }
        (ErrorKind::AddrInUse, None) => "serve-taken",
        (ErrorKind::PermissionDenied, _) => "serve-not-allowed",
        (ErrorKind::AddrNotAvailable, _) => "serve-no-address",
        _ => {
            told.push(("why", error.to_string().into()));
            "serve-unheard"
        }
    };
    words.say(id, &told)
}

/// The settings of the hands. `guard` lists the guard's own files and folders.
pub(super) fn hands_config(loaded: &Loaded, guard: Vec<PathBuf>) -> HandsConfig {
    let (run, config, session) = (&loaded.config.run, &loaded.config, DesktopSession::of_process());
    let display = session.get("DISPLAY").or(session.get("WAYLAND_DISPLAY")).is_some();
    HandsConfig {
        search_path: run.path.split(':').map(PathBuf::from).collect(),
        command_timeout: Duration::from_secs(run.timeout_seconds),
        desktop_timeout: Duration::from_secs(run.desktop_timeout_seconds),
        output_limit: usize::try_from(run.output_limit).unwrap_or(usize::MAX),
        keeping: config.sandbox.clone(),
        network: crate::config::network::NetworkInForce::new(config.network.clone()),
        staging: config.undo.stage,
        keep_caches: config.undo.keep_caches.clone(),
        terminal: config.terminal.program.clone(),
        language: config.language.chosen(),
        guard,
        settings: super::assemble::settings(),
        advanced_mode: config.security.advanced_mode,
        // sudo starts this program again to ask for the password.
        askpass: std::env::current_exe().ok(),
        password: password_route(config, display),
        ..HandsConfig::of_session(session)
    }
}

/// How the system can ask for a password here.
///
/// # Errors
/// The reason why it cannot ask.
pub(super) fn password_route(
    config: &crate::config::Config,
    display: bool,
) -> Result<crate::devices::terminal::askpass::Route, crate::devices::fault::DeviceFault> {
    let password = &config.password;
    crate::devices::terminal::askpass::route(password.way, password.pinentry.as_deref(), display)
}

fn log(telemetry: Option<&Telemetry>) {
    use tracing_subscriber::Layer as _;
    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::util::SubscriberInitExt as _;

    let filter = load::environment("GUARDA_LOG").unwrap_or_else(|| "warn".to_owned());
    let filter = tracing_subscriber::EnvFilter::builder().parse_lossy(filter);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // In JSON, the lines of a request can be found by its id, whatever they contain.
    let lines = match load::environment("GUARDA_LOG_FORMAT").as_deref() {
        Some("json") => lines.json().flatten_event(true).with_filter(filter).boxed(),
        Some(_) | None => lines.with_filter(filter).boxed(),
    };
    let told = telemetry.map(Telemetry::layer);
    let _ = tracing_subscriber::registry().with(lines).with(told).try_init();
}

/// The signals that a service handles.
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    /// True if there was a terminal at the start.
    on_terminal: bool,
    /// Without a handler, reaching the file size limit would end the process. With one, the write fails with an error.
    _file_size: tokio::signal::unix::Signal,
    /// Signals to ignore. Without a handler, they would end the process and leave actions without an outcome.
    _nothing: [tokio::signal::unix::Signal; 2],
}

impl Signals {
    fn new() -> Result<Self, CliError> {
        let listen = |kind| signal(kind).map_err(CliError::new);
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
            on_terminal: crate::devices::terminal::is_there(),
            _file_size: listen(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?,
            _nothing: [listen(SignalKind::user_defined1())?, listen(SignalKind::user_defined2())?],
        })
    }

    /// Waits for a second signal to end.
    async fn again(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Waits for the signal to end. Calls `reload` at every earlier SIGHUP, unless that signals the loss of the
    /// terminal in which the service was started.
    async fn end(&mut self, mut reload: impl FnMut()) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                // Ctrl-C in an editor that has the terminal is meant for the editor.
                _ = self.interrupt.recv() => if !crate::devices::terminal::editor::lent() { return },
                _ = self.hang_up.recv() => if self.on_terminal && !crate::devices::terminal::is_there() { return } else { reload() },
            }
        }
    }
}
