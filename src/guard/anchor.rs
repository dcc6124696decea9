//! A copy of the record's anchor in the registry, so that anyone who exchanges the state folder for an older copy has to
//! find that one too.

use std::sync::Arc;
use std::time::Duration;

use super::Guard;

/// How often the copy is brought up to date: it may lag behind.
const ROUND: Duration = Duration::from_secs(30);

impl Guard {
    /// Compares the record with the copy in the registry, once; `None` where nothing is amiss.
    pub async fn compare_anchor(&self) -> Option<String> {
        let registry = self.memory()?.registry();
        let (key, place) = (self.journal().key()?, registry.status().place);
        let kept = registry.with(jiff::Timestamp::now(), move |store| store.anchor(&key)).await;
        // A registry that is lost is told of elsewhere.
        let kept = kept.ok().flatten()?;
        match self.journal().compare(&kept, &place) {
            Ok(why) => why,
            Err(error) => Some(error.why),
        }
    }

    /// Brings the copy up to date now and then, for as long as the service lives.
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

    /// Stores the last anchor in the registry. False where there is none, or it cannot be written.
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
