//! `guarda keys`: the trusted keyboard and its helper.

use std::path::Path;

use crate::devices::keys::gesture::{KeyAnswer, KeyGesture, Press};
use crate::devices::keys::keyboard::{
    FoundKeyboard, HelperMessage, KeyboardQuestion, KeyboardTerms, Layout, ask_once, status,
};

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::{KeysArgs, KeysCommand};
use crate::prompt::how::pressed;
use crate::wording::Words;

pub(in crate::cli) fn keys(args: KeysArgs) -> Result<ExitStatus, CliError> {
    if let KeysCommand::Enroll { user, keyboard, layout, terms } = args.command {
        return enroll(&terms, user, keyboard, layout.as_deref());
    }
    let config = load::load(args.config.as_deref())?.config.keys;
    let (socket, user) = (&config.trusted_socket, config.trusted_user.as_str());
    match args.command {
        KeysCommand::Status { json } => {
            let found = status(socket, user)?;
            terminal::out(&if json {
                format!("{}\n", serde_json::json!(found))
            } else {
                page(load::words(), &found)
            });
            let well = found.iter().any(|one| one.refused.is_none());
            Ok(if well { ExitStatus::Good } else { ExitStatus::Failed })
        }
        KeysCommand::Test { seconds, digit } => {
            let yes = digit.map_or(config.yes, |_| Press::Hold);
            let key = digit.unwrap_or('Y');
            let ask = KeyboardQuestion {
                question: crate::devices::random::hex::<16>()?,
                signs: vec![
                    KeyGesture::new(key, yes, KeyAnswer::Yes),
                    KeyGesture::new('N', config.no, KeyAnswer::No),
                ],
                quiet_ms: config.arming_delay_ms,
                wait_s: seconds,
            };
            let words = load::words();
            let how = [pressed(words, yes, key), pressed(words, config.no, 'N')];
            test(socket, user, &ask, &how)
        }
        KeysCommand::Enroll { .. } => Ok(ExitStatus::Usage),
    }
}

fn page(words: &Words, found: &[FoundKeyboard]) -> String {
    if found.is_empty() {
        return format!("{}\n", words.say("keys-none", &[]));
    }
    let mut page = String::new();
    for FoundKeyboard { node, name, place, refused, entry } in found {
        let (style, id) = if refused.is_none() {
            (terminal::GOOD, "keys-counts")
        } else {
            (terminal::WARY, "keys-refused")
        };
        let word = words.say(id, &[]);
        let name = crate::wording::plain::visible(name);
        page.push_str(&format!("{style}{word:<8}{style:#} {node}  {name}\n         {place}\n"));
        if let Some(why) = refused {
            page.push_str(&format!("         {why}\n"));
        }
        if let (Some(_), Some(entry)) = (refused, entry) {
            let entry = crate::wording::plain::visible(entry);
            page.push_str(&format!("         sudo guarda keys enroll --keyboard '{entry}'\n"));
        }
    }
    page
}

fn test(
    socket: &Path,
    user: &str,
    ask: &KeyboardQuestion,
    [yes, no]: &[String; 2],
) -> Result<ExitStatus, CliError> {
    let words = load::words();
    let news = |told: &HelperMessage| match told {
        HelperMessage::Listening { keyboards, .. } => {
            let figures =
                [("count", (*keyboards).into()), ("yes", yes.as_str().into()), ("no", no.as_str().into())];
            terminal::out(&format!("{}\n", words.say("keys-listening", &figures)));
        }
        HelperMessage::Busy(why) => {
            terminal::out(&format!("{}\n", words.say("keys-busy", &[("why", why.as_str().into())])));
        }
        HelperMessage::Unable(_)
        | HelperMessage::Answer { .. }
        | HelperMessage::Silence
        | HelperMessage::Status(_) => {}
    };
    match ask_once(socket, user, ask, news)? {
        Some(KeyAnswer::Yes | KeyAnswer::Always | KeyAnswer::Session) => {
            terminal::out(&format!("{}\n", words.say("card-yes", &[])));
            Ok(ExitStatus::Good)
        }
        Some(KeyAnswer::No | KeyAnswer::Write | KeyAnswer::Spell) => {
            terminal::out(&format!("{}\n", words.say("card-no", &[])));
            Ok(ExitStatus::Denied)
        }
        None => {
            terminal::out(&format!("{}\n", words.say("keys-nobody", &[])));
            Ok(ExitStatus::Denied)
        }
    }
}

/// Adds to the helper's configuration. Root owns the file, and the helper reads it again for every question.
fn enroll(
    path: &Path,
    user: Option<String>,
    keyboard: Option<String>,
    layout: Option<&str>,
) -> Result<ExitStatus, CliError> {
    let words = load::words();
    let mut terms = KeyboardTerms::read(path)?;
    let add = |list: &mut Vec<String>, entry: Option<String>| {
        if let Some(entry) = entry.filter(|entry| !list.contains(entry)) {
            list.push(entry);
        }
    };
    add(&mut terms.users, user);
    add(&mut terms.enrolled, keyboard);
    if let Some(layout) = layout {
        let known = serde_json::from_value::<Layout>(layout.into());
        terms.layout =
            known.map_err(|_| CliError::say("keys-layout", &[("given", &format!("{layout:?}"))]))?;
    }
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
        crate::devices::filesystem::own::write_public(path, terms.to_toml().as_bytes())
            .map_err(std::io::Error::other)
    });
    written.map_err(|error| CliError::system(error).hint("keys-root"))?;
    let told = [("path", path.display().to_string().into())];
    terminal::out(&format!("{}\n", words.say("keys-written", &told)));
    Ok(ExitStatus::Good)
}
