//! expect: E0382
//! One permission, two intents.

use guarda_core::gate::Approved;
use guarda_journal::{Caller, Journal};

pub async fn forge(journal: &Journal, approved: Approved, caller: &Caller) {
    let _ = journal.intend(approved, caller).await;
    let _ = journal.intend(approved, caller).await;
}
