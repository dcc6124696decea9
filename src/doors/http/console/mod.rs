//! The console: a web page for the person at the computer, with open questions, the record, and the status of every
//! part.
//!
//! A page gets access through a link that works once (`guarda console`): it exchanges the code behind the `#` for a
//! secret, keeps that in its tab's `sessionStorage`, and sends it in a header. There is no cookie, because a browser sends
//! cookies to every port of this machine, where any program can serve a page. If the guard can show or speak a code, the
//! link requires it, because the approve token alone does not prove a person. The page loads no script, style or image
//! from elsewhere, and cannot be framed.

pub(super) mod admission;
mod history;
mod live;
mod registry;
pub(super) mod session;
mod trust;
mod words;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use admission::secret;
pub(super) use registry::{by_code, proved};

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::{Approver, Person};
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::{Problem, no_such_path};
use crate::doors::http::state::AppState;
use crate::doors::http::{questions, wire};

/// The page's content security policy.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of the page: path, content type, content.
const FILES: &[(&str, &str, &str)] = &[
    ("", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("app.js", "text/javascript; charset=utf-8", include_str!("page/app.js")),
    ("changes.js", "text/javascript; charset=utf-8", include_str!("page/changes.js")),
    ("parts.js", "text/javascript; charset=utf-8", include_str!("page/parts.js")),
    ("history.js", "text/javascript; charset=utf-8", include_str!("page/history.js")),
    ("cards.js", "text/javascript; charset=utf-8", include_str!("page/cards.js")),
    ("registry.js", "text/javascript; charset=utf-8", include_str!("page/registry.js")),
    ("network.js", "text/javascript; charset=utf-8", include_str!("page/network.js")),
    ("undo.js", "text/javascript; charset=utf-8", include_str!("page/undo.js")),
    ("icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
];

/// The routes of the console. They are not part of the stable API.
pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/v1/console/links", post(link))
        .route("/v1/console/decisions", post(registry::decide))
        .route("/v1/console/consents", post(registry::consent))
        .route("/v1/console/trust", get(trust::list_for_approver).post(trust::decide))
        .route("/", get(|headers: HeaderMap| async move { front(&headers).await }))
        .route("/console", get(|| async { moved() }))
        .route("/console/", get(|| async { file("") }))
        .route("/console/{*path}", get(|Path(path): Path<String>| async move { file(&path) }))
        .route("/console/api/enter", post(enter))
        .route("/console/api/questions", get(questions::list))
        .route("/console/api/questions/{id}/answer", post(answer))
        .route("/console/api/status", get(crate::doors::http::service::status))
        .route("/console/api/sessions", get(crate::doors::http::sessions::list))
        .route("/console/api/sessions/{id}/clear", post(crate::doors::http::sessions::clear))
        .route("/console/api/silence", post(questions::silence))
        .route("/console/api/judge", post(judge))
        .route("/console/api/history", get(history::history))
        .route("/console/api/figures", get(history::figures))
        .route("/console/api/verify", get(history::verify))
        .route("/console/api/registry", get(registry::list))
        .route("/console/api/registry/{hash}", get(registry::one))
        .route("/console/api/registry/{hash}/word", post(registry::say))
        .route("/console/api/grants", get(crate::doors::http::grants::list_for_person))
        .route("/console/api/grants/revoke", post(crate::doors::http::grants::revoke_by_person))
        .route("/console/api/trust", get(trust::list).post(trust::say))
        .route("/console/api/undo", get(crate::doors::http::action::undo::list))
        .route("/console/api/undo/{id}", get(crate::doors::http::action::undo::shown))
        .route("/console/api/actions/{id}/undo", post(crate::doors::http::action::undo::by_person))
        .route("/console/api/network", get(history::network))
        .route("/console/api/live", get(live::live))
        .route("/console/api/leave", post(leave))
}

/// The body of a request for a link.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    /// The code that the guard showed or spoke.
    #[serde(default)]
    code: Option<String>,
}

/// Creates a link for the holder of the approve token, after the right code if the guard can show or speak one.
async fn link(
    _: Approver,
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    Body { value, .. }: Body<Wish>,
) -> Result<Response, Problem> {
    if !headers.contains_key(header::AUTHORIZATION) {
        return Err(Problem::forbidden("A link is made with the approve token: run `guarda console`"));
    }
    let admission =
        app.guard.prompter().admit(value.code.as_deref()).await.map_err(|why| questions::not_let_in(&why))?;
    let code = app
        .consoles
        .link(admission, Instant::now())
        .map_err(|error| Problem::internal(format!("No random numbers: {error}")))?;
    let body = serde_json::json!({
        "path": format!("/console/#enter={code}"),
        "expires_ms": session::LINK_LIFE.as_millis(),
    });
    Ok(axum::Json(body).into_response())
}

/// The body of a request that redeems a link.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    code: String,
}

/// Redeems a link and lets the page in.
async fn enter(
    State(app): State<Arc<AppState>>,
    Body { value: Code { code }, .. }: Body<Code>,
) -> Result<axum::Json<serde_json::Value>, Problem> {
    let secret = app
        .consoles
        .enter(&code, Instant::now())
        .map_err(|error| Problem::internal(format!("No random numbers: {error}")))?
        .ok_or_else(|| Problem::forbidden(Detail::message("problem-console-link")))?;
    Ok(axum::Json(serde_json::json!({ "secret": secret })))
}

/// Closes the console of this page.
async fn leave(_: Approver, State(app): State<Arc<AppState>>, headers: HeaderMap) -> StatusCode {
    if let Some(secret) = secret(&headers) {
        app.consoles.leave(secret);
    }
    StatusCode::NO_CONTENT
}

async fn answer(
    person: Person,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Body { value, .. }: Body<questions::AnswerRequest>,
) -> Result<axum::Json<questions::Answered>, Problem> {
    let by = questions::By::Console(&person.admission);
    questions::settle(&app, id, value, "console", by).await.map(axum::Json)
}

async fn judge(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<guarda_core::action::Request>,
) -> Result<axum::Json<wire::Judgement>, Problem> {
    let caller = guarda_journal::Caller { door: "console".to_owned(), ..Default::default() };
    crate::doors::http::action::actions::advise(&app, value, &caller).await
}

/// Redirects a person's browser at the root path to the console, and tells a program which paths exist.
async fn front(headers: &HeaderMap) -> Response {
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepts.contains("text/html") { moved() } else { no_such_path().await.into_response() }
}

fn moved() -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, "/console/")]).into_response()
}

fn file(path: &str) -> Response {
    let found = FILES.iter().find(|(name, _, _)| *name == path).map(|(_, kind, text)| (*kind, *text));
    let Some((kind, text)) = found.or_else(|| words::file(path).map(|text| ("application/json", text)))
    else {
        return Problem::not_found("The console has no such page").into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    (headers, text).into_response()
}

#[cfg(test)]
mod tests;
