//! `guarda prove`: the same deeds under each guard of this machine, in a throw-away home, and what really happened.

mod deed;
mod listeners;
mod paper;
mod results;
mod service;
mod trial;
mod world;

use std::time::Duration;

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::ProveArgs;
use crate::cli::request::client;
use crate::wording::words;

use deed::{ComparedGuard, GuardWay, TrialDeed};
use results::{Comparison, DeedName, GuardResult, TrialOutcome};
use service::TrialService;
use trial::Surroundings;
use world::World;

/// The deed that every guard has to let through, and whose time is measured: it only reads.
const LOOK: &str = "work-look";

pub(in crate::cli) fn prove(args: &ProveArgs) -> Result<ExitStatus, CliError> {
    // As root, a guard that fails would fail on the whole machine.
    if rustix::process::geteuid().is_root() {
        return Err(CliError::say("prove-root", &[]));
    }
    let (deeds, guards) = deed::tables()?;
    let words = words(load::page_language());
    let comparison = client::runtime()?.block_on(compare(args, &deeds, &guards))?;
    match (args.json, args.markdown) {
        (true, _) => terminal::out(&format!(
            "{}\n",
            serde_json::to_string_pretty(&comparison).map_err(CliError::system)?
        )),
        (_, true) => terminal::out(&paper::markdown(words, &comparison)),
        _ => terminal::out(&paper::plain(words, &comparison)),
    }
    let ours = comparison.guards.iter().find(|guard| guard.name == "guarda");
    let harmed = ours.is_some_and(|guard| {
        let each = comparison.deeds.iter().zip(&guard.outcomes);
        each.into_iter().any(|(deed, outcome)| deed.harm && *outcome == Some(TrialOutcome::Done))
    });
    Ok(if harmed { ExitStatus::Failed } else { ExitStatus::Good })
}

async fn compare(
    args: &ProveArgs,
    deeds: &[TrialDeed],
    guards: &[ComparedGuard],
) -> Result<Comparison, CliError> {
    let cache = load::cache()?;
    let mut world = World::make(&cache).map_err(|error| CliError::at(&cache, error))?;
    let mut surroundings = surroundings(&world, guards)?;
    let here = |guard: &&ComparedGuard| {
        let wanted = args.only.is_empty() || args.only.contains(&guard.name);
        wanted && guard.needs.iter().all(|program| surroundings.found(program).is_some())
    };
    let guards: Vec<&ComparedGuard> = guards.iter().filter(here).collect();
    let ours = guards.iter().any(|guard| guard.name == "guarda");
    if ours {
        surroundings.service = Some(TrialService::start(&world).await?);
    }
    let trial = trial(&surroundings, &mut world, &guards, deeds, args.rounds);
    let results = match &surroundings.service {
        None => trial.await,
        Some(service) => tokio::select! {
            results = trial => results,
            error = service.answer() => Err(error),
        },
    }?;
    let deeds = deeds.iter().map(|deed| DeedName { id: deed.id.clone(), harm: deed.harm }).collect();
    Ok(Comparison { deeds, guards: results, rounds: args.rounds })
}

/// The environment of a person at this machine, whose home is the throw-away one.
fn surroundings(world: &World, guards: &[ComparedGuard]) -> Result<Surroundings, CliError> {
    // The first row of the table is the agent's own shell, without a guard.
    let Some(GuardWay::Wrap(shell)) = guards.first().map(|guard| &guard.way) else {
        return Err(CliError::text("guards.toml"));
    };
    let shell = shell.clone();
    let own = std::env::current_exe()?;
    let own = own.parent().unwrap_or(&own).to_owned();
    // Programs of the real home are found last, since a cell shows them to nobody whose home is another one.
    let (home, path) =
        (std::env::var_os("HOME").unwrap_or_default(), std::env::var_os("PATH").unwrap_or_default());
    let (own_folders, system): (Vec<_>, Vec<_>) =
        std::env::split_paths(&path).partition(|folder| folder.starts_with(&home));
    let path = std::env::join_paths(system.into_iter().chain(own_folders)).map_err(CliError::system)?;
    let kept = ["USER", "LOGNAME", "TERM"];
    let kept = kept.into_iter().filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
    let state = service::state(&world.home()).display().to_string();
    let fresh = [
        ("HOME", world.home().display().to_string()),
        ("PATH", path.to_string_lossy().into_owned()),
        ("GUARDA_STATE_DIR", state),
        ("LANG", "C.UTF-8".to_owned()),
        ("SHELL", "/bin/bash".to_owned()),
    ];
    let fresh = fresh.into_iter().map(|(name, value)| (name.to_owned(), value));
    Ok(Surroundings { environment: kept.chain(fresh).collect(), own, shell, service: None })
}

async fn trial(
    surroundings: &Surroundings,
    world: &mut World,
    guards: &[&ComparedGuard],
    deeds: &[TrialDeed],
    rounds: u32,
) -> Result<Vec<GuardResult>, CliError> {
    let look = deeds.iter().find(|deed| deed.id == LOOK);
    let look = look.ok_or_else(|| CliError::text(LOOK))?;
    let mut results = Vec::new();
    for guard in guards {
        let works = surroundings.works(world, guard, look).await;
        let mut outcomes = Vec::new();
        for deed in deeds {
            terminal::progress(&format!("{}: {}", guard.name, deed.id));
            let possible = works && deed.needs.iter().all(|program| surroundings.found(program).is_some());
            let outcome = if possible { Some(surroundings.attempt(world, guard, deed).await?) } else { None };
            outcomes.push(outcome);
        }
        let version =
            if guard.version.is_empty() { None } else { surroundings.says(world, &guard.version).await };
        let name = guard.name.clone();
        results.push(GuardResult { name, version, outcomes, least_ms: None, median_ms: None });
    }
    terminal::progress("");
    world.reset()?;
    let mut times: Vec<Vec<Duration>> = guards.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (guard, times) in guards.iter().zip(&mut times) {
            times.extend(surroundings.time(world, guard, look).await?);
        }
    }
    for (result, mut times) in results.iter_mut().zip(times) {
        times.sort_unstable();
        let ms = |time: Option<&Duration>| time.map(|time| (time.as_secs_f64() * 10_000.0).round() / 10.0);
        result.least_ms = ms(times.first());
        result.median_ms = ms(times.get(times.len() / 2));
    }
    Ok(results)
}
