//! Requests actions, looks them up, cancels them, or only judges them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tracing::Instrument as _;

use crate::doors::http::access::scope::{KnownCaller, Submitter};
use crate::doors::http::action::jobs::{Finished, Job, JobOwner, Submission, WaitMode};
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};
use crate::doors::http::wire;

/// The longest `Idempotency-Key`.
const KEY_LIMIT: usize = 255;

/// Request an action
///
/// Waits for the outcome: for a person's answer if one is needed, and for the action itself. Closing the connection
/// withdraws the action. With `Prefer: respond-async` the response is an immediate 202, and `Location` gives the path
/// of the outcome. With `Accept: text/event-stream` every step is reported as it happens: `judged`, `asked`,
/// `answered`, `started`, `output` (how many bytes so far), and finally `done` with the reply, or `problem`.
#[utoipa::path(
    post, path = "/v1/actions", tag = "actions",
    request_body(content = crate::doors::http::service::ActionRequest, content_type = "application/json"),
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters. A second request \
         with the same key and body gets the reply of the first, and nothing is done twice; kept for 24 hours."),
        ("Prefer" = Option<String>, Header, description = "`respond-async`: do not wait for the end. `wait=SECONDS`: how long a question may wait."),
    ),
    responses(
        (status = 200, description = "The action has ended; `outcome` says how", body = wire::ReplyBody),
        (status = 202, description = "The action is running", body = wire::Running,
         headers(("Location" = String, description = "The path of the outcome"))),
        (status = 400, description = "The body is not JSON"),
        (status = 422, description = "JSON, but not an action"),
        (status = 500, description = "The record cannot be written, or the output cannot be made safe"),
        (status = 501, description = "This machine cannot confine the command as required"),
        (status = 503, description = "Too many requests are running or waiting; `Retry-After` says when to retry"),
    ),
    security(("submit" = []))
)]
pub(in crate::doors::http) async fn act(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    Body { value, digest }: Body<guarda_core::action::Request>,
) -> Result<Response, Problem> {
    submit(app, caller(peer), &headers, value, digest).await
}

/// The caller, and the name of its container if it has one.
pub(in crate::doors::http) fn caller(
    peer: Option<Extension<Peer>>,
) -> (guarda_journal::Caller, Option<String>) {
    let container = match peer.as_deref() {
        Some(Peer::Container(place)) => Some(place.name.clone()),
        Some(Peer::Tcp { .. } | Peer::Socket { .. } | Peer::Mcp) | None => None,
    };
    (peer.map(|Extension(peer)| peer.caller()).unwrap_or_default(), container)
}

/// Starts an action and responds as the headers require: at its end, step by step, or at once.
pub(in crate::doors::http) async fn submit(
    app: Arc<AppState>,
    (caller, container): (guarda_journal::Caller, Option<String>),
    headers: &HeaderMap,
    value: guarda_core::action::Request,
    digest: [u8; 32],
) -> Result<Response, Problem> {
    let streamed = crate::doors::http::action::stream::wanted(headers);
    let wish = if prefers_async(headers) { WaitMode::ComeBack } else { WaitMode::Wait };
    // A key is unique within its container, or among all other requests.
    let key = idempotency_key(headers)?.map(|key| match &container {
        Some(container) => format!("{container} {key}"),
        None => key,
    });
    let owner = container.map_or(JobOwner::Token, JobOwner::Container);
    let job_guard = match app.jobs.submit(&owner, key, digest, wish)? {
        Submission::Known(job_guard) => job_guard,
        Submission::New(job_guard, permit) => {
            let terms =
                Terms { patience: patience(headers), reader: crate::doors::http::problem::accepted(headers) };
            start(Arc::clone(&app), Arc::clone(job_guard.job()), value, caller, (permit, terms));
            job_guard
        }
    };
    match wish {
        WaitMode::Wait if streamed => Ok(crate::doors::http::action::stream::of(job_guard)),
        // If the client disconnects, this future is dropped, which releases the caller's hold on the action.
        WaitMode::Wait => Ok(landed(job_guard.job().end().await)),
        WaitMode::ComeBack => {
            let mut response = running(&app, job_guard.job());
            let place = HeaderValue::from_str(&format!("/v1/actions/{}", job_guard.job().id));
            if let Ok(place) = place {
                response.headers_mut().insert(header::LOCATION, place);
            }
            response.headers_mut().insert("preference-applied", HeaderValue::from_static("respond-async"));
            Ok(response)
        }
    }
}

