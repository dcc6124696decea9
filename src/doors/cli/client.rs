//! Asks the running service on behalf of a command line.

use super::Trouble;

pub(super) use crate::doors::client::{Answered, As};

/// Sends one request to the running service and waits for the answer; a body makes it a POST.
pub(super) fn ask(who: As, path: &str, body: Option<Vec<u8>>) -> Result<Answered, Trouble> {
    let state = super::load::state()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Trouble::new)?;
    runtime.block_on(crate::doors::client::send(&state, who, path, body)).map_err(Trouble::new)
}
