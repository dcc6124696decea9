//! expect: E0308
//! A deed that was approved and not written down.

use guarda_core::gate::Approved;
use guarda::hands::Hands;
use std::sync::Arc;

use guarda_core::policy::{Policy, Situation};

pub async fn forge(hands: &Hands, approved: Approved, situation: &Situation, rules: &Arc<Policy>) {
    let volume = Arc::default();
    let _ = hands.act(Default::default(), approved, (situation, rules), std::future::pending(), guarda::hands::RunContext { volume: &volume, shell: None, outside: None }).await;
}
