//! Client for the running service: through its socket, or else its address with the token.

use std::path::{Path, PathBuf};

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zeroize::Zeroizing;

use crate::devices::filesystem::own::FileError;
use crate::wording::fault::file;
use crate::wording::plain::visible;
use crate::wording::words::{Words, words};
use guarda_core::action::Language;

/// Why the service gave no answer. The text is English, for programs and models; [`NoAnswer::told`] has a person's
/// words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// No service is running for this state folder.
    #[error("{}", self.told(words(Language::English)))]
    Nobody(PathBuf),
    /// A process holds the service's socket or address but does not answer.
    #[error("{}", self.told(words(Language::English)))]
    Unserved {
        /// The state folder.
        state: PathBuf,
        /// The process that holds it.
        holder: Holder,
        /// How long the client waited, in seconds.
        seconds: u64,
    },
    /// The connection ended early; the cause as the HTTP library tells it.
    #[error("{}", self.told(words(Language::English)))]
    Ended(String),
    /// What answers is not a guard; what its answer lacks, as a parser tells it.
    #[error("{}", self.told(words(Language::English)))]
    Foreign(String),
    /// The file with the token cannot be used.
    #[error("{0}")]
    Token(FileError),
    /// The request could not be made, or its answer is incomplete.
    #[error("{0}")]
    Broken(String),
}

/// The process at the other end of the service's socket or address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// The process at the other end of the socket.
    Process {
        /// Its name.
        name: String,
        /// Its number.
        pid: i32,
    },
    /// The process that listens at this address.
    Listener(String),
    /// The system did not say.
    Unknown,
}

impl NoAnswer {
    fn broken(what: impl std::fmt::Display) -> Self {
        Self::Broken(what.to_string())
    }

    /// The cause and the next step, in a person's language.
    #[must_use]
    pub fn told(&self, words: &Words) -> String {
        match self {
            Self::Nobody(state) => {
                words.say("client-nobody", &[("path", state.display().to_string().into())])
            }
            Self::Unserved { state, holder, seconds } => {
                let holder = match holder {
                    Holder::Process { name, pid } => words.say(
                        "client-process",
                        &[("name", name.as_str().into()), ("pid", pid.to_string().into())],
                    ),
                    Holder::Listener(at) => words.say("client-listener", &[("name", at.as_str().into())]),
                    Holder::Unknown => words.say("client-unknown", &[]),
                };
                let path = state.display().to_string();
                let told = [("path", path.into()), ("holder", holder.into()), ("seconds", (*seconds).into())];
                words.say("client-unserved", &told)
            }
            Self::Ended(why) => words.say("client-ended", &[("why", visible(why).into())]),
            Self::Foreign(why) => words.say("client-foreign", &[("why", visible(why).into())]),
            Self::Token(error) => file::told(words, error),
            Self::Broken(why) => words.say("client-broken", &[("why", visible(why).into())]),
        }
    }
}

/// How long a request that was sent at once may go without an answer before somebody has to show that the socket is served.
const UNHEARD: std::time::Duration = std::time::Duration::from_secs(1);
/// How long the service may take to show that it is running.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
/// How long the service may take to answer a request that waits for no person and no command.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(30);

/// The service's answer.
#[derive(Debug, Clone)]
pub(crate) struct ServiceAnswer {
    pub(crate) status: u16,
    pub(crate) body: serde_json::Value,
    /// The body, unchanged; empty if it did not come over a connection.
    pub(crate) text: String,
}

impl ServiceAnswer {
    /// An answer that comes from this process.
    pub(crate) fn here(status: u16, body: serde_json::Value) -> Self {
        Self { status, body, text: String::new() }
    }
}

/// The role in which a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// Requests actions.
    Asker,
    /// The same for a client's hook and its ticket, at once: an agent waits for them. By itself, a hook's request does nothing, and
    /// who has a ticket was answered a moment ago.
    Agent,
    /// Answers questions.
    Approver,
}

/// The header for a request that does not wait for its outcome.
pub(crate) const SOON: (&str, &str) = ("prefer", "respond-async");

