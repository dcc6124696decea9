//! `guarda hook install|remove|doctor`: adds the hook to a client's settings, removes it, or tests it.

use std::path::Path;

use serde_json::Value;

use crate::devices::filesystem::rewrite;
use crate::devices::process::sibling;
use crate::doors::hook::settings::{self, Hook, HookEntry, HookStatus};
use crate::doors::hook::{Client, read};

use crate::app::load::{self, say};
use crate::app::{CliError, ExitStatus, terminal};
use guarda_core::policy::Profile;

/// How much longer a hook waits than a question stays open, in seconds.
const SLACK: u64 = 10;
/// A command that is denied in every profile and would be harmless if it ran.
const CANARY: &str = "guarda approve canary";

pub(in crate::cli) fn install(client: Client) -> Result<ExitStatus, CliError> {
    let Some(place) = place(client)? else { return Ok(kit(client)) };
    let old = rewrite::read(&place.file)?;
    let new = match &place.content {
        HookEntry::Whole(text) => text.clone(),
        HookEntry::Entries(entries) => settings::complete(old.as_deref().unwrap_or_default(), entries)
            .map_err(|unfit| unfit_at(&place.file, unfit))?,
    };
    if old.as_ref() == Some(&new) {
        terminal::out(&format!("{}\n", say("hook-already", &[("path", shown(&place.file))])));
    } else {
        rewrite::write(&place.file, &new)?;
        let told = say("hook-installed", &[("path", shown(&place.file))]);
        terminal::out(&format!("{}{told}{:#}\n", terminal::GOOD, terminal::GOOD));
    }
    let config = load::load(None)?.config;
    let (profile, wait) =
        (config.hooks.profile(config.security.profile), config.hooks.wait(&config.security));
    let told = [("profile", profile.to_string()), ("minutes", wait.as_secs().div_ceil(60).to_string())];
    terminal::out(&format!("{}\n", say("hook-judged", &told)));
    if client == Client::Codex {
        terminal::out(&format!("{}\n", say("hook-trust", &[])));
    }
    terminal::out(&format!("{}\n", say("hook-restart", &[("client", client.to_string())])));
    if profile == Profile::Workspace {
        crate::cli::request::trust::offer()?;
    }
    Ok(ExitStatus::Good)
}

pub(in crate::cli) fn remove(client: Client) -> Result<ExitStatus, CliError> {
    let Some(place) = place(client)? else { return Ok(kit(client)) };
    let old = rewrite::read(&place.file)?;
    let gone = match (&old, &place.content) {
        (None, _) => false,
        (Some(_), HookEntry::Whole(_)) => rewrite::delete(&place.file)?,
        (Some(old), HookEntry::Entries(_)) => {
            let new = settings::without(old).map_err(|unfit| unfit_at(&place.file, unfit))?;
            if new != *old {
                rewrite::write(&place.file, &new)?;
            }
            new != *old
        }
    };
    let id = if gone { "hook-removed" } else { "hook-not-in" };
    terminal::out(&format!("{}\n", say(id, &[("path", shown(&place.file))])));
    Ok(ExitStatus::Good)
}

pub(in crate::cli) fn doctor(client: Client) -> Result<ExitStatus, CliError> {
    let Some(place) = place(client)? else { return Ok(kit(client)) };
    let mut well = true;
    let mut tell = |name: &str, found: Result<String, CliError>| {
        let (style, state, detail) = match found {
            Ok(detail) => (terminal::GOOD, "hook-good", detail),
            Err(why) => {
                well = false;
                (terminal::BAD, "hook-bad", why.told(load::words()))
            }
        };
        let (name, state) = (say(name, &[]), say(state, &[]));
        terminal::out(&format!("  {name:<13} {style}{state:<5}{style:#} {detail}\n"));
    };
    tell("hook-settings", settings_hold(client, &place));
    tell("hook-program", program(client));
    tell("hook-service", service());
    tell("hook-rules", rules());
    tell("hook-a-no", denies(client));
    tell("hook-no-guard", denies_alone(client));
    if client == Client::Codex {
        terminal::out(&format!("  {}\n", say("hook-unseen", &[])));
    }
    if well {
        let told = say("hook-protected", &[("client", client.to_string())]);
        terminal::out(&format!("{}{told}{:#}\n", terminal::GOOD, terminal::GOOD));
        return Ok(ExitStatus::Good);
    }
    terminal::out(&format!("{}{}{:#}\n", terminal::BAD, say("hook-unprotected", &[]), terminal::BAD));
    Ok(ExitStatus::Failed)
}

