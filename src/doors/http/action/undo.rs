//! Lists, shows and undoes actions.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::{KnownCaller, Person, Submitter};
use crate::doors::http::action::actions;
use crate::doors::http::extract::body::{Body, OptionalBody};
use crate::doors::http::extract::query::{InLanguage, Query};
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};
use crate::doors::http::wire::{HeldDeeds, HeldDetail, ReplyBody, Running};
use crate::hands::HeldSetting;
use crate::wording::describe::staged::Staged;
use guarda_core::action::Request;
use guarda_sandbox::stage::{Note, Stages};

/// The context of an undo; every field is optional.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::doors::http) struct UndoRequest {
    /// The session.
    session: Option<String>,
    /// The session's working folder; its own changes below it may be undone without a question.
    cwd: Option<String>,
    /// The language of prompts and messages: `pt-BR`, `en` or `fr`.
    language: Option<String>,
    /// The reason; shown in the question.
    reasoning: Option<String>,
    /// Ask a person even if the rules allow it.
    requires_confirmation: Option<bool>,
}

/// List what can be undone
///
/// The actions whose old versions are stored, the latest first. Contains paths, numbers and times, but never file
/// contents.
#[utoipa::path(
    get, path = "/v1/undo", operation_id = "held", tag = "actions",
    responses(
        (status = 200, description = "The actions that can be undone, or an empty list", body = HeldDeeds),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(in crate::doors::http) async fn list(
    _: KnownCaller,
    State(app): State<Arc<AppState>>,
) -> Result<axum::Json<HeldDeeds>, Problem> {
    Ok(axum::Json(slowly(&app, HeldDeeds::of).await?))
}

/// Show what an undo would change
#[utoipa::path(
    get, path = "/v1/undo/{id}", operation_id = "held_deed", tag = "actions",
    params(("id" = String, Path, description = "The action's id, or its number in the record")),
    responses(
        (status = 200, description = "The action, and what its undo would change", body = HeldDetail),
        (status = 404, description = "No old versions are stored for it"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(in crate::doors::http) async fn one(
    _: KnownCaller,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<axum::Json<HeldDetail>, Problem> {
    let held = slowly(&app, move |stages, settings| HeldDetail::of(stages, settings, &id)).await?;
    let none = || Problem::not_found(Detail::message("problem-unheld"));
    held.map(axum::Json).ok_or_else(none)
}

/// Shows a person at the console what an undo would change, in words and with the differences between texts.
pub(in crate::doors::http) async fn shown(
    _: Person,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Query(manner): Query<InLanguage>,
) -> Result<axum::Json<serde_json::Value>, Problem> {
    let words = crate::wording::words(app.guard.prompter().language(manner.language.as_deref()));
    let home = app.guard.hands().home();
    let changes = slowly(&app, move |stages, _settings| {
        let stages = stages?;
        let meant = |note: &Note| note.audit_id == id;
        let held = stages
            .held()
            .into_iter()
            .find(|held| id.parse() == Ok(held.id) || held.note.as_ref().is_some_and(meant))?;
        let effects = stages.undoing_all(&stages.together(&held), None);
        let staged = Staged { effects: &effects, undo_days: None, home: &home, cwd: "" };
        Some(staged.lines(words))
    });
    let none = || Problem::not_found(Detail::message("problem-unheld"));
    let changes = changes.await?.ok_or_else(none)?;
    Ok(axum::Json(serde_json::json!({ "changes": changes })))
}

/// Undo an action
///
/// The same as the action `UNDO` with this id: judged, asked about if necessary, done as a whole or not at all, and
/// recorded. `last` means the session's last action that was not undone. If a file was changed since, nothing is
/// undone: `outcome` is `failed`, `error` is `changed`, and `output.stderr` names the paths.
#[utoipa::path(
    post, path = "/v1/actions/{id}/undo", operation_id = "undo", tag = "actions",
    params(
        ("id" = String, Path, description = "The id of the action, its number in the record, or `last`"),
        ("Idempotency-Key" = Option<String>, Header, description = "As for `POST /v1/actions`."),
        ("Prefer" = Option<String>, Header, description = "`respond-async`: do not wait for the end."),
    ),
    request_body(content = Option<UndoRequest>, content_type = "application/json", description = "May be empty"),
    responses(
        (status = 200, description = "The action has ended; `outcome` says how", body = ReplyBody),
        (status = 202, description = "The action is running", body = Running,
         headers(("Location" = String, description = "The path of the outcome"))),
        (status = 400, description = "The body is not JSON"),
        (status = 422, description = "Not the id of an action, or unknown fields"),
        (status = 500, description = "The record cannot be written"),
        (status = 503, description = "Too many requests are running or waiting; `Retry-After` says when to retry"),
    ),
    security(("submit" = []))
)]
pub(in crate::doors::http) async fn undo(
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

/// Undoes an action for a person at the console. The person is asked as usual.
pub(in crate::doors::http) async fn by_person(
    _: Person,
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    OptionalBody(body): OptionalBody<UndoRequest>,
) -> Result<Response, Problem> {
    let (request, digest) = request(id, body);
    let caller = guarda_journal::Caller { door: "console".to_owned(), ..Default::default() };
    actions::submit(app, (caller, None), &headers, request, digest).await
}

/// The request, and the hash that distinguishes it from other requests with the same key.
fn request(id: String, body: Body<UndoRequest>) -> (Request, [u8; 32]) {
    let Body { value, digest } = body;
    let digest = Sha256::new().chain_update("undo ").chain_update(&id).chain_update(digest).finalize().into();
    let UndoRequest { session, cwd, language, reasoning, requires_confirmation } = value;
    let (action, target) = (Some("UNDO".to_owned()), Some(id.into()));
    let request = Request { action, target, session, cwd, language, reasoning, ..Request::default() };
    (Request { requires_confirmation, ..request }, digest)
}

/// Reads the store on a blocking thread, because that may take long.
async fn slowly<T: Send + 'static>(
    app: &AppState,
    read: impl FnOnce(Option<&Stages>, Vec<HeldSetting>) -> T + Send + 'static,
) -> Result<T, Problem> {
    let hands = app.guard.hands();
    let (stages, settings) = (hands.stages().cloned(), hands.held_settings());
    let read = tokio::task::spawn_blocking(move || read(stages.as_ref(), settings)).await;
    read.map_err(|error| Problem::internal(format!("What is held cannot be read: {error}")))
}
