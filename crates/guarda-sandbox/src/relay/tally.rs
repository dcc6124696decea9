//! Counts the traffic of a run with each host.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use guarda_core::gate::HostRefusal;
use guarda_core::network::{Destination, Host, Why};
use guarda_core::output::traffic::{HostTraffic, Path, Spoken};

/// The most hosts in the list; further ones are refused anyway.
const MOST_HOSTS: usize = 1000;
/// The most reasons of refusal that are kept for a host.
const MOST_REASONS: usize = 8;

/// A host's byte counters, updated while bytes pass.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

#[derive(Debug)]
pub(super) struct Tally {
    begun: Instant,
    hosts: Mutex<BTreeMap<Host, (HostTraffic, Arc<Bytes>)>>,
}

impl Tally {
    pub(super) fn begin() -> Self {
        Self { begun: Instant::now(), hosts: Mutex::default() }
    }

    /// Updates a host's entry.
    fn enter(&self, to: &Destination, path: Path, what: impl FnOnce(&mut HostTraffic)) -> Option<Arc<Bytes>> {
        let at = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST_HOSTS && !hosts.contains_key(&to.host) {
            return None;
        }
        let entry = hosts.entry(to.host.clone());
        let (traffic, bytes) =
            entry.or_insert_with(|| (HostTraffic::new(to.host.clone(), at), Arc::default()));
        traffic.last = at;
        traffic.ports.insert(to.port);
        traffic.paths.insert(path);
        what(traffic);
        Some(Arc::clone(bytes))
    }

    /// Counts a refused connection. Returns whether the reason is new for the host.
    pub(super) fn refused(&self, to: &Destination, path: Path, why: &HostRefusal) -> bool {
        let mut new = false;
        self.enter(to, path, |traffic| {
            traffic.refused += 1;
            if why.is_outage() {
                traffic.unreached.insert(to.port);
            }
            new = traffic.reasons.len() < MOST_REASONS && traffic.reasons.insert(why.to_string());
            if new {
                traffic.refusals.push(why.clone());
            }
        });
        new
    }

    /// Counts a client that had closed its side when a person said yes.
    pub(super) fn abandoned(&self, to: &Destination, path: Path) {
        self.enter(to, path, |traffic| traffic.abandoned += 1);
    }

    /// Notes that a server answered. On this machine, one that is reached at one
    /// address is not missed at the others.
    pub(super) fn reached(&self, to: &Destination) {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        for (host, (traffic, _)) in &mut *hosts {
            if *host == to.host || host.is_local() && to.host.is_local() {
                traffic.unreached.remove(&to.port);
            }
        }
    }

    /// Counts an established connection, and returns its byte counters.
    pub(super) fn connected(&self, to: &Destination, path: Path, address: IpAddr, why: &Why) -> Arc<Bytes> {
        self.reached(to);
        let entered = self.enter(to, path, |traffic| {
            traffic.connections += 1;
            traffic.addresses.insert(address);
            traffic.why.get_or_insert_with(|| why.clone());
        });
        entered.unwrap_or_default()
    }

    /// Notes the protocol of the client's first bytes, and whether they named the host.
    pub(super) fn spoke(&self, to: &Destination, path: Path, spoken: Spoken, named: bool) {
        self.enter(to, path, |traffic| {
            traffic.spoken.insert(spoken);
            traffic.named |= named;
        });
    }

    pub(super) fn all(&self) -> Vec<HostTraffic> {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let with_bytes = |(traffic, bytes): &(HostTraffic, Arc<Bytes>)| HostTraffic {
            sent: bytes.sent.load(Ordering::Relaxed),
            received: bytes.received.load(Ordering::Relaxed),
            ..traffic.clone()
        };
        hosts.values().map(with_bytes).collect()
    }
}
