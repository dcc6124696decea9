//! One operation at a time moves names.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::fault::Fault;

/// Only one operation at a time moves names. It knows what could be neither finished nor taken back, by the folder of the
/// run: that stays until the next start.
pub(super) type Turn = Arc<Mutex<BTreeMap<PathBuf, Fault>>>;

/// Waits until no other operation moves names.
pub(super) fn alone(turn: &Turn) -> MutexGuard<'_, BTreeMap<PathBuf, Fault>> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}
