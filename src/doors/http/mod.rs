//! HTTP: the service's API, on a loopback address and on a socket in the state folder.

mod access;
mod action;
mod card;
mod console;
mod events;
pub(crate) mod extract;
mod language;
pub mod listen;
mod metrics;
mod network;
mod problem;
mod questions;
mod render;
mod service;
mod grants;
mod sessions;
pub mod state;
mod trace;
pub mod wire;

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};

use super::client::{NoAnswer, ServiceAnswer};

pub use access::guesses::Guesses;
pub use access::hosts::Hosts;
pub use access::tokens::Tokens;
use access::{check, scope};
pub use action::jobs::{JobOwner, Jobs};
use action::{actions, execute, tickets, tools, undo};
pub use console::session::ConsoleSessions;
pub(crate) use extract::json::read as read_json;
#[cfg(feature = "otlp")]
pub(crate) use metrics::Kind;
pub use metrics::Metrics;
pub use problem::Problem;
use questions::spoken;
pub(crate) use service::over_http;
pub use service::{marks_trouble, status_of};
pub use state::{AppState, Peer};

/// The API with its checks. The routes in `more` are behind the same checks.
pub fn router(app: Arc<AppState>, more: Router<Arc<AppState>>) -> Router {
    routes()
        .merge(console::routes())
        .merge(more)
        .route_layer(from_fn(check::sent))
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(from_fn_with_state(Arc::clone(&app), check::check))
        .layer(from_fn_with_state(Arc::clone(&app), render::render))
        .layer(from_fn_with_state(Arc::clone(&app), trace::watch))
        .with_state(app)
}

/// Mounts another service on one path, for callers that may request actions.
pub fn beside<S>(app: &Arc<AppState>, path: &str, service: S) -> Router<Arc<AppState>>
where
    S: tower::Service<axum::extract::Request, Error = std::convert::Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Response: axum::response::IntoResponse,
    S::Future: Send + 'static,
{
    let gate = from_fn_with_state(Arc::clone(app), scope::submitters_only);
    Router::new().route_service(path, service).route_layer(gate)
}

/// Sends a request of the service's own MCP server, whose caller is already authorised.
///
/// # Errors
/// If the response is not JSON.
pub(crate) async fn inside(
    app: Arc<AppState>,
    path: &str,
    body: Option<Vec<u8>>,
    more: Option<(&str, &str)>,
) -> Result<ServiceAnswer, NoAnswer> {
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;
    static ROUTES: std::sync::OnceLock<Router<Arc<AppState>>> = std::sync::OnceLock::new();
    let routes = ROUTES
        .get_or_init(|| self::routes().fallback(problem::no_such_path).layer(from_fn(render::render_inside)));
    let broken = |error: &dyn std::fmt::Display| NoAnswer::Broken(error.to_string());
    let mut request = axum::http::Request::builder();
    if let Some((name, value)) = more {
        request = request.header(name, value);
    }
    let request = request
        .method(if body.is_some() { "POST" } else { "GET" })
        .uri(path)
        .header(header::CONTENT_TYPE, "application/json")
        .extension(Peer::Mcp)
        .body(axum::body::Body::from(body.unwrap_or_default()))
        .map_err(|error| broken(&error))?;
    let response = routes.clone().with_state(app).oneshot(request).await;
    let response = response.unwrap_or_else(|never| match never {});
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.map_err(|error| broken(&error))?.to_bytes();
    let value = serde_json::from_slice(&bytes).map_err(|error| broken(&error))?;
    Ok(ServiceAnswer::here(status, value))
}

/// The OpenAPI description, as JSON.
#[must_use]
pub fn openapi() -> String {
    let mut api = described();
    service::describe(&mut api);
    let mut text = api.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

/// Get this description
#[utoipa::path(get, path = "/openapi.json", tag = "service", responses((status = 200, description = "OpenAPI 3.1")))]
async fn description() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], openapi()).into_response()
}

/// Builds the API from one list of handlers: the routes, which every start needs, and the description. The description
/// is built only on request, because it takes more memory than everything else in an idle service.
macro_rules! api {
    ($($room:ident::$handler:ident),* $(,)?) => {
        fn routes() -> Router<Arc<AppState>> {
            let router = Router::new();
            $(let router = utoipa_axum::paste! {
                at::<$room::[<__path_ $handler>]>(router, |method| axum::routing::on(method, $room::$handler))
            };)*
            router
        }

        fn described() -> utoipa::openapi::OpenApi {
            utoipa_axum::router::OpenApiRouter::<Arc<AppState>>::new()
                $(.routes(utoipa_axum::routes!($room::$handler)))*
                .into_openapi()
        }
    };
}

/// Adds a handler at the path of its description.
fn at<P: utoipa::Path>(
    router: Router<Arc<AppState>>,
    handler: impl Fn(axum::routing::MethodFilter) -> axum::routing::MethodRouter<Arc<AppState>>,
) -> Router<Arc<AppState>> {
    use utoipa_axum::PathItemExt as _;
    let methods = P::methods();
    methods.iter().fold(router, |router, method| router.route(&P::path(), handler(method.to_method_filter())))
}

api! {
    actions::act,
    actions::look_up,
    actions::call_off,
    actions::cancel,
    actions::judge,
    undo::list,
    undo::one,
    undo::undo,
    events::decide,
    events::hook,
    tools::tool_calls,
    tools::tools,
    tools::gbnf,
    execute::execute,
    execute::validation,
    tickets::redeem,
    questions::list,
    questions::one,
    questions::answer,
    questions::elicited,
    questions::silence,
    spoken::heard,
    spoken::events,
    sessions::list,
    sessions::show,
    sessions::taint,
    sessions::stop,
    sessions::clear,
    grants::list,
    grants::give,
    grants::revoke,
    network::show,
    card::show,
    language::told,
    language::speak,
    service::health,
    service::status,
    self::description,
    service::metrics,
}
