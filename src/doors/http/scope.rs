//! Permissions. The submit token requests actions, and the approve token answers questions. Neither can do the other's
//! part, so a caller that requests an action cannot approve it.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::problem::Detail;
use super::{AppState, Peer, Problem};

/// The tokens, stored as hashes.
#[derive(Clone)]
pub struct Tokens {
    submit: [u8; 32],
    approve: [u8; 32],
    /// Present only if spoken answers are enabled.
    spoken: Option<[u8; 32]>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Tokens")
    }
}

/// A caller's rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// Request actions and judgements.
    Submit,
    /// Read and answer questions.
    Approve,
    /// Read questions and pass on a person's spoken answers: for a listening front-end.
    Spoken,
    /// Everything that the console does, from a browser that was let in: read and answer questions.
    Console,
}

impl Tokens {
    /// Hashes the tokens. `spoken` is present only if spoken answers are enabled.
    #[must_use]
    pub fn new(submit: &str, approve: &str, spoken: Option<&str>) -> Self {
        let hash = |token: &str| -> [u8; 32] { Sha256::digest(token).into() };
        Self { submit: hash(submit), approve: hash(approve), spoken: spoken.map(hash) }
    }

    /// The scope of a token. Every token is compared in constant time, whether or not an earlier one matched.
    fn scope(&self, token: &str) -> Option<Scope> {
        let given: [u8; 32] = Sha256::digest(token).into();
        let submit: bool = given.ct_eq(&self.submit).into();
        let approve: bool = given.ct_eq(&self.approve).into();
        let spoken: bool = self.spoken.is_some_and(|spoken| given.ct_eq(&spoken).into());
        match (submit, approve, spoken) {
            (true, false, false) => Some(Scope::Submit),
            (false, true, false) => Some(Scope::Approve),
            (false, false, true) => Some(Scope::Spoken),
            _ => None,
        }
    }
}

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
            tokio::time::sleep(super::guesses::WAIT).await;
            Err(Problem::guessing(
                "Too many wrong tokens; the file `token` in the state folder has the right one",
            )
            .with(header::RETRY_AFTER, "60"))
        }
    }
}

/// What a caller has proved, before its request is read.
pub(super) fn standing(parts: &Parts, app: &AppState) -> Standing {
    match known(parts, app) {
        Ok(Scope::Approve | Scope::Console | Scope::Spoken) => Standing::Person,
        Ok(Scope::Submit) => Standing::Caller,
        Err(Stranger::Bare(_) | Stranger::Wrong(_)) => Standing::Stranger,
    }
}

/// What a caller has proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
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
        if super::console::admitted(app, parts.uri.path(), &parts.headers).is_some() {
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
pub(super) struct Submitter;

/// A caller that may answer questions.
#[derive(Debug)]
pub(super) struct Approver;

/// A caller that may read and answer questions. `spoken` is true if it passes on spoken answers.
#[derive(Debug)]
pub(super) struct Answerer {
    pub(super) spoken: bool,
}

/// The channel name of spoken answers.
pub(super) const SPOKEN: &str = "spoken";

/// A person at a browser that was let in. No token gives this right.
#[derive(Debug)]
pub(super) struct Person {
    /// How it was let in.
    pub(super) admission: Arc<crate::prompt::Admission>,
}

/// A caller with any token.
#[derive(Debug)]
pub(super) struct KnownCaller;

/// Middleware for paths that only callers with the right to request actions may use.
pub(super) async fn submitters_only(
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
        scope(parts, app).await.map(|_| Self)
    }
}

impl FromRequestParts<Arc<AppState>> for Person {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Problem> {
        let stranger = "This is for a person at the console, and no token opens it: run `guarda console`";
        let admission = match scope(parts, app).await? {
            Scope::Console => super::console::admitted(app, parts.uri.path(), &parts.headers),
            Scope::Approve | Scope::Submit | Scope::Spoken => None,
        };
        admission.map(|admission| Self { admission }).ok_or_else(|| Problem::forbidden(stranger))
    }
}
