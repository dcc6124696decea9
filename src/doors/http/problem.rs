//! Errors in the format of RFC 9457: `application/problem+json` with a stable type. Texts are English, or in the
//! language of the request's `Accept-Language`. The command line and the console send that header for their user.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::doors::detail::Detail;
use crate::wording::words::{Words, words};
use guarda_core::action::language::UnknownLanguage;
use guarda_core::action::{Language, Misread};

/// Why a request failed. `docs/api.md` lists the kinds, which do not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    kind: &'static str,
    pub(super) status: StatusCode,
    pub(super) detail: Detail,
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
    title: String,
    /// The HTTP status.
    status: u16,
    /// What is wrong with this request, and what to do next.
    detail: String,
    /// The same for a person, in one sentence: in the first language of `Accept-Language` that the guard speaks, or else in the
    /// spoken language.
    message: String,
    /// The requested path.
    instance: String,
    /// How many codes may still be tried; only with `code-required` and `code-wrong`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tries_left: Option<u8>,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident $status:ident $kind:literal;)*) => {
        impl Problem {
            $($(#[doc = $doc])* pub(super) fn $name(detail: impl Into<Detail>) -> Self {
                Self { kind: $kind, status: StatusCode::$status, detail: detail.into(), header: None, tries_left: None }
            })*
        }

        #[cfg(test)]
        const KINDS: &[(&str, StatusCode)] = &[$(($kind, StatusCode::$status)),*];
    };
}

kinds! {
    /// The body is not valid JSON.
    malformed BAD_REQUEST "malformed";
    /// No token, or a wrong one.
    unauthorized UNAUTHORIZED "unauthorized";
    /// Too many wrong tokens, or codes.
    guessing TOO_MANY_REQUESTS "guessing";
    /// A code is needed, and none was given.
    code_required FORBIDDEN "code-required";
    /// The code is wrong.
    code_wrong FORBIDDEN "code-wrong";
    /// The token is valid, but not for this request.
    forbidden FORBIDDEN "forbidden";
    /// A web page of another origin sent the request.
    foreign_origin FORBIDDEN "foreign-origin";
    /// No such path.
    not_found NOT_FOUND "not-found";
    /// The path does not support this method.
    method_not_allowed METHOD_NOT_ALLOWED "method-not-allowed";
    /// The request took too long to arrive.
    timed_out REQUEST_TIMEOUT "timed-out";
    /// The question is settled.
    settled CONFLICT "settled";
    /// The session was marked after the request was judged.
    marked CONFLICT "session-marked";
    /// The object was changed since it was read.
    changed CONFLICT "changed";
    /// A ticket is for another folder.
    elsewhere CONFLICT "ticket-elsewhere";
    /// The body is too long.
    too_large PAYLOAD_TOO_LARGE "too-large";
    /// The content type is not JSON.
    unsupported_media UNSUPPORTED_MEDIA_TYPE "unsupported-media-type";
    /// The `Host` is not this service.
    misdirected MISDIRECTED_REQUEST "misdirected";
    /// JSON, but not an action.
    misread UNPROCESSABLE_ENTITY "misread";
    /// A command line without a command.
    empty_command UNPROCESSABLE_ENTITY "empty-command";
    /// The `Idempotency-Key` was used for another request.
    key_reused UNPROCESSABLE_ENTITY "key-reused";
    /// This machine cannot confine a command as required.
    sandbox NOT_IMPLEMENTED "sandbox-lacking";
    /// The registry, which keeps tokens, is off.
    registry NOT_IMPLEMENTED "registry-off";
    /// Too many requests are running or waiting.
    busy SERVICE_UNAVAILABLE "busy";
    /// The service is shutting down.
    closing SERVICE_UNAVAILABLE "closing";
    /// The record cannot be written, so nothing was done.
    record INTERNAL_SERVER_ERROR "record-failed";
    /// An internal error of the guard.
    internal INTERNAL_SERVER_ERROR "internal";
}

