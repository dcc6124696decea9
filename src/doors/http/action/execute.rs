//! `execute_bash` of feature B3 over HTTP: its three answers, and the token for the second attempt.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::doors::http::access::scope::Submitter;
use crate::doors::http::action::jobs::{Finished, Submission, WaitMode};
use crate::doors::http::extract::body::Body;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};
use crate::doors::http::wire;
use crate::guard::{ExecuteResult, Order, Validation};

/// A command whose caller does not wait for a person.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecuteRequest {
    /// The command line, at most 4096 bytes.
    #[schema(example = "curl https://api.example.com")]
    pub command: String,
    /// Run it with an earlier yes; requires `validation_token`.
    #[serde(default)]
    pub force_execute: bool,
    /// The token from `GET /v1/execute/{id}`. It is valid once, for exactly this command, for a short time.
    pub validation_token: Option<String>,
    /// The working folder.
    pub cwd: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The model's reason, shown as its own words.
    pub reasoning: Option<String>,
    /// The language of prompts and messages: `pt-BR`, `en` or `fr`.
    pub language: Option<String>,
}

/// The answer, in the format of feature B3.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Answer {
    /// The command has ended.
    Ended(Box<Ended>),
    /// A person is being asked; nothing has been done.
    Waiting(Box<Waiting>),
}

/// A command that has ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ended {
    /// Whether it ran and ended with exit status 0.
    success: bool,
    /// `executed`, or the other outcome: `blocked`, `failed` …
    #[schema(example = "executed")]
    status: &'static str,
    /// The exit status, if it ran to its end.
    exit_code: Option<i32>,
    /// Standard output, at most 10 KiB.
    stdout: String,
    /// Standard error, at most 10 KiB.
    stderr: String,
    /// The duration in milliseconds.
    duration_ms: u64,
    /// The policy that decided: `auto_approve`, `ask`, `ask_warning`, `always_allow`, `never`, `blocked` …
    #[schema(example = "auto_approve")]
    policy_used: &'static str,
    /// The full reply.
    reply: wire::ReplyBody,
}

/// A command that waits for a person's answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Waiting {
    /// `pending_validation`, or `duplicate_warning` if the same command ran a short time ago.
    #[schema(example = "pending_validation")]
    status: &'static str,
    /// The command line.
    command: String,
    /// `ask`, `ask_warning` or `always_ask`.
    policy: &'static str,
    /// The risk, from 0 (harmless) to 1 (catastrophic).
    risk_score: f32,
    /// Seconds since the same command ended; only with `duplicate_warning`.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds_since_last: Option<f64>,
    /// The interval within which it is a duplicate, in milliseconds; only with `duplicate_warning`.
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold_ms: Option<u64>,
    /// The reason for the question, as one sentence.
    message: String,
    /// The id for `GET /v1/execute/{validation_id}`.
    #[schema(value_type = String, format = "uuid")]
    validation_id: uuid::Uuid,
    /// Why the request's token was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_rejected: Option<String>,
    /// The reasons, strictest first.
    findings: Vec<guarda_core::policy::Finding>,
}

/// A person's answer to a waiting command.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Validated {
    /// No answer yet.
    PendingValidation {
        /// The question, if the requesting client may put it to its own person (`channels.mcp`).
        #[serde(skip_serializing_if = "Option::is_none")]
        question: Option<wire::Offered>,
    },
    /// Yes.
    #[serde(rename = "validated")]
    Approved {
        /// The token for the same command with `force_execute`.
        validation_token: String,
        /// The token's expiry: RFC 3339, UTC.
        #[schema(format = DateTime)]
        expires: String,
    },
    /// The command must not run.
    Refused {
        /// `denied`, `expired`, `withdrawn` or `failed`.
        outcome: &'static str,
        /// What happened, in one sentence.
        message: String,
        /// The reason, in the person's words.
        reason: Option<String>,
    },
}

