//! Checks on a request before it is read: it must be meant for this service and must not come from a foreign web page.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::doors::http::access::lobby::{Authenticated, Narrow};
use crate::doors::http::access::scope::Standing;
use crate::doors::http::problem::Problem;
use crate::doors::http::state::{AppState, Peer};

/// The program that sends a request: the first product of its `User-Agent`, such as `curl` in `curl/8.5.0`.
fn program(headers: &HeaderMap) -> Option<String> {
    let told = headers.get(header::USER_AGENT)?.to_str().ok()?;
    let name = told.split(['/', ' ']).next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let shown = (1..=32).contains(&name.len()) && name.chars().all(plain);
    shown.then(|| name.to_owned())
}

/// Refuses requests that are not meant for this service or come from a foreign page.
pub(in crate::doors::http) async fn check(
    State(app): State<Arc<AppState>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let named = program(request.headers());
    if let Some(Peer::Tcp { program, .. }) = request.extensions_mut().get_mut::<Peer>() {
        *program = named;
    }
    let headers = request.headers();
    if matches!(request.extensions().get::<Peer>(), Some(Peer::Container(_)))
        && !for_containers(request.uri().path())
    {
        return Err(Problem::forbidden(
            "A container asks for actions and judgements; this path is not served on its socket",
        ));
    }
    if matches!(request.extensions().get::<Peer>(), Some(Peer::Tcp { .. }) | None) {
        let host = only(headers, header::HOST.as_str())?.unwrap_or_default();
        // An absolute request target (`GET http://name/ HTTP/1.1`) contains its own host.
        let asked = request.uri().authority().map(axum::http::uri::Authority::as_str);
        if !app.hosts.allow(host) || asked.is_some_and(|asked| !app.hosts.allow(asked)) {
            return Err(Problem::misdirected(format!(
                "Host must be one of {}; server.names in the configuration adds names",
                app.hosts.names().join(", ")
            )));
        }
    }
    if let Some(origin) = only(headers, header::ORIGIN.as_str())? {
        let own = origin.strip_prefix("http://").is_some_and(|host| app.hosts.allow(host));
        if !own {
            return Err(Problem::foreign_origin("The Origin header names another origin than this service"));
        }
    }
    match only(headers, "sec-fetch-site")? {
        None | Some("none" | "same-origin") => {}
        Some(_) => return Err(Problem::foreign_origin("The Sec-Fetch-Site header tells of another origin")),
    }
    let (parts, body) = request.into_parts();
    let standing = crate::doors::http::access::scope::standing(&parts, &app);
    if parts.extensions.get::<Narrow>().is_some()
        && standing != Standing::Person
        && !for_everybody(parts.uri.path())
    {
        return Err(Problem::busy(
            "Too many connections are open (server.connection_limit); try again later",
        )
        .with(header::RETRY_AFTER, "5"));
    }
    let mut response = next.run(Request::from_parts(parts, body)).await;
    if standing != Standing::Stranger {
        response.extensions_mut().insert(Authenticated);
    }
    Ok(response)
}

/// Paths that are also served on the reserved connections: the health check, and a person's way in.
fn for_everybody(path: &str) -> bool {
    path == "/v1/health" || path == "/console" || path.starts_with("/console/")
}

/// Refuses a body that is not announced as JSON on a path that accepts POST. A request without a body needs no type.
pub(in crate::doors::http) async fn sent(request: Request, next: Next) -> Result<Response, Problem> {
    let empty = axum::body::HttpBody::is_end_stream(request.body());
    if request.method() == Method::POST && !empty {
        json_only(request.headers())?;
    }
    Ok(next.run(request).await)
}

/// Whether a container may use this path. A container can request actions, get judgements and read its own outcomes.
/// It can neither answer questions, read the record, nor learn about the machine.
fn for_containers(path: &str) -> bool {
    const ASKING: [&str; 9] = [
        "/v1/actions",
        "/v1/judge",
        "/v1/events",
        "/v1/hooks",
        "/v1/chat",
        "/v1/execute",
        "/v1/tools",
        "/v1/grammars",
        "/v1/health",
    ];
    let within =
        |start: &str| path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    ASKING.iter().any(|start| within(start))
}

/// The value of a header that may appear only once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value
            .to_str()
            .map(Some)
            .map_err(|_| Problem::malformed(format!("The {name} header is not plain text"))),
        (Some(_), Some(_)) => Err(Problem::malformed(format!("The {name} header stands there twice"))),
    }
}

/// Accepts only JSON. A web page's form can send other content types, such as `text/plain`, without a preflight.
fn json_only(headers: &HeaderMap) -> Result<(), Problem> {
    let given = only(headers, header::CONTENT_TYPE.as_str())?.unwrap_or_default();
    let mut parts = given.split(';').map(str::trim);
    let json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let utf8 = |part: &str| {
        part.split_once('=').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("charset") && value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
    };
    if !json || !parts.all(utf8) || headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Problem::unsupported_media(
            "Send the body uncompressed with Content-Type: application/json (charset utf-8)",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_the_name_that_it_sends() {
        for (sent, name) in [
            ("curl/8.5.0", Some("curl")),
            ("python-requests/2.31 (x)", Some("python-requests")),
            ("", None),
            ("<b>/1", None),
            ("a-name-that-is-much-too-long-to-be-shown/1", None),
        ] {
            let headers = [(header::USER_AGENT, sent.parse().unwrap())].into_iter().collect();
            assert_eq!(program(&headers).as_deref(), name, "{sent}");
        }
        let shown = |program: Option<&str>| {
            let peer = Peer::Tcp {
                address: "127.0.0.1:40312".parse().unwrap(),
                program: program.map(str::to_owned),
            };
            peer.caller().shown().to_owned()
        };
        assert_eq!(shown(Some("curl")), "curl");
        assert_eq!(shown(None), "http");
    }
}
