//! What a relay needs from the rest of the guard.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Weak;

use guarda_core::gate::{ApprovedHosts, HostRefusal};
use guarda_core::network::{Destination, DomainName, Host};
use guarda_core::output::traffic::HostTraffic;

use super::tally::Tally;

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

/// A view of a run's traffic. It does not keep the run's network open.
#[derive(Clone)]
pub struct LiveTraffic(pub(super) Weak<Tally>);

impl std::fmt::Debug for LiveTraffic {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LiveTraffic").finish_non_exhaustive()
    }
}

impl LiveTraffic {
    /// The traffic with each host so far, sorted by name; empty once the run has ended.
    #[must_use]
    pub fn now(&self) -> Vec<HostTraffic> {
        self.0.upgrade().map(|tally| tally.all()).unwrap_or_default()
    }
}
