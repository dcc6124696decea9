//! expect: E0382
//! One run is committed once.

use guarda::hands::{Hands, StagedRun};
use guarda_journal::Warrant;

pub async fn forge(hands: &Hands, warrant: Warrant, again: Warrant, run: StagedRun) {
    let _ = hands.commit(warrant, run).await;
    let _ = hands.commit(again, run).await;
}
