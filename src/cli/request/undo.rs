//! `guarda undo`: undoes an action's changes. Also lists the actions that can be undone, shows one, or copies old
//! versions beside the current ones.

use std::io::IsTerminal as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::app::{CliError, ExitStatus, load, settings, terminal};
use crate::cli::args::UndoArgs;
use crate::cli::registry::table::cut;
use crate::cli::request::act;
use crate::cli::request::client::{self, As, ServiceAnswer, refused, text, try_ask};
use crate::cli::request::questions::tongue;
use crate::doors::client::{NoAnswer, SOON};
use crate::doors::http::wire::{HeldDeeds, HeldDetail};
use crate::wording::plain::visible;
use crate::wording::words::size;
use crate::wording::words::{Precision, Words, moment};
use guarda_core::action::{AT, Sessions, UndoOf, UndoSince};
use guarda_sandbox::stage::{NotUndone, Stages};

/// The latest action that changed a path.
const LAST: &str = "last";
/// The shortest accepted prefix of an id.
const SHORTEST: usize = 8;

pub(in crate::cli) fn undo(args: UndoArgs) -> Result<ExitStatus, CliError> {
    let words = tongue();
    if args.list {
        let (told, text) = held()?;
        terminal::out(&if args.json { format!("{text}\n") } else { list(words, &told) });
        return Ok(ExitStatus::Good);
    }
    if args.show || args.beside.is_some() {
        let nothing = || match &args.id {
            Some(id) => unheld(words, id),
            None => CliError::text(words.say("undo-none", &[])),
        };
        let deed = named(words, &args)?.ok_or_else(nothing)?;
        return match &args.beside {
            Some(folder) => beside(words, &deed, folder, args.json),
            None => {
                let (told, text) = detail(&deed)?.ok_or_else(nothing)?;
                terminal::out(&if args.json { format!("{text}\n") } else { page(words, &told) });
                Ok(ExitStatus::Good)
            }
        };
    }
    act(words, args)
}

/// Posts the action and shows its reply as `guarda act` does.
fn act(words: &Words, args: UndoArgs) -> Result<ExitStatus, CliError> {
    let all = several(&args)?;
    let several = all.is_some();
    let (target, session) = match all {
        Some((of, session)) => (Some(of), session),
        None if let Some(path) = &args.path => {
            let given = args.id.is_some().then(|| named(words, &args)).transpose()?.flatten();
            let id = given.or(args.id).unwrap_or_else(|| LAST.to_owned());
            let path = std::path::absolute(path)?.display().to_string();
            (Some(UndoOf::Part { id, path }.to_string()), None)
        }
        // The service reports an id that it does not know.
        None => (named(words, &args)?.or(args.id), None),
    };
    let here = load::current_folder();
    let fields = [
        ("action", Some(json!("UNDO"))),
        ("target", target.clone().map(Value::from)),
        // What is done at another place is asked about.
        ("session", session.filter(|session| !session.contains(AT)).map(Value::from)),
        ("cwd", here.map(Value::from)),
    ];
    let body: Value =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    // JSON output is for programs, so it is the same in every language.
    let body = body.to_string().into_bytes();
    let answered = if !args.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        asked_here(words, body)?
    } else {
        let headers: Vec<_> = (!args.json).then(client::tongue).into_iter().collect();
        client::ask_with(As::Asker, "/v1/actions", body, &headers)?
    };
    if args.json {
        terminal::out(&format!("{}\n", answered.text));
    } else {
        terminal::out(&act::page(words, &answered));
        if text(&answered.body, "error") == "changed" && !several && args.path.is_none() {
            let id = target.unwrap_or_default();
            terminal::out(&format!("{}\n", words.say("undo-beside", &[("given", id.into())])));
        } else if text(&answered.body, "outcome") == "done" {
            // The name in the record, which a person can type.
            let receipt = answered.body.get("receipt").unwrap_or(&Value::Null);
            let id =
                [text(receipt, "audit_id"), text(&answered.body, "id")].into_iter().find(|id| !id.is_empty());
            terminal::out(&format!(
                "{}\n",
                words.say("undo-again", &[("given", id.unwrap_or_default().into())])
            ));
        }
    }
    Ok(act::end(&answered))
}

/// Posts the action for the person at this terminal, who is asked right here.
fn asked_here(words: &Words, body: Vec<u8>) -> Result<ServiceAnswer, CliError> {
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
    let before = crate::cli::request::questions::undoing()?;
    let mut answered = client::ask_with(As::Asker, "/v1/actions", body, &[client::tongue(), SOON])?;
    let path = format!("/v1/actions/{}", text(&answered.body, "id"));
    let mut asked = false;
    while answered.status == 202 {
        let mut open = if asked { Vec::new() } else { crate::cli::request::questions::undoing()? };
        open.retain(|id| !before.contains(id));
        if let Some(question) = open.first() {
            asked = true;
            crate::cli::request::questions::here(words, question)?;
        }
        std::thread::sleep(PAUSE);
        answered = client::ask(As::Asker, &path, None)?;
    }
    Ok(answered)
}

