//! Health, status, and the API's description.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::RefOr;
use utoipa::{PartialSchema as _, ToSchema};

use crate::wording::message::reason;
use crate::wording::words::{Words, words};
use guarda_core::action::Language;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};

use crate::guard::sessions::SessionStoreError;

use crate::doors::http::access::scope::KnownCaller;
use crate::doors::http::extract::query::Query;
use crate::doors::http::problem::{Problem, ProblemDetails};
use crate::doors::http::state::AppState;
use crate::doors::http::wire;

/// An action, as a language model writes it. Names may be in upper or lower case.
#[derive(Debug, ToSchema)]
#[allow(dead_code, reason = "describes guarda_core::action::Request, which knows nothing of HTTP")]
pub(super) struct ActionRequest {
    /// The action: a name of the vocabulary.
    #[schema(example = "RUN_COMMAND")]
    action: String,
    /// The object of the action.
    #[schema(example = "rm teste.txt")]
    target: Option<String>,
    /// Arguments: text, a number or an object. `params` is an alias.
    #[schema(value_type = Option<Object>)]
    args: Option<()>,
    /// An alias of `args`.
    #[schema(value_type = Option<Object>)]
    params: Option<()>,
    /// The model's confidence, 0 to 1. Can only make the judgement stricter.
    confidence: Option<f64>,
    /// Whether the model itself wants a question. Can only make the judgement stricter.
    requires_confirmation: Option<bool>,
    /// The model's reason, shown as its own words.
    reasoning: Option<String>,
    /// The session: 1 to 64 letters, digits, `-`, `_` or `.`.
    session: Option<String>,
    /// The working folder of a command.
    cwd: Option<String>,
    /// The least sandbox level for a command: `confined` or `isolated`.
    sandbox: Option<String>,
    /// The language of prompts and messages: `pt-BR`, `en` or `fr`.
    language: Option<String>,
    /// Whether a command's output is wanted whole, up to a mebibyte, instead of shortened for a model.
    whole_output: Option<bool>,
}

#[derive(Debug, serde::Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
    /// The version of the program.
    version: &'static str,
}

