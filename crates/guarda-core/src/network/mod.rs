//! Which hosts a command may reach, and the bytes with which a client names its host.
//!
//! A [`Destination`] is parsed once, from whichever form it has: a word, a CONNECT line, SOCKS5, a DNS name,
//! a TLS hello. [`HostRules`] decide whether it is admitted, [`HostRule::vet`] whether its resolved addresses
//! are. Nothing here opens a socket.

mod bytes;
pub mod host;
pub mod address;
pub mod names;
pub mod rule;
pub mod facts;
pub mod http;
pub mod socks;
pub mod dns;
pub mod hello;
pub mod flight;

pub use address::AddressClass;
pub use bytes::Step;
pub use facts::NetworkFacts;
pub use host::{BadHost, Destination, DomainName, Host};
pub use names::{Looks, Unusual, may_be_private};
pub use rule::{HostPattern, HostRule, HostRules, Ports, Protocol, Unfit, Why};
