//! Accepts connections, limits their number and time, and tells them when the service ends.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use crate::doors::http::access::lobby::{Authenticated, Guest, Lobby, Narrow};
use crate::doors::http::state::Peer;

/// The limits of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The greatest number of connections.
    pub connections: usize,
    /// The longest time for a request's head.
    pub head: Duration,
}

/// Accepts connections and serves them.
#[derive(Debug, Clone)]
pub struct Listener {
    router: Router,
    permits: Arc<Semaphore>,
    /// Connections reserved for a person and for health checks, for when all others are in use.
    spare: Arc<Semaphore>,
    lobby: Lobby,
    head: Duration,
    closing: CancellationToken,
    connections: TaskTracker,
}

/// The response when there is no room. It is sent without reading the request.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
/// The response to a request that did not arrive completely in time.
const SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
/// How often to look for a free place during [`BREATH`].
const TRIES: u32 = 5;
/// The number of reserved connections. They serve only a person's requests and health checks.
const SPARE: usize = 16;
/// The longest time for the head of a request on a reserved connection.
const SPARE_HEAD: Duration = Duration::from_secs(2);
/// The pause after the system refused a connection, usually for lack of file descriptors.
const BREATH: Duration = Duration::from_millis(100);

impl Listener {
    /// A listener for these routes.
    #[must_use]
    pub fn new(router: Router, limits: Limits) -> Self {
        Self {
            router,
            permits: Arc::new(Semaphore::new(limits.connections)),
            spare: Arc::new(Semaphore::new(SPARE)),
            lobby: Lobby::default(),
            head: limits.head,
            closing: CancellationToken::new(),
            connections: TaskTracker::new(),
        }
    }

    /// Serves a TCP address until [`Listener::close`].
    pub async fn tcp(self, socket: tokio::net::TcpListener) {
        while let Some(accepted) = self.next(socket.accept()).await {
            if let Some((stream, address)) = accepted {
                let _ = stream.set_nodelay(true);
                self.welcome(stream, Peer::Tcp { address, program: None });
            }
        }
    }

    /// Serves the socket of the state folder until [`Listener::close`]. Other users' processes are refused.
    pub async fn socket(self, socket: tokio::net::UnixListener) {
        self.unix(socket, crate::doors::socket::peer).await;
    }

    /// Serves a socket until [`Listener::close`]. `who` identifies the other end.
    pub async fn unix(
        self,
        socket: tokio::net::UnixListener,
        who: impl Fn(&tokio::net::UnixStream) -> io::Result<Peer>,
    ) {
        while let Some(accepted) = self.next(socket.accept()).await {
            let Some((stream, _)) = accepted else { continue };
            match who(&stream) {
                Ok(peer) => self.welcome(stream, peer),
                Err(error) => tracing::warn!(%error, "a connection to the socket was refused"),
            }
        }
    }

    /// The next connection; `None` when the service ends, `Some(None)` if accepting it failed.
    async fn next<S, A>(&self, accept: impl Future<Output = io::Result<(S, A)>>) -> Option<Option<(S, A)>> {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => None,
            accepted = accept => match accepted {
                Ok(pair) => Some(Some(pair)),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(BREATH).await;
                    Some(None)
                }
            },
        }
    }

    fn welcome<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, stream: S, peer: Peer) {
        let listener = self.clone();
        self.connections.spawn(async move {
            let Some((_permit, narrow)) = listener.place().await else { return full(stream).await };
            let guest = listener.lobby.enter();
            listener.serve(stream, peer, guest, narrow).await;
        });
    }

    /// A place for a connection: a free place, the place of an idle stranger, or a reserved place. `None` if there is
    /// none.
    async fn place(&self) -> Option<(OwnedSemaphorePermit, Option<Narrow>)> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Some((permit, None));
        }
        // When many connections arrive at once, their places are released only a moment later.
        for _ in 0..TRIES {
            self.lobby.make_room();
            let free = Arc::clone(&self.permits).acquire_owned();
            if let Ok(Ok(permit)) = tokio::time::timeout(BREATH / TRIES, free).await {
                return Some((permit, None));
            }
        }
        let permit = Arc::clone(&self.spare).try_acquire_owned().ok()?;
        Some((permit, Some(Narrow)))
    }

    async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        self,
        stream: S,
        peer: Peer,
        guest: Arc<Guest>,
        narrow: Option<Narrow>,
    ) {
        let away = Arc::clone(&guest);
        let routes = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(peer.clone());
            if let Some(narrow) = narrow {
                request.extensions_mut().insert(narrow);
            }
            guest.heard();
            let (guest, answer) = (Arc::clone(&guest), self.router.clone().oneshot(request));
            async move {
                let answer = answer.await;
                let admitted =
                    answer.as_ref().is_ok_and(|answer| answer.extensions().get::<Authenticated>().is_some());
                guest.answered(admitted);
                answer
            }
        });
        let mut connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(if narrow.is_some() { self.head.min(SPARE_HEAD) } else { self.head })
            .keep_alive(narrow.is_none())
            .max_buf_size(64 * 1024)
            .serve_connection(TokioIo::new(stream), routes);
        let mut closing = std::pin::pin!(self.closing.cancelled());
        let mut told = false;
        let mut sent_away = std::pin::pin!(away.sent_away());
        let end = poll_fn(|task| {
            if sent_away.as_mut().poll(task).is_ready() {
                return std::task::Poll::Ready(None);
            }
            if !told && closing.as_mut().poll(task).is_ready() {
                told = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            Pin::new(&mut connection).poll(task).map(Some)
        })
        .await;
        let error = match end {
            Some(Err(error)) => error,
            Some(Ok(())) => return,
            None => return full(connection.into_parts().io.into_inner()).await,
        };
        tracing::debug!(%error, timeout = error.is_timeout(), "a connection ended early");
        let parts = connection.into_parts();
        // An idle connection is closed without a response; an unfinished request gets one.
        if error.is_timeout() && !parts.read_buf.is_empty() {
            let mut stream = parts.io.into_inner();
            let _ = tokio::time::timeout(BREATH, async {
                stream.write_all(SLOW).await?;
                stream.shutdown().await
            })
            .await;
        }
    }

    /// Accepts no more connections, tells clients that their next reply is the last, and waits until they have it, at
    /// most `most`.
    pub async fn close(&self, most: Duration) {
        self.closing.cancel();
        self.connections.close();
        let _ = tokio::time::timeout(most, self.connections.wait()).await;
    }
}

/// Responds that there is no room.
async fn full<S: AsyncWrite + Unpin>(mut stream: S) {
    let _ = tokio::time::timeout(BREATH, stream.write_all(FULL)).await;
}
