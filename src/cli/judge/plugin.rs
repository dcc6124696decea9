//! `guarda plugin`: lists and tries the user's plugins, without a service.

use crate::app::{CliError, ExitStatus, Loaded, load, settings, terminal};
use crate::cli::request::client;
use crate::plugins::{PluginDecision, PluginState, Plugins, event};

use crate::cli::args::{PluginArgs, PluginCommand};
use crate::cli::judge::command;

pub(in crate::cli) fn plugin(args: &PluginArgs) -> Result<ExitStatus, CliError> {
    let loaded = load::load(args.config.as_deref())?;
    let plugins = Plugins::new(settings::plugins(&loaded, &load::state()?));
    match &args.command {
        PluginCommand::List { json } => list(&loaded, &plugins, *json),
        PluginCommand::Try { cmd, plugin, event } => {
            attempt(&loaded, &plugins, cmd, plugin.as_deref(), *event)
        }
    }
}

fn list(loaded: &Loaded, plugins: &Plugins, json: bool) -> Result<ExitStatus, CliError> {
    let shelf = plugins.shelf();
    let state = |state: &PluginState| match state {
        PluginState::Good => ("ready", String::new()),
        PluginState::Ignored(why) => ("ignored", why.clone()),
        PluginState::Refused(why) => ("failed", why.to_string()),
    };
    if json {
        let found = shelf.found.iter().map(|found| {
            let (state, why) = state(&found.state);
            serde_json::json!({"name": found.name, "path": found.path, "state": state, "detail": why})
        });
        let told = serde_json::json!({
            "folder": plugins.folder(),
            "enabled": loaded.config.plugins.enabled,
            "trouble": shelf.trouble,
            "plugins": found.collect::<Vec<_>>(),
        });
        terminal::out(&format!("{told}\n"));
        return Ok(if shelf.trouble.is_some() { ExitStatus::Failed } else { ExitStatus::Good });
    }
    if let Some(why) = &shelf.trouble {
        return Err(CliError::text(why).hint("plugin-trouble"));
    }
    let faint = terminal::FAINT;
    let key = [("key", "plugins.enabled".to_owned())];
    let switched_off = match loaded.config.plugins.enabled {
        true => String::new(),
        false => format!(": {}", load::say("status-off", &key)),
    };
    let mut page = format!("{faint}{}{switched_off}{faint:#}\n", plugins.folder().display());
    for found in &shelf.found {
        let (word, why) = state(&found.state);
        let style = terminal::style(word);
        let word = load::say(&format!("plugin-{word}"), &[]);
        page.push_str(&format!("  {:<28} {style}{word:<8}{style:#} {why}\n", found.name));
    }
    if shelf.found.is_empty() {
        page.push_str(&format!("  {}\n", load::say("plugin-none", &[])));
    }
    terminal::out(&page);
    Ok(ExitStatus::Good)
}

fn attempt(
    loaded: &Loaded,
    plugins: &Plugins,
    cmd: &str,
    only: Option<&str>,
    show_event: bool,
) -> Result<ExitStatus, CliError> {
    let shelf = plugins.shelf();
    if let Some(why) = &shelf.trouble {
        return Err(CliError::text(why.clone()));
    }
    let proposal = command::proposal(cmd, load::current_folder())?;
    let hands = settings::hands(loaded, &load::state()?);
    let situation = hands.survey(&proposal)?;
    let policy = loaded.policy()?;
    let judgement = guarda_core::judge::judge(&policy, proposal, &situation);
    let event = event::text(&judgement, &situation, policy.profile(), "cli");
    if show_event {
        terminal::out(&format!("{event}\n"));
    }
    let asked = shelf.found.iter().filter(|found| only.is_none_or(|name| found.name == name));
    let asked: Vec<_> =
        asked.filter(|found| only.is_some() || !matches!(found.state, PluginState::Ignored(_))).collect();
    if asked.is_empty() {
        let folder = plugins.folder().display().to_string();
        return Err(CliError::text(match only {
            Some(name) => {
                load::say("plugin-unknown", &[("given", format!("{name:?}")), ("path", folder.clone())])
            }
            None => load::say("plugin-nothing", &[("path", folder)]),
        }));
    }
    let runtime = client::runtime()?;
    let mut end = ExitStatus::Good;
    for found in asked {
        let unused = match &found.state {
            PluginState::Good => None,
            PluginState::Ignored(why) => Some(why.clone()),
            PluginState::Refused(why) => Some(why.to_string()),
        };
        if let Some(why) = unused {
            line(&found.name, "failed", &why, "");
            end = worse(end, ExitStatus::Asked);
            continue;
        }
        let ran = runtime.block_on(plugins.ask(found, &event));
        let took = format!("{} ms", ran.took.as_millis());
        let (word, reason) = match &ran.answer {
            Ok(answer) => (answer.decision.name(), answer.reason.clone().unwrap_or_default()),
            Err(why) => ("failed", why.to_string()),
        };
        line(&found.name, word, &reason, &took);
        if !ran.errors.trim().is_empty() {
            terminal::out(&format!("    {}\n", ran.errors.trim().replace('\n', "\n    ")));
        }
        end = worse(
            end,
            match ran.answer.map(|answer| answer.decision) {
                Ok(PluginDecision::Pass) => ExitStatus::Good,
                Ok(PluginDecision::Ask) | Err(_) => ExitStatus::Asked,
                Ok(PluginDecision::Deny) => ExitStatus::Blocked,
            },
        );
    }
    Ok(end)
}

fn line(name: &str, word: &str, reason: &str, took: &str) {
    let style = match word {
        "pass" => terminal::GOOD,
        "ask" => terminal::WARY,
        _ => terminal::BAD,
    };
    let word = load::say(&format!("plugin-{word}"), &[]);
    let (faint, reason) = (terminal::FAINT, reason.replace(char::is_control, " "));
    terminal::out(&format!("  {name:<28} {style}{word:<8}{style:#} {reason} {faint}{took}{faint:#}\n"));
}

/// A denial outranks a question, which outranks a pass.
fn worse(one: ExitStatus, other: ExitStatus) -> ExitStatus {
    match (one, other) {
        (ExitStatus::Blocked, _) | (_, ExitStatus::Blocked) => ExitStatus::Blocked,
        (ExitStatus::Asked, _) | (_, ExitStatus::Asked) => ExitStatus::Asked,
        (_, _) => ExitStatus::Good,
    }
}