/// Execute a command without waiting for a person
///
/// A command that the rules and the registry allow runs at once. For any other command a person is asked while the
/// caller goes on: `GET /v1/execute/{validation_id}` returns the answer and, after a yes, the token with which
/// exactly this command runs once. `force_execute` alone approves nothing.
#[utoipa::path(
    post, path = "/v1/execute", tag = "execute",
    request_body(content = ExecuteRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The command has ended, or a person is asked", body = Answer),
        (status = 403, description = "The token does not permit this"),
        (status = 422, description = "JSON, but not a command"),
        (status = 500, description = "The record cannot be written"),
        (status = 501, description = "The registry is switched off"),
        (status = 503, description = "Too many requests are running or waiting"),
    ),
    security(("submit" = []))
)]
pub(in crate::doors::http) async fn execute(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Body { value, digest }: Body<ExecuteRequest>,
) -> Result<Response, Problem> {
    let order = Order::try_from(value).map_err(Problem::misread)?;
    let owner = Peer::owner(peer.as_deref());
    let caller = peer.map(|Extension(peer)| peer.caller()).unwrap_or_default();
    let Submission::New(job_guard, permit) = app.jobs.submit(&owner, None, digest, WaitMode::Wait)? else {
        return Err(Problem::internal("The action was taken for another one"));
    };
    let job = Arc::clone(job_guard.job());
    let tasks = app.jobs.tasks().clone();
    tasks.spawn(async move {
        let (guard, context, id) = (Arc::clone(&app.guard), job.context.clone(), job.id);
        // In a separate task, a panic ends only this request.
        let deed = tokio::spawn(async move { guard.execute(id, order, &caller, &context).await });
        let end = match deed.await {
            Ok(Ok(execution)) => match serde_json::to_vec(&Answer::from(execution)) {
                Ok(json) => Finished::Reply(json.into()),
                Err(error) => Finished::Problem(Problem::internal(error.to_string())),
            },
            Ok(Err(fault)) => Finished::Problem(Problem::from(&fault)),
            Err(error) => {
                Finished::Problem(Problem::internal(format!("The guard failed at this command: {error}")))
            }
        };
        drop(permit);
        app.jobs.finish(&job, end, false);
    });
    Ok(crate::doors::http::action::actions::landed(job_guard.job().end().await))
}

/// Get a person's answer to a waiting command
#[utoipa::path(
    get, path = "/v1/execute/{id}", tag = "execute",
    params(("id" = String, Path, description = "The `validation_id`")),
    responses(
        (status = 200, description = "The answer, or `pending_validation` while there is none", body = Validated),
        (status = 404, description = "No such command is remembered"),
    ),
    security(("submit" = []))
)]
pub(in crate::doors::http) async fn validation(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<axum::Json<Validated>, Problem> {
    let found = id.parse().ok().and_then(|id| app.guard.validation(id));
    let found = found.ok_or_else(|| Problem::not_found("No command with this id waits for a person"))?;
    Ok(axum::Json(Validated::new(found, |number| crate::doors::http::questions::offered(&app, number))))
}

impl TryFrom<ExecuteRequest> for Order {
    type Error = &'static str;

    fn try_from(request: ExecuteRequest) -> Result<Self, Self::Error> {
        let ExecuteRequest { command, force_execute, validation_token, cwd, session, reasoning, language } =
            request;
        if validation_token.is_some() && !force_execute {
            return Err("\"validation_token\" goes with \"force_execute\": true");
        }
        Ok(Self { command, token: validation_token, cwd, session, reasoning, language })
    }
}

impl From<ExecuteResult> for Answer {
    fn from(execution: ExecuteResult) -> Self {
        match execution {
            ExecuteResult::Ended { reply, policy } => Self::Ended(Box::new(Ended::new(*reply, policy))),
            ExecuteResult::Waiting(waiting) => Self::Waiting(Box::new(Waiting::from(waiting))),
        }
    }
}

impl Ended {
    fn new(reply: crate::guard::Reply, policy: &'static str) -> Self {
        let done = reply.outcome == crate::guard::Outcome::Done;
        let reply = wire::ReplyBody::from(reply);
        let (exit_code, stdout, stderr, duration_ms) = reply.streams();
        Self {
            success: done && exit_code == Some(0),
            status: if done { "executed" } else { reply.outcome() },
            exit_code,
            stdout,
            stderr,
            duration_ms,
            policy_used: policy,
            reply,
        }
    }
}

impl From<crate::guard::WaitingCommand> for Waiting {
    fn from(waiting: crate::guard::WaitingCommand) -> Self {
        let crate::guard::WaitingCommand {
            id,
            command,
            policy,
            risk,
            findings,
            duplicate,
            message,
            rejected,
        } = waiting;
        Self {
            status: if duplicate.is_some() { "duplicate_warning" } else { "pending_validation" },
            command,
            policy,
            risk_score: risk,
            // A command that ended just now did so a moment ago, not zero seconds ago.
            seconds_since_last: duplicate.map(|duplicate| duplicate.since.as_secs_f64().max(0.001)),
            threshold_ms: duplicate.map(|it| u64::try_from(it.threshold.as_millis()).unwrap_or(u64::MAX)),
            message,
            validation_id: id,
            token_rejected: rejected,
            findings,
        }
    }
}

impl Validated {
    fn new(
        validation: Validation,
        offer: impl Fn(guarda_core::gate::Number) -> Option<wire::Offered>,
    ) -> Self {
        match validation {
            Validation::Waiting { question } => Self::PendingValidation { question: offer(question) },
            Validation::Granted { token, until } => {
                Self::Approved { validation_token: token.reveal().to_owned(), expires: until.to_string() }
            }
            Validation::Refused { outcome, message, reason } => Self::Refused { outcome, message, reason },
        }
    }
}
