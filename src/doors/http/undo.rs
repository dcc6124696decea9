//! What can be undone: listed, looked at, and undone.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::body::{Body, OptionalBody};
use super::problem::ProblemDetails;
use super::scope::{Known, Person, Submitter};
use super::wire::{HeldDeeds, HeldDetail, Reply, Running};
use super::{AppState, Peer, Problem, actions};
use crate::hands::HeldSetting;
use guarda_core::action::Request;
use guarda_sandbox::stage::Stages;

/// On whose behalf something is undone; all of it may be left out.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct UndoRequest {
    /// The conversation that it belongs to.
    session: Option<String>,
    /// The folder that the session works in; its own deeds below it may be undone without a question.
    cwd: Option<String>,
    /// The language of what is said and shown: `pt-BR`, `en` or `fr`.
    language: Option<String>,
    /// Why it is wanted; shown to the person who is asked.
    reasoning: Option<String>,
    /// Ask a person whatever the rules say.
    requires_confirmation: Option<bool>,
}

/// What can be undone
///
/// The deeds of which old versions are held, the latest first. Paths, numbers and times, never what is in a file.
#[utoipa::path(
    get, path = "/v1/undo", operation_id = "held", tag = "actions",
    responses(
        (status = 200, description = "The deeds; none where nothing is held", body = HeldDeeds),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn list(
    _: Known,
    State(app): State<Arc<AppState>>,
) -> Result<axum::Json<HeldDeeds>, Problem> {
    Ok(axum::Json(slowly(&app, HeldDeeds::of).await?))
}

/// What an undo would change
#[utoipa::path(
    get, path = "/v1/undo/{id}", operation_id = "held_deed", tag = "actions",
    params(("id" = String, Path, description = "The id of the action that did it, or its number in the record")),
    responses(
        (status = 200, description = "The deed, and what an undo of it would change", body = HeldDetail),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 404, description = "Nothing is held of it", body = ProblemDetails,
         content_type = "application/problem+json"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn one(
    _: Known,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<axum::Json<HeldDetail>, Problem> {
    let held = slowly(&app, move |stages, settings| HeldDetail::of(stages, settings, &id)).await?;
    let none = || Problem::not_found("Nothing is held of it: GET /v1/undo lists what can be undone");
    held.map(axum::Json).ok_or_else(none)
}

/// Undo an action
///
/// The same as the action `UNDO` with this id: judged, asked where it must be, done whole or not at all, recorded. `last` in
/// the place of an id stands for the last one of the session that was not undone. What was changed since is not undone:
/// `outcome` is `failed`, `error` is `changed`, and `output.stderr` names the paths.
#[utoipa::path(
    post, path = "/v1/actions/{id}/undo", operation_id = "undo", tag = "actions",
    params(
        ("id" = String, Path, description = "The id of the action, its number in the record, or `last`"),
        ("Idempotency-Key" = Option<String>, Header, description = "As for `POST /v1/actions`."),
        ("Prefer" = Option<String>, Header, description = "`respond-async`: do not wait for the end."),
    ),
    request_body(content = UndoRequest, content_type = "application/json", description = "May be empty"),
    responses(
        (status = 200, description = "It came to an end; `outcome` says which", body = Reply),
        (status = 202, description = "It is under way", body = Running,
         headers(("Location" = String, description = "Where its end is found"))),
        (status = 400, description = "No JSON", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 401, description = "No token", body = ProblemDetails, content_type = "application/problem+json"),
        (status = 403, description = "Not with this token, or from a foreign web page", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 415, description = "Not application/json", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 422, description = "No id of an action, or fields that are not known", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 500, description = "The record cannot be written", body = ProblemDetails,
         content_type = "application/problem+json"),
        (status = 503, description = "Too many requests are running or waiting; `Retry-After` says when to retry",
         body = ProblemDetails, content_type = "application/problem+json"),
    ),
    security(("submit" = []))
)]
pub(super) async fn undo(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    OptionalBody(body): OptionalBody<UndoRequest>,
) -> Result<Response, Problem> {
    let (request, digest) = request(id, body);
    actions::submit(app, actions::caller(peer), &headers, request, digest).await
}

/// The same for a person at the console, who is asked like everybody.
pub(super) async fn by_person(
    _: Person,
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    OptionalBody(body): OptionalBody<UndoRequest>,
) -> Result<Response, Problem> {
    let (request, digest) = request(id, body);
    let caller = crate::record::Caller { door: "console".to_owned(), name: String::new() };
    actions::submit(app, (caller, None), &headers, request, digest).await
}

/// The action that is meant, and what tells it from others that are sent with the same key.
fn request(id: String, body: Body<UndoRequest>) -> (Request, [u8; 32]) {
    let Body { value, digest } = body;
    let digest = Sha256::new().chain_update("undo ").chain_update(&id).chain_update(digest).finalize().into();
    let UndoRequest { session, cwd, language, reasoning, requires_confirmation } = value;
    let (action, target) = (Some("UNDO".to_owned()), Some(id.into()));
    let request = Request { action, target, session, cwd, language, reasoning, ..Request::default() };
    (Request { requires_confirmation, ..request }, digest)
}

/// Reads what is held, which may take longer than others should be kept waiting.
async fn slowly<T: Send + 'static>(
    app: &AppState,
    read: impl FnOnce(Option<&Stages>, Vec<HeldSetting>) -> T + Send + 'static,
) -> Result<T, Problem> {
    let hands = app.guard.hands();
    let (stages, settings) = (hands.stages().cloned(), hands.held_settings());
    let read = tokio::task::spawn_blocking(move || read(stages.as_ref(), settings)).await;
    read.map_err(|error| Problem::internal(format!("What is held cannot be read: {error}")))
}
