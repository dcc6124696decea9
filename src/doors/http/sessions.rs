//! Sessions, their marks, and what they keep running. Any caller can set a mark; only a person can clear one.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::{Approver, KnownCaller};
use crate::doors::http::console::proved;
use crate::doors::http::extract::body::{Body, OptionalBody};
use crate::doors::http::problem::{Problem, language};
use crate::doors::http::state::{AppState, Peer};
use crate::wording::mark::cause;
use crate::wording::{Words, words};
use guarda_core::policy::{MarkCause, Taint};
use guarda_journal::Caller;

/// The longest service name and the longest cause, in bytes.
const LIMIT: usize = 512;

/// The known sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KnownSessions {
    /// The sessions, the one with the latest request first.
    sessions: Vec<Session>,
}

/// A session and its marks.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Session {
    /// Its name.
    #[schema(example = "voice-7")]
    id: String,
    /// Its marks.
    taint: guarda_core::policy::Taint,
    /// The time and cause of the mark `corruption`; null if it is not set.
    corruption: Option<Mark>,
    /// The time and cause of the mark `secret`; null if it is not set.
    secret: Option<Mark>,
    /// The hosts from which its commands received data.
    hosts: Vec<String>,
    /// What it keeps running, oldest first.
    running: Vec<SessionLine>,
    /// When it made its last request: RFC 3339, UTC.
    #[schema(format = DateTime)]
    seen: String,
}

/// A line that goes on running.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionLine {
    /// The id of its request.
    #[schema(value_type = String)]
    id: uuid::Uuid,
    /// Its text.
    line: String,
    /// When it was started: RFC 3339, UTC.
    #[schema(format = DateTime)]
    since: String,
    /// The ports of this computer on which others reach it.
    ports: std::collections::BTreeSet<u16>,
}

impl From<crate::hands::RunningLine> for SessionLine {
    fn from(crate::hands::RunningLine { id, line, since, ports }: crate::hands::RunningLine) -> Self {
        Self { id, line, since: since.to_string(), ports }
    }
}

/// One mark.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Mark {
    /// When it was set: RFC 3339, UTC.
    #[schema(format = DateTime)]
    since: String,
    /// The cause, in English as the record has it.
    why: String,
    /// The cause as a value: `kind` says which other fields there are. Null for a mark of version 0.1.0.
    #[schema(value_type = Option<Object>)]
    cause: Option<MarkCause>,
    /// The cause in the reader's language.
    text: String,
}

/// Marks that a caller sets. Only `true` is accepted: this request never clears a mark.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TaintRequest {
    /// The session has seen content that others may have written.
    corruption: Option<bool>,
    /// The session has seen secrets.
    secret: Option<bool>,
    /// The session has seen the output of this service, as `[services]` declares it. An undeclared service sets both
    /// marks.
    #[schema(example = "websearch")]
    service: Option<String>,
    /// The cause.
    reason: Option<String>,
}

/// What is to be stopped.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct StopRequest {
    /// The id of one line; null or left out for all.
    #[schema(value_type = Option<String>)]
    line: Option<uuid::Uuid>,
}

/// The result of stopping.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StoppedLines {
    /// The number of lines that were told to end.
    stopped: usize,
}

/// What clearing takes beside the token.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ClearRequest {
    /// The code that the guard showed or spoke.
    code: Option<String>,
}

/// The result of clearing.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Cleared {
    /// The number of sessions that had marks.
    cleared: usize,
}

impl Session {
    fn told(words: &Words, app: &AppState, id: String, known: crate::guard::sessions::SessionState) -> Self {
        let taint = known.taint();
        let mark = |mark: crate::guard::sessions::SessionMark| Mark {
            since: mark.since.to_string(),
            text: mark.cause.as_ref().map_or_else(|| mark.why.clone(), |why| cause(words, why)),
            cause: mark.cause,
            why: mark.why,
        };
        let (corruption, secret) = (known.corruption.map(mark), known.secret.map(mark));
        let hosts = known.hosts.iter().map(ToString::to_string).collect();
        let running = app.guard.running().of(&id).into_iter().map(SessionLine::from).collect();
        Self { id, taint, corruption, secret, hosts, running, seen: known.seen.to_string() }
    }
}

