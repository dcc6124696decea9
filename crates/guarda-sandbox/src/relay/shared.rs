//! The state that all connections of a run share.

use std::sync::Arc;

use guarda_core::gate::HostRefusal;

use super::admission::Admission;
use super::client::Wanted;
use super::names::Names;
use super::outside::Outside;
use super::tally::Tally;
use crate::network::Inside;

/// The state that all connections of a run share.
pub(super) struct Shared {
    pub(super) admission: Admission,
    pub(super) names: Names,
    pub(super) tally: Arc<Tally>,
    pub(super) outside: Arc<dyn Outside>,
    /// The port of the proxy.
    pub(super) port: u16,
    /// The ways to the run's own ports.
    pub(super) inside: Inside,
}

impl Shared {
    /// Counts a refusal, and reports it if it is the first of its kind.
    pub(super) async fn refused(&self, wanted: &Wanted, refused: &HostRefusal) {
        let new = self.tally.refused(&wanted.to, wanted.path, refused);
        if new && !refused.is_outage() && !refused.ends_a_question() {
            self.outside.refused(&wanted.to, refused).await;
        }
    }
}
