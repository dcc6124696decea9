//! `guarda serve`: starts the service, reloads its configuration when told to, and ends it at a signal.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use crate::devices::process::socket_activation::SocketActivation;
use crate::doors::telemetry::Telemetry;

use super::banner::Banner;
use super::error::{CliError, ExitStatus};
use super::load::{self, LoadError, Loaded};
use super::reload::Reload;
use super::service::Service;
use super::shut_down::{Signals, shut_down};
use super::{paths, terminal, unattended};

/// The arguments of `guarda serve`.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  guarda serve
  guarda serve --listen 127.0.0.1:0 --ready-json
  guarda serve --no-human                         without a person: what needs a yes is refused
  kill -HUP $(cat ~/.local/state/guarda/lock)     reload the configuration")]
pub(crate) struct ServeArgs {
    /// The configuration file, instead of $GUARDA_CONFIG or the default location
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// The address to listen on, such as 127.0.0.1:4827; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<String>,
    /// Also answer requests in this folder, for agents in containers; may be repeated
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) ipc: Vec<PathBuf>,
    /// Run without a person: refuse at once what would be asked, and report it at the end
    #[arg(long)]
    pub(crate) no_human: bool,
    /// Print {"ready": true, "address": …} as the first line of standard output
    #[arg(long)]
    pub(crate) ready_json: bool,
}

/// Serves until a signal ends it.
pub(crate) fn serve(args: &ServeArgs) -> Result<ExitStatus, CliError> {
    let sockets = SocketActivation::take()?;
    if crate::devices::filesystem::own::own_uid() == 0 {
        if load::environment("GUARDA_ALLOW_ROOT").as_deref() != Some("1") {
            return Err(CliError::say("serve-root", &[]));
        }
        terminal::note(&load::say("serve-as-root", &[]));
    }
    let mut loaded = load::load(args.config.as_deref())?;
    load::listen(&mut loaded.config, args.listen.as_deref())?;
    loaded.config.security.no_human |= args.no_human;
    if let Some(address) = &sockets.address {
        // The address that a service manager has opened overrides every other setting.
        loaded.config.server.listen = address.local_addr()?;
        loaded.config.check("LISTEN_FDS").map_err(LoadError::Config)?;
    }
    if sockets.socket.is_some() && !loaded.config.server.socket {
        return Err(CliError::say("serve-no-socket", &[]));
    }
    loaded.policy()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let end = runtime.block_on(run(args, loaded, sockets));
    // Helpers that hang must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_secs(1));
    end
}

async fn run(args: &ServeArgs, loaded: Loaded, sockets: SocketActivation) -> Result<ExitStatus, CliError> {
    let telemetry = Telemetry::start(&loaded.config.telemetry)?;
    log(telemetry.as_ref());
    let mut signals = Signals::new()?;
    let limit = Duration::from_secs(loaded.config.server.shutdown_timeout_seconds);
    let service = Service::start(&loaded, sockets, telemetry, &args.ipc).await?;
    let address = service.address;
    if args.ready_json {
        terminal::out(&format!("{{\"ready\": true, \"address\": \"{address}\"}}\n"));
    }
    service.try_cells();
    let token = service.folder.path().join("token");
    let unattended = loaded.config.security.no_human.then(jiff::Timestamp::now);
    let record = paths::record_folder(&loaded.config, service.folder.path());
    let banner = Banner { address, config: loaded.told(), token, to_stderr: args.ready_json };
    let telling = tokio::spawn(banner.tell(service.state.clone(), loaded.notices()));
    let mut reload = Reload::new(args.config.clone(), loaded, service.guard.clone());
    signals.end(|| reload.again()).await;
    telling.abort();
    shut_down(service, &mut signals, limit).await;
    if let Some(since) = unattended {
        let told = unattended::report(load::words(), &record, since)?;
        // Standard output is for the program that waits for the service.
        if args.ready_json { terminal::note(&told) } else { terminal::out(&told) }
    }
    Ok(ExitStatus::Good)
}

/// Writes the service's log to standard error, and to the collector if there is one.
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
