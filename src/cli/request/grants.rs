//! `guarda grants`: lists what was said beforehand, and ends it, through the service.

use serde_json::{Value, json};

use crate::app::{CliError, ExitStatus, load, terminal};
use crate::cli::args::{GrantsArgs, GrantsCommand};
use crate::cli::audit::import;
use crate::cli::request::client::{As, done};
use crate::guard::permissions::Permission;
use crate::wording::Words;
use crate::wording::plain::visible;

/// The characters of an id that are shown.
const SHORT: usize = 8;

pub(in crate::cli) fn grants(args: &GrantsArgs) -> Result<ExitStatus, CliError> {
    let words = load::words();
    match &args.command {
        None | Some(GrantsCommand::List) => {
            let told = done(As::Approver, "/v1/grants", None)?;
            if args.json {
                terminal::out(&format!("{}\n", told.text));
                return Ok(ExitStatus::Good);
            }
            let all = read(told.body.get("grants"))?;
            if all.is_empty() {
                terminal::out(&format!("{}\n", words.say("grant-none", &[])));
            }
            all.iter().for_each(|one| terminal::out(&line(words, one)));
        }
        Some(GrantsCommand::Import(wanted)) => return import::import(wanted),
        Some(GrantsCommand::Revoke { ids, all }) => {
            let body = if *all { json!({ "all": true }) } else { json!({ "ids": meant(words, ids)? }) };
            let told = done(As::Approver, "/v1/grants/revoke", Some(body.to_string().into_bytes()))?;
            let ended = read(told.body.get("ended"))?;
            if ended.is_empty() {
                terminal::out(&format!("{}\n", words.say("grant-none", &[])));
            }
            for ended in ended {
                let what = visible(&ended.what);
                terminal::out(&format!("{}\n", words.say("grant-ended", &[("what", what.into())])));
            }
        }
    }
    Ok(ExitStatus::Good)
}

fn read(listed: Option<&Value>) -> Result<Vec<Permission>, CliError> {
    Ok(serde_json::from_value(listed.cloned().unwrap_or_default())?)
}

/// The ids that a person means by their beginnings, or by the path of a folder.
fn meant(words: &Words, given: &[String]) -> Result<Vec<String>, CliError> {
    let all = read(done(As::Approver, "/v1/grants", None)?.body.get("grants"))?;
    let one = |given: &String| {
        let named =
            |one: &&Permission| one.id.starts_with(given.as_str()) || one.id == format!("folder:{given}");
        match all.iter().filter(named).collect::<Vec<_>>().as_slice() {
            [one] => Ok(one.id.clone()),
            [] => Err(CliError::text(words.say("grant-unknown", &[("given", given.as_str().into())]))),
            [..] => Err(CliError::text(words.say("grant-several", &[("given", given.as_str().into())]))),
        }
    };
    given.iter().map(one).collect()
}

/// One line: its id, what it covers, and for how long.
fn line(words: &Words, one: &Permission) -> String {
    let (faint, wary) = (terminal::FAINT, terminal::WARY);
    let short = match one.kind.as_str() {
        "folder" => String::new(),
        _ => format!("{}  ", one.id.get(..SHORT).unwrap_or(&one.id)),
    };
    let session = one.session.clone().unwrap_or_default();
    let folder = one.folder.as_deref().map(visible).unwrap_or_default();
    let mut told = words.say(
        &format!("grants-{}-{}", one.kind, one.span),
        &[("session", session.into()), ("folder", folder.into())],
    );
    if let Some(until) = &one.until {
        let time = terminal::local(words, until);
        told += &format!(", {}", words.say("grants-until", &[("time", time.into())]));
    }
    if let Some(uses) = one.uses.filter(|_| one.until.is_some()) {
        told += &format!(", {}", words.say("grants-uses", &[("count", uses.into())]));
    }
    let gone =
        if one.stands { String::new() } else { format!("  {wary}{}{wary:#}", words.say("grants-gone", &[])) };
    format!("{short}{}  {faint}{told}{faint:#}{gone}\n", visible(&one.what))
}
