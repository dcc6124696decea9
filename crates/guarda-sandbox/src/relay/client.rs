//! A client's side of a connection.

use std::io;
use std::time::Duration;

use guarda_core::network::{Destination, Step};
use guarda_core::output::traffic::Path;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// How long a client may take to send a proxy request.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// How long a refused client has to show that it speaks HTTP and can receive the reason, and to read it.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);
/// How much is read at once.
pub(super) const PIECE: usize = 16 * 1024;

/// A client's connection, with the bytes that were read but not yet forwarded.
pub(super) struct Client {
    pub(super) stream: TcpStream,
    pub(super) held: Vec<u8>,
}

/// A client's destination, and how it was named.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) to: Destination,
    pub(super) path: Path,
}

impl Client {
    /// Reads more; `false` at the end.
    pub(super) async fn more(&mut self) -> io::Result<bool> {
        self.held.reserve(PIECE);
        Ok(self.stream.read_buf(&mut self.held).await? > 0)
    }

    /// Reads until `read` recognises the first bytes.
    pub(super) async fn until<T, E: std::fmt::Display>(
        &mut self,
        mut read: impl FnMut(&[u8]) -> Result<Step<T>, E>,
    ) -> io::Result<(T, usize)> {
        let reading = async {
            loop {
                match read(&self.held).map_err(|error| io::Error::other(error.to_string()))? {
                    Step::Done(found, used) => return Ok((found, used)),
                    Step::More if self.more().await? => {}
                    Step::More => return Err(io::ErrorKind::UnexpectedEof.into()),
                }
            }
        };
        tokio::time::timeout(PATIENCE, reading).await?
    }

    /// True if the client has closed its side. It may be gone, or just have no more to send.
    pub(super) async fn has_ended(&self) -> bool {
        let seen = tokio::time::timeout(Duration::ZERO, self.stream.peek(&mut [0])).await;
        matches!(seen, Ok(Ok(0) | Err(_)))
    }

    /// Resets the connection, which is an error for the client.
    pub(super) fn reset(self) {
        let _ = rustix::net::sockopt::set_socket_linger(&self.stream, Some(Duration::ZERO));
    }

    /// Sends a last answer, and closes the connection when the client has read it.
    pub(super) async fn close_with(mut self, answer: &[u8]) {
        let last = async {
            self.stream.write_all(answer).await?;
            self.stream.shutdown().await?;
            // Closing a connection with unread data resets it, and the answer could be lost.
            while self.more().await? {
                self.held.clear();
            }
            io::Result::Ok(())
        };
        let _ = tokio::time::timeout(LAST_WORDS, last).await;
    }
}