impl Problem {
    pub(super) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.header = Some((name, value));
        self
    }

    /// Adds the number of attempts at the code that are left.
    pub(super) fn with_tries(mut self, left: u8) -> Self {
        self.tries_left = Some(left);
        self
    }

    /// The JSON text for use outside a response, in English.
    pub(super) fn to_json(&self, instance: &str) -> axum::body::Bytes {
        let words = words(Language::English);
        let details = self.details((words, words), instance.to_owned());
        serde_json::to_vec(&details).unwrap_or_default().into()
    }

    /// The sentence for a person.
    pub(in crate::doors) fn message(&self, spoken: &Words) -> String {
        let title = spoken.say(&format!("title-{}", self.kind), &[]);
        match &self.detail {
            Detail::English(_) if spoken.language() != Language::English => format!("{title}."),
            detail => spoken.labelled(&title, &detail.say(spoken)),
        }
    }

    /// `words`: those of the texts, and those of the message for a person.
    pub(super) fn details(&self, (words, spoken): (&Words, &Words), instance: String) -> ProblemDetails {
        ProblemDetails {
            message: self.message(spoken),
            kind: format!("urn:guarda:problem:{}", self.kind),
            title: words.say(&format!("title-{}", self.kind), &[]),
            status: self.status.as_u16(),
            detail: self.detail.say(words),
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

impl From<UnknownLanguage> for Problem {
    fn from(UnknownLanguage(tag): UnknownLanguage) -> Self {
        Self::misread(Detail::Message("problem-language", vec![("name", tag)]))
    }
}

impl From<&crate::guard::Fault> for Problem {
    fn from(fault: &crate::guard::Fault) -> Self {
        use crate::guard::Fault;
        let named = |id, name: &String| Detail::Message(id, vec![("name", name.clone())]);
        match fault {
            Fault::Misread(Misread::EmptyCommand) => {
                Self::empty_command(Detail::Misread(Box::new(Misread::EmptyCommand)))
            }
            Fault::Misread(misread) => Self::misread(Detail::Misread(Box::new(misread.clone()))),
            Fault::Record(error) => {
                Self::record(Detail::Record("record-unwritable", Box::new(error.why.clone())))
            }
            Fault::Unrecorded(error) => {
                Self::record(Detail::Record("record-unrecorded", Box::new(error.why.clone())))
            }
            Fault::Look(error) => Self::misread(Detail::from(error)),
            Fault::Unkept(_) => Self::sandbox(fault.to_string()),
            Fault::Marked => Self::marked(Detail::message("problem-marked")),
            Fault::ForeignSession(name) => Self::forbidden(named("problem-foreign-session", &name.0)),
            Fault::Changed(name) => Self::changed(named("problem-changed", name)),
            Fault::NoRegistry => Self::registry(Detail::message("problem-no-registry")),
            Fault::Astray => Self::internal(fault.to_string()),
            Fault::Busy => Self::busy(Detail::message("problem-busy")).with(header::RETRY_AFTER, "5"),
            Fault::Closing => {
                Self::closing(Detail::message("problem-closing")).with(header::RETRY_AFTER, "10")
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

/// The first language of `Accept-Language` that the guard speaks. The default is English, which programs expect.
pub(super) fn language(headers: &header::HeaderMap) -> Language {
    accepted(headers).unwrap_or(Language::English)
}

/// The first language of `Accept-Language` that the guard speaks.
pub(super) fn accepted(headers: &header::HeaderMap) -> Option<Language> {
    let wanted =
        headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut tags = wanted.split(',').map(|tag| tag.split(';').next().unwrap_or_default().trim());
    tags.find_map(|tag| tag.parse().ok())
}

pub(super) async fn no_such_path() -> Problem {
    Problem::not_found("There is no such path; GET /openapi.json lists them")
}

pub(super) async fn no_such_method() -> Problem {
    Problem::method_not_allowed("The Allow header lists the supported methods")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_documented_with_its_status() {
        let text = include_str!("../../../docs/api.md");
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
        for (kind, status) in super::KINDS {
            let row = format!("| `{kind}` | {} |", status.as_u16());
            assert!(rows.iter().any(|line| line.starts_with(&row)), "docs/api.md lacks {row}");
            for language in Language::ALL {
                assert!(words(language).find(&format!("title-{kind}"), &[]).is_some(), "{language}: {kind}");
            }
        }
    }

    #[test]
    fn a_problem_is_told_in_the_language_that_the_request_accepts() {
        let accepting = |wanted: Option<&str>| {
            let value = wanted.map(|wanted| (header::ACCEPT_LANGUAGE, wanted.parse().unwrap()));
            super::language(&value.into_iter().collect())
        };
        for (wanted, language) in [
            (None, Language::English),
            (Some("*"), Language::English),
            (Some("de-DE"), Language::English),
            (Some("pt-BR,pt;q=0.9,en-US;q=0.8"), Language::Portuguese),
            (Some("de;q=0.9, fr-CA;q=0.8"), Language::French),
        ] {
            assert_eq!(accepting(wanted), language, "{wanted:?}");
        }
        let problem = Problem::from(&crate::guard::Fault::Misread(Misread::Missing("target")));
        let told = |language| problem.details((words(language), words(language)), String::new());
        assert_eq!(told(Language::English).detail, "the field \"target\" is missing");
        assert_eq!(told(Language::Portuguese).title, "O pedido não foi entendido");
        assert_eq!(told(Language::Portuguese).message, "O pedido não foi entendido: falta o campo “target”");
        let plain = Problem::busy("a text for programs");
        let message =
            |language| plain.details((words(Language::English), words(language)), String::new()).message;
        assert!(!message(Language::French).contains("programs"), "no English in another language");
        assert!(message(Language::English).contains("a text for programs"));
        assert_eq!(told(Language::French).detail, "le champ « target » manque");
    }
}
