//! What a person has said beforehand: listed, and ended. To end one needs no code, since it only makes the guard ask more.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::doors::detail::Detail;
use crate::doors::http::access::scope::{Approver, Person};
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use crate::guard::permissions::Permission;

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
