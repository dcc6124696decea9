//! Events: the client of a coding agent asks about a tool call that it will run itself.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, Path, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use utoipa::ToSchema;

use crate::doors::hook::{Client, Decision, HookEvent, UnknownClient};

use crate::doors::http::access::scope::Submitter;
use crate::doors::http::action::jobs::JobOwner;
use crate::doors::http::extract::body::{Body, read_within};
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};
use crate::doors::http::wire;

/// The longest body of an event, in bytes. An event may contain a whole file.
const RAW_LIMIT: usize = 16 * 1024 * 1024;

/// A tool call of an agent.
#[derive(Debug, ToSchema)]
#[allow(dead_code, reason = "describes crate::doors::hook::HookEvent")]
pub(super) struct Event {
    /// `claude`, `codex`, `gemini`, `copilot`, `cursor`, `opencode` or `openai-agents`.
    client: String,
    /// The tool, as the client names it.
    #[schema(example = "Bash")]
    tool: String,
    /// One of `{"run": command}`, `{"files": {"read": […], "searched": […], "written": […], "deleted": […], "planned":
    /// […]}}`, `{"fetch": address}`, `"nothing"` and `{"unknown": null}`. `planned` gives the future content of files:
    /// `{"path": …, "content": …}`, with `"from"` for a moved file. The content is `"gone"`, `"unknown"`, `{"whole":
    /// text}`, `{"edits": [{"old": …, "new": …, "all": false}]}`, `{"patch": hunks}` or `{"long": {"sha256": …,
    /// "size": …}}`.
    #[schema(value_type = Object)]
    does: (),
    /// The session.
    session: Option<String>,
    /// The working folder.
    cwd: Option<String>,
    /// The model's reason.
    purpose: Option<String>,
    /// Whether the client can ask the person itself.
    can_ask: Option<bool>,
    /// Whether the client accepts another command instead of this one.
    can_rewrite: Option<bool>,
    /// The search path of the client's shell, as in `PATH`.
    path: Option<String>,
}

/// The answer to the client.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(super) struct Decided {
    /// `allow`, `deny`, `ask` (the client asks), `run` (the guard runs it when the client's shell runs `command`) or
    /// `pass` (the guard does not decide).
    decision: &'static str,
    /// The reason, for the model.
    reason: String,
    /// The command that the client's shell runs instead; only with `run`, which requires `can_rewrite`.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The id of the record; null if the guard does not decide.
    #[schema(value_type = Option<String>, format = "uuid")]
    id: Option<uuid::Uuid>,
    /// `approved`, `requires_confirmation`, `requires_password` or `blocked`.
    status: Option<&'static str>,
    /// The reasons of the verdict, strictest first.
    findings: Vec<guarda_core::policy::Finding>,
    /// The risk, from 0 (harmless) to 1 (catastrophic).
    risk: Option<f32>,
    /// The session's marks now; null if the guard does not decide.
    taint: Option<guarda_core::policy::Taint>,
    /// Whether the tool's changes to files can be undone, by `id`; null if it changes none.
    undo: Option<wire::Undo>,
}

/// Check a tool call
///
/// For actions that the caller will run itself. Waits for a person's answer if one is needed; closing the connection
/// withdraws the question. Any failure means no.
#[utoipa::path(
    post, path = "/v1/events", tag = "agents",
    request_body(content = Event, content_type = "application/json"),
    responses(
        (status = 200, description = "The decision", body = Decided),
        (status = 400, description = "The body is not JSON"),
        (status = 413, description = "Longer than 16 MiB"),
        (status = 422, description = "JSON, but no event"),
        (status = 503, description = "Too many requests are running or waiting"),
    ),
    security(("submit" = []))
)]
pub(super) async fn decide(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    request: Request,
) -> Result<axum::Json<Decided>, Problem> {
    let patience = crate::doors::http::action::actions::patience(request.headers());
    let Body { value, .. } = Body::<HookEvent>::of(&long(&app, request).await?)?;
    let (decision, permit) = about(&app, value, peer.as_deref(), patience).await?;
    let (name, reason, command) = match decision {
        Decision::Allow { reason } => ("allow", reason, None),
        Decision::Deny { reason } => ("deny", reason, None),
        Decision::Ask { reason } => ("ask", reason, None),
        Decision::Run { command, reason } => ("run", reason, Some(command)),
        Decision::Pass => ("pass", String::new(), None),
    };
    Ok(axum::Json(Decided {
        decision: name,
        reason,
        command,
        id: permit.as_ref().map(|permit| permit.id),
        status: permit.as_ref().map(|permit| permit.verdict.status()),
        findings: permit.iter().flat_map(|permit| permit.findings.clone()).collect(),
        risk: permit.as_ref().map(|permit| permit.risk),
        taint: permit.as_ref().map(|permit| permit.taint),
        undo: permit.as_ref().and_then(|permit| permit.undo.as_ref()).map(wire::Undo::from),
    }))
}

