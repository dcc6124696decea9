//! Connections: accepted within bounds, given little time, told when the service ends.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use super::Peer;

/// The bounds of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most connections at a time.
    pub connections: usize,
    /// Longest time for the head of a request to come.
    pub head: Duration,
}

/// Accepts connections and serves them.
#[derive(Debug, Clone)]
pub struct Listener {
    router: Router,
    permits: Arc<Semaphore>,
    head: Duration,
    closing: CancellationToken,
    connections: TaskTracker,
}

/// Sent to whoever comes when there is no room; there is no time to read what it asked.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
/// Sent to whoever began a request and did not go on.
const SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
/// How long to wait after the system refused a connection, mostly for lack of file descriptors.
const BREATH: Duration = Duration::from_millis(100);

impl Listener {
    /// A listener for these routes.
    #[must_use]
    pub fn new(router: Router, limits: Limits) -> Self {
        Self {
            router,
            permits: Arc::new(Semaphore::new(limits.connections)),
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
                self.welcome(stream, Peer::Tcp(address));
            }
        }
    }

    /// Serves the socket of the state folder until [`Listener::close`]. Only this user's processes are heard.
    pub async fn socket(self, socket: tokio::net::UnixListener) {
        self.unix(socket, crate::doors::socket::peer).await;
    }

    /// Serves a socket until [`Listener::close`]; `who` tells who is at the other end.
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

    /// The next connection; `None` when the service ends, `Some(None)` when this one came to nothing.
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

    fn welcome<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, mut stream: S, peer: Peer) {
        let (listener, permit) = (self.clone(), Arc::clone(&self.permits).try_acquire_owned());
        self.connections.spawn(async move {
            match permit {
                Ok(_permit) => listener.serve(stream, peer).await,
                Err(_) => {
                    let _ = tokio::time::timeout(BREATH, stream.write_all(FULL)).await;
                }
            }
        });
    }

    async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, stream: S, peer: Peer) {
        let routes = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(peer.clone());
            self.router.clone().oneshot(request)
        });
        let mut connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head)
            .max_buf_size(64 * 1024)
            .serve_connection(TokioIo::new(stream), routes);
        let mut closing = std::pin::pin!(self.closing.cancelled());
        let mut told = false;
        let end = poll_fn(|task| {
            if !told && closing.as_mut().poll(task).is_ready() {
                told = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            Pin::new(&mut connection).poll(task)
        })
        .await;
        let Err(error) = end else { return };
        tracing::debug!(%error, timeout = error.is_timeout(), "a connection ended early");
        let parts = connection.into_parts();
        // An idle connection just ends; a request that was begun is told why.
        if error.is_timeout() && !parts.read_buf.is_empty() {
            let mut stream = parts.io.into_inner();
            let _ = tokio::time::timeout(BREATH, async {
                stream.write_all(SLOW).await?;
                stream.shutdown().await
            })
            .await;
        }
    }

    /// Accepts no more, tells clients that their reply is the last, and waits until they have it, `most` at the longest.
    pub async fn close(&self, most: Duration) {
        self.closing.cancel();
        self.connections.close();
        let _ = tokio::time::timeout(most, self.connections.wait()).await;
    }
}
