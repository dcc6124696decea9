//! Ports of a run that others on this machine may reach: the guard listens on the machine's loopback addresses in its place.

use std::collections::BTreeSet;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::source::Source;
use crate::network::Inside;

/// The ports that this process publishes. They are a run's, not the guard's own.
static PUBLISHED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// Whether a run listens on this port of the machine through this process.
pub(super) fn is_published(port: u16) -> bool {
    PUBLISHED.lock().unwrap_or_else(PoisonError::into_inner).contains(&port)
}

/// A published port. It is closed when this is dropped.
#[derive(Debug)]
pub(super) struct Published {
    port: u16,
    tasks: Vec<JoinHandle<()>>,
}

impl Published {
    /// Listens on a port in place of a run.
    ///
    /// # Errors
    /// If something else listens there.
    pub(super) fn begin(port: u16, inside: &Inside) -> io::Result<Self> {
        let taken =
            |error: io::Error| io::Error::new(error.kind(), format!("port {port} of this computer: {error}"));
        let four = bound(std::net::SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(taken)?;
        // A machine without IPv6 has one address less.
        let six = bound(std::net::SocketAddr::from((Ipv6Addr::LOCALHOST, port))).ok();
        PUBLISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(port);
        let serve = |listener| {
            let inside = inside.clone();
            tokio::spawn(
                Source::Listener(listener).take(move |stream, _own| forward(stream, port, inside.clone())),
            )
        };
        Ok(Self { port, tasks: std::iter::once(four).chain(six).map(serve).collect() })
    }
}

fn bound(address: std::net::SocketAddr) -> io::Result<TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

impl Drop for Published {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        PUBLISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.port);
    }
}

/// Connects a client of this machine to a port of the run. Where nobody listens, the connection is reset.
async fn forward(mut client: TcpStream, port: u16, inside: Inside) {
    match inside.connect(port).await {
        // How it ends concerns both ends alone.
        Some(mut server) => drop(tokio::io::copy_bidirectional(&mut client, &mut server.stream).await),
        None => {
            let _ = rustix::net::sockopt::set_socket_linger(&client, Some(Duration::ZERO));
        }
    }
}
