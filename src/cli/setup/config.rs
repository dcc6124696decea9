//! `guarda config`: checks the configuration, shows its values, or prints its paths.

use crate::config::place::{self, ConfigPlace};
use crate::wording::fault::misconfigured;

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::{ConfigArgs, ConfigCommand};

pub(in crate::cli) fn config(args: ConfigArgs) -> Result<ExitStatus, CliError> {
    match args.command {
        ConfigCommand::Check { file } => check(file.or(args.config).as_deref()),
        ConfigCommand::Show => {
            let mut loaded = load::load(args.config.as_deref())?;
            load::listen(&mut loaded.config, None)?;
            terminal::out(&format!("# {}\n{}", loaded.told(), loaded.config.to_toml()));
            Ok(ExitStatus::Good)
        }
        ConfigCommand::Path => {
            let config = match place::config(args.config, &load::environment) {
                ConfigPlace::Named(path) | ConfigPlace::Usual(path) => {
                    let id = if path.exists() { "config-there" } else { "config-not-there" };
                    load::say(id, &[("path", path.display().to_string())])
                }
                ConfigPlace::Nowhere => load::say("config-nowhere", &[]),
            };
            let state = load::state()?.display().to_string();
            terminal::out(&format!(
                "{}\n",
                load::say("config-paths", &[("config", config), ("state", state)])
            ));
            Ok(ExitStatus::Good)
        }
    }
}

fn check(named: Option<&std::path::Path>) -> Result<ExitStatus, CliError> {
    let faults = load::faults(named);
    if !faults.is_empty() {
        let told = faults.iter().map(|fault| misconfigured::config_error(load::words(), fault));
        return Err(CliError::text(told.collect::<Vec<_>>().join("\n")));
    }
    let mut loaded = load::load(named)?;
    load::listen(&mut loaded.config, None)?;
    loaded.policy()?;
    for notice in loaded.notices() {
        terminal::out(&format!("{}\n", labelled(terminal::WARY, "config-note", &notice)));
    }
    terminal::out(&format!("{}\n", labelled(terminal::GOOD, "config-good", &loaded.told())));
    Ok(ExitStatus::Good)
}

/// A coloured label with its value.
fn labelled(style: anstyle::Style, label: &str, value: &str) -> String {
    let label = format!("{style}{}{style:#}", load::say(label, &[]));
    load::words().labelled(&label, value)
}
