//! Keeps a copy of the record's anchor in the registry, so that restoring an old state folder alone does not go
//! unnoticed.

use std::sync::Arc;
use std::time::Duration;

use crate::guard::Guard;
use guarda_journal::{RecordError, RecordWarning};

/// How often the copy is updated.
const ROUND: Duration = Duration::from_secs(30);

impl Guard {
    /// Compares the record with the copy in the registry, once. Returns the problem, if there is one.
    ///
    /// # Errors
    /// [`RecordError`], if the problem cannot be noted in the record's folder.
    pub async fn compare_anchor(&self) -> Result<Option<RecordWarning>, RecordError> {
        let Some((memory, key)) = self.memory().zip(self.journal().key()) else { return Ok(None) };
        let registry = memory.registry();
        let place = registry.status().place;
        let kept = registry.with(jiff::Timestamp::now(), move |store| store.anchor(&key)).await;
        // The loss of a registry is reported elsewhere.
        kept.ok().flatten().map_or(Ok(None), |kept| self.journal().compare(&kept, &place))
    }

    /// Updates the copy periodically for as long as the service lives.
    pub async fn keep_anchor(self: Arc<Self>) {
        let mut kept: Option<Arc<str>> = None;
        loop {
            let latest = self.journal().anchor();
            if latest != kept && self.store_anchor().await {
                kept = latest;
            }
            tokio::time::sleep(ROUND).await;
        }
    }

    /// Stores the latest anchor in the registry. Returns false if there is none, or it cannot be written.
    pub async fn store_anchor(&self) -> bool {
        let (Some(memory), Some(anchor), Some(key)) =
            (self.memory(), self.journal().anchor(), self.journal().key())
        else {
            return false;
        };
        let stored = memory
            .registry()
            .with(jiff::Timestamp::now(), move |store| store.keep_anchor(&key, &anchor))
            .await;
        stored.is_ok()
    }
}
