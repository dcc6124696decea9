//! Parses the query string of a request. Errors in it become problems.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::{AppState, Problem};

/// A parsed query.
#[derive(Debug)]
pub(super) struct Query<T>(pub(super) T);

impl<T: serde::de::DeserializeOwned> FromRequestParts<Arc<AppState>> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<AppState>) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|read| Self(read.0))
            .map_err(|error| Problem::misread(error.body_text()))
    }
}
