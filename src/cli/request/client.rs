//! Sends requests of a command line to the running service.

use std::path::Path;

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::app::{CliError, load};
pub(in crate::cli) use crate::doors::client::{As, ServiceAnswer};
use crate::doors::client::{NoAnswer, send_with};

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
