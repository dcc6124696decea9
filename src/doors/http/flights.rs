//! The actions under way and lately ended: so that a retry gets the reply of the first try, and a caller that did not
//! wait can come back for it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::task::TaskTracker;

use super::Problem;
use crate::guard::RequestContext;

/// How long an ended action is remembered.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Most ended actions that are remembered.
const KEPT: usize = 512;

/// How an action ended, as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Landed {
    /// The reply, as JSON.
    Reply(Bytes),
    /// No reply.
    Problem(Problem),
}

/// What a caller wants with its action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// To wait for its end; the action is withdrawn where nobody waits any more.
    Wait,
    /// To come back for it.
    ComeBack,
}

/// One action under way or ended.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) id: uuid::Uuid,
    /// Withdrawn when nobody waits any more.
    pub(super) context: RequestContext,
    born: Instant,
    key: Option<String>,
    waiting: AtomicUsize,
    landed: watch::Sender<Option<Landed>>,
}

/// A caller's place: who leaves the last one withdraws the action.
#[derive(Debug)]
pub(super) struct Seat(Arc<Flight>);

impl Seat {
    fn take(flight: &Arc<Flight>) -> Self {
        flight.waiting.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(flight))
    }

    /// The action.
    pub(super) fn flight(&self) -> &Arc<Flight> {
        &self.0
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.0.waiting.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.context.withdraw.cancel();
        }
    }
}

impl Flight {
    /// How it ended, if it has.
    pub(super) fn landed(&self) -> Option<Landed> {
        self.landed.borrow().clone()
    }

    /// Waits for the end.
    pub(super) async fn end(&self) -> Landed {
        let mut landed = self.landed.subscribe();
        let end = landed.wait_for(Option::is_some).await.ok().and_then(|end| end.clone());
        end.unwrap_or_else(|| Landed::Problem(Problem::internal("The action was lost; see the log")))
    }
}

/// What boarding leads to.
#[derive(Debug)]
pub(super) enum Boarding {
    /// A new action, which the caller must now start; the permit is held until it ends.
    New(Seat, OwnedSemaphorePermit),
    /// The action of an earlier request with the same key.
    Known(Seat),
}

/// All actions under way and lately ended. Bounded: in number, and in age.
#[derive(Debug)]
pub struct Flights {
    table: Mutex<Table>,
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
}

#[derive(Debug, Default)]
struct Table {
    by_id: HashMap<uuid::Uuid, Arc<Flight>>,
    by_key: HashMap<String, ([u8; 32], uuid::Uuid)>,
    /// The ended ones, oldest first.
    ended: VecDeque<uuid::Uuid>,
}

impl Flights {
    /// At most `under_way` actions at a time.
    #[must_use]
    pub fn new(under_way: usize) -> Self {
        Self {
            table: Mutex::default(),
            permits: Arc::new(Semaphore::new(under_way)),
            tasks: TaskTracker::new(),
        }
    }

    /// The tasks of the actions, for anyone who waits until the last has ended.
    #[must_use]
    pub fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// How many actions are under way.
    pub(super) fn under_way(&self) -> usize {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.by_id.len().saturating_sub(table.ended.len())
    }

    /// A place in a new action, or in the one that this key belongs to.
    pub(super) fn board(
        &self,
        key: Option<String>,
        digest: [u8; 32],
        wish: Wish,
    ) -> Result<Boarding, Problem> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.forget();
        if let Some(key) = &key
            && let Some((known, id)) = table.by_key.get(key)
            && let Some(flight) = table.by_id.get(id)
        {
            if *known != digest {
                return Err(Problem::key_reused(
                    "This Idempotency-Key was used with another body; a new request needs a new key",
                ));
            }
            return Ok(Boarding::Known(seat(flight, wish)));
        }
        let permit = self.place()?;
        let flight = Arc::new(Flight {
            id: uuid::Uuid::now_v7(),
            context: RequestContext::default(),
            born: Instant::now(),
            key: key.clone(),
            waiting: AtomicUsize::new(0),
            landed: watch::Sender::new(None),
        });
        table.by_id.insert(flight.id, Arc::clone(&flight));
        if let Some(key) = key {
            table.by_key.insert(key, (digest, flight.id));
        }
        Ok(Boarding::New(seat(&flight, wish), permit))
    }

    /// A place among what is under way, for what nobody comes back for.
    pub(in crate::doors) fn place(&self) -> Result<tokio::sync::OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| {
            Problem::busy("Too many actions are under way (server.waiting_limit); try again later")
                .with(axum::http::header::RETRY_AFTER, "5")
        })
    }

    /// Calls off every action under way.
    pub fn call_off(&self) {
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        for flight in table.by_id.values().filter(|flight| flight.landed.borrow().is_none()) {
            flight.context.cancel.cancel();
        }
    }

    /// The action with this id.
    pub(super) fn find(&self, id: uuid::Uuid) -> Option<Arc<Flight>> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.forget();
        table.by_id.get(&id).cloned()
    }

    /// Tells everybody who waits how it ended. What could be tried again as it is (`again`) frees its key.
    pub(super) fn land(&self, flight: &Arc<Flight>, end: Landed, again: bool) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if again && let Some(key) = &flight.key {
            table.by_key.remove(key);
        }
        table.ended.push_back(flight.id);
        flight.landed.send_replace(Some(end));
        table.forget();
    }
}

