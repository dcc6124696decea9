//! The tickets that wait for the clients' shells.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use guarda_core::gate::Number;
use guarda_core::policy::Policy;

use super::line::LinePath;
use crate::guard::scope::ApprovedAction;
use guarda_journal::Caller;

/// How long a ticket is valid. A client may ask its own user before it runs the line.
const LIFE: Duration = Duration::from_secs(300);
/// The greatest number of waiting tickets; the oldest gives way to a new one, and its line must be sent again.
const MOST: usize = 1024;

/// A permission that waits for the client's shell.
#[derive(Debug)]
pub(super) struct Ticket {
    /// The id of the request that got it (UUIDv7).
    pub(super) id: uuid::Uuid,
    pub(super) policy: Arc<Policy>,
    pub(super) caller: Caller,
    pub(super) cleared: ApprovedAction,
    pub(super) session: Option<String>,
    /// The exact line that the client's shell was told to run.
    pub(super) line: String,
    /// The real path of the folder in which the client's shell must redeem it.
    pub(super) folder: PathBuf,
}

/// The waiting tickets.
#[derive(Debug, Default)]
pub(in crate::guard) struct Tickets {
    waiting: Mutex<Expiring<Ticket>>,
}

impl Tickets {
    /// Locks the tickets that are valid now.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Expiring<Ticket>, Instant) -> T) -> T {
        let now = Instant::now();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.expire(now);
        work(&mut waiting, now)
    }
}

/// Entries under a number, each until its expiry.
#[derive(Debug)]
pub(super) struct Expiring<T>(HashMap<Number, (Instant, T)>);

impl<T> Default for Expiring<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Expiring<T> {
    fn expire(&mut self, now: Instant) {
        self.0.retain(|_, (until, _)| *until > now);
    }

    /// If there are too many, the oldest gives way.
    pub(super) fn insert(&mut self, number: Number, what: T, now: Instant) {
        if self.0.len() >= MOST
            && let Some(oldest) =
                self.0.iter().min_by_key(|(_, (until, _))| *until).map(|(number, _)| *number)
        {
            self.0.remove(&oldest);
        }
        self.0.insert(number, (now + LIFE, what));
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        self.0.values().map(|(_, what)| what)
    }

    pub(super) fn take(&mut self, number: Number) -> Option<T> {
        self.0.remove(&number).map(|(_, what)| what)
    }
}

/// Why a ticket is refused. Nothing was run, and the ticket stays invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTicket {
    /// It was never issued, was used, or has expired.
    #[error("this ticket was used, has expired, or was never issued; let the agent send the command again")]
    Unknown,
    /// It was issued for another folder.
    #[error("this ticket is for another folder; let the agent send the command again from here")]
    Folder,
}

/// A ticket that was taken.
#[derive(Debug)]
pub struct Redeemed(pub(super) Ticket);

impl Redeemed {
    /// What is needed at the end to say where the line ended.
    #[must_use]
    pub fn path(&self) -> LinePath {
        let cleared = &self.0.cleared;
        let action = &cleared.approved.judgement().subject().action;
        LinePath::of(action, &cleared.situation.home, self.0.folder.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_expires_and_the_oldest_gives_way() {
        let number = |place: usize| Number((place as u128).to_be_bytes());
        let mut waiting = Expiring::default();
        let begun = Instant::now();
        waiting.insert(number(0), "first", begun);
        waiting.expire(begun + LIFE - Duration::from_nanos(1));
        assert_eq!(waiting.all().collect::<Vec<_>>(), [&"first"]);
        waiting.expire(begun + LIFE);
        assert_eq!(waiting.take(number(0)), None);
        for place in 0..=MOST {
            waiting.insert(number(place), "one of many", begun + Duration::from_millis(place as u64));
        }
        assert_eq!((waiting.0.len(), waiting.take(number(0))), (MOST, None));
        assert_eq!((waiting.take(number(MOST)), waiting.take(number(MOST))), (Some("one of many"), None));
    }
}
