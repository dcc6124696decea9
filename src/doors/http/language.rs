//! Changes the language of prompts and messages while the service runs.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::doors::http::access::scope::Approver;
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use guarda_core::action::Language;

/// The language of prompts and messages.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tongue {
    /// `pt-BR`, `en` or `fr`.
    #[schema(example = "pt-BR")]
    language: String,
}

/// Get the spoken language
#[utoipa::path(
    get, path = "/v1/language", tag = "service",
    responses(
        (status = 200, description = "The language of requests that name none", body = Tongue),
        (status = 403, description = "The token does not permit this"),
    ),
    security(("approve" = []))
)]
pub(super) async fn told(_: Approver, State(app): State<Arc<AppState>>) -> axum::Json<Tongue> {
    let language = app.guard.prompter().language(None).tag().to_owned();
    axum::Json(Tongue { language })
}

/// Change the spoken language
///
/// Applies to requests that name no language, until the service ends or reloads its configuration. Set
/// `language.default` in the configuration for a permanent change.
#[utoipa::path(
    post, path = "/v1/language", tag = "service",
    request_body(content = Tongue, content_type = "application/json"),
    responses(
        (status = 200, description = "The new language", body = Tongue),
        (status = 403, description = "The token does not permit this"),
        (status = 422, description = "An unsupported language"),
    ),
    security(("approve" = []))
)]
pub(super) async fn speak(
    approver: Approver,
    State(app): State<Arc<AppState>>,
    Body { value, .. }: Body<Tongue>,
) -> Result<axum::Json<Tongue>, Problem> {
    let language: Language = value.language.parse().map_err(Problem::from)?;
    app.guard.prompter().speak(language);
    Ok(told(approver, State(app)).await)
}
