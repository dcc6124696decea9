//! The guard's end of a run's network (feature N8): connections of its programs are admitted by name, or not
//! at all.
//!
//! A name is resolved only after its host is admitted, and only once. Every address is vetted, and the
//! connection goes to one of those. Dropping a [`Relay`] ends all its connections.

mod admission;
mod client;
mod connection;
mod forward;
mod names;
mod own;
mod publish;
mod splice;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};

use admission::Admission;
use client::Wanted;
use guarda_core::gate::{ApprovedHosts, HostRefusal};
use guarda_core::network::{Destination, DomainName, Host, HostRules};
use guarda_core::output::traffic::HostTraffic;
use names::Names;
pub use own::listening_ports;
use tally::Tally;

use super::network::{DNS as DNS_PORT, Inside};
use super::{Ends, Listeners, PROXY_PORT, ipc};

/// The most open connections of one run; further ones wait to be accepted.
const MOST_CONNECTIONS: usize = 2000;
/// The pause after a failed accept, for example with too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// A future from a method of a trait object.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a relay needs from the rest of the guard.
pub trait Outside: Send + Sync + 'static {
    /// Asks a person whether the run may reach these destinations, which no rule admits: one, or all further
    /// ones of a run with too many questions. A time-out is a no ([`HostRefusal::Silence`]).
    fn ask<'a>(&'a self, to: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, HostRefusal>>;

    /// Notes a refused connection if the reason is new for its host. Not called for refusals by
    /// [`Outside::ask`], nor for hosts that do not answer.
    fn refused<'a>(&'a self, to: &'a Destination, why: &'a HostRefusal) -> Later<'a, ()>;

    /// True while a person is asked about every host, including those of the rules.
    fn asks_all(&self) -> bool {
        false
    }

    /// True if a host is denied even if the run's rules or a person's answer admit it.
    fn denies(&self, _host: &Host) -> bool {
        false
    }

    /// Receives a view of the run's traffic when its network starts.
    fn begun(&self, _traffic: LiveTraffic) {}

    /// Resolves a name. Called for admitted hosts only.
    fn look_up<'a>(&'a self, name: &'a DomainName) -> Later<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip().to_canonical()).collect())
        })
    }

    /// Ports of this machine's loopback address that no run may reach: the guard's own.
    fn own_ports(&self) -> &[u16] {
        &[]
    }
}

/// The state that all connections of a run share.
struct Shared {
    admission: Admission,
    names: Names,
    tally: Tally,
    outside: Arc<dyn Outside>,
    /// The port of the proxy.
    port: u16,
    /// The ways to the run's own ports.
    inside: Inside,
}

/// A view of a run's traffic. It does not keep the run's network open.
#[derive(Clone)]
pub struct LiveTraffic(Weak<Shared>);

impl std::fmt::Debug for LiveTraffic {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LiveTraffic").finish_non_exhaustive()
    }
}

impl LiveTraffic {
    /// The traffic with each host so far, sorted by name; empty once the run has ended.
    #[must_use]
    pub fn now(&self) -> Vec<HostTraffic> {
        self.0.upgrade().map(|shared| shared.tally.all()).unwrap_or_default()
    }
}

impl Shared {
    /// Counts a refusal, and reports it if it is the first of its kind.
    async fn refused(&self, wanted: &Wanted, refused: &HostRefusal) {
        let new = self.tally.refused(&wanted.to, wanted.path, refused);
        if new && !refused.is_outage() && !refused.ends_a_question() {
            self.outside.refused(&wanted.to, refused).await;
        }
    }
}

/// The guard's end of one run's network.
pub struct Relay {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
    published: Vec<publish::Published>,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Relay").finish_non_exhaustive()
    }
}

impl Relay {
    /// Serves the network of a run from now on. Requires a runtime.
    ///
    /// # Errors
    /// If the ends cannot be watched.
    pub fn begin(ends: impl Into<Ends>, rules: HostRules, outside: Arc<dyn Outside>) -> io::Result<Self> {
        let mut ends = ends.into();
        let port = match &ends {
            Ends::Own(listeners) => listeners.tcp.local_addr()?.port(),
            Ends::Notified(_) => PROXY_PORT,
        };
        let inside = match &mut ends {
            Ends::Own(listeners) => Inside::new(std::mem::take(&mut listeners.inside)),
            Ends::Notified(_) => Inside::default(),
        };
        let shared = Arc::new(Shared {
            admission: Admission::new(rules),
            names: Names::default(),
            tally: Tally::begin(),
            outside,
            port,
            inside,
        });
        let all = Arc::clone(&shared);
        let task = match ends {
            Ends::Own(Listeners { tcp, dns, dns_tcp, .. }) => {
                dns.set_nonblocking(true)?;
                let (tcp, dns_tcp) = (Source::listener(tcp)?, Source::listener(dns_tcp)?);
                let dns = UdpSocket::from_std(dns)?;
                tokio::spawn(async move {
                    tokio::join!(
                        tcp.take(|stream, meant| connection::serve(stream, meant, Arc::clone(&all))),
                        dns_tcp.take(|stream, _own| names::serve(stream, Arc::clone(&all))),
                        names::answer(&dns, &all.names),
                    );
                })
            }
            Ends::Notified(socket) => {
                let handed_in = Source::Supervisor(crate::handle::watch(socket)?);
                tokio::spawn(handed_in.take(move |stream, meant| {
                    let all = Arc::clone(&all);
                    async move {
                        match meant.port() {
                            // Whichever name server is configured, the guard answers.
                            DNS_PORT => names::serve(stream, all).await,
                            _ => connection::serve(stream, meant, all).await,
                        }
                    }
                }))
            }
        };
        shared.outside.begun(LiveTraffic(Arc::downgrade(&shared)));
        Ok(Self { shared, task, published: Vec::new() })
    }

    /// Lets others on this machine reach these ports of the run. Requires a runtime.
    ///
    /// # Errors
    /// If something else on this machine listens on one of them.
    pub fn publish(&mut self, ports: &BTreeSet<u16>) -> io::Result<()> {
        for port in ports {
            self.published.push(publish::Published::begin(*port, &self.shared.inside)?);
        }
        Ok(())
    }

    /// The traffic with each host so far, sorted by name.
    #[must_use]
    pub fn traffic(&self) -> Vec<HostTraffic> {
        self.shared.tally.all()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The source of connections.
enum Source {
    Listener(TcpListener),
    /// The supervisor sends them.
    Supervisor(AsyncFd<OwnedFd>),
}

impl Source {
    fn listener(listener: std::net::TcpListener) -> io::Result<Self> {
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
    async fn take<F>(self, serve: impl Fn(TcpStream, SocketAddr) -> F)
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
