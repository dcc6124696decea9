//! `guarda token`: adds, lists and removes containers, each with its own socket and token.

use crate::devices::containers::Containers;

use super::args::{TokenArgs, TokenCommand};
use super::{End, Trouble, load, show};

pub(super) fn token(args: &TokenArgs) -> Result<End, Trouble> {
    let containers = Containers::of(&load::state()?);
    match &args.command {
        TokenCommand::Add { name } => {
            let place = containers.add(name).map_err(Trouble::new)?;
            let path = place.path.display();
            show::out(&format!(
                "{}added:{:#} {name}\nMount {path} into the container as /run/guarda, read-only:\n  \
                 podman run -v {path}:/run/guarda:ro -e GUARDA_STATE_DIR=/run/guarda …\n\
                 In it, `guarda act`, `guarda mcp` and the hooks ask through that socket; so does\n  \
                 curl --unix-socket /run/guarda/guarda.sock -H \"Authorization: Bearer $(cat /run/guarda/token)\" …\n",
                show::GOOD,
                show::GOOD
            ));
        }
        TokenCommand::List => {
            let places = containers.list();
            if places.is_empty() {
                show::out("no container has a token; guarda token add NAME makes one\n");
            }
            for place in places {
                show::out(&format!("{}  {}\n", place.name, place.path.display()));
            }
        }
        TokenCommand::Remove { name } => {
            if !containers.remove(name).map_err(Trouble::new)? {
                return Err(Trouble(format!(
                    "no container {name} has a token; guarda token list names them"
                )));
            }
            show::out(&format!("removed: {name}; its token counts no more\n"));
        }
    }
    Ok(End::Good)
}
