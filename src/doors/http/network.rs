//! The network traffic of runs: of those with a network now, and of those in the record.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::doors::http::access::scope::Approver;
use crate::doors::http::extract::query::Query;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;
use guarda_journal::read::Filter;
use guarda_journal::traffic::{RunTraffic, traffic};

/// The most runs of the record in one reply.
const MOST: usize = 200;

/// Selects runs. Without conditions, all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RunsQuery {
    /// Only hosts whose names contain this text.
    host: Option<String>,
    /// Only runs of this session.
    session: Option<String>,
    /// Only runs since this time: RFC 3339.
    since: Option<String>,
}

/// The network traffic of runs.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Runs {
    /// The runs: first the current ones, oldest first, then those of the record, newest first. Each has `audit_id`,
    /// `session`, `command`, `caller`, `at`, `running`, `whole_network` and `hosts`; see `traffic` in docs/record.md.
    #[schema(value_type = Vec<Object>)]
    runs: Vec<RunTraffic>,
}

/// List network traffic
///
/// Shows the traffic of current and earlier commands: hosts, ports, bytes and refusals. Never contents.
#[utoipa::path(
    get, path = "/v1/network", operation_id = "network", tag = "sessions", params(RunsQuery),
    responses(
        (status = 200, description = "The runs", body = Runs),
        (status = 403, description = "The token does not permit this"),
        (status = 422, description = "`since` is not an RFC 3339 time"),
    ),
    security(("approve" = []))
)]
pub(super) async fn show(
    _: Approver,
    State(app): State<Arc<AppState>>,
    Query(wanted): Query<RunsQuery>,
) -> Result<axum::Json<Runs>, Problem> {
    runs(&app, wanted).await.map(|runs| axum::Json(Runs { runs }))
}

/// The runs that are selected, the reasons of refusals in English.
pub(super) async fn runs(app: &AppState, wanted: RunsQuery) -> Result<Vec<RunTraffic>, Problem> {
    let RunsQuery { host, session, since } = wanted;
    let some = |text: Option<String>| text.filter(|text| !text.is_empty());
    let (host, session) = (some(host), some(session));
    let since = some(since).map(|since| since.parse()).transpose();
    let since = since.map_err(|_error| Problem::misread("`since` is no time: RFC 3339"))?;
    let mut runs: Vec<RunTraffic> = app
        .guard
        .live()
        .into_iter()
        .filter(|run| session.as_ref().is_none_or(|session| *session == run.session))
        .filter_map(|run| match &host {
            Some(host) => run.about(host),
            None => Some(run),
        })
        .collect();
    let folder = app.guard.journal().folder().to_owned();
    let filter = Filter { session, since, ..Filter::default() };
    let failed = |why: String| Problem::internal(format!("The record cannot be read: {why}"));
    let past = tokio::task::spawn_blocking(move || traffic(&folder, &filter, host.as_deref(), MOST)).await;
    let past = past.map_err(|error| failed(error.to_string()))?;
    runs.extend(past.map_err(|error| failed(error.to_string()))?);
    Ok(runs)
}
