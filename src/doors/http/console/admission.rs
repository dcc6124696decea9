//! How a page proves that it was let into the console: by the secret in a header.

use std::sync::Arc;
use std::time::Instant;

use axum::http::{HeaderMap, HeaderName};

use crate::doors::http::state::AppState;
use crate::prompt::Admission;

/// The header that carries the secret of a page that was let in.
const HEADER: &str = "x-guarda-console";
/// The paths for which it is valid.
const API: &str = "/console/api/";
/// How the page that sent these headers was let into the console; `None` if the console is not open to it.
pub(in crate::doors::http) fn admitted(
    app: &AppState,
    path: &str,
    headers: &HeaderMap,
) -> Option<Arc<Admission>> {
    let secret = secret(headers).filter(|_| path.starts_with(API))?;
    let admission = app.consoles.known(secret, Instant::now())?;
    // A console that was opened without a code is closed once the guard can show one: its browser may not be a
    // person's.
    app.guard.prompter().admits_console(&admission).then_some(admission)
}

/// The secret in the header.
pub(super) fn secret(headers: &HeaderMap) -> Option<&str> {
    let mut found = headers.get_all(HeaderName::from_static(HEADER)).iter();
    match (found.next(), found.next()) {
        (Some(secret), None) => secret.to_str().ok(),
        (_, _) => None,
    }
}
