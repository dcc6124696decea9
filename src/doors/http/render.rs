//! Writes a handler's problem as the response, and the headers that every response has.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use guarda_core::action::Language;

use super::problem::{Problem, accepted, language};
use super::state::AppState;
use crate::wording::words::words;

/// Serialises problems, and adds the headers of every response.
pub(super) async fn render(State(app): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    rendered(app.guard.prompter().language(None), request, next).await
}

/// The same for requests of the service itself.
pub(super) async fn render_inside(request: Request, next: Next) -> Response {
    rendered(Language::English, request, next).await
}

async fn rendered(own: Language, request: Request, next: Next) -> Response {
    let (uri, language) = (request.uri().clone(), language(request.headers()));
    let own = accepted(request.headers()).unwrap_or(own);
    let mut response = next.run(request).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let spoken = problem.detail.language(language);
        let details = problem.details((words(language), words(own)), uri.path().chars().take(256).collect());
        let headers = response.headers().clone();
        response = (problem.status, axum::Json(details)).into_response();
        response.headers_mut().extend(headers.into_iter().filter(|(name, _)| {
            name.as_ref().is_some_and(|name| name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE)
        }));
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response.headers_mut().insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(spoken.tag()));
    }
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Only the console's page sets its own policy, since it loads scripts and styles.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    response
}
