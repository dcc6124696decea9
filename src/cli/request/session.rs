//! `guarda session`: the taint of the running service's sessions, and what they keep running.

use serde_json::{Value, json};

use crate::app::{CliError, ExitStatus, terminal};
use crate::cli::args::{SessionArgs, SessionCommand};
use crate::cli::request::client::{As, done, text};
use crate::cli::request::questions::coded;
use crate::wording::Words;

pub(in crate::cli) fn session(args: SessionArgs) -> Result<ExitStatus, CliError> {
    let words = crate::app::load::words();
    match args.command {
        SessionCommand::List { json } => {
            let told = done(As::Asker, "/v1/sessions", None)?;
            if json {
                terminal::out(&format!("{}\n", told.text));
            } else {
                let sessions = told.body.get("sessions").and_then(Value::as_array);
                terminal::out(&list(words, sessions.map(Vec::as_slice).unwrap_or_default()));
            }
        }
        SessionCommand::Show { session, json } => {
            let told = done(As::Asker, &meant(&session, "")?, None)?;
            terminal::out(&if json { format!("{}\n", told.text) } else { page(words, &told.body) });
        }
        SessionCommand::Taint { session, corruption, secret, service, reason } => {
            let mut body = json!({});
            if let Some(body) = body.as_object_mut() {
                // A mark that was not named is left out. Sending `false` would not clear it.
                body.extend(corruption.then(|| ("corruption".to_owned(), json!(true))));
                body.extend(secret.then(|| ("secret".to_owned(), json!(true))));
                body.extend(service.map(|name| ("service".to_owned(), json!(name))));
                body.extend(reason.map(|reason| ("reason".to_owned(), json!(reason))));
            }
            let body = Some(body.to_string().into_bytes());
            terminal::out(&page(words, &done(As::Approver, &meant(&session, "/taint")?, body)?.body));
        }
        SessionCommand::Stop { session, line } => {
            let body = Some(json!({ "line": line }).to_string().into_bytes());
            let told = done(As::Approver, &meant(&session, "/stop")?, body)?;
            let stopped = told.body.get("stopped").and_then(Value::as_u64).unwrap_or_default();
            terminal::out(&format!("{}\n", words.say("session-stopped", &[("count", stopped.into())])));
        }
        SessionCommand::Clear { session, all: _ } => {
            let whose = session.as_deref().unwrap_or("*");
            let told = coded(words, &meant(whose, "/clear")?, json!({}), false, "cli-code-console")?;
            let cleared = told.body.get("cleared").and_then(Value::as_u64).unwrap_or_default();
            let id = if cleared == 0 { "session-unmarked-all" } else { "session-cleared" };
            terminal::out(&format!("{}\n", words.say(id, &[("count", cleared.into())])));
        }
    }
    Ok(ExitStatus::Good)
}

/// The session that a person means: one with this name, or the only one of an agent that calls itself so (`NAME@door`).
fn known(named: &str) -> Result<String, CliError> {
    let told = done(As::Asker, "/v1/sessions", None)?;
    let sessions = told.body.get("sessions").and_then(Value::as_array).into_iter().flatten();
    let ids: Vec<&str> = sessions.map(|session| text(session, "id")).collect();
    let mut by_agents =
        ids.iter().filter(|id| id.strip_prefix(named).is_some_and(|door| door.starts_with('@')));
    Ok(match (ids.contains(&named), by_agents.next(), by_agents.next()) {
        (false, Some(only), None) => (*only).to_owned(),
        _ => named.to_owned(),
    })
}

/// The path of the session that a person means.
fn meant(session: &str, rest: &str) -> Result<String, CliError> {
    path(session, rest)?;
    path(&known(session)?, rest)
}

/// The path of a session. A text that is not a session name must not lead to another path.
fn path(session: &str, rest: &str) -> Result<String, CliError> {
    if session != "*" && !guarda_core::action::is_session_name(session) {
        return Err(CliError::say("session-name", &[("given", &format!("{session:?}"))]));
    }
    Ok(format!("/v1/sessions/{session}{rest}"))
}

fn list(words: &Words, sessions: &[Value]) -> String {
    if sessions.is_empty() {
        return format!("{}\n", words.say("session-none", &[]));
    }
    let faint = terminal::FAINT;
    let row = |session: &Value| {
        let marks = marks(session);
        let style = if marks.is_empty() { terminal::GOOD } else { terminal::WARY };
        let named = |mark: &&str| words.say(&format!("session-{mark}"), &[]);
        let told = marks.iter().map(named).collect::<Vec<_>>().join(", ");
        let told = if marks.is_empty() { words.say("session-unmarked", &[]) } else { told };
        format!(
            "{:<40} {style}{told:<24}{style:#} {faint}{}{faint:#}\n{}",
            text(session, "id"),
            terminal::local(words, text(session, "seen")),
            running(words, session)
        )
    };
    sessions.iter().map(row).collect()
}

/// What a session keeps running, a line each.
fn running(words: &Words, session: &Value) -> String {
    let lines = session.get("running").and_then(Value::as_array).into_iter().flatten();
    let row = |line: &Value| {
        let ports = line.get("ports").and_then(Value::as_array).into_iter().flatten();
        let ports: Vec<String> =
            ports.filter_map(Value::as_u64).map(|port| format!("localhost:{port}")).collect();
        let told = [
            ("line", text(line, "line").into()),
            ("ports", ports.join(", ").into()),
            ("count", ports.len().into()),
            ("time", terminal::local(words, text(line, "since")).into()),
            ("id", text(line, "id").into()),
        ];
        format!("  {}\n", words.say("session-running", &told))
    };
    lines.map(row).collect()
}

fn marks(session: &Value) -> Vec<&'static str> {
    let set = |name: &&'static str| session.get(*name).is_some_and(|mark| !mark.is_null());
    ["corruption", "secret"].into_iter().filter(set).collect()
}

fn page(words: &Words, session: &Value) -> String {
    let (wary, faint) = (terminal::WARY, terminal::FAINT);
    let mut page = format!("{}\n", text(session, "id"));
    for name in ["corruption", "secret"] {
        let title = words.say(&format!("session-{name}"), &[]);
        match session.get(name).filter(|mark| !mark.is_null()) {
            Some(mark) => {
                let since = [("time", terminal::local(words, text(mark, "since")).into())];
                page.push_str(&format!(
                    "  {wary}{title:<16}{wary:#} {}  {faint}{}{faint:#}\n",
                    text(mark, "text"),
                    words.say("session-since", &since)
                ));
            }
            None => {
                page.push_str(&format!("  {faint}{title:<16} {}{faint:#}\n", words.say("session-no", &[])))
            }
        }
    }
    let hosts = session.get("hosts").and_then(Value::as_array).into_iter().flatten();
    let hosts: Vec<&str> = hosts.filter_map(Value::as_str).collect();
    if !hosts.is_empty() {
        page.push_str(&format!("  {:<16} {}\n", words.say("session-hosts", &[]), hosts.join(", ")));
    }
    page.push_str(&running(words, session));
    let seen = words.say("session-seen", &[]);
    page.push_str(&format!(
        "  {faint}{seen:<16} {}{faint:#}\n",
        terminal::local(words, text(session, "seen"))
    ));
    page
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn a_name_leads_to_no_other_path() {
        assert_eq!(path("voice-7", "/taint").ok().as_deref(), Some("/v1/sessions/voice-7/taint"));
        for wrong in ["", "..", "a/b", "a b", "a?b", "a%2f", ".x"] {
            assert!(path(wrong, "").is_err(), "{wrong}");
        }
    }
}
