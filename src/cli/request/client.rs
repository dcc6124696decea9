//! Sends requests of a command line to the running service.

use std::path::Path;

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::app::{CliError, load};
use crate::devices::process::sibling::{self, RunningProgram};
pub(in crate::cli) use crate::doors::client::{As, ServiceAnswer};
use crate::doors::client::{NoAnswer, send_with};

/// How often open questions are looked for.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// A runtime for one request at a time.
pub(in crate::cli) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Sends one request and waits for the response; with a body it is a POST.
pub(in crate::cli) fn ask(who: As, path: &str, body: Option<Vec<u8>>) -> Result<ServiceAnswer, CliError> {
    Ok(try_ask(who, path, body)??)
}

/// The answer to a request that has to succeed. Otherwise the service says why not.
pub(in crate::cli) fn done(who: As, path: &str, body: Option<Vec<u8>>) -> Result<ServiceAnswer, CliError> {
    let answered = ask(who, path, body)?;
    if answered.status == 200 { Ok(answered) } else { Err(refused(&answered)) }
}

/// Why the service did not do what was requested, in its own words.
pub(in crate::cli) fn refused(answered: &ServiceAnswer) -> CliError {
    CliError::text(text(&answered.body, "detail"))
}

/// The text of a field; empty if there is none.
pub(in crate::cli) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Like [`ask`], but an inner error says why there was no response.
pub(in crate::cli) fn try_ask(
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
) -> Result<Result<ServiceAnswer, NoAnswer>, CliError> {
    Ok(runtime()?.block_on(send(&load::state()?, who, path, body)))
}

/// Sends one request. Problems come back in the language of the person at this terminal.
pub(in crate::cli) async fn send(
    state: &Path,
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
) -> Result<ServiceAnswer, NoAnswer> {
    send_with(state, who, path, body, &[tongue()]).await
}

/// Starts a service of this installation for a while, on a port of its own. Dropping it ends it.
pub(in crate::cli) fn temporary_service(environment: &[(&str, &Path)]) -> Result<RunningProgram, CliError> {
    let program = std::env::current_exe()?.with_file_name("guarda-service");
    let words = ["serve", "--ready-json", "--listen", "127.0.0.1:0"];
    let started = sibling::run(&program, &words, environment);
    let (running, _) = started.map_err(|error| CliError::at(&program, error).hint("demo-not-started"))?;
    Ok(running)
}

/// Answers each open question for which there is an answer, as the person of the service. Returns only on an error.
pub(in crate::cli) async fn answer_all<'a>(
    state: &Path,
    answer: impl Fn(&Value) -> Option<&'a str>,
) -> CliError {
    loop {
        let open = match send(state, As::Approver, "/v1/questions", None).await {
            Ok(open) => open,
            Err(error) => return error.into(),
        };
        for question in open.body.get("questions").and_then(Value::as_array).into_iter().flatten() {
            let Some(answer) = answer(question) else { continue };
            let path = format!("/v1/questions/{}/answer", text(question, "id"));
            let body = json!({"answer": answer}).to_string().into_bytes();
            match send(state, As::Approver, &path, Some(body)).await {
                Err(error) => return error.into(),
                // Only a person can know the code.
                Ok(told) if told.status == 403 => return refused(&told),
                Ok(_) => {}
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The header that requests texts in the language of the person at this terminal.
pub(in crate::cli) fn tongue() -> (&'static str, &'static str) {
    ("accept-language", load::page_language().tag())
}

/// Posts a body with additional headers.
pub(in crate::cli) fn ask_with(
    who: As,
    path: &str,
    body: Vec<u8>,
    headers: &[(&str, &str)],
) -> Result<ServiceAnswer, CliError> {
    Ok(runtime()?.block_on(send_with(&load::state()?, who, path, Some(body), headers))?)
}
