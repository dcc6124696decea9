//! The registry (feature B1): which commands ran, how they ended, which overrides a person set, and the learned
//! policies.
//!
//! Facts leave it as [`guarda_core::policy::History`]; it gives no verdicts. Counters change only in the database.

pub mod digest;
pub mod evolve;
pub mod identity;
pub mod run;
pub mod rows;
mod driver;
mod counted;
mod lookups;
pub mod store;
pub mod sqlite;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod backend;
mod upkeep;
pub mod keeper;
pub mod token;
#[cfg(test)]
mod trial;

pub use backend::RegistryBackend;
pub use digest::DigestCache;
pub use driver::StoreError;
pub use evolve::Thresholds;
pub use identity::{Digests, Identity};
pub use keeper::Registry;
pub use rows::{KnownCommand, Row, RowQuery, Totals, Which};
pub use run::{EndedRun, RunEnd};
pub use store::Store;
pub use token::{Bound, Spent, Token, TokenError};
pub use upkeep::RegistryStatus;

use std::time::Duration;

use guarda_core::policy::History;
use guarda_core::policy::history::{Duplicate, Learned};

/// The result of a look-up for the judge.
#[must_use]
pub fn history(known: KnownCommand, now: jiff::Timestamp, thresholds: &Thresholds) -> History {
    let KnownCommand { here, anywhere } = known;
    let Some(here) = here else {
        return History { user_override: anywhere, ..History::default() };
    };
    let since = here.last_ms.map(|last| {
        // After the clock went back, the run looks recent; at worst that causes one more question.
        let ms = now.as_millisecond().saturating_sub(last);
        Duration::from_millis(u64::try_from(ms).unwrap_or_default())
    });
    let unused = since.is_none_or(|since| evolve::is_unused(since.as_secs_f64(), thresholds));
    let learned = if unused && here.learned == Learned::AutoApprove { Learned::Ask } else { here.learned };
    let duplicate = since
        .zip(here.duplicate_ms.map(Duration::from_millis))
        .and_then(|(since, threshold)| (since < threshold).then_some(Duplicate { since, threshold }));
    let word = store::stricter(here.user_override, anywhere);
    History {
        learned,
        user_override: word,
        runs: here.runs,
        successes: here.successes,
        duplicate,
        unsealed: false,
        lost: None,
    }
}
