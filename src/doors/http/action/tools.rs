//! The door for models. It takes tool calls as models write them, and offers tools and grammars for requests to
//! models.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use utoipa::ToSchema;

use guarda_core::action::grammar::{self, Offer};
use guarda_core::action::{Proposal, calls};

use crate::doors::http::access::scope::{KnownCaller, Submitter};
use crate::doors::http::action::jobs::Finished;
use crate::doors::http::extract::body::Body;
use crate::doors::http::extract::query::Query;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};

/// The results of the calls, in order.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(in crate::doors::http) struct Results {
    /// One for each call.
    results: Vec<CallResult>,
    /// The same results as messages of role `tool`, to append after the model's own message.
    messages: Vec<ToolMessage>,
}

/// The result of a call.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(in crate::doors::http) struct CallResult {
    /// The caller's id of the call.
    tool_call_id: Option<String>,
    /// The tool.
    name: String,
    /// `done`, `denied`, `blocked`, `failed`, `expired`, `withdrawn`, or `not_tried` after a call that was not done.
    outcome: String,
    /// The reply, as `/v1/actions` returns it; null if it was not tried.
    #[schema(value_type = Option<Object>)]
    reply: Option<Value>,
}

/// A message of role `tool`.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(in crate::doors::http) struct ToolMessage {
    #[schema(example = "tool")]
    role: &'static str,
    tool_call_id: Option<String>,
    name: String,
    /// The reply as text.
    content: String,
}

/// Run a model's tool calls
///
/// Accepts an action, a list of `tool_calls`, a message or a whole completion of the OpenAI API, or `{"text": …}`
/// with the output of a Granite model (`<|tool_call|>[…]`, `<tool_call>…</tool_call>`, plain or fenced JSON). Nothing
/// is done unless all of it is understood. The calls run one after the other; after a call that was not done, no
/// further call is tried.
#[utoipa::path(
    post, path = "/v1/chat/tool-calls", tag = "models",
    request_body(content = Object, content_type = "application/json"),
    responses(
        (status = 200, description = "The result of each call", body = Results),
        (status = 400, description = "The body is not JSON"),
        (status = 422, description = "No tool call, or not wholly understood; nothing was done"),
        (status = 503, description = "Too many requests are running or waiting"),
    ),
    security(("submit" = []))
)]
pub(in crate::doors::http) async fn tool_calls(
    _: Submitter,
    State(app): State<Arc<AppState>>,
    peer: Option<Extension<Peer>>,
    Body { value, digest }: Body<Value>,
) -> Result<axum::Json<Results>, Problem> {
    let read = |text: &str| crate::doors::http::extract::json::read(text.as_bytes());
    let calls = calls::of_value(&value, &read).map_err(|error| Problem::misread(error.to_string()))?;
    for call in &calls {
        Proposal::parse(call.request.clone())
            .map_err(|misread| Problem::misread(format!("{}: {misread}", call.name)))?;
    }
    let caller = peer.map(|Extension(peer)| peer.caller()).unwrap_or_default();
    let mut told = Results { results: Vec::new(), messages: Vec::new() };
    let mut stopped = false;
    for call in calls {
        let (outcome, reply) = if stopped {
            ("not_tried".to_owned(), None)
        } else {
            match crate::doors::http::action::actions::run(&app, call.request, caller.clone(), digest).await?
            {
                Finished::Reply(json) => {
                    let reply: Value = serde_json::from_slice(&json).unwrap_or_default();
                    let outcome = reply.get("outcome").and_then(Value::as_str).unwrap_or("failed").to_owned();
                    (outcome, Some(reply))
                }
                // The results of earlier calls are kept. A problem alone would suggest that nothing was done.
                Finished::Problem(_) if !told.results.is_empty() => ("failed".to_owned(), None),
                Finished::Problem(problem) => return Err(problem),
            }
        };
        stopped |= outcome != "done";
        let content =
            reply.as_ref().map_or_else(|| format!("{{\"outcome\":\"{outcome}\"}}"), Value::to_string);
        told.messages.push(ToolMessage {
            role: "tool",
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            content,
        });
        told.results.push(CallResult { tool_call_id: call.id, name: call.name, outcome, reply });
    }
    Ok(axum::Json(told))
}

/// Selects the tools.
#[derive(Debug, serde::Deserialize)]
pub(in crate::doors::http) struct ToolsQuery {
    profile: Option<String>,
}

/// The tools of a profile.
#[derive(Debug, serde::Serialize, ToSchema)]
pub(in crate::doors::http) struct Tools {
    /// The profile.
    profile: &'static str,
    /// The tools, in the form of the OpenAI API.
    #[schema(value_type = Vec<Object>)]
    tools: Vec<Value>,
    /// The JSON Schema of a plain action.
    #[schema(value_type = Object)]
    schema: Value,
    /// The names of the grammars; `GET /v1/grammars/{name}` gives one.
    grammars: Vec<String>,
}

fn offer(app: &AppState, name: Option<&str>) -> Result<Offer, Problem> {
    let own = app.guard.profile().to_string();
    Offer::named(name.unwrap_or(&own)).ok_or_else(|| {
        let names: Vec<&str> = grammar::OFFERS.iter().map(|offer| offer.name).collect();
        Problem::not_found(format!("There is no such profile; there are {}", names.join(", ")))
    })
}

/// List the tools that a model may call
#[utoipa::path(
    get, path = "/v1/tools", tag = "models",
    params(("profile" = Option<String>, Query, description = "`desktop`, `workspace`, `forensics` or `container`; \
     default: the configured one")),
    responses(
        (status = 200, description = "The tools, the schema of an action, the names of the grammars", body = Tools),
        (status = 404, description = "No such profile"),
        (status = 422, description = "Malformed query"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(in crate::doors::http) async fn tools(
    _: KnownCaller,
    State(app): State<Arc<AppState>>,
    Query(wanted): Query<ToolsQuery>,
) -> Result<axum::Json<Tools>, Problem> {
    let offer = offer(&app, wanted.profile.as_deref())?;
    Ok(axum::Json(Tools {
        profile: offer.name,
        tools: grammar::tools(offer),
        schema: grammar::schema(offer),
        grammars: grammar::grammars().into_iter().map(|(name, _)| name).collect(),
    }))
}

/// Get a grammar for llama.cpp
#[utoipa::path(
    get, path = "/v1/grammars/{name}", tag = "models",
    params(("name" = String, Path, description = "`actions-desktop.gbnf`, `confirm.gbnf` …")),
    responses(
        (status = 200, description = "GBNF", content_type = "text/plain", body = String),
        (status = 404, description = "No such grammar"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(in crate::doors::http) async fn gbnf(
    _: KnownCaller,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    let found = grammar::grammars().into_iter().find(|(other, _)| *other == name);
    let (_, text) =
        found.ok_or_else(|| Problem::not_found("There is no such grammar; GET /v1/tools names them"))?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}