/// The actions that can be undone, parsed and as JSON text: from the service, or from the state folder if none is
/// running.
fn held() -> Result<(Value, String), CliError> {
    match try_ask(As::Asker, "/v1/undo", None)? {
        Ok(answered) if answered.status == 200 => Ok((answered.body, answered.text)),
        Ok(answered) => Err(refused(&answered)),
        Err(NoAnswer::Nobody(_)) => written(&HeldDeeds::of(stages()?.as_ref(), Vec::new())),
        Err(broken) => Err(broken.into()),
    }
}

/// One action with the changes that its undo would make, from the same source; `None` if it cannot be undone.
fn detail(id: &str) -> Result<Option<(Value, String)>, CliError> {
    match try_ask(As::Asker, &format!("/v1/undo/{id}"), None)? {
        Ok(answered) if answered.status == 200 => Ok(Some((answered.body, answered.text))),
        Ok(answered) if answered.status == 404 => Ok(None),
        Ok(answered) => Err(refused(&answered)),
        Err(NoAnswer::Nobody(_)) => {
            let found = HeldDetail::of(stages()?.as_ref(), Vec::new(), id);
            found.map(|found| written(&found)).transpose()
        }
        Err(broken) => Err(broken.into()),
    }
}

fn written(told: &impl serde::Serialize) -> Result<(Value, String), CliError> {
    let value = serde_json::to_value(told)?;
    let text = value.to_string();
    Ok((value, text))
}

/// The store of old versions; `None` without a state folder.
pub(in crate::cli) fn stages() -> Result<Option<Stages>, CliError> {
    let state = load::state()?;
    if !state.is_dir() {
        return Ok(None);
    }
    let loaded = load::load(None)?;
    Stages::open(settings::stages_config(&loaded.config, &state)).map(Some).map_err(CliError::system)
}

/// The last action that was not undone.
fn last(deeds: &[Value]) -> Option<&Value> {
    deeds.iter().find(|deed| deed.get("undo") == Some(&Value::Bool(false)))
}

/// The target for several actions, and the session whose they are; `None` if one action is meant.
fn several(args: &UndoArgs) -> Result<Option<(String, Option<String>)>, CliError> {
    let since = match (args.turn, &args.since, &args.session) {
        (true, ..) => UndoSince::Turn,
        (false, Some(time), _) => UndoSince::Time(time.clone()),
        (false, None, Some(_)) => UndoSince::Session,
        (false, None, None) => return Ok(None),
    };
    let named = args.session.clone().filter(|session| !session.is_empty());
    let session = match (named, &since, &args.session) {
        (Some(named), ..) => Some(named),
        (None, UndoSince::Time(_), None) => None,
        (None, ..) => {
            let (told, _) = held()?;
            let deeds = told.get("deeds").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            last(deeds).map(|deed| text(deed, "session").to_owned()).filter(|session| !session.is_empty())
        }
    };
    let of = Some(session.clone().map_or(Sessions::All, Sessions::Named));
    Ok(Some((UndoOf::All { since, of }.to_string(), session)))
}

/// The id of the selected action: the named one, or the last one that was not undone. `None` if there is none.
fn named(words: &Words, args: &UndoArgs) -> Result<Option<String>, CliError> {
    let (told, _) = held()?;
    let deeds = told.get("deeds").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let id = |deed: &Value| text(deed, "id").to_owned();
    let Some(given) = args.id.as_deref() else { return Ok(last(deeds).map(id)) };
    let exact = |deed: &&Value| text(deed, "id") == given || text(deed, "audit_id") == given;
    if let Some(deed) = deeds.iter().find(exact) {
        return Ok(Some(id(deed)));
    }
    // The number at the end of the name in the record, as the list shows it.
    let number: Option<u64> = given.parse().ok().filter(|_| given.len() < SHORTEST);
    let numbered = |deed: &Value| {
        let end = text(deed, "audit_id").rsplit_once('_').and_then(|(_, end)| end.parse().ok());
        number.is_some() && end == number
    };
    let begins = |deed: &Value| given.len() >= SHORTEST && text(deed, "id").starts_with(given);
    let mut begun = deeds.iter().filter(|deed| numbered(deed) || begins(deed));
    match (begun.next(), begun.next()) {
        (Some(_), Some(_)) => Err(CliError::text(words.say("undo-several", &[("given", given.into())]))),
        (found, _) => Ok(found.map(id)),
    }
}

