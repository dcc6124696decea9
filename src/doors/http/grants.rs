//! What a person has said beforehand: listed, and ended. To end one needs no code, since it only makes the guard ask more.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::doors::detail::Detail;
use crate::doors::hook::Client;
use crate::doors::http::access::scope::{Approver, Person};
use crate::doors::http::console::by_code;
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use crate::guard::permissions::{GrantRefused, Permission};

/// What was said beforehand.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::doors::http) struct Permissions {
    /// Grants first, the latest of each kind first.
    grants: Vec<Permission>,
}

/// Which of it ends.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct RevokeRequest {
    /// Their ids.
    #[serde(default)]
    ids: Vec<String>,
    /// All grants and every *always*; neither trusted folders nor what makes the guard stricter.
    #[serde(default)]
    all: bool,
}

/// A command that is granted beforehand.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct GrantRequest {
    /// The command line. Its shape is granted, as a question about it would offer.
    command: String,
    /// The folder in which it is granted: an absolute path.
    #[schema(value_type = String)]
    folder: PathBuf,
    /// The client whose agents may run it: `claude`, `codex`, `gemini` …
    #[schema(value_type = String, example = "claude")]
    client: Client,
    /// The code that the guard showed or spoke.
    #[serde(default)]
    code: Option<String>,
}

/// What was granted.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::doors::http) struct NewGrant {
    /// The shape of the commands that it covers.
    granted: String,
}

/// What was ended.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::doors::http) struct Revoked {
    /// As it was.
    ended: Vec<Permission>,
}

/// List what a person has said beforehand
///
/// Grants for a turn, a session, a day or always, trusted folders, and words about single commands.
#[utoipa::path(
    get, path = "/v1/grants", operation_id = "grants", tag = "grants",
    responses((status = 200, description = "What holds now", body = Permissions)),
    security(("approve" = []))
)]
pub(in crate::doors::http) async fn list(_: Approver, State(app): State<Arc<AppState>>) -> Json<Permissions> {
    Json(Permissions { grants: app.guard.permissions().await })
}

/// The same for a person in the console.
pub(in crate::doors::http) async fn list_for_person(
    _: Person,
    State(app): State<Arc<AppState>>,
) -> Json<Permissions> {
    Json(Permissions { grants: app.guard.permissions().await })
}

/// Grant a command beforehand
///
/// Always in this folder, for 90 days, to the agents of one client: as a question about it would have offered. Takes the code that the guard
/// shows or speaks.
#[utoipa::path(
    post, path = "/v1/grants", operation_id = "grant", tag = "grants",
    request_body(content = GrantRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "It holds from now on", body = NewGrant),
        (status = 403, description = "The code is missing or wrong"),
        (status = 422, description = "It cannot be granted"),
    ),
    security(("approve" = []))
)]
pub(in crate::doors::http) async fn give(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<GrantRequest>,
) -> Result<Json<NewGrant>, Problem> {
    let GrantRequest { command, folder, client, code } = value;
    if !folder.is_absolute() || !folder.is_dir() {
        return Err(Problem::misread("\"folder\" is not the absolute path of a folder"));
    }
    let refused = |refused| match refused {
        GrantRefused::Shape(why) => Problem::misread(Detail::Hindered(why)),
        GrantRefused::Fault(fault) => Problem::from(&fault),
        GrantRefused::Unrecorded(error) => Problem::busy(error.to_string()),
    };
    let given = app.guard.grant_of_line(&command, &folder, client.into(), "http").await.map_err(refused)?;
    by_code(&app, code.as_deref()).await?;
    let granted = given.covers.shown();
    app.guard.grant(given).await.map_err(refused)?;
    Ok(Json(NewGrant { granted }))
}

/// End what a person has said beforehand
///
/// Needs no code: it can only lead to more questions. A *never* or an *ask* is not ended here.
#[utoipa::path(
    post, path = "/v1/grants/revoke", operation_id = "revoke", tag = "grants",
    request_body(content = RevokeRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "What was ended", body = Revoked),
        (status = 404, description = "Nothing of that kind holds"),
    ),
    security(("approve" = []))
)]
pub(in crate::doors::http) async fn revoke(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<RevokeRequest>,
) -> Result<Json<Revoked>, Problem> {
    end(&app, value).await
}

/// The same by a person in the console.
pub(in crate::doors::http) async fn revoke_by_person(
    _: Person,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<RevokeRequest>,
) -> Result<Json<Revoked>, Problem> {
    end(&app, value).await
}

async fn end(app: &AppState, asked: RevokeRequest) -> Result<Json<Revoked>, Problem> {
    let meant = |one: &Permission| match one.kind.as_str() {
        // What makes the guard stricter is taken back where it is said, with the code.
        "ask" | "never" => false,
        _ if asked.all => one.is_grant(),
        _ => asked.ids.contains(&one.id),
    };
    let ended = app.guard.revoke(meant).await;
    if ended.is_empty() && !asked.all {
        return Err(Problem::not_found(Detail::message("problem-not-granted")));
    }
    Ok(Json(Revoked { ended }))
}