/// Check a tool call in a client's own format
///
/// Accepts the input of a client's hook and answers as the hook would, for clients whose hooks are addresses. If the
/// event is not understood, the response is a problem; configure the client to treat that as a no.
#[utoipa::path(
    post, path = "/v1/hooks/{client}", tag = "agents",
    params(("client" = String, Path, description = "`claude`, `codex`, `gemini`, `copilot`, `cursor`, `opencode` or \
     `openai-agents`")),
    request_body(content = Object, content_type = "application/json"),
    responses(
        (status = 200, description = "The answer in the client's format", body = Object),
        (status = 400, description = "The body is not JSON"),
        (status = 413, description = "Longer than 16 MiB"),
        (status = 404, description = "No such client"),
        (status = 422, description = "JSON, but no event of this client"),
        (status = 503, description = "Too many requests are running or waiting"),
    ),
    security(("submit" = []))
)]
pub(super) async fn hook(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Path(client): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let client: Client =
        client.parse().map_err(|error: UnknownClient| Problem::not_found(error.to_string()))?;
    let patience = crate::doors::http::action::actions::patience(request.headers());
    let body = long(&app, request).await?;
    let asked = crate::doors::hook::read::read(client, &body);
    let asked = asked.map_err(|error| Problem::misread(error.to_string()))?;
    let (decision, _) = about(&app, asked.event.clone(), peer.as_deref(), patience).await?;
    let answer = asked.encode(&decision);
    Ok(([(header::CONTENT_TYPE, "application/json")], answer).into_response())
}

/// Reads a body that may contain a whole file.
async fn long(app: &AppState, request: Request) -> Result<axum::body::Bytes, Problem> {
    read_within(request, app, RAW_LIMIT, &format!("The longest event is {RAW_LIMIT} bytes")).await
}

/// Decides in a separate task, so the decision is recorded whatever happens to the connection.
async fn about(
    app: &Arc<AppState>,
    event: HookEvent,
    peer: Option<&Peer>,
    patience: Option<Duration>,
) -> Result<(Decision, Option<crate::guard::HookOutcome>), Problem> {
    let owner = match Peer::owner(peer) {
        JobOwner::Token => JobOwner::Hook,
        owner => owner,
    };
    let place = app.jobs.place(&owner)?;
    // A container has no program that could redeem a ticket.
    let elsewhere = matches!(owner, JobOwner::Container(_));
    let event = HookEvent { can_rewrite: event.can_rewrite && !elsewhere, elsewhere, ..event };
    let withdraw = tokio_util::sync::CancellationToken::new();
    let _gone = withdraw.clone().drop_guard();
    let caller = guarda_journal::Caller {
        door: crate::guard::HOOK_DOOR.to_owned(),
        name: match peer.map(Peer::caller) {
            Some(caller) => {
                format!("{} ({} {})", event.client, caller.door, caller.name).trim_end().to_owned()
            }
            None => event.client.to_string(),
        },
        container: peer.and_then(|peer| peer.caller().container),
    };
    let inner = Arc::clone(app);
    // The client must not give up first: most clients then run the tool.
    let wait = patience.map_or(app.hook_wait, |patience| patience.min(app.hook_wait));
    let work = app.jobs.tasks().spawn(async move {
        let _place = place;
        crate::doors::hook::decide::decide(
            &inner.guard,
            (&inner.hooks, &inner.services, wait),
            &event,
            &caller,
            &withdraw,
        )
        .await
    });
    match work.await {
        Ok(decided) => decided.map_err(|fault| Problem::from(&fault)),
        Err(error) => {
            tracing::error!(%error, "an event ended by a fault of the guard");
            Err(Problem::internal("The guard failed at this event; see the log"))
        }
    }
}