fn seat(flight: &Arc<Flight>, wish: Wish) -> Seat {
    if wish == Wish::ComeBack {
        // A place that nobody leaves: the action goes on to its end.
        flight.waiting.fetch_add(1, Ordering::SeqCst);
    }
    Seat::take(flight)
}

impl Table {
    /// Forgets the oldest of the ended ones, as long as there are too many or they are too old.
    fn forget(&mut self) {
        while let Some(id) = self.ended.front().copied() {
            let old = self.by_id.get(&id).is_none_or(|flight| flight.born.elapsed() > KEPT_FOR);
            if !old && self.ended.len() <= KEPT {
                return;
            }
            self.ended.pop_front();
            if let Some(flight) = self.by_id.remove(&id)
                && let Some(key) = &flight.key
                && self.by_key.get(key).is_some_and(|(_, holder)| *holder == id)
            {
                self.by_key.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Option<String> {
        Some(name.to_owned())
    }

    fn reply(text: &'static str) -> Landed {
        Landed::Reply(Bytes::from_static(text.as_bytes()))
    }

    #[track_caller]
    fn new(boarding: Result<Boarding, Problem>) -> (Seat, OwnedSemaphorePermit) {
        match boarding {
            Ok(Boarding::New(seat, permit)) => (seat, permit),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn known(boarding: Result<Boarding, Problem>) -> Seat {
        match boarding {
            Ok(Boarding::Known(seat)) => seat,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn the_same_key_and_body_share_one_action() {
        let flights = Flights::new(9);
        let (first, _permit) = new(flights.board(key("k"), [1; 32], Wish::Wait));
        let second = known(flights.board(key("k"), [1; 32], Wish::Wait));
        assert_eq!(first.flight().id, second.flight().id);
        assert_eq!(flights.board(key("k"), [2; 32], Wish::Wait).unwrap_err().status(), 422);
        flights.land(&Arc::clone(first.flight()), reply("done"), false);
        assert_eq!(second.flight().end().await, reply("done"));
        drop((first, second));
        let third = known(flights.board(key("k"), [1; 32], Wish::Wait));
        assert_eq!(third.flight().end().await, reply("done"));
        assert_ne!(new(flights.board(None, [1; 32], Wish::Wait)).0.flight().id, third.flight().id);
    }

    #[test]
    fn an_action_is_withdrawn_when_the_last_one_leaves() {
        let flights = Flights::new(9);
        let (first, _permit) = new(flights.board(key("k"), [1; 32], Wish::Wait));
        let second = known(flights.board(key("k"), [1; 32], Wish::Wait));
        let withdraw = first.flight().context.withdraw.clone();
        drop(first);
        assert!(!withdraw.is_cancelled());
        drop(second);
        assert!(withdraw.is_cancelled());
    }

    #[test]
    fn who_comes_back_does_not_withdraw_by_leaving() {
        let flights = Flights::new(9);
        let (first, _permit) = new(flights.board(key("k"), [1; 32], Wish::ComeBack));
        let withdraw = first.flight().context.withdraw.clone();
        let id = first.flight().id;
        drop(first);
        drop(known(flights.board(key("k"), [1; 32], Wish::Wait)));
        assert!(!withdraw.is_cancelled());
        assert!(flights.find(id).unwrap().landed().is_none());
        assert_eq!(flights.under_way(), 1);
    }

    #[test]
    fn too_many_are_told_to_come_back() {
        let flights = Flights::new(1);
        let (seat, permit) = new(flights.board(None, [1; 32], Wish::Wait));
        assert_eq!(flights.board(None, [1; 32], Wish::Wait).unwrap_err().status(), 503);
        flights.land(seat.flight(), reply(""), false);
        drop((seat, permit));
        assert!(flights.board(None, [1; 32], Wish::Wait).is_ok());
    }

    #[test]
    fn what_may_be_tried_again_frees_its_key() {
        let flights = Flights::new(9);
        let (seat, _permit) = new(flights.board(key("k"), [1; 32], Wish::Wait));
        flights.land(seat.flight(), Landed::Problem(Problem::closing("")), true);
        let _ = new(flights.board(key("k"), [2; 32], Wish::Wait));
    }

    #[test]
    fn memory_is_bounded() {
        let flights = Flights::new(9);
        for number in 0..3 * KEPT {
            let (seat, _permit) = new(flights.board(key(&number.to_string()), [1; 32], Wish::Wait));
            flights.land(seat.flight(), reply(""), number % 3 == 0);
        }
        let table = flights.table.lock().unwrap();
        assert!(table.by_id.len() <= KEPT && table.by_key.len() <= KEPT && table.ended.len() <= KEPT);
        drop(table);
        assert_eq!(flights.under_way(), 0);
    }
}