/// Runs one action and waits for its end. Dropping the future withdraws the action.
pub(in crate::doors::http) async fn run(
    app: &Arc<AppState>,
    request: guarda_core::action::Request,
    caller: guarda_journal::Caller,
    digest: [u8; 32],
) -> Result<Finished, Problem> {
    let Submission::New(job_guard, permit) =
        app.jobs.submit(&JobOwner::Token, None, digest, WaitMode::Wait)?
    else {
        return Err(Problem::internal("The action was taken for another one"));
    };
    start(Arc::clone(app), Arc::clone(job_guard.job()), request, caller, (permit, Terms::default()));
    Ok(job_guard.job().end().await)
}

/// What the request's headers ask for.
#[derive(Default)]
struct Terms {
    /// How long its question may wait for an answer (`Prefer: wait`).
    patience: Option<Duration>,
    /// The reader's language (`Accept-Language`).
    reader: Option<guarda_core::action::Language>,
}

/// Starts the action as a separate task, which runs to its proper end whatever happens to the connection.
fn start(
    app: Arc<AppState>,
    job: Arc<Job>,
    request: guarda_core::action::Request,
    caller: guarda_journal::Caller,
    (permit, Terms { patience, reader }): (tokio::sync::OwnedSemaphorePermit, Terms),
) {
    let tasks = app.jobs.tasks().clone();
    tasks.spawn(
        async move {
            let (guard, id) = (Arc::clone(&app.guard), job.id);
            let context = crate::guard::RequestContext { patience, reader, ..job.context.clone() };
            // In a separate task, a panic ends only this request.
            let span = tracing::Span::current();
            let deed = tokio::spawn(
                async move { guard.handle(id, request, caller, context).await }.instrument(span),
            );
            let (end, again) = match deed.await {
                Ok(Ok(reply)) => {
                    app.metrics.action(reply.outcome, &reply.decided_by);
                    tracing::info!(%id, outcome = reply.outcome.name(), "an action ended");
                    (reply_of(reply), false)
                }
                Ok(Err(fault)) => {
                    let again = matches!(fault, crate::guard::Fault::Busy | crate::guard::Fault::Closing);
                    (Finished::Problem(Problem::from(&fault)), again)
                }
                Err(error) => {
                    tracing::error!(%id, %error, "an action ended by a fault of the guard");
                    (
                        Finished::Problem(Problem::internal("The guard failed at this action; see the log")),
                        false,
                    )
                }
            };
            drop(permit);
            app.jobs.finish(&job, end, again);
        }
        .in_current_span(),
    );
}

fn reply_of(reply: crate::guard::Reply) -> Finished {
    match serde_json::to_vec(&wire::ReplyBody::from(reply)) {
        Ok(json) => Finished::Reply(json.into()),
        Err(error) => Finished::Problem(Problem::internal(format!("The reply cannot be written: {error}"))),
    }
}

pub(in crate::doors::http) fn landed(end: Finished) -> Response {
    match end {
        Finished::Reply(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Finished::Problem(problem) => problem.into_response(),
    }
}

/// The running or remembered action with this id.
fn remembered(app: &AppState, owner: Option<&JobOwner>, id: &str) -> Result<Arc<Job>, Problem> {
    let job = id.parse().ok().and_then(|id| app.jobs.find(owner, id));
    job.ok_or_else(|| Problem::not_found("No action with this id is remembered"))
}

fn running(app: &AppState, job: &Job) -> Response {
    let question =
        job.context.question().and_then(|number| crate::doors::http::questions::offered(app, number));
    (StatusCode::ACCEPTED, axum::Json(wire::Running { id: job.id, outcome: "running", question }))
        .into_response()
}

/// Get an action
///
/// Returns 202 while the action is running, and its outcome afterwards. The last 512 ended actions are remembered for 24 hours.
#[utoipa::path(
    get, path = "/v1/actions/{id}", tag = "actions",
    params(("id" = String, Path, description = "The action's id")),
    responses(
        (status = 200, description = "The action has ended; `outcome` says how", body = wire::ReplyBody),
        (status = 202, description = "The action is running", body = wire::Running),
        (status = 404, description = "No such action is remembered"),
    ),
    security(("submit" = []))
)]
pub(in crate::doors::http) async fn look_up(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let job = remembered(&app, Some(&Peer::owner(peer.as_deref())), &id)?;
    Ok(job.landed().map_or_else(|| running(&app, &job), landed))
}