/// List the sessions
///
/// The sessions seen since the start, and all marked sessions.
#[utoipa::path(
    get, path = "/v1/sessions", operation_id = "sessions", tag = "sessions",
    responses(
        (status = 200, description = "The sessions", body = KnownSessions),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn list(
    _: KnownCaller,
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
) -> axum::Json<KnownSessions> {
    let words = words(language(&headers));
    let known = app.guard.sessions().list().into_iter();
    axum::Json(KnownSessions {
        sessions: known.map(|(id, known)| Session::told(words, &app, id, known)).collect(),
    })
}

/// Get one session
#[utoipa::path(
    get, path = "/v1/sessions/{id}", operation_id = "session", tag = "sessions",
    params(("id" = String, Path, description = "The session")),
    responses(
        (status = 200, description = "The session and its marks", body = Session),
        (status = 404, description = "No such session is known"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn show(
    _: KnownCaller,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<axum::Json<Session>, Problem> {
    let known = app.guard.sessions().find(&id).ok_or_else(unknown)?;
    Ok(axum::Json(Session::told(words(language(&headers)), &app, id, known)))
}

/// Stop what a session keeps running
///
/// A person may stop any line, a program those of its own sessions.
#[utoipa::path(
    post, path = "/v1/sessions/{id}/stop", operation_id = "stop", tag = "sessions",
    params(("id" = String, Path, description = "The session")),
    request_body(content = Option<StopRequest>, content_type = "application/json", description = "May be empty"),
    responses(
        (status = 200, description = "The number of lines that were told to end", body = StoppedLines),
        (status = 403, description = "The session is another one's"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn stop(
    known: KnownCaller,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Path(id): Path<String>,
    OptionalBody(Body { value, .. }): OptionalBody<StopRequest>,
) -> Result<axum::Json<StoppedLines>, Problem> {
    let id = own(&app, known, peer, id)?.0;
    Ok(axum::Json(StoppedLines { stopped: app.guard.running().stop(&id, value.line) }))
}

/// The session that a caller may act on, and the caller: a person any, a program its own.
fn own(
    app: &AppState,
    known: KnownCaller,
    peer: Option<Extension<Peer>>,
    id: String,
) -> Result<(String, Caller), Problem> {
    let caller = peer.map(|Extension(peer)| peer.caller()).unwrap_or_default();
    let own = match known {
        KnownCaller::Person => None,
        KnownCaller::Program => {
            app.guard.own_session(&caller, Some(&id)).map_err(|fault| Problem::from(&fault))?
        }
    };
    Ok((own.unwrap_or(id), caller))
}

/// Mark a session
///
/// For content that enters a conversation without the guard: mail, web pages, a password manager. Marks can be set
/// here, but not cleared.
#[utoipa::path(
    post, path = "/v1/sessions/{id}/taint", operation_id = "taint", tag = "sessions",
    params(("id" = String, Path, description = "The session: 1 to 64 letters, digits, `-`, `_` or `.`; `@` and its place may follow")),
    request_body(content = TaintRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The session and its marks", body = Session),
        (status = 400, description = "The body is not JSON"),
        (status = 422, description = "Not a session's name, nothing to mark, or `false`"),
        (status = 503, description = "There is no room for another session"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn taint(
    known: KnownCaller,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body { value, .. }: Body<TaintRequest>,
) -> Result<axum::Json<Session>, Problem> {
    guarda_journal::session_of(Some(&id)).map_err(|error| Problem::misread(error.why.to_string()))?;
    if value.corruption == Some(false) || value.secret == Some(false) {
        return Err(Problem::misread(
            "Marks are only set here; a person takes them away with `guarda session clear`",
        ));
    }
    let long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > LIMIT);
    if long(&value.service) || long(&value.reason) {
        return Err(Problem::misread(format!("\"service\" and \"reason\" have at most {LIMIT} bytes")));
    }
    let service = value.service.as_deref().map(|name| {
        // An undeclared service could return anything.
        app.services.find(name).unwrap_or(crate::config::ServiceSection::UNKNOWN).brings()
    });
    let named = Taint { corruption: value.corruption.is_some(), secret: value.secret.is_some() };
    let marks = named.joined(service.unwrap_or_default());
    if !marks.any() && service.is_none() {
        return Err(Problem::misread(
            "Nothing to mark: \"corruption\": true, \"secret\": true, or a \"service\"",
        ));
    }
    let mut why = match (value.reason, value.service) {
        (Some(reason), _) => MarkCause::Said { reason },
        (None, Some(name)) => MarkCause::Service { name },
        (None, None) => MarkCause::Caller,
    };
    // Other people will read this text.
    match why.text().map(|text| guarda_core::output::redact(text).map(|clean| *text = clean.text)) {
        None | Some(Ok(())) => {}
        Some(Err(_)) => why = MarkCause::Caller,
    }
    let (id, caller) = own(&app, known, peer, id)?;
    app.guard.recorder().mark(Some(&id), marks, &why, &caller).await;
    let known = app.guard.sessions().find(&id);
    let known =
        known.ok_or_else(|| Problem::busy("There is no room for another session; it counts as marked"))?;
    Ok(axum::Json(Session::told(words(language(&headers)), &app, id, known)))
}

/// Clear the marks of a session
///
/// For a person: requires the approve token, and the code if the guard can show or speak one. `*` instead of a session clears all
/// sessions.
#[utoipa::path(
    post, path = "/v1/sessions/{id}/clear", operation_id = "clear", tag = "sessions",
    params(("id" = String, Path, description = "The session, or `*`")),
    request_body(content = Option<ClearRequest>, content_type = "application/json", description = "May be empty"),
    responses(
        (status = 200, description = "The number of sessions that had marks", body = Cleared),
        (status = 403, description = "The token does not permit this, or the code is missing or wrong"),
        (status = 404, description = "No such session is known"),
    ),
    security(("approve" = []))
)]
pub(super) async fn clear(
    _: Approver,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    OptionalBody(Body { value, .. }): OptionalBody<ClearRequest>,
) -> Result<axum::Json<Cleared>, Problem> {
    // Without marks more is done unasked, and any program can read the token. The console proves a person by itself.
    if headers.contains_key(AUTHORIZATION) {
        proved(&app, value.code.as_deref()).await?;
    }
    let caller = peer.map(|Extension(peer)| peer.caller()).unwrap_or_default();
    let cleared = if id == "*" {
        app.guard.recorder().unmark_all(&caller).await
    } else {
        usize::from(app.guard.recorder().unmark(&id, &caller).await.ok_or_else(unknown)?.any())
    };
    Ok(axum::Json(Cleared { cleared }))
}

fn unknown() -> Problem {
    Problem::not_found(Detail::message("problem-no-session"))
}
