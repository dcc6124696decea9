//! `guarda token`: adds, lists and removes containers, each with its own socket and token.

use crate::devices::exchange::containers::Containers;

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::{TokenArgs, TokenCommand};

pub(in crate::cli) fn token(args: &TokenArgs) -> Result<ExitStatus, CliError> {
    let containers = Containers::of(&load::state()?);
    match &args.command {
        TokenCommand::Add { name } => {
            if !Containers::is_name(name) {
                return Err(CliError::say("token-no-name", &[("name", &name)]));
            }
            let place = containers.add(name)?;
            let told = [("name", name.clone()), ("path", place.path.display().to_string())];
            terminal::out(&format!("{}\n", load::say("token-added", &told)));
        }
        TokenCommand::List => {
            let places = containers.list();
            if places.is_empty() {
                terminal::out(&format!("{}\n", load::say("token-none", &[])));
            }
            for place in places {
                terminal::out(&format!("{}  {}\n", place.name, place.path.display()));
            }
        }
        TokenCommand::Remove { name } => {
            if !containers.remove(name)? {
                return Err(CliError::say("token-unknown", &[("name", &name)]));
            }
            terminal::out(&format!("{}\n", load::say("token-removed", &[("name", name.clone())])));
        }
    }
    Ok(ExitStatus::Good)
}
