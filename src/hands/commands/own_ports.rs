//! The outside of a run that reaches what its rules admit, and asks nobody for more.

use std::sync::Arc;

use guarda_core::gate::{ApprovedHosts, HostRefusal};
use guarda_core::network::{Destination, Host};
use guarda_sandbox::relay::{Later, LiveTraffic, Outside};

/// The outside of a run that reaches what its rules admit, and asks nobody for more.
pub(super) struct OwnPorts(pub(super) Arc<dyn Outside>);

impl Outside for OwnPorts {
    fn ask<'a>(&'a self, _: &'a [Destination]) -> Later<'a, Result<ApprovedHosts, HostRefusal>> {
        Box::pin(std::future::ready(Err(HostRefusal::Unapproved)))
    }

    fn refused<'a>(&'a self, to: &'a Destination, why: &'a HostRefusal) -> Later<'a, ()> {
        self.0.refused(to, why)
    }

    fn denies(&self, host: &Host) -> bool {
        self.0.denies(host)
    }

    fn begun(&self, traffic: LiveTraffic) {
        self.0.begun(traffic);
    }

    fn own_ports(&self) -> &[u16] {
        self.0.own_ports()
    }
}
