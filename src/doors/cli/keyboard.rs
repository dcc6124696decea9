//! `guarda keys`: the trusted keyboard and its helper.

use std::path::Path;

use crate::devices::gesture::Rule;
use crate::devices::keyboard::{Ask, Found, Layout, Terms, Told, Word, ask_once, status};

use super::args::{KeysArgs, KeysCommand};
use super::{End, Trouble, load, show};

pub(super) fn keys(args: KeysArgs) -> Result<End, Trouble> {
    if let KeysCommand::Enroll { user, keyboard, layout, terms } = args.command {
        return enroll(&terms, user, keyboard, layout.as_deref());
    }
    let config = load::load(args.config.as_deref())?.config.keys;
    let (socket, user) = (&config.trusted_socket, config.trusted_user.as_str());
    match args.command {
        KeysCommand::Status { json } => {
            let found = status(socket, user).map_err(Trouble::new)?;
            show::out(&if json { format!("{}\n", serde_json::json!(found)) } else { page(&found) });
            let well = found.iter().any(|one| one.refused.is_none());
            Ok(if well { End::Good } else { End::Failed })
        }
        KeysCommand::Test { seconds, digit } => {
            let ask = Ask {
                question: crate::devices::random::hex::<16>().map_err(Trouble::new)?,
                yes: digit.unwrap_or('Y'),
                gesture: config.gesture,
                always: false,
                write: false,
                quiet_ms: config.arming_delay_ms,
                wait_s: seconds,
            };
            test(socket, user, &ask)
        }
        KeysCommand::Enroll { .. } => Ok(End::Usage),
    }
}

fn page(found: &[Found]) -> String {
    if found.is_empty() {
        return "no keyboard was found\n".to_owned();
    }
    let mut page = String::new();
    for Found { node, name, place, refused, entry } in found {
        let (style, word) = if refused.is_none() { (show::GOOD, "counts") } else { (show::WARY, "refused") };
        let name = crate::human::plain::visible(name);
        page.push_str(&format!("{style}{word:<8}{style:#} {node}  {name}\n         {place}\n"));
        if let Some(why) = refused {
            page.push_str(&format!("         {why}\n"));
        }
        if let (Some(_), Some(entry)) = (refused, entry) {
            let entry = crate::human::plain::visible(entry);
            page.push_str(&format!("         sudo guarda keys enroll --keyboard '{entry}'\n"));
        }
    }
    page
}

fn test(socket: &Path, user: &str, ask: &Ask) -> Result<End, Trouble> {
    let how = match ask.gesture.rule(ask.yes) {
        Rule::HeldOrTwice => "hold {} for a second, or press it twice within one",
        Rule::Held => "hold {} for a second",
        Rule::Twice => "press {} twice within a second",
        Rule::Once | Rule::Single | Rule::Lone => "press {}",
    };
    let how = how.replace("{}", &ask.yes.to_string());
    let news = |told: &Told| match told {
        Told::Listening { keyboards, .. } => {
            show::out(&format!("{keyboards} keyboards are read: {how} for yes, press N or Escape for no\n"));
        }
        Told::Busy(why) => show::out(&format!("waiting: {why}\n")),
        Told::Unable(_) | Told::Answer { .. } | Told::Silence | Told::Status(_) => {}
    };
    match ask_once(socket, user, ask, news).map_err(Trouble::new)? {
        Some(Word::Yes | Word::Always) => {
            show::out("yes\n");
            Ok(End::Good)
        }
        Some(Word::No | Word::Write) => {
            show::out("no\n");
            Ok(End::Denied)
        }
        None => {
            show::out("nobody answered\n");
            Ok(End::Denied)
        }
    }
}

/// Adds to the helper's terms. The file is root's; the helper reads it again for every question.
fn enroll(
    path: &Path,
    user: Option<String>,
    keyboard: Option<String>,
    layout: Option<&str>,
) -> Result<End, Trouble> {
    let mut terms = Terms::read(path).map_err(Trouble::new)?;
    let add = |list: &mut Vec<String>, entry: Option<String>| {
        if let Some(entry) = entry.filter(|entry| !list.contains(entry)) {
            list.push(entry);
        }
    };
    add(&mut terms.users, user);
    add(&mut terms.enrolled, keyboard);
    if let Some(layout) = layout {
        let known = serde_json::from_value::<Layout>(layout.into());
        terms.layout = known
            .map_err(|_| Trouble(format!("{layout:?} is no layout: qwerty, qwertz, azerty or dvorak")))?;
    }
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
        crate::devices::own::write_public(path, terms.to_toml().as_bytes()).map_err(std::io::Error::other)
    });
    written.map_err(|error| Trouble(format!("{error}; enrolling needs root: sudo guarda keys enroll …")))?;
    show::out(&format!("{} says so now; it holds from the next question on\n", path.display()));
    Ok(End::Good)
}
