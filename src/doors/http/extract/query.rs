//! Parses the query string of a request. Errors in it become problems.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;

use crate::doors::http::problem::Problem;
use crate::doors::http::state::AppState;

/// A parsed query.
#[derive(Debug)]
pub(in crate::doors::http) struct Query<T>(pub(in crate::doors::http) T);

impl<T: serde::de::DeserializeOwned> FromRequestParts<Arc<AppState>> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<AppState>) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|read| Self(read.0))
            .map_err(|error| Problem::misread(error.body_text()))
    }
}

/// The language of the texts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::doors::http) struct InLanguage {
    /// `pt-BR`, `en` or `fr`; default: the guard's own.
    #[serde(default)]
    pub(in crate::doors::http) language: Option<String>,
}
