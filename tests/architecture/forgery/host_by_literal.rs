//! expect: E0451
//! A host that nobody approved.

use guarda_core::gate::ApprovedHosts;

pub fn forge(to: Vec<guarda_core::network::Destination>) -> ApprovedHosts {
    ApprovedHosts { to, channel: String::new(), all: true }
}
