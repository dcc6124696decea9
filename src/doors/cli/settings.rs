//! `guarda config`: checks the configuration, shows its values, or prints its paths.

use crate::config::place::{self, ConfigPlace};

use super::args::{ConfigArgs, ConfigCommand};
use super::{End, Trouble, load, show};

pub(super) fn settings(args: ConfigArgs) -> Result<End, Trouble> {
    match args.command {
        ConfigCommand::Check => check(args.config.as_deref()),
        ConfigCommand::Show => {
            let mut loaded = load::load(args.config.as_deref())?;
            load::listen(&mut loaded.config, None)?;
            show::out(&format!("# {}\n{}", loaded.name(), loaded.config.to_toml()));
            Ok(End::Good)
        }
        ConfigCommand::Path => {
            let config = match place::config(args.config, &load::environment) {
                ConfigPlace::Named(path) | ConfigPlace::Usual(path) => {
                    let there = if path.exists() { "" } else { "  (not there: the defaults hold)" };
                    format!("{}{there}", path.display())
                }
                ConfigPlace::Nowhere => "none: there is no home folder".to_owned(),
            };
            show::out(&format!("config  {config}\nstate   {}\n", load::state()?.display()));
            Ok(End::Good)
        }
    }
}

fn check(named: Option<&std::path::Path>) -> Result<End, Trouble> {
    let mut loaded = load::load(named)?;
    load::listen(&mut loaded.config, None)?;
    let name = loaded.name();
    loaded.config.policy(&name).map_err(Trouble::new)?;
    for notice in &loaded.config.notices {
        show::out(&format!("{}note:{:#} {notice}\n", show::WARY, show::WARY));
    }
    show::out(&format!("{}good:{:#} {name}\n", show::GOOD, show::GOOD));
    Ok(End::Good)
}