fn unheld(words: &Words, id: &str) -> CliError {
    CliError::text(words.say("undo-unheld", &[("given", id.into())]))
}

fn beside(words: &Words, id: &str, folder: &Path, json: bool) -> Result<ExitStatus, CliError> {
    let failed = |error| CliError::at(folder, error);
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(error)),
        Ok(()) | Err(_) => {}
    }
    let mut there = std::fs::read_dir(folder).map_err(failed)?;
    if there.next().is_some() {
        return Err(CliError::at(folder, words.say("undo-not-empty", &[])));
    }
    let real = std::fs::canonicalize(folder).map_err(failed)?;
    let stages = stages()?.ok_or_else(|| unheld(words, id))?;
    let copied = stages.beside(id.parse().map_err(|_| unheld(words, id))?, &real);
    let copied = copied.map_err(|error| match error {
        NotUndone::Shared(_) => CliError::at(folder, words.say("undo-shared", &[])),
        other => CliError::system(other),
    })?;
    let folder = real.display().to_string();
    terminal::out(&if json {
        format!("{}\n", json!({ "id": id, "folder": folder, "copied": copied }))
    } else {
        let arguments = [("count", copied.into()), ("name", folder.into())];
        format!("{}\n", words.say("undo-copied", &arguments))
    });
    Ok(ExitStatus::Good)
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// A time in the local time zone; a dash if there is no time.
fn local(words: &Words, time: &str) -> String {
    terminal::zoned(time).map_or_else(|| "–".to_owned(), |time| moment(words, &time, Precision::Minute))
}

/// What a person types to name an action: its name in the record, or else its id.
fn name(deed: &Value) -> &str {
    let audit_id = text(deed, "audit_id");
    if audit_id.is_empty() { text(deed, "id") } else { audit_id }
}

/// A table of the actions that can be undone.
fn list(words: &Words, told: &Value) -> String {
    let deeds = told.get("deeds").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if deeds.is_empty() {
        return format!("{}\n", words.say("undo-none", &[]));
    }
    let faint = terminal::FAINT;
    let [at, until, paths, bytes, what] =
        ["at", "until", "paths", "size", "what"].map(|id| words.say(&format!("undo-head-{id}"), &[]));
    let mut page =
        format!("{faint}{at:<18}  {until:<18}  {paths:>8}  {bytes:>9}  {:<19}  {what}{faint:#}\n", "ID");
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let room = terminal.then(|| terminal::columns().saturating_sub(84).max(20));
    for deed in deeds {
        let (at, until) = (local(words, text(deed, "at")), local(words, text(deed, "until")));
        let (count, bytes) = (number(deed, "count"), size(words, number(deed, "bytes")));
        let what = cut(&visible(text(deed, "what")), room);
        page.push_str(&format!(
            "{at:<18}  {until:<18}  {count:>8}  {bytes:>9}  {:<19}  {what}\n",
            name(deed)
        ));
    }
    let all = u64::try_from(deeds.len()).unwrap_or_default().saturating_add(number(told, "more"));
    let sum = [("count", all.into()), ("size", size(words, number(told, "bytes")).into())];
    page.push_str(&format!("{}\n", words.say("undo-sum", &sum)));
    page
}

/// A page about one action, with the effect of its undo on each path.
fn page(words: &Words, told: &Value) -> String {
    let (none, faint) = (Value::Null, terminal::FAINT);
    let deed = told.get("deed").unwrap_or(&none);
    let mut page = format!(
        "{}\n{faint}{}  {}{faint:#}\n",
        visible(text(deed, "what")),
        name(deed),
        words.say(
            "undo-times",
            &[
                ("at", local(words, text(deed, "at")).into()),
                ("until", local(words, text(deed, "until")).into())
            ]
        ),
    );
    let effects = told.get("effects").unwrap_or(&none);
    for change in effects.get("changes").and_then(Value::as_array).into_iter().flatten() {
        let (id, style, entry) = match text(change, "change") {
            "created" => ("undo-put-back", terminal::GOOD, "is"),
            "deleted" => ("undo-deleted", terminal::BAD, "was"),
            _ => ("undo-restored", terminal::WARY, "is"),
        };
        let entry = change.get(entry).unwrap_or(&none);
        let bytes = size(words, number(entry, "bytes"));
        let word = words.say(id, &[]);
        let path = visible(text(change, "path"));
        page.push_str(&format!("  {style}{word:<14}{style:#} {bytes:>9}  {path}\n"));
    }
    let more = number(effects, "more");
    if more > 0 {
        page.push_str(&format!("  {}\n", words.say("undo-more", &[("count", more.into())])));
    }
    page
}
