//! Request bodies: limits on time and size, strict JSON, and the expected shape.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::http::header;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use sha2::{Digest, Sha256};

use crate::doors::http::extract::json;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;

/// A parsed body, and the hash of its bytes.
#[derive(Debug)]
pub(in crate::doors::http) struct Body<T> {
    pub(in crate::doors::http) value: T,
    pub(in crate::doors::http) digest: [u8; 32],
}

impl<T: serde::de::DeserializeOwned> FromRequest<Arc<AppState>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<AppState>) -> Result<Self, Problem> {
        Self::of(&read(request, app).await?)
    }
}

impl<T: serde::de::DeserializeOwned> Body<T> {
    pub(in crate::doors::http) fn of(bytes: &[u8]) -> Result<Self, Problem> {
        let value =
            json::read(bytes).map_err(|error| Problem::malformed(format!("The body is no JSON: {error}")))?;
        if !value.is_object() {
            return Err(Problem::misread("The body must be a JSON object"));
        }
        let value = serde_json::from_value(value).map_err(|error| Problem::misread(error.to_string()))?;
        Ok(Self { value, digest: Sha256::digest(bytes).into() })
    }
}

/// A body that may be empty. An empty body counts as an empty object.
#[derive(Debug)]
pub(in crate::doors::http) struct OptionalBody<T>(pub(in crate::doors::http) Body<T>);

impl<T: serde::de::DeserializeOwned> FromRequest<Arc<AppState>> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<AppState>) -> Result<Self, Problem> {
        let bytes = read(request, app).await?;
        Body::of(if bytes.is_empty() { b"{}" } else { &bytes }).map(Self)
    }
}

async fn read(request: Request, app: &AppState) -> Result<axum::body::Bytes, Problem> {
    let too_large = format!("The longest body is {} bytes (server.body_limit)", app.body_limit);
    read_within(request, app, app.body_limit, &too_large).await
}

/// Reads a body of at most `limit` bytes. `too_large` is the message about a longer one.
pub(in crate::doors::http) async fn read_within(
    request: Request,
    app: &AppState,
    limit: usize,
    too_large: &str,
) -> Result<axum::body::Bytes, Problem> {
    // The rest of the body stays unread, so the connection cannot be reused.
    let too_large = || Problem::too_large(too_large).with(header::CONNECTION, "close");
    let announced =
        request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > limit as u64) {
        return Err(too_large());
    }
    let body = Limited::new(request.into_body(), limit).collect();
    match tokio::time::timeout(app.body_timeout, body).await {
        Ok(Ok(read)) => Ok(read.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => {
            Err(Problem::malformed("The body ended before its end").with(header::CONNECTION, "close"))
        }
        Err(_) => {
            Err(Problem::timed_out("The body did not arrive in time").with(header::CONNECTION, "close"))
        }
    }
}
