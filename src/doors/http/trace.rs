//! The id of a request, which identifies its lines in the log.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tracing::{Instrument as _, Span};

use crate::doors::http::state::AppState;

/// The header with the id. A caller may send it, and every response has it.
const HEADER: &str = "x-request-id";

/// The longest accepted id.
const LONGEST: usize = 64;

/// Assigns an id to the request, logs it, and counts it.
pub(super) async fn watch(State(app): State<Arc<AppState>>, mut request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = name(request.headers());
    // The API's path template, such as `/v1/actions/{id}`, without the actual id.
    let path = request.extensions_mut().remove::<MatchedPath>();
    let path = path.as_ref().map_or("other", MatchedPath::as_str);
    let span = span(&id, request.method(), path);
    let mut response = next.run(request).instrument(span.clone()).await;
    answered(&span, response.status(), begun.elapsed());
    app.metrics.request(path, response.status().as_u16(), begun.elapsed());
    response.headers_mut().insert(HeaderName::from_static(HEADER), id);
    response
}

/// The caller's own id if it is a short word; otherwise a new one. Ids identify log lines and prove nothing.
fn name(headers: &HeaderMap) -> HeaderValue {
    let mut given = headers.get_all(HEADER).iter();
    if let (Some(id), None) = (given.next(), given.next())
        && (1..=LONGEST).contains(&id.len())
        && id.as_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
    {
        return id.clone();
    }
    static START: LazyLock<u32> = LazyLock::new(|| getrandom::u32().unwrap_or_else(|_| std::process::id()));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    HeaderValue::try_from(format!("{:08x}-{count}", *START)).unwrap_or(HeaderValue::from_static("unnamed"))
}

/// The span around a request's work. `path` is the API's path template, so it has no ids and no request content.
fn span(id: &HeaderValue, method: &Method, path: &str) -> Span {
    let id = id.to_str().unwrap_or_default();
    tracing::info_span!("request", request_id = id, %method, path, http.response.status_code = tracing::field::Empty)
}

/// Logs the response.
fn answered(span: &Span, status: StatusCode, time: Duration) {
    if cfg!(feature = "otlp") {
        span.record("http.response.status_code", status.as_u16());
    }
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    tracing::info!(parent: span, status = status.as_u16(), micros, "answered");
}
