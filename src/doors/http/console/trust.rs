//! The folders that a person trusts: for the console, and for `guarda trust`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::registry::{answering, by_code};
use crate::doors::detail::Detail;
use crate::doors::http::access::scope::{Approver, Person};
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use crate::guard::Guard;

/// A person's decision about a folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FolderDecision {
    /// An absolute path.
    folder: PathBuf,
    /// Whether it is trusted from now on.
    trusted: bool,
    /// The code that the guard showed or spoke.
    #[serde(default)]
    code: Option<String>,
}

/// The trusted folders, for a person in the console.
pub(super) async fn list(_: Person, State(app): State<Arc<AppState>>) -> Json<Value> {
    Json(json!({ "folders": app.guard.trust_list() }))
}

/// The same with the approve token.
pub(super) async fn list_for_approver(_: Approver, State(app): State<Arc<AppState>>) -> Json<Value> {
    Json(json!({ "folders": app.guard.trust_list() }))
}

/// Stores the decision of a person in the console.
pub(super) async fn say(
    _: Person,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<FolderDecision>,
) -> Result<Json<Value>, Problem> {
    answering(&app)?;
    store(&app.guard, &value, "console").await
}

/// Stores a decision with the approve token; to trust a folder takes the code if the guard can show or speak one.
pub(super) async fn decide(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<FolderDecision>,
) -> Result<Json<Value>, Problem> {
    if value.trusted {
        // What cannot be trusted needs no code.
        checked(&app.guard, &value.folder)?;
        by_code(&app, value.code.as_deref()).await?;
    }
    store(&app.guard, &value, "http").await
}

async fn store(guard: &Guard, decision: &FolderDecision, channel: &str) -> Result<Json<Value>, Problem> {
    if decision.trusted {
        let folder = checked(guard, &decision.folder)?;
        guard.trust(&folder, channel).await.map_err(|error| Problem::busy(error.to_string()))?;
        return Ok(Json(json!({ "folder": folder.path, "trusted": true })));
    }
    // A folder that is gone or was replaced is known by the path that the person sees.
    let real = decision.folder.canonicalize().unwrap_or_else(|_| decision.folder.clone());
    let known = [real.as_path(), decision.folder.as_path()];
    match known.into_iter().find(|path| guard.distrust(path)) {
        Some(path) => Ok(Json(json!({ "folder": path.to_string_lossy(), "trusted": false }))),
        None => Err(Problem::not_found(Detail::message("problem-not-trusted"))),
    }
}

fn checked(guard: &Guard, folder: &Path) -> Result<crate::hands::trust::Trustable, Problem> {
    if !folder.is_absolute() {
        return Err(Problem::misread("\"folder\" is not an absolute path"));
    }
    guard.trustable(folder).map_err(|why| Problem::forbidden(Detail::NotTrustable(why)))
}