/// Check that the service is running
#[utoipa::path(get, path = "/v1/health", tag = "service", responses((status = 200, body = Health, description = "The service is running")))]
pub(super) async fn health() -> axum::Json<Health> {
    axum::Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Get the status
///
/// Which back-ends work, and what the others need.
#[utoipa::path(
    get, path = "/v1/status", tag = "service", params(StatusQuery),
    responses(
        (status = 200, body = wire::Status, description = "The back-ends, and the number of running actions"),
        (status = 422, description = "An unsupported language"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn status(
    _: KnownCaller,
    State(app): State<Arc<AppState>>,
    Query(manner): Query<StatusQuery>,
) -> Result<axum::Json<wire::Status>, Problem> {
    let language = manner.language.as_deref().map(str::parse::<Language>).transpose();
    let language = language.map_err(Problem::from)?;
    Ok(axum::Json(status_of(&app, words(language.unwrap_or(Language::English))).await))
}

/// The options of the status.
#[derive(Debug, serde::Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StatusQuery {
    /// The language of the texts: `pt-BR`, `en` or `fr`; default: `en`.
    language: Option<String>,
}

/// The state of every part, with the texts in a language.
pub async fn status_of(app: &AppState, words: &Words) -> wire::Status {
    use crate::devices::DeviceState;
    let (prompter, hands) = tokio::join!(app.guard.prompter().status(words), app.guard.hands().status());
    let mut degraded = prompter.degraded;
    let broken = hands.iter().filter(|part| matches!(part.state, DeviceState::Failed { .. }));
    degraded.extend(broken.filter_map(|part| {
        let name = words.find(&format!("part-{}", part.name), &[]).unwrap_or_else(|| part.name.to_owned());
        let why = reason(words, part.state.trouble()?);
        Some(words.say("degraded-part", &[("name", name.into()), ("why", why.into())]))
    }));
    let trouble = app.guard.journal().trouble();
    let told = |error: &guarda_journal::RecordError| {
        words.say(
            "degraded-record",
            &[("why", crate::wording::fault::record::fault(words, &error.why).into())],
        )
    };
    degraded.extend(trouble.as_ref().map(told));
    let channels = prompter.channels.into_iter();
    let mut answers: std::collections::BTreeMap<String, wire::Backend> =
        channels.map(|(name, state)| (name.to_owned(), wire::Backend::of(words, name, state))).collect();
    answers.insert("http".to_owned(), over_http(words, prompter.remote));
    answers.insert(
        "mcp".to_owned(),
        if app.elicits {
            wire::Backend::ready(words.say("ready-mcp", &[]))
        } else {
            wire::Backend::off(words, "channels.mcp")
        },
    );
    let advice = match app.guard.advisor() {
        None => wire::Backend::off(words, "advice.enabled"),
        Some(advisor) => {
            let state = advisor.status().await;
            let told = state.trouble().map(|why| [("why", reason(words, why).into())]);
            degraded.extend(told.map(|told| words.say("degraded-advice", &told)));
            wire::Backend::of(words, "advice", state)
        }
    };
    let registry = registry(app.guard.memory(), words, &mut degraded);
    let unsealed = app.guard.unsealed().await;
    degraded.extend(unsealed.map(|count| words.say("registry-unsealed", &[("count", count.into())])));
    wire::Status {
        version: env!("CARGO_PKG_VERSION"),
        profile: app.guard.profile().to_string(),
        hook_profile: app.guard.hook_profile().to_string(),
        speech: wire::Backend::of(words, "speech", prompter.speech),
        answers,
        deeds: hands
            .into_iter()
            .map(|part| (part.name.to_owned(), wire::Backend::of(words, part.name, part.state)))
            .collect(),
        record: trouble.map_or_else(
            || wire::Backend::ready(words.say("ready-record", &[])),
            |error| wire::Backend::failed(told(&error)),
        ),
        registry,
        sessions: sessions(app.guard.sessions(), words, &mut degraded),
        plugins: plugins(app.guard.plugins(), words, &mut degraded),
        marked_sessions: app.guard.sessions().marked(),
        degraded,
        advice,
        under_way: app.jobs.under_way(),
        questions: app.guard.prompter().open_questions().len(),
    }
}

/// How a question can be answered over the service.
pub(crate) fn over_http(words: &Words, remote: crate::prompt::Remote) -> wire::Backend {
    use crate::prompt::Remote;
    match remote {
        Remote::Off => wire::Backend::off(words, "server.answer_over_http"),
        remote if remote.takes_answers() => wire::Backend::ready(remote.detail(words)),
        remote => wire::Backend::absent(remote.detail(words)),
    }
}

/// The state of the registry. Adds its faults to the list of problems.
fn registry(
    memory: Option<&crate::guard::Memory>,
    words: &Words,
    degraded: &mut Vec<String>,
) -> wire::Backend {
    let Some(memory) = memory else { return wire::Backend::off(words, "registry.enabled") };
    let status = memory.registry().status();
    degraded.extend(status.notices);
    match status.lost {
        Some(why) => {
            degraded.push(words.say("degraded-registry", &[("why", why.as_str().into())]));
            wire::Backend::failed(format!("{}: {why}", status.place))
        }
        None if !status.tried => wire::Backend::of(words, "registry", crate::devices::DeviceState::Starting),
        None => wire::Backend::ready(status.place),
    }
}

/// The state of the user's plugins. Adds their faults to the list of problems.
fn plugins(
    plugins: Option<&crate::plugins::Plugins>,
    words: &Words,
    degraded: &mut Vec<String>,
) -> std::collections::BTreeMap<String, wire::Backend> {
    use crate::plugins::PluginState;
    let Some(plugins) = plugins else { return std::collections::BTreeMap::new() };
    let shelf = plugins.shelf();
    degraded.extend(
        shelf.trouble.as_ref().map(|why| words.say("degraded-plugins", &[("why", why.as_str().into())])),
    );
    let told = shelf.found.iter().map(|found| {
        let state = match (&found.state, plugins.failure(&found.name)) {
            (PluginState::Ignored(why), _) => wire::Backend::absent(why.clone()),
            (PluginState::Refused(why), _) => wire::Backend::failed(why.to_string()),
            (PluginState::Good, Some(why)) => wire::Backend::failed(why),
            (PluginState::Good, None) => wire::Backend::ready(found.path.display().to_string()),
        };
        if state.is_failed() {
            let told = [("name", found.name.as_str().into()), ("why", state.detail().to_owned().into())];
            degraded.push(words.say("degraded-plugin", &told));
        }
        (found.name.clone(), state)
    });
    told.collect()
}

/// What is wrong with the store of marks, as a sentence.
pub fn marks_trouble(words: &Words, trouble: &SessionStoreError) -> String {
    let (id, why) = match trouble {
        SessionStoreError::Unwritten(why) => ("degraded-marks-unwritten", why.as_str()),
        SessionStoreError::Full => ("degraded-marks-full", ""),
        SessionStoreError::Lost(why) => ("degraded-marks-lost", why.as_str()),
    };
    words.say(id, &[("why", why.into())])
}

/// The state of the store of marks.
fn sessions(
    sessions: &crate::guard::SessionStore,
    words: &Words,
    degraded: &mut Vec<String>,
) -> wire::Backend {
    let trouble = sessions.trouble();
    degraded.extend(trouble.as_ref().map(|trouble| marks_trouble(words, trouble)));
    match trouble {
        Some(trouble @ (SessionStoreError::Unwritten(_) | SessionStoreError::Full)) => {
            wire::Backend::failed(marks_trouble(words, &trouble))
        }
        Some(SessionStoreError::Lost(_)) | None => wire::Backend::ready(words.say("ready-sessions", &[])),
    }
}

/// Refusals that many requests share, with status and cause. They are added to every operation instead of listed at
/// each.
const REFUSALS: [(u16, &str); 9] = [
    (400, "A header or the body is malformed"),
    (401, "No token, or an unknown one"),
    (403, "The token does not permit this, or the request comes from a foreign web page"),
    (408, "The body did not arrive in time"),
    (413, "Too long"),
    (415, "Not application/json"),
    (421, "The Host header names another service"),
    (422, "JSON, but not what this path accepts"),
    (429, "Too many wrong tokens"),
];

/// Sets the content of a response that is a problem.
fn problem(response: &mut utoipa::openapi::Response) {
    let details = utoipa::openapi::Ref::from_schema_name(ProblemDetails::name());
    let content = utoipa::openapi::ContentBuilder::new().schema(Some(details)).build();
    response.content.insert("application/problem+json".to_owned(), content.into());
}

/// Completes an operation's responses with the content of problems and the common refusals.
fn complete(operation: Option<&mut utoipa::openapi::path::Operation>, sent: bool) {
    let Some(operation) = operation else { return };
    let (token, body) = (operation.security.is_some(), operation.request_body.is_some());
    let responses = &mut operation.responses.responses;
    for (status, response) in responses.iter_mut() {
        if let RefOr::T(response) = response
            && status.as_str() >= "400"
        {
            problem(response);
        }
    }
    for (status, _) in REFUSALS {
        let may = match status {
            401 | 429 => token,
            408 | 413 | 422 => body,
            415 => sent,
            _ => true,
        };
        if may {
            let refusal = utoipa::openapi::Ref::from_response_name(format!("Problem{status}"));
            responses.entry(status.to_string()).or_insert(refusal.into());
        }
    }
}

/// Adds details that the derived description lacks.
pub(super) fn describe(api: &mut utoipa::openapi::OpenApi) {
    api.info.title = "guarda-costas".to_owned();
    api.info.version = env!("CARGO_PKG_VERSION").to_owned();
    api.info.description = Some(env!("CARGO_PKG_DESCRIPTION").to_owned());
    api.info.license = None;
    api.info.contact = None;
    let bearer = |file: &str| {
        let mut scheme = Http::new(HttpAuthScheme::Bearer);
        scheme.description = Some(format!("The text of the file `{file}` in the state folder"));
        SecurityScheme::Http(scheme)
    };
    let components = api.components.get_or_insert_default();
    components.add_security_scheme("submit", bearer("token"));
    components.add_security_scheme("approve", bearer("approve-token"));
    components.add_security_scheme("spoken", bearer("spoken-token"));
    components.schemas.insert(ProblemDetails::name().into_owned(), ProblemDetails::schema());
    for (status, what) in REFUSALS {
        let mut response = utoipa::openapi::Response::new(what);
        problem(&mut response);
        components.responses.insert(format!("Problem{status}"), response.into());
    }
    for path in api.paths.paths.values_mut() {
        complete(path.get.as_mut(), false);
        complete(path.delete.as_mut(), false);
        complete(path.post.as_mut(), true);
    }
}

/// Get metrics for Prometheus
///
/// In text format. No label contains request content.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses(
        (status = 200, description = "The counts", body = String, content_type = "text/plain"),
    ),
    security(("submit" = []), ("approve" = []))
)]
pub(super) async fn metrics(_: KnownCaller, State(app): State<Arc<AppState>>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.page(&app.gauges()))
        .into_response()
}
