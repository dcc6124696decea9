//! Where the connections of a run come from.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::ipc;

/// The most open connections of one run; further ones wait to be accepted.
const MOST_CONNECTIONS: usize = 2000;

/// The pause after a failed accept, for example with too many open files.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// The source of connections.
pub(super) enum Source {
    Listener(TcpListener),
    /// The supervisor sends them.
    Supervisor(AsyncFd<OwnedFd>),
}

impl Source {
    pub(super) fn listener(listener: std::net::TcpListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self::Listener(TcpListener::from_std(listener)?))
    }

    /// The next connection and its intended address.
    async fn next(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let socket = match self {
            Self::Listener(listener) => {
                let stream = listener.accept().await?.0;
                let meant = crate::original_destination(&stream)?;
                return Ok((stream, meant));
            }
            Self::Supervisor(socket) => socket,
        };
        loop {
            let mut ready = socket.readable().await?;
            match ipc::next_connection(socket.get_ref().as_fd()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                Err(error) => return Err(error),
                Ok(Some((stream, meant))) => return Ok((TcpStream::from_std(stream)?, meant)),
                // The supervisor is gone, and the run with it.
                Ok(None) => return std::future::pending().await,
            }
        }
    }

    /// Accepts connections and serves each in its own task. All of them end when the future is dropped.
    pub(super) async fn take<F>(self, serve: impl Fn(TcpStream, SocketAddr) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut all = JoinSet::new();
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            while all.try_join_next().is_some() {}
            match self.next().await {
                Ok((stream, meant)) => {
                    let served = serve(stream, meant);
                    all.spawn(async move {
                        served.await;
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::debug!(%error, "a connection of a run was not taken");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}
