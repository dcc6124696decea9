//! Talks to the running service: through its socket, or else its address with the token.

use std::path::Path;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

/// Why the service gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// There is none that could be asked.
    #[error("{0}")]
    Nobody(String),
    /// It was asked, and its answer cannot be used.
    #[error("{0}")]
    Broken(String),
}

impl NoAnswer {
    fn broken(what: impl std::fmt::Display) -> Self {
        Self::Broken(what.to_string())
    }
}

/// What the service answered.
#[derive(Debug)]
pub(in crate::doors) struct Answered {
    pub(in crate::doors) status: u16,
    pub(in crate::doors) body: serde_json::Value,
    /// The body as it came.
    pub(in crate::doors) text: String,
}

/// As whom a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::doors) enum As {
    /// One who asks for actions.
    Asker,
    /// One who answers questions.
    Approver,
}

/// The header of a request whose end is not waited for.
pub(in crate::doors) const SOON: (&str, &str) = ("prefer", "respond-async");

/// Sends one request; a body makes it a POST.
pub(in crate::doors) async fn send(
    state: &Path,
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
) -> Result<Answered, NoAnswer> {
    send_with(state, who, path, body, None).await
}

/// Sends one request with one more header.
pub(in crate::doors) async fn send_with(
    state: &Path,
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
    header: Option<(&str, &str)>,
) -> Result<Answered, NoAnswer> {
    let read = |name: &str| crate::devices::folder::read_token(&state.join(name)).map_err(NoAnswer::broken);
    if let Ok(stream) = tokio::net::UnixStream::connect(state.join("guarda.sock")).await {
        // The system says on the socket whose process it is; that is enough to ask, and not to answer. On the socket of a
        // container only its token is.
        let token = if who == As::Approver { read("approve-token")? } else { read("token").ok().flatten() };
        return exchange(stream, "localhost", token.as_ref().map(|token| token.as_str()), path, body, header)
            .await;
    }
    let none = || {
        NoAnswer::Nobody(format!(
            "no guard answers for {}: start one with `guarda serve`, or set GUARDA_STATE_DIR to the folder of the \
             running one",
            state.display()
        ))
    };
    let address = std::fs::read_to_string(state.join("address")).map_err(|_| none())?;
    let address = address.trim();
    let token = read(if who == As::Approver { "approve-token" } else { "token" })?.ok_or_else(none)?;
    let stream = tokio::net::TcpStream::connect(address).await.map_err(|_| none())?;
    exchange(stream, address, Some(&token), path, body, header).await
}

async fn exchange<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    host: &str,
    token: Option<&str>,
    path: &str,
    body: Option<Vec<u8>>,
    more: Option<(&str, &str)>,
) -> Result<Answered, NoAnswer> {
    let broken = |error: hyper::Error| NoAnswer::Broken(format!("the guard ended the connection: {error}"));
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    let connection = tokio::spawn(connection);
    let method = if body.is_some() { "POST" } else { "GET" };
    let mut request = hyper::Request::builder().method(method).uri(path).header(header::HOST, host);
    if let Some(token) = token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    if let Some((name, value)) = more {
        request = request.header(name, value);
    }
    if body.is_some() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    let request = request.body(Full::new(Bytes::from(body.unwrap_or_default()))).map_err(NoAnswer::broken)?;
    let response = sender.send_request(request).await.map_err(broken)?;
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.map_err(broken)?.to_bytes();
    connection.abort();
    let body = serde_json::from_slice(&bytes)
        .map_err(|error| NoAnswer::Broken(format!("the answer is no JSON: {error}")))?;
    Ok(Answered { status, body, text: String::from_utf8_lossy(&bytes).into_owned() })
}
