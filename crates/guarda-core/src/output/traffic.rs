//! What a run did over the network, host by host. Contents are never included.

use std::collections::BTreeSet;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::gate::HostRefusal;
use crate::network::{Host, Why};

/// How a client named the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Path {
    /// `CONNECT`, as clients of a proxy do for https.
    Tunnel,
    /// An absolute address in a request to a proxy.
    Proxy,
    /// SOCKS5.
    Socks,
    /// An address that the guard's DNS had assigned to a name.
    Name,
    /// An address that the client chose.
    Address,
}

/// A client's protocol, as its first bytes show it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Spoken {
    /// TLS.
    Tls,
    /// HTTP/1.1 without TLS.
    Http,
    /// SSH.
    Ssh,
    /// Something else.
    Other,
}

impl Spoken {
    /// The name in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What one run exchanged with one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTraffic {
    /// The host.
    pub host: Host,
    /// The ports that the run asked for.
    pub ports: BTreeSet<u16>,
    /// The ports where the latest connection found no server.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unreached: BTreeSet<u16>,
    /// The addresses that were connected to.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub addresses: BTreeSet<IpAddr>,
    /// How it was asked for.
    pub paths: BTreeSet<Path>,
    /// Why the host was admitted; `None` if it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Why connections were refused, each reason once, in English.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reasons: BTreeSet<String>,
    /// The same reasons, as values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<HostRefusal>,
    /// The protocols seen. Connections to hosts of this machine are not inspected.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub spoken: BTreeSet<Spoken>,
    /// Whether the client's first bytes named the host (SNI, `Host`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub named: bool,
    /// Bytes from the run to the host.
    pub sent: u64,
    /// Bytes from the host to the run.
    pub received: u64,
    /// Connections that stood.
    pub connections: u64,
    /// Connections that were refused.
    pub refused: u64,
    /// Connections whose client had closed its side when a person approved them: it may not have waited.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub abandoned: u64,
    /// The first attempt, in milliseconds after the run's start.
    pub first: u64,
    /// The last attempt, in milliseconds after the run's start.
    pub last: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl HostTraffic {
    /// Whether it was refused because nobody was asked about it.
    #[must_use]
    pub fn is_unasked(&self) -> bool {
        self.refusals.contains(&HostRefusal::Unapproved)
    }

    /// Nothing yet.
    #[must_use]
    pub fn new(host: Host, at: u64) -> Self {
        Self {
            host,
            ports: BTreeSet::new(),
            unreached: BTreeSet::new(),
            addresses: BTreeSet::new(),
            paths: BTreeSet::new(),
            why: None,
            reasons: BTreeSet::new(),
            refusals: Vec::new(),
            spoken: BTreeSet::new(),
            named: false,
            sent: 0,
            received: 0,
            connections: 0,
            refused: 0,
            abandoned: 0,
            first: at,
            last: at,
        }
    }
}
