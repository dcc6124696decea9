//! `[wyoming]`: a conversation agent for Home Assistant and other programs that speak Wyoming.

use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};

/// `[wyoming]`: where sentences are taken. The protocol knows no password.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WyomingSection {
    /// Address and port; default: no sentences are taken.
    pub listen: Option<SocketAddr>,
    /// Other machines that may send sentences. Programs of this machine may if they are the user's own.
    pub allow: Vec<IpAddr>,
}