/// Sends one request with additional headers; with a body it is a POST.
pub(crate) async fn send_with(
    state: &Path,
    who: As,
    path: &str,
    body: Option<Vec<u8>>,
    headers: &[(&str, &str)],
) -> Result<ServiceAnswer, NoAnswer> {
    let waits = body.is_some();
    let way = reach(state, who).await?;
    let holder = way.holder.clone();
    let closing = Closing::default();
    let answer = async {
        let response = exchange(way, path, body, headers, &closing).await?;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.map_err(|error| ended(&error))?.to_bytes();
        Ok::<_, NoAnswer>((status, bytes))
    };
    let (status, bytes) = if who == As::Agent {
        heard(state, answer).await?
    } else if waits {
        answer.await?
    } else {
        tokio::time::timeout(LONGEST, answer).await.map_err(|_| unserved(state, &holder, LONGEST))??
    };
    let body = serde_json::from_slice(&bytes).map_err(|error| NoAnswer::Foreign(error.to_string()))?;
    Ok(ServiceAnswer { status, body, text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// Posts a ticket and returns the answer piece by piece.
pub(crate) async fn stream(
    state: &Path,
    path: &str,
    body: Vec<u8>,
    closing: &Closing,
) -> Result<Streamed, NoAnswer> {
    let way = reach(state, As::Agent).await?;
    let response = heard(state, exchange(way, path, Some(body), &[], closing)).await?;
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().to_owned();
    Ok(Streamed { status: response.status().as_u16(), kind, body: response.into_body() })
}

/// An answer that arrives piece by piece.
#[derive(Debug)]
pub(crate) struct Streamed {
    pub(crate) status: u16,
    /// Its content type.
    pub(crate) kind: String,
    body: hyper::body::Incoming,
}

impl Streamed {
    /// The next piece; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, NoAnswer> {
        while let Some(frame) = self.body.frame().await {
            if let Ok(bytes) = frame.map_err(|error| ended(&error))?.into_data() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// The content of a problem document; null if it is not one.
    pub(crate) async fn problem(self) -> serde_json::Value {
        let body = http_body_util::Limited::new(self.body, LONGEST_PROBLEM).collect().await;
        let bytes = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

/// The longest problem document that is read, in bytes.
const LONGEST_PROBLEM: usize = 64 * 1024;

/// Closes connections from outside their tasks. Dropping it also closes them.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    begun: CancellationToken,
    dropped: CancellationToken,
    connections: TaskTracker,
}

impl Closing {
    /// Announces on every connection that nothing more will be sent, and waits until the other side has closed it,
    /// too.
    pub(crate) async fn close(&self, patience: std::time::Duration) {
        self.begun.cancel();
        self.connections.close();
        let _ = tokio::time::timeout(patience, self.connections.wait()).await;
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.dropped.cancel();
    }
}

/// Checks that the service answers at all.
async fn served(state: &Path) -> Result<(), NoAnswer> {
    let way = connect(state, As::Asker).await?;
    let (holder, closing) = (way.holder.clone(), Closing::default());
    let answer = exchange(way, "/v1/health", None, &[], &closing);
    tokio::time::timeout(PATIENCE, answer).await.map_err(|_| unserved(state, &holder, PATIENCE))?.map(drop)
}

/// Waits for an answer. If it does not come soon, the service must show that it answers at all.
async fn heard<T>(state: &Path, answer: impl Future<Output = Result<T, NoAnswer>>) -> Result<T, NoAnswer> {
    let mut answer = std::pin::pin!(answer);
    if let Ok(answer) = tokio::time::timeout(UNHEARD, &mut answer).await {
        return answer;
    }
    tokio::select! {
        answer = &mut answer => answer,
        Err(nobody) = served(state) => Err(nobody),
    }
}

/// The error for a socket or address that is held by a process without an answer.
fn unserved(state: &Path, holder: &Holder, after: std::time::Duration) -> NoAnswer {
    NoAnswer::Unserved { state: state.to_owned(), holder: holder.clone(), seconds: after.as_secs() }
}

/// The process at the other end of a socket.
fn holder(stream: &tokio::net::UnixStream) -> Holder {
    let pid = stream.peer_cred().ok().and_then(|peer| peer.pid());
    let Some(pid) = pid else { return Holder::Unknown };
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Holder::Process { name: visible(name.trim()), pid }
}

/// A way to the service.
struct Way {
    stream: Box<dyn Stream>,
    host: String,
    token: Option<Zeroizing<String>>,
    /// The process at the other end.
    holder: Holder,
}

/// The parts of a connection.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

async fn connect(state: &Path, who: As) -> Result<Way, NoAnswer> {
    match connect_by_socket(state, who).await? {
        Some(way) => Ok(way),
        None => connect_by_address(state, who).await,
    }
}

/// Commands and questions may take any time, so first checks that a service answers at all, but for what is sent at once through the
/// socket. At an address, any program of this machine may listen.
async fn reach(state: &Path, who: As) -> Result<Way, NoAnswer> {
    if who == As::Agent
        && let Some(way) = connect_by_socket(state, who).await?
    {
        return Ok(way);
    }
    served(state).await?;
    connect(state, who).await
}

fn token(state: &Path, name: &str) -> Result<Option<Zeroizing<String>>, NoAnswer> {
    crate::devices::exchange::state_folder::read_token(&state.join(name)).map_err(NoAnswer::Token)
}

async fn connect_by_socket(state: &Path, who: As) -> Result<Option<Way>, NoAnswer> {
    let Ok(stream) = tokio::net::UnixStream::connect(state.join("guarda.sock")).await else {
        return Ok(None);
    };
    // The system identifies the process behind a socket. That suffices to request actions, but not to answer
    // questions. On a container's socket, only its token counts.
    let token = match who {
        As::Approver => token(state, "approve-token")?,
        As::Asker | As::Agent => token(state, "token").ok().flatten(),
    };
    let holder = holder(&stream);
    Ok(Some(Way { stream: Box::new(stream), host: "localhost".to_owned(), token, holder }))
}

async fn connect_by_address(state: &Path, who: As) -> Result<Way, NoAnswer> {
    let none = || NoAnswer::Nobody(state.to_owned());
    let address = std::fs::read_to_string(state.join("address")).map_err(|_| none())?;
    let address = address.trim();
    let name = if who == As::Approver { "approve-token" } else { "token" };
    let token = token(state, name)?.ok_or_else(none)?;
    let stream = tokio::net::TcpStream::connect(address).await.map_err(|_| none())?;
    let holder = Holder::Listener(address.to_owned());
    Ok(Way { stream: Box::new(stream), host: address.to_owned(), token: Some(token), holder })
}

fn ended(error: &hyper::Error) -> NoAnswer {
    if error.is_parse() { NoAnswer::Foreign(error.to_string()) } else { NoAnswer::Ended(error.to_string()) }
}

async fn exchange(
    way: Way,
    path: &str,
    body: Option<Vec<u8>>,
    more: &[(&str, &str)],
    closing: &Closing,
) -> Result<hyper::Response<hyper::body::Incoming>, NoAnswer> {
    let handshake = hyper::client::conn::http1::handshake(TokioIo::new(way.stream)).await;
    let (mut sender, mut connection) = handshake.map_err(|error| ended(&error))?;
    let (begun, dropped) = (closing.begun.clone(), closing.dropped.clone());
    closing.connections.spawn(async move {
        tokio::select! {
            _ = &mut connection => return,
            () = dropped.cancelled() => return,
            () = begun.cancelled() => {}
        }
        let mut stream = connection.into_parts().io.into_inner();
        let _ = stream.shutdown().await;
        let mut nowhere = tokio::io::sink();
        tokio::select! {
            _ = tokio::io::copy(&mut stream, &mut nowhere) => {}
            () = dropped.cancelled() => {}
        }
    });
    let method = if body.is_some() { "POST" } else { "GET" };
    let mut request = hyper::Request::builder().method(method).uri(path).header(header::HOST, way.host);
    if let Some(token) = way.token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", token.as_str()));
    }
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    if body.is_some() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    let request = request.body(Full::new(Bytes::from(body.unwrap_or_default()))).map_err(NoAnswer::broken)?;
    sender.send_request(request).await.map_err(|error| ended(&error))
}
