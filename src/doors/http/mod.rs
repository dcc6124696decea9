//! HTTP: the API of the service, on a loopback address and on a socket of the state folder.

mod actions;
mod body;
mod check;
mod console;
mod execution;
mod events;
mod flights;
mod json;
pub mod listen;
mod problem;
mod questions;
mod scope;
mod service;
mod stream;
pub mod wire;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use check::Hosts;
pub use console::Sessions;
pub use flights::Flights;
pub(in crate::doors) use json::read as read_json;
pub use problem::Problem;
pub use scope::Tokens;
pub use service::status_of;

/// Who is at the other end of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peer {
    /// A TCP connection from this address.
    Tcp(std::net::SocketAddr),
    /// The socket in the state folder; the system vouches for the process.
    Socket {
        /// The process, where the system knows it.
        pid: Option<i32>,
    },
}

impl Peer {
    /// The peer as the record names it.
    #[must_use]
    pub fn caller(&self) -> crate::record::Caller {
        match self {
            Self::Tcp(address) => {
                crate::record::Caller { door: "http".to_owned(), name: address.to_string() }
            }
            Self::Socket { pid } => crate::record::Caller {
                door: "socket".to_owned(),
                name: pid.map_or_else(String::new, |pid| format!("process {pid}")),
            },
        }
    }
}

/// What is behind the door.
pub struct Door {
    /// The guard.
    pub guard: Arc<crate::guard::Guard>,
    /// The tokens.
    pub tokens: Tokens,
    /// The names under which the service may be called; the socket needs none.
    pub hosts: Hosts,
    /// The actions under way and lately ended.
    pub flights: Flights,
    /// The browsers that have the console open.
    pub consoles: Sessions,
    /// Whether questions may be answered here.
    pub answers: bool,
    /// Longest body, in bytes.
    pub body_limit: usize,
    /// How hooks are answered.
    pub hooks: crate::config::Hooks,
    /// Longest time for a body to come.
    pub body_timeout: std::time::Duration,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Door").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

/// The API with its checks.
pub fn router(door: Arc<Door>) -> Router {
    let (routes, _) = parts();
    routes
        .merge(console::routes())
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(from_fn_with_state(Arc::clone(&door), check::check))
        .layer(from_fn(problem::render))
        .with_state(door)
}

/// The description of the API, as JSON.
#[must_use]
pub fn openapi() -> String {
    let (_, mut api) = parts();
    service::describe(&mut api);
    let mut text = api.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

fn parts() -> (Router<Arc<Door>>, utoipa::openapi::OpenApi) {
    OpenApiRouter::new()
        .routes(routes!(actions::act))
        .routes(routes!(actions::look_up, actions::call_off))
        .routes(routes!(actions::cancel))
        .routes(routes!(actions::judge))
        .routes(routes!(events::decide))
        .routes(routes!(events::hook))
        .routes(routes!(questions::list))
        .routes(routes!(questions::answer))
        .routes(routes!(questions::silence))
        .routes(routes!(service::health))
        .routes(routes!(service::status))
        .routes(routes!(service::description))
        .split_for_parts()
}
