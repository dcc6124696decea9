//! When questions are not put: while prompts are muted, and after many refusals of one caller's questions. Such a caller
//! may be hoping for a tired yes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use guarda_core::gate::{NoAnswer, Says};

/// How long a refusal counts against the caller.
const MEMORY: Duration = Duration::from_secs(60);
/// The greatest number of callers kept. Beyond it, callers without a recent refusal are forgotten.
const MOST: usize = 256;

/// The muting and the refusals. Callers are distinguished by session; all requests without one count as one caller.
#[derive(Debug)]
pub(super) struct Calm {
    /// This many refusals within a minute end a caller's questions for that minute. 0 disables the limit.
    refusals: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    until: Option<Instant>,
    refused: HashMap<String, Vec<Instant>>,
}

impl Calm {
    pub(super) fn new(refusals: usize) -> Self {
        Self { refusals, inner: Mutex::default() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Mutes prompts for this long; `None` unmutes them.
    pub(super) fn silence(&self, time: Option<Duration>, now: Instant) {
        self.inner().until = time.map(|time| now + time);
    }

    /// How much longer prompts stay muted; `None` if they are not muted.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let left = self.inner().until?.saturating_duration_since(now);
        (!left.is_zero()).then_some(left)
    }

    /// Whether a question of this session may be put now.
    ///
    /// # Errors
    /// [`NoAnswer`]: how long to wait.
    pub(super) fn admit(&self, session: Option<&str>, now: Instant) -> Result<(), NoAnswer> {
        if let Some(left) = self.left(now) {
            return Err(NoAnswer::Muted { seconds: left.as_secs() + 1 });
        }
        if self.refusals == 0 {
            return Ok(());
        }
        let mut inner = self.inner();
        let Some(times) = inner.refused.get_mut(session.unwrap_or_default()) else { return Ok(()) };
        times.retain(|at| now.duration_since(*at) < MEMORY);
        match times.first() {
            Some(first) if times.len() >= self.refusals => {
                let wait = MEMORY.saturating_sub(now.duration_since(*first));
                Err(NoAnswer::Refused { times: times.len(), seconds: wait.as_secs() + 1 })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Counts the answer to a question of this session. A yes resets the count of refusals.
    pub(super) fn note(&self, session: Option<&str>, says: &Says, now: Instant) {
        let session = session.unwrap_or_default();
        let mut inner = self.inner();
        match says {
            Says::Yes { .. } | Says::Always { .. } => {
                inner.refused.remove(session);
            }
            Says::No { .. } | Says::Silence | Says::WrongCodes { .. } => {
                if inner.refused.len() >= MOST {
                    inner.refused.retain(|_, times| times.iter().any(|at| now.duration_since(*at) < MEMORY));
                }
                let times = inner.refused.entry(session.to_owned()).or_default();
                if times.len() < self.refusals {
                    times.push(now);
                }
            }
            Says::Change { .. } | Says::Withdrawn { .. } | Says::Unasked { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no() -> Says {
        Says::No { channel: "keys".to_owned(), reason: None }
    }

    #[test]
    fn a_caller_that_is_refused_again_and_again_is_not_heard_for_a_while() {
        let (calm, now) = (Calm::new(3), Instant::now());
        let second = Duration::from_secs(1);
        for (number, says) in [no(), Says::Silence, no()].into_iter().enumerate() {
            assert!(calm.admit(Some("a"), now).is_ok(), "{number}");
            calm.note(Some("a"), &says, now + second * u32::try_from(number).unwrap());
        }
        let why = calm.admit(Some("a"), now + second * 3).unwrap_err();
        assert_eq!(why, NoAnswer::Refused { times: 3, seconds: 58 });
        assert!(calm.admit(Some("b"), now + second * 3).is_ok(), "others are heard");
        assert!(calm.admit(None, now + second * 3).is_ok());
        assert!(calm.admit(Some("a"), now + MEMORY).is_ok(), "the first refusal is old by then");
    }

    #[test]
    fn a_yes_makes_up_for_refusals_and_a_withdrawal_is_none() {
        let (calm, now) = (Calm::new(2), Instant::now());
        calm.note(None, &no(), now);
        calm.note(None, &Says::Yes { channel: "keys".to_owned() }, now);
        calm.note(None, &no(), now);
        calm.note(None, &Says::Withdrawn { why: NoAnswer::Gone }, now);
        assert!(calm.admit(None, now).is_ok());
        calm.note(None, &no(), now);
        assert!(calm.admit(None, now).is_err());
        let never = Calm::new(0);
        for _ in 0..50 {
            never.note(None, &no(), now);
        }
        assert!(never.admit(None, now).is_ok());
    }

    #[test]
    fn silence_lasts_as_long_as_it_was_asked_for() {
        let (calm, now) = (Calm::new(0), Instant::now());
        calm.silence(Some(Duration::from_secs(60)), now);
        assert_eq!(calm.admit(None, now), Err(NoAnswer::Muted { seconds: 61 }));
        assert!(calm.admit(None, now + Duration::from_secs(60)).is_ok());
        calm.silence(None, now);
        assert!(calm.admit(None, now).is_ok() && calm.left(now).is_none());
    }

    #[test]
    fn many_callers_leave_little_behind() {
        let (calm, now) = (Calm::new(2), Instant::now());
        for number in 0..10_000 {
            calm.note(Some(&number.to_string()), &no(), now + Duration::from_secs(number));
        }
        assert!(calm.inner().refused.len() <= MOST + 1);
    }
}
