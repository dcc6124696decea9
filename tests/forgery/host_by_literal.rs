//! expect: E0451
//! A host that nobody approved.

use guarda_core::gate::ApprovedHost;

pub fn forge(to: guarda_core::network::Destination) -> ApprovedHost {
    ApprovedHost { to, channel: String::new() }
}