/// Whether each client with settings on this machine calls the guard.
pub(in crate::cli) fn checkup() -> Vec<(Client, Result<String, CliError>)> {
    let placed = Client::ALL.into_iter().filter_map(|client| Some((client, place(client).ok()??)));
    let there = placed.filter(|(_, place)| place.file.exists());
    there.map(|(client, place)| (client, settings_hold(client, &place))).collect()
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

fn quoted() -> String {
    format!("{CANARY:?}")
}

fn unfit_at(file: &Path, unfit: settings::Unfit) -> CliError {
    CliError::at(file, unfit).hint("hook-unfit")
}

fn kit(client: Client) -> ExitStatus {
    terminal::out(&format!("{}\n", say("hook-kit", &[("client", client.to_string())])));
    ExitStatus::Good
}

/// The settings file of a client, and the entry that the current configuration puts there.
fn place(client: Client) -> Result<Option<HookStatus>, CliError> {
    let home = load::environment("HOME").ok_or_else(|| CliError::say("hook-no-home", &[]))?;
    Ok(settings::place(client, &hook()?, &home, &load::environment))
}

/// The hook program of this installation: `guarda-hook` if it exists, otherwise `guarda`.
fn hook() -> Result<Hook, CliError> {
    let own = std::env::current_exe()?;
    let small = own.with_file_name("guarda-hook");
    let (program, start) = if small.is_file() { (small, vec![]) } else { (own, vec!["hook".to_owned()]) };
    let program = program.into_os_string().into_string().map_err(|_| CliError::say("hook-path", &[]))?;
    let config = load::load(None)?.config;
    let deadline = config.hooks.wait(&config.security).as_secs() + SLACK;
    Ok(Hook {
        program,
        start,
        deadline,
        rewrites: config.hooks.run == crate::config::sections::hooks::HookRunner::Guard,
    })
}

fn settings_hold(client: Client, place: &HookStatus) -> Result<String, CliError> {
    let file = place.file.display();
    let told: [(_, &dyn std::fmt::Display); 2] = [("path", &file), ("client", &client)];
    let text = rewrite::read(&place.file)?;
    let text = text.ok_or_else(|| CliError::say("hook-not-there", &told))?;
    let as_it_should = match &place.content {
        HookEntry::Whole(whole) => text == *whole,
        HookEntry::Entries(entries) => {
            settings::complete(&text, entries).map_err(|unfit| CliError::at(&place.file, unfit))? == text
        }
    };
    // Some clients, such as Claude, have a setting that turns off all hooks.
    let off = serde_json::from_str::<Value>(&text)
        .is_ok_and(|settings| settings.get("disableAllHooks") == Some(&Value::Bool(true)));
    if off {
        return Err(CliError::say("hook-switched-off", &told));
    }
    if as_it_should { Ok(file.to_string()) } else { Err(CliError::say("hook-lacks", &told)) }
}

fn program(client: Client) -> Result<String, CliError> {
    let hook = hook()?;
    Ok(hook.words(client).join(" "))
}

fn service() -> Result<String, CliError> {
    let answered =
        crate::cli::request::client::ask(crate::cli::request::client::As::Asker, "/v1/health", None)?;
    if answered.status == 200 { Ok(say("hook-answers", &[])) } else { Err(CliError::text(answered.text)) }
}

/// Whether the service judges hooks by the rules that the configuration names.
fn rules() -> Result<String, CliError> {
    let config = load::load(None)?.config;
    let meant = config.hooks.profile(config.security.profile).to_string();
    let status =
        crate::cli::request::client::ask(crate::cli::request::client::As::Approver, "/v1/status", None)?;
    match status.body.get("hook_profile").and_then(Value::as_str).unwrap_or_default() {
        found if found == meant => Ok(say("hook-rules-are", &[("profile", meant)])),
        found => Err(CliError::say("hook-rules-not", &[("profile", &found), ("meant", &meant)])),
    }
}

/// Starts the hook as the client would, with a command that is denied in every profile.
fn denies(client: Client) -> Result<String, CliError> {
    let output = canary(client, &[])?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(0) if said.contains("\"deny\"") => Ok(say("hook-denied", &[("command", quoted())])),
        Some(2) if !told.is_empty() => Err(CliError::say("hook-denied-failing", &[("why", &told)])),
        _ => {
            let why = format!("{} {said} {told}", output.status);
            Err(CliError::say("hook-not-denied", &[("command", &quoted()), ("why", &why)]))
        }
    }
}

/// Does the same while no guard can be reached.
fn denies_alone(client: Client) -> Result<String, CliError> {
    let nowhere = Path::new("/dev/null/no-guard");
    let output = canary(client, &[("GUARDA_STATE_DIR", nowhere), ("GUARDA_CONFIG", Path::new("/dev/null"))])?;
    let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.code() == Some(2) && output.stdout.is_empty() && !told.is_empty() {
        return Ok(say("hook-alone", &[]));
    }
    Err(CliError::say("hook-not-alone", &[("why", &output.status)]))
}

fn canary(client: Client, environment: &[(&str, &Path)]) -> Result<std::process::Output, CliError> {
    let hook = hook()?;
    let words = hook.words(client);
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let event = read::sample(client, CANARY, "/").to_string();
    sibling::ask(Path::new(&hook.program), &words, environment, event.as_bytes())
        .map_err(|error| CliError::at(&hook.program, error))
}
