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
mod outside;
mod own;
mod publish;
mod shared;
mod source;
mod splice;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

use admission::Admission;
use guarda_core::network::HostRules;
use guarda_core::output::traffic::HostTraffic;
use names::Names;
pub use outside::{Later, LiveTraffic, Outside};
pub use own::listening_ports;
use shared::Shared;
use source::Source;
use tally::Tally;

use super::network::{DNS as DNS_PORT, Inside};
use super::{Ends, Listeners, PROXY_PORT};

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
            tally: Arc::new(Tally::begin()),
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
                        dns_tcp.take(|stream, _own| {
                            let all = Arc::clone(&all);
                            async move { names::serve(stream, &all.names).await }
                        }),
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
                            DNS_PORT => names::serve(stream, &all.names).await,
                            _ => connection::serve(stream, meant, all).await,
                        }
                    }
                }))
            }
        };
        shared.outside.begun(LiveTraffic(Arc::downgrade(&shared.tally)));
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
