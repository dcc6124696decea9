//! HTTP: the service's API, on a loopback address and on a socket in the state folder.

mod actions;
mod body;
mod card;
mod check;
mod console;
mod execution;
mod events;
pub mod execute;
mod jobs;
mod guesses;
pub(crate) mod json;
mod language;
pub mod listen;
mod lobby;
mod metrics;
mod network;
mod problem;
mod query;
mod questions;
mod scope;
mod service;
mod sessions;
mod tickets;
mod tools;
mod stream;
mod trace;
mod undo;
pub mod wire;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};

pub use check::Hosts;
pub use console::ConsoleSessions;
pub use guesses::Guesses;
pub use jobs::Jobs;
pub(crate) use json::read as read_json;
#[cfg(feature = "otlp")]
pub(crate) use metrics::Kind;
pub use metrics::Metrics;
pub use problem::Problem;
pub use scope::Tokens;
pub(crate) use service::over_http;
pub use service::{marks_trouble, status_of};

/// The other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peer {
    /// A TCP connection.
    Tcp {
        /// From this address.
        address: std::net::SocketAddr,
        /// The program, as its `User-Agent` names it. A program chooses this name freely, as it does its process name.
        program: Option<String>,
    },
    /// The socket in the state folder. The system identifies the process.
    Socket {
        /// The process id, if the system knows it.
        pid: Option<i32>,
    },
    /// The service's own MCP server. Its caller has shown the token.
    Mcp,
    /// A container's socket. Its client must show this container's token.
    Container(Arc<crate::devices::exchange::containers::ContainerFolder>),
}

impl Peer {
    /// The peer as the record names it.
    #[must_use]
    pub fn caller(&self) -> crate::record::Caller {
        match self {
            Self::Tcp { address, program } => {
                let name = program.as_ref().map(|program| format!("{program} ({address})"));
                crate::record::Caller {
                    door: "http".to_owned(),
                    name: name.unwrap_or_else(|| address.to_string()),
                }
            }
            Self::Socket { pid } => crate::record::Caller {
                door: "socket".to_owned(),
                name: pid.map_or_else(String::new, process),
            },
            Self::Mcp => crate::record::Caller { door: "mcp".to_owned(), name: String::new() },
            Self::Container(place) => {
                crate::record::Caller { door: "container".to_owned(), name: place.name.clone() }
            }
        }
    }
}

/// A process, for the record and for people: `claude (process 4711)`. A process chooses its own name.
fn process(pid: i32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match crate::wording::plain::visible(name.trim()).as_str() {
        "" => format!("process {pid}"),
        name => format!("{name} (process {pid})"),
    }
}

/// The shared state of all handlers.
pub struct AppState {
    /// The guard.
    pub guard: Arc<crate::guard::Guard>,
    /// The tokens.
    pub tokens: Tokens,
    /// The host names of the service. The socket needs none.
    pub hosts: Hosts,
    /// The running actions, and those that ended recently.
    pub jobs: Jobs,
    /// The browsers with an open console.
    pub consoles: ConsoleSessions,
    /// Whether questions may be answered over HTTP.
    pub answers: bool,
    /// Whether a requesting MCP client may put a question to its own person.
    pub elicits: bool,
    /// The longest request body, in bytes.
    pub body_limit: usize,
    /// The recent wrong tokens.
    pub guesses: Guesses,
    /// The counters.
    pub metrics: Metrics,
    /// How hooks are answered.
    pub hooks: crate::config::HooksSection,
    /// How long a question about an agent's command waits.
    pub hook_wait: std::time::Duration,
    /// What the tools of agents read and can do.
    pub services: crate::config::ServicesSection,
    /// The longest time for a request body.
    pub body_timeout: std::time::Duration,
}

impl std::fmt::Debug for AppState {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("AppState").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

/// The API with its checks. The routes in `more` are behind the same checks.
pub fn router(app: Arc<AppState>, more: Router<Arc<AppState>>) -> Router {
    routes()
        .merge(console::routes())
        .merge(more)
        .route_layer(from_fn(check::sent))
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(from_fn_with_state(Arc::clone(&app), check::check))
        .layer(from_fn_with_state(Arc::clone(&app), problem::render))
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
) -> Result<(u16, serde_json::Value), super::client::NoAnswer> {
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;
    static ROUTES: std::sync::OnceLock<Router<Arc<AppState>>> = std::sync::OnceLock::new();
    let routes = ROUTES.get_or_init(|| {
        self::routes().fallback(problem::no_such_path).layer(from_fn(problem::render_inside))
    });
    let broken = |error: &dyn std::fmt::Display| super::client::NoAnswer::Broken(error.to_string());
    let mut request = axum::http::Request::builder();
    if let Some((name, value)) = more {
        request = request.header(name, value);
    }
    let request = request
        .method(if body.is_some() { "POST" } else { "GET" })
        .uri(path)
        .header(axum::http::header::CONTENT_TYPE, "application/json")
        .extension(Peer::Mcp)
        .body(axum::body::Body::from(body.unwrap_or_default()))
        .map_err(|error| broken(&error))?;
    let response = routes.clone().with_state(app).oneshot(request).await;
    let response = response.unwrap_or_else(|never| match never {});
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.map_err(|error| broken(&error))?.to_bytes();
    let value = serde_json::from_slice(&bytes).map_err(|error| broken(&error))?;
    Ok((status, value))
}

/// The OpenAPI description, as JSON.
#[must_use]
pub fn openapi() -> String {
    let mut api = description();
    service::describe(&mut api);
    let mut text = api.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
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

        fn description() -> utoipa::openapi::OpenApi {
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
    sessions::list,
    sessions::show,
    sessions::taint,
    sessions::clear,
    network::show,
    card::show,
    language::told,
    language::speak,
    service::health,
    service::status,
    service::description,
    metrics::metrics,
}
