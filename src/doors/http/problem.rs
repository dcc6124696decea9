//! Errors in the format of RFC 9457: `application/problem+json` with a stable type.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Why a request failed. `docs/api.md` lists the kinds, which do not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    kind: &'static str,
    title: &'static str,
    status: StatusCode,
    detail: String,
    header: Option<(HeaderName, &'static str)>,
    tries_left: Option<u8>,
}

/// The JSON form.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub(super) struct ProblemDetails {
    /// The kind of problem: `urn:guarda:problem:` and a word that does not change.
    #[serde(rename = "type")]
    #[schema(example = "urn:guarda:problem:misread")]
    kind: String,
    /// The kind in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What is wrong with this request, and what to do next.
    detail: String,
    /// The requested path.
    instance: String,
    /// How many codes may still be tried; only with `code-required` and `code-wrong`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tries_left: Option<u8>,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident $status:ident $kind:literal $title:literal;)*) => {
        impl Problem {
            $($(#[doc = $doc])* pub(super) fn $name(detail: impl Into<String>) -> Self {
                Self { kind: $kind, title: $title, status: StatusCode::$status, detail: detail.into(), header: None, tries_left: None }
            })*
        }

        #[cfg(test)]
        const KINDS: &[(&str, StatusCode)] = &[$(($kind, StatusCode::$status)),*];
    };
}

kinds! {
    /// The body is not valid JSON.
    malformed BAD_REQUEST "malformed" "The request is malformed";
    /// No token, or a wrong one.
    unauthorized UNAUTHORIZED "unauthorized" "A token is needed";
    /// Too many wrong tokens, or codes.
    guessing TOO_MANY_REQUESTS "guessing" "Too many wrong tokens or codes";
    /// A code is needed, and none was given.
    code_required FORBIDDEN "code-required" "The question's code is required";
    /// The code is wrong.
    code_wrong FORBIDDEN "code-wrong" "This is not the code";
    /// The token is valid, but not for this request.
    forbidden FORBIDDEN "forbidden" "This token may not do that";
    /// A web page of another origin sent the request.
    foreign_origin FORBIDDEN "foreign-origin" "Requests from web pages of other origins are refused";
    /// No such path.
    not_found NOT_FOUND "not-found" "Not found";
    /// The path does not support this method.
    method_not_allowed METHOD_NOT_ALLOWED "method-not-allowed" "The path does not support this method";
    /// The request took too long to arrive.
    timed_out REQUEST_TIMEOUT "timed-out" "The request took too long to arrive";
    /// The question is settled.
    settled CONFLICT "settled" "The question is already settled";
    /// The session got a mark after the request was judged.
    marked CONFLICT "session-marked" "The session got a mark after the judgement";
    /// The object was changed since it was read.
    changed CONFLICT "changed" "The object was changed in the meantime";
    /// A ticket is for another folder.
    elsewhere CONFLICT "ticket-elsewhere" "The ticket is for another folder";
    /// The body is too long.
    too_large PAYLOAD_TOO_LARGE "too-large" "The body is too long";
    /// The content type is not JSON.
    unsupported_media UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Only application/json is accepted";
    /// The `Host` is not this service.
    misdirected MISDIRECTED_REQUEST "misdirected" "The service does not have this name";
    /// JSON, but not an action.
    misread UNPROCESSABLE_ENTITY "misread" "The request is not understood";
    /// A command line without a command.
    empty_command UNPROCESSABLE_ENTITY "empty-command" "The command is empty";
    /// The `Idempotency-Key` was used for another request.
    key_reused UNPROCESSABLE_ENTITY "key-reused" "The idempotency key was used for another request";
    /// This machine cannot confine a command as required.
    sandbox NOT_IMPLEMENTED "sandbox-lacking" "This machine cannot confine the command";
    /// The registry, which keeps tokens, is off.
    registry NOT_IMPLEMENTED "registry-off" "The registry of commands is switched off";
    /// Too many requests are running or waiting.
    busy SERVICE_UNAVAILABLE "busy" "Too many requests are running or waiting";
    /// The service is shutting down.
    closing SERVICE_UNAVAILABLE "closing" "The service is shutting down";
    /// The record cannot be written, so nothing was done.
    record INTERNAL_SERVER_ERROR "record-failed" "The record cannot be written, so nothing was done";
    /// An internal error of the guard.
    internal INTERNAL_SERVER_ERROR "internal" "The guard failed";
}

impl Problem {
    pub(super) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.header = Some((name, value));
        self
    }

    /// Adds how many codes may still be tried.
    pub(super) fn with_tries(mut self, left: u8) -> Self {
        self.tries_left = Some(left);
        self
    }

    /// The text form, for use outside a response.
    pub(super) fn to_json(&self, instance: &str) -> axum::body::Bytes {
        serde_json::to_vec(&self.details(instance.to_owned())).unwrap_or_default().into()
    }

    fn details(&self, instance: String) -> ProblemDetails {
        ProblemDetails {
            kind: format!("urn:guarda:problem:{}", self.kind),
            title: self.title,
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            instance,
            tries_left: self.tries_left,
        }
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<&crate::guard::Fault> for Problem {
    fn from(fault: &crate::guard::Fault) -> Self {
        match fault {
            crate::guard::Fault::Misread(guarda_core::action::Misread::EmptyCommand) => {
                Self::empty_command(fault.to_string())
            }
            crate::guard::Fault::Misread(misread) => Self::misread(misread.to_string()),
            crate::guard::Fault::Record(error) => Self::record(error.to_string()),
            crate::guard::Fault::Unrecorded(_) => Self::record(fault.to_string()),
            crate::guard::Fault::Look(error) => Self::misread(error.to_string()),
            crate::guard::Fault::Unkept(_) => Self::sandbox(fault.to_string()),
            crate::guard::Fault::Marked => Self::marked(fault.to_string()),
            crate::guard::Fault::Changed(_) => Self::changed(fault.to_string()),
            crate::guard::Fault::NoRegistry => Self::registry(fault.to_string()),
            crate::guard::Fault::Astray => Self::internal(fault.to_string()),
            crate::guard::Fault::Busy => {
                Self::busy("Too many requests are waiting; try again later").with(header::RETRY_AFTER, "5")
            }
            crate::guard::Fault::Closing => {
                Self::closing("The guard is shutting down; nothing was done").with(header::RETRY_AFTER, "10")
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        if let Some((name, value)) = &self.header {
            response.headers_mut().insert(name.clone(), HeaderValue::from_static(value));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Serialises problems, and adds the headers of every response.
pub(super) async fn render(request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let mut response = next.run(request).await;
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let details = problem.details(uri.path().chars().take(256).collect());
        let headers = response.headers().clone();
        response = (problem.status, axum::Json(details)).into_response();
        response.headers_mut().extend(headers.into_iter().filter(|(name, _)| {
            name.as_ref().is_some_and(|name| name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE)
        }));
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Only the console's page sets more: what it may load.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    response
}

pub(super) async fn no_such_path() -> Problem {
    Problem::not_found("There is no such path; GET /openapi.json lists them")
}

pub(super) async fn no_such_method() -> Problem {
    Problem::method_not_allowed("The Allow header lists the supported methods")
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_kind_is_documented_with_its_status() {
        let text = include_str!("../../../docs/api.md");
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
        for (kind, status) in super::KINDS {
            let row = format!("| `{kind}` | {} |", status.as_u16());
            assert!(rows.iter().any(|line| line.starts_with(&row)), "docs/api.md lacks {row}");
        }
    }
}
