//! Ways into a run's own network, for the guard: sockets that are made inside and connected outside. A socket keeps its network
//! for ever, and one that is disconnected can be connected again.

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream as Stream};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::socket::{setsockopt, sockopt};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use tokio::net::{TcpSocket, TcpStream};

/// How many connections of each address family may be open at once.
const EACH: usize = 32;
/// The most sockets of a network.
pub(crate) const MOST: usize = 2 * EACH;
/// The mark of these sockets, which the redirect leaves alone.
pub(super) const MARK: u32 = 0x6e69_6775;
/// How long a port of the run may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes the sockets, in the network of this process.
///
/// # Errors
/// The kernel's.
pub(super) fn sockets(families: &[AddressFamily]) -> io::Result<Vec<OwnedFd>> {
    let all = families.iter().flat_map(|family| std::iter::repeat_n(*family, EACH));
    let make = |family| {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
        setsockopt(&socket, sockopt::Mark, &MARK)?;
        Ok(socket)
    };
    all.map(make).collect()
}

/// The sockets of a run's network that are not connected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inside(Arc<Mutex<Vec<OwnedFd>>>);

impl Inside {
    pub(crate) fn new(sockets: Vec<OwnedFd>) -> Self {
        Self(Arc::new(Mutex::new(sockets)))
    }

    /// Connects to a port of the run's own loopback address; `None` if nobody in the run listens there, or if too many connections
    /// are open.
    pub(crate) async fn connect(&self, port: u16) -> Option<Connected> {
        for (family, address) in [
            (AddressFamily::INET, SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
            (AddressFamily::INET6, SocketAddr::from((Ipv6Addr::LOCALHOST, port))),
        ] {
            let Some(lent) = self.lend(family) else { continue };
            if let Ok(stream) = lent.connect(address).await {
                return Some(Connected { stream, _lent: lent });
            }
        }
        None
    }

    fn lend(&self, family: AddressFamily) -> Option<Lent> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of =
            |socket: &OwnedFd| rustix::net::sockopt::socket_domain(socket).is_ok_and(|of| of == family);
        let at = free.iter().position(is_of)?;
        Some(Lent { socket: Some(free.swap_remove(at)), to: self.clone() })
    }
}

/// A connection into the run.
pub(crate) struct Connected {
    pub(crate) stream: TcpStream,
    /// Given back afterwards.
    _lent: Lent,
}

struct Lent {
    socket: Option<OwnedFd>,
    to: Inside,
}

impl Lent {
    fn connect(&self, address: SocketAddr) -> impl Future<Output = io::Result<TcpStream>> + use<> {
        let socket =
            self.socket.as_ref().ok_or(io::ErrorKind::NotConnected.into()).and_then(OwnedFd::try_clone);
        async move {
            let socket = TcpSocket::from_std_stream(Stream::from(socket?));
            tokio::time::timeout(PATIENCE, socket.connect(address)).await?
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // One that cannot be disconnected is closed.
        if let Some(socket) = self.socket.take()
            && rustix::net::connect_unspec(&socket).is_ok()
        {
            self.to.0.lock().unwrap_or_else(PoisonError::into_inner).push(socket);
        }
    }
}
