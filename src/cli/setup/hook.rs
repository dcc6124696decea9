//! `guarda hook`: answers a client's event, and adds hooks to clients' settings.

use std::io::Read;
use std::process::ExitCode;
use std::time::Duration;

use crate::cli::request::client;
use crate::config::sections::hooks::WithoutService;
use crate::devices::exchange::state_folder::StateFolder;
use crate::doors::hook::relay::{self, RelayArgs, Undecided, Usage};
use crate::doors::hook::{Decision, HookEvent};

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::{HookArgs, HookCommand};

/// How long another process may hold the state folder before a hook without a service gives up.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers a client's event or redeems a ticket, if this process was started for either.
pub(in crate::cli) fn quick() -> Option<ExitCode> {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    match words.split_first()? {
        (first, [help]) if first == "run" && help.starts_with('-') => None,
        (first, _) if first == "run" => crate::doors::hook::through::of(&words),
        (first, rest) if first == "hook" => Some(relay::run(RelayArgs::of(rest)?, by_service)),
        _ => None,
    }
}

pub(in crate::cli) fn hook(args: HookArgs) -> ExitCode {
    let end = match args.command {
        HookCommand::Install(place) => crate::cli::setup::clients::install(place.client),
        HookCommand::Remove(place) => crate::cli::setup::clients::remove(place.client),
        HookCommand::Doctor(place) => crate::cli::setup::clients::doctor(place.client),
        HookCommand::Judge { why } => judge(&why, by_service),
        HookCommand::Client(words) => {
            let launch = RelayArgs::of(&words).unwrap_or_else(|| {
                Err(Usage(crate::app::load::say(
                    "hook-no-client",
                    &[("given", format!("{:?}", words.join(" ")))],
                )))
            });
            return relay::run(launch, by_service);
        }
    };
    let end = end.unwrap_or_else(|trouble| {
        terminal::trouble(&trouble.told(load::words()));
        ExitStatus::Failed
    });
    ExitCode::from(end.code())
}

/// Decides on the event on standard input, for when no service answers.
pub(in crate::cli) fn judge(
    why: &str,
    alone: impl Fn(&HookEvent, &str) -> Result<Decision, Undecided>,
) -> Result<ExitStatus, CliError> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let event: HookEvent = serde_json::from_slice(&bytes)?;
    let decision = alone(&event, why).map_err(CliError::system)?;
    terminal::out(&serde_json::to_string(&decision)?);
    Ok(ExitStatus::Good)
}

/// Decides without a service, if the configuration allows that. No person can be asked.
pub(in crate::cli) fn cold(event: &HookEvent, why: &str) -> Result<Decision, Undecided> {
    decide(event, why).map_err(|trouble| Undecided::Refused(trouble.told(load::words())))
}

/// Does the same by starting `guarda-service`, because only that program links the whole guard.
pub(in crate::cli) fn by_service(event: &HookEvent, why: &str) -> Result<Decision, Undecided> {
    let loaded = load::load(None).map_err(|trouble| Undecided::Refused(trouble.told(load::words())))?;
    match loaded.config.hooks.without_service {
        WithoutService::Deny => Err(Undecided::Refused(why.to_owned())),
        WithoutService::Judge => relay::by_sibling("guarda-service", &["judge", why], event, why),
    }
}

fn decide(event: &HookEvent, why: &str) -> Result<Decision, CliError> {
    let mut loaded = load::load(None)?;
    if loaded.config.hooks.without_service == WithoutService::Deny {
        return Err(CliError::text(why.to_owned()));
    }
    let folder = hold(&load::state()?)?;
    let config = &mut loaded.config;
    (config.speech.enabled, config.keys.enabled, config.terminal.enabled) = (false, false, false);
    (config.server.answer_over_http, config.channels.mcp) = (false, false);
    let runtime = client::runtime()?;
    let decided = runtime.block_on(async {
        let guard = crate::app::assemble::assemble(&loaded, &folder)?;
        let caller = guarda_journal::Caller {
            door: crate::guard::HOOK_DOOR.to_owned(),
            name: format!("{} (without a service)", event.client),
            container: None,
        };
        let withdraw = tokio_util::sync::CancellationToken::new();
        let config = &loaded.config;
        let hooks = (&config.hooks, &config.services, config.hooks.wait(&config.security));
        let decided = crate::doors::hook::decide::decide(&guard, hooks, event, &caller, &withdraw).await;
        guard.journal().shut();
        decided.map_err(CliError::system)
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    decided.map(|(decision, _)| decision)
}

/// Locks the state folder. Other hooks hold the lock only for a moment.
fn hold(path: &std::path::Path) -> Result<StateFolder, CliError> {
    let begun = std::time::Instant::now();
    loop {
        match StateFolder::open(path) {
            Ok(folder) => return Ok(folder),
            Err(error) if begun.elapsed() > PATIENCE => return Err(error.into()),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}