/// Cancel an action
///
/// Withdraws its question, or ends the running command with everything that it started, and returns the outcome. An
/// action that has ended stays as it is.
#[utoipa::path(
    post, path = "/v1/actions/{id}/cancel", tag = "actions",
    params(("id" = String, Path, description = "The action's id")),
    responses(
        (status = 200, description = "The action has ended; `outcome` says how", body = wire::ReplyBody),
        (status = 404, description = "No such action is remembered"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(in crate::doors::http) async fn cancel(
    known: KnownCaller,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    // A person may end whatever runs.
    let owner = (known == KnownCaller::Program).then(|| Peer::owner(peer.as_deref()));
    let job = remembered(&app, owner.as_ref(), &id)?;
    job.context.cancel.cancel();
    Ok(landed(job.end().await))
}

/// Cancel an action
///
/// The same as `POST …/cancel`.
#[utoipa::path(
    delete, path = "/v1/actions/{id}", tag = "actions",
    params(("id" = String, Path, description = "The action's id")),
    responses(
        (status = 200, description = "The action has ended; `outcome` says how", body = wire::ReplyBody),
        (status = 404, description = "No such action is remembered"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(in crate::doors::http) async fn call_off(
    known: KnownCaller,
    app: State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    id: Path<String>,
) -> Result<Response, Problem> {
    cancel(known, app, peer, id).await
}

/// Judge an action
///
/// Returns the verdict. Nothing is run and nobody is asked; the advice is recorded.
#[utoipa::path(
    post, path = "/v1/judge", tag = "actions",
    request_body(content = crate::doors::http::service::ActionRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The judgement", body = wire::Judgement),
        (status = 400, description = "The body is not JSON"),
        (status = 422, description = "JSON, but not an action"),
    ),
    security(("submit" = []))
)]
pub(in crate::doors::http) async fn judge(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Body { value, .. }: Body<guarda_core::action::Request>,
) -> Result<axum::Json<wire::Judgement>, Problem> {
    let caller = peer.map(|Extension(peer)| peer.caller()).unwrap_or_default();
    advise(&app, value, &caller).await
}

/// Judges an action for this caller. The API and the console share this code.
pub(in crate::doors::http) async fn advise(
    app: &AppState,
    request: guarda_core::action::Request,
    caller: &guarda_journal::Caller,
) -> Result<axum::Json<wire::Judgement>, Problem> {
    let advice = app.guard.advise(request, caller).await.map_err(|fault| Problem::from(&fault))?;
    app.metrics.judgement(advice.judgement.verdict());
    Ok(axum::Json(wire::Judgement::from(&advice)))
}

/// True if `Prefer` (RFC 7240) contains `respond-async`.
fn prefers_async(headers: &HeaderMap) -> bool {
    headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok()).any(|value| {
        let names = value.split(',').filter_map(|preference| preference.split([';', '=']).next());
        names.into_iter().any(|name| name.trim().eq_ignore_ascii_case("respond-async"))
    })
}

/// How long a question of this request may wait: the preference `wait`, in seconds. The limit is ten minutes, because
/// other questions may be queued behind it.
pub(in crate::doors::http) fn patience(headers: &HeaderMap) -> Option<Duration> {
    const LONGEST: u64 = 600;
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split(',')).map(str::trim);
    let seconds = preferences.find_map(|preference| preference.strip_prefix("wait=")?.trim().parse().ok());
    seconds.map(|seconds: u64| Duration::from_secs(seconds.clamp(1, LONGEST)))
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut given = headers.get_all("idempotency-key").iter();
    let (Some(key), other) = (given.next(), given.next()) else {
        return Ok(None);
    };
    let good = other.is_none()
        && !key.is_empty()
        && key.len() <= KEY_LIMIT
        && key.as_bytes().iter().all(u8::is_ascii_graphic);
    match key.to_str() {
        Ok(key) if good => Ok(Some(key.to_owned())),
        Ok(_) | Err(_) => Err(Problem::malformed(format!(
            "Idempotency-Key must stand there once, with 1 to {KEY_LIMIT} visible ASCII characters and no spaces"
        ))),
    }
}
