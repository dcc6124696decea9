//! Asks the running service on behalf of a command line.

use super::Trouble;

use crate::doors::client::NoAnswer;
pub(super) use crate::doors::client::{Answered, As};

/// Sends one request to the running service and waits for the answer; a body makes it a POST.
pub(super) fn ask(who: As, path: &str, body: Option<Vec<u8>>) -> Result<Answered, Trouble> {
    try_ask(who, path, body)?.map_err(Trouble::new)
}

/// The same; the inner error tells why no answer came.
pub(super) fn try_ask(
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
) -> Result<Result<Answered, NoAnswer>, Trouble> {
    let state = super::load::state()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Trouble::new)?;
    Ok(runtime.block_on(crate::doors::client::send(&state, who, path, body)))
}
