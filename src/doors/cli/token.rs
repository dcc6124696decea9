//! `guarda token`: adds, lists and removes containers, each with its own socket and token.

use crate::devices::exchange::containers::Containers;

use super::args::{TokenArgs, TokenCommand};
use super::{CliError, ExitStatus, load, show};

pub(super) fn token(args: &TokenArgs) -> Result<ExitStatus, CliError> {
    let containers = Containers::of(&load::state()?);
    match &args.command {
        TokenCommand::Add { name } => {
            if !Containers::is_name(name) {
                return Err(CliError(load::say("token-no-name", &[("name", name.clone())])));
            }
            let place = containers.add(name)?;
            let told = [("name", name.clone()), ("path", place.path.display().to_string())];
            show::out(&format!("{}\n", load::say("token-added", &told)));
        }
        TokenCommand::List => {
            let places = containers.list();
            if places.is_empty() {
                show::out(&format!("{}\n", load::say("token-none", &[])));
            }
            for place in places {
                show::out(&format!("{}  {}\n", place.name, place.path.display()));
            }
        }
        TokenCommand::Remove { name } => {
            if !containers.remove(name)? {
                return Err(CliError(load::say("token-unknown", &[("name", name.clone())])));
            }
            show::out(&format!("{}\n", load::say("token-removed", &[("name", name.clone())])));
        }
    }
    Ok(ExitStatus::Good)
}
