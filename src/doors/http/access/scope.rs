//! Permissions: what a handler requires of its caller.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::doors::detail::Detail;
use crate::doors::http::access::tokens::Scope;
use crate::doors::http::console::admission::admitted;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};

/// Why a caller was rejected.
enum Stranger {
    /// It shows no token.
    Bare(Problem),
    /// It shows an unknown token.
    Wrong(Problem),
}

/// The scope of this request's caller. After many wrong tokens, the response is delayed.
async fn scope(parts: &Parts, app: &AppState) -> Result<Scope, Problem> {
    match known(parts, app) {
        Ok(scope) => Ok(scope),
        Err(Stranger::Bare(problem)) => Err(problem),
        Err(Stranger::Wrong(problem)) => {
            app.metrics.wrong_token();
            if !app.guesses.too_many(std::time::Instant::now()) {
                return Err(problem);
            }
            tokio::time::sleep(crate::doors::http::access::guesses::WAIT).await;
            Err(Problem::guessing(
                "Too many wrong tokens; the file `token` in the state folder has the right one",
            )
            .with(header::RETRY_AFTER, "60"))
        }
    }
}

/// What a caller has proved, before its request is read.
pub(in crate::doors::http) fn standing(parts: &Parts, app: &AppState) -> Standing {
    match known(parts, app) {
        Ok(Scope::Approve | Scope::Console | Scope::Spoken) => Standing::Person,
        Ok(Scope::Submit) => Standing::Caller,
        Err(Stranger::Bare(_) | Stranger::Wrong(_)) => Standing::Stranger,
    }
}

/// What a caller has proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::doors::http) enum Standing {
    /// A person's right to read and answer questions.
    Person,
    /// The right to request actions.
    Caller,
    /// None.
    Stranger,
}

/// Identifies the caller by its token, or by its user on the socket if it sends no token.
fn known(parts: &Parts, app: &AppState) -> Result<Scope, Stranger> {
    let challenge = |detail: &str, value| Problem::unauthorized(detail).with(header::WWW_AUTHENTICATE, value);
    if let Some(Peer::Container(place)) = parts.extensions.get::<Peer>() {
        // Only this container's token is valid here, and it is valid nowhere else.
        let own = place.token();
        let given = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.split_once(' ')).map(|(_, token)| token.trim());
        let hash = |token: &str| -> [u8; 32] { Sha256::digest(token).into() };
        let known = own.zip(given).is_some_and(|(own, given)| hash(&own).ct_eq(&hash(given)).into());
        return if known {
            Ok(Scope::Submit)
        } else {
            Err(Stranger::Wrong(challenge(
                "Send Authorization: Bearer and the text of the file `token` beside this socket",
                "Bearer realm=\"guarda\"",
            )))
        };
    }
    let mut given = parts.headers.get_all(header::AUTHORIZATION).iter();
    let (first, second) = (given.next(), given.next());
    let Some(value) = first else {
        if admitted(app, parts.uri.path(), &parts.headers).is_some() {
            return Ok(Scope::Console);
        }
        return match parts.extensions.get::<Peer>() {
            Some(Peer::Socket { .. } | Peer::Mcp) => Ok(Scope::Submit),
            Some(Peer::Tcp { .. } | Peer::Container(_)) | None => Err(Stranger::Bare(challenge(
                "Send Authorization: Bearer and the text of the file `token` in the state folder",
                "Bearer realm=\"guarda\"",
            ))),
        };
    };
    let token = value.to_str().ok().and_then(|value| value.split_once(' ')).and_then(|(kind, token)| {
        (second.is_none() && kind.eq_ignore_ascii_case("bearer")).then(|| token.trim())
    });
    match token.and_then(|token| app.tokens.scope(token)) {
        Some(scope) => Ok(scope),
        None => Err(Stranger::Wrong(challenge(
            "The token is not one of this service; the file `token` in its state folder has it",
            "Bearer realm=\"guarda\", error=\"invalid_token\"",
        ))),
    }
}

/// A caller that may request actions.
#[derive(Debug)]
pub(in crate::doors::http) struct Submitter;

/// A caller that may answer questions.
#[derive(Debug)]
pub(in crate::doors::http) struct Approver;

/// A caller that may read and answer questions. `spoken` is true if it passes on spoken answers.
#[derive(Debug)]
pub(in crate::doors::http) struct Answerer {
    pub(in crate::doors::http) spoken: bool,
}

/// A person at a browser that was let in. No token gives this right.
#[derive(Debug)]
pub(in crate::doors::http) struct Person {
    /// How it was let in.
    pub(in crate::doors::http) admission: Arc<crate::prompt::Admission>,
}

/// A caller with any token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::doors::http) enum KnownCaller {
    /// With the token of a person, or in the console.
    Person,
    /// With a token that may ask.
    Program,
}

/// Middleware for paths that only callers with the right to request actions may use.
pub(in crate::doors::http) async fn submitters_only(
    _: Submitter,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> axum::response::Response {
    next.run(request).await
}

impl FromRequestParts<Arc<AppState>> for Submitter {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Problem> {
        match scope(parts, app).await? {
            Scope::Submit => Ok(Self),
            Scope::Approve | Scope::Console | Scope::Spoken => Err(Problem::forbidden(
                "This is the approve token, which cannot request actions. Use the file `token`",
            )),
        }
    }
}

impl FromRequestParts<Arc<AppState>> for Approver {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Problem> {
        match scope(parts, app).await? {
            Scope::Approve | Scope::Console => Ok(Self),
            Scope::Submit | Scope::Spoken => Err(Problem::forbidden(Detail::message("problem-asker"))),
        }
    }
}

impl FromRequestParts<Arc<AppState>> for Answerer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Problem> {
        match scope(parts, app).await? {
            Scope::Approve | Scope::Console => Ok(Self { spoken: false }),
            Scope::Spoken => Ok(Self { spoken: true }),
            Scope::Submit => Err(Problem::forbidden(Detail::message("problem-asker"))),
        }
    }
}

impl FromRequestParts<Arc<AppState>> for KnownCaller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Problem> {
        scope(parts, app).await.map(|scope| match scope {
            Scope::Approve | Scope::Console => Self::Person,
            Scope::Submit | Scope::Spoken => Self::Program,
        })
    }
}

impl FromRequestParts<Arc<AppState>> for Person {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Problem> {
        let stranger = "This is for a person at the console, and no token opens it: run `guarda console`";
        let admission = match scope(parts, app).await? {
            Scope::Console => admitted(app, parts.uri.path(), &parts.headers),
            Scope::Approve | Scope::Submit | Scope::Spoken => None,
        };
        admission.map(|admission| Self { admission }).ok_or_else(|| Problem::forbidden(stranger))
    }
}
