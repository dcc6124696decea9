//! Sends requests of a command line to the running service.

use std::path::Path;

use super::CliError;

use crate::doors::client::NoAnswer;
pub(super) use crate::doors::client::{As, ServiceAnswer};

/// Sends one request and waits for the response; with a body it is a POST.
pub(super) fn ask(who: As, path: &str, body: Option<Vec<u8>>) -> Result<ServiceAnswer, CliError> {
    try_ask(who, path, body)?.map_err(|why| told(&why))
}

/// Like [`ask`], but an inner error says why there was no response.
pub(super) fn try_ask(
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
) -> Result<Result<ServiceAnswer, NoAnswer>, CliError> {
    let state = super::load::state()?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::new)?;
    Ok(runtime.block_on(send(&state, who, path, body)))
}

/// Sends one request. Problems come back in the language of the person at this terminal.
pub(super) async fn send(
    state: &Path,
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
) -> Result<ServiceAnswer, NoAnswer> {
    crate::doors::client::send_with(state, who, path, body, &[tongue()]).await
}

/// The header that requests texts in the language of the person at this terminal.
pub(super) fn tongue() -> (&'static str, &'static str) {
    ("accept-language", super::load::page_language().tag())
}

/// Posts a body with additional headers.
pub(super) fn ask_with(
    who: As,
    path: &str,
    body: Vec<u8>,
    headers: &[(&str, &str)],
) -> Result<ServiceAnswer, CliError> {
    let state = super::load::state()?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::new)?;
    let answered = runtime.block_on(crate::doors::client::send_with(&state, who, path, Some(body), headers));
    answered.map_err(|why| told(&why))
}

/// The cause in the language of the person at this terminal.
pub(super) fn told(why: &NoAnswer) -> CliError {
    CliError(why.told(super::load::words()))
}
