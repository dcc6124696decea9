//! expect: E0308
//! A deed that was approved and not written down.

use guarda::gate::Approved;
use guarda::hands::Hands;
use guarda::policy::Situation;

pub async fn forge(hands: &Hands, approved: Approved, situation: &Situation) {
    let _ = hands.act(approved, situation, std::future::pending()).await;
}
