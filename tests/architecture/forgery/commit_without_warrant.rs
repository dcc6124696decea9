//! expect: E0308
//! Changes that were approved and not written down.

use guarda_core::gate::Approved;
use guarda::hands::{Hands, StagedRun};

pub async fn forge(hands: &Hands, approved: Approved, run: StagedRun) {
    let _ = hands.commit(approved, run).await;
}
