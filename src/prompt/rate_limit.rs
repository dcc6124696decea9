//! When questions are not put: while prompts are muted, and after many refusals of one caller's questions. Such a caller
//! may be hoping for a tired yes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use guarda_core::gate::{NoAnswer, Says};

/// How long a refusal counts against the caller.
const MEMORY: Duration = Duration::from_secs(60);
/// How long no question is put after one was taken back.
const PAUSE: Duration = Duration::from_secs(2);
/// The greatest number of callers kept. Beyond it, callers without a recent refusal are forgotten.
const MOST: usize = 256;

/// The muting, the refusals, and when a question was last taken back. Callers are told apart by what the guard knows of them.
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
    /// When a question on screen was taken back.
    taken_back: Option<Instant>,
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

    /// How long the next question waits: a key that was meant for the one before must not meet it.
    pub(super) fn pause(&self, now: Instant) -> Duration {
        let since = self.inner().taken_back.map(|at| now.duration_since(at));
        since.map_or(Duration::ZERO, |since| PAUSE.saturating_sub(since))
    }

    /// Notes that a question on screen was taken back.
    pub(super) fn took_back(&self, now: Instant) {
        self.inner().taken_back = Some(now);
    }

    /// Whether a question of this caller may be put now.
    ///
    /// # Errors
    /// [`NoAnswer`]: how long to wait.
    pub(super) fn admit(&self, caller: &str, now: Instant) -> Result<(), NoAnswer> {
        if let Some(left) = self.left(now) {
            return Err(NoAnswer::Muted { seconds: left.as_secs() + 1 });
        }
        if self.refusals == 0 {
            return Ok(());
        }
        let mut inner = self.inner();
        let Some(times) = inner.refused.get_mut(caller) else { return Ok(()) };
        times.retain(|at| now.duration_since(*at) < MEMORY);
        match times.first() {
            Some(first) if times.len() >= self.refusals => {
                let wait = MEMORY.saturating_sub(now.duration_since(*first));
                Err(NoAnswer::Refused { times: times.len(), seconds: wait.as_secs() + 1 })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Counts the answer to a question of this caller. A yes resets the count of refusals; a question that its caller takes back counts as
    /// one.
    pub(super) fn note(&self, caller: &str, says: &Says, now: Instant) {
        let mut inner = self.inner();
        match says {
            Says::Yes { .. } | Says::Lasting { .. } => {
                inner.refused.remove(caller);
            }
            Says::No { .. }
            | Says::Silence
            | Says::WrongCodes { .. }
            | Says::Withdrawn { why: NoAnswer::Gone | NoAnswer::CalledOff } => {
                if inner.refused.len() >= MOST {
                    inner.refused.retain(|_, times| times.iter().any(|at| now.duration_since(*at) < MEMORY));
                }
                // The last ones decide: one that comes while the limit is reached counts for its own minute.
                let times = inner.refused.entry(caller.to_owned()).or_default();
                times.push(now);
                if times.len() > self.refusals {
                    times.remove(0);
                }
            }
            Says::Change { .. } | Says::Withdrawn { .. } | Says::Unasked { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn no() -> Says {
        Says::No { channel: "keys".to_owned(), reason: None }
    }

    #[test]
    fn a_caller_that_is_refused_again_and_again_is_not_heard_for_a_while() {
        let (calm, now) = (Calm::new(3), Instant::now());
        let second = Duration::from_secs(1);
        for (number, says) in [no(), Says::Silence, no()].into_iter().enumerate() {
            assert!(calm.admit("a", now).is_ok(), "{number}");
            calm.note("a", &says, now + second * u32::try_from(number).unwrap());
        }
        let why = calm.admit("a", now + second * 3).unwrap_err();
        assert_eq!(why, NoAnswer::Refused { times: 3, seconds: 58 });
        assert!(calm.admit("b", now + second * 3).is_ok(), "others are heard");
        assert!(calm.admit("x", now + second * 3).is_ok());
        assert!(calm.admit("a", now + MEMORY).is_ok(), "the first refusal is old by then");
    }

    #[test]
    fn a_yes_makes_up_for_refusals_and_what_is_taken_back_is_one() {
        let (calm, now) = (Calm::new(2), Instant::now());
        calm.note("x", &no(), now);
        calm.note("x", &Says::Yes { channel: "keys".to_owned() }, now);
        calm.note("x", &no(), now);
        calm.note("x", &Says::Withdrawn { why: NoAnswer::Closing }, now);
        assert!(calm.admit("x", now).is_ok());
        calm.note("x", &Says::Withdrawn { why: NoAnswer::Gone }, now);
        assert!(calm.admit("x", now).is_err());
        let never = Calm::new(0);
        for _ in 0..50 {
            never.note("x", &no(), now);
        }
        assert!(never.admit("x", now).is_ok());
    }

    #[test]
    fn a_refusal_of_a_question_that_was_put_before_counts_for_its_own_minute() {
        let (calm, now) = (Calm::new(1), Instant::now());
        for second in [0, 59] {
            calm.note("x", &no(), now + Duration::from_secs(second));
        }
        assert!(calm.admit("x", now + Duration::from_secs(61)).is_err());
        assert!(calm.admit("x", now + Duration::from_secs(119)).is_ok());
    }

    /// What becomes of a question, and whether that is a refusal; `None`: neither a refusal nor a yes.
    fn end() -> impl Strategy<Value = (Says, Option<bool>)> {
        let channel = || "keys".to_owned();
        let withdrawn = |why| Says::Withdrawn { why };
        prop::sample::select(vec![
            (no(), Some(true)),
            (Says::Silence, Some(true)),
            (withdrawn(NoAnswer::Gone), Some(true)),
            (withdrawn(NoAnswer::CalledOff), Some(true)),
            (withdrawn(NoAnswer::Closing), None),
            (Says::Yes { channel: channel() }, Some(false)),
            (Says::Unasked { why: NoAnswer::Closing }, None),
        ])
    }

    proptest! {
        /// A caller is heard if and only if it was refused fewer times within the last minute, since its last yes.
        #[test]
        fn no_order_of_refusals_and_withdrawals_evades_the_limit(
            limit in 0_usize..4,
            steps in prop::collection::vec((0_usize..3, 0_u64..70, prop::option::of(end())), 1..60),
        ) {
            let (calm, began) = (Calm::new(limit), Instant::now());
            let (mut clock, mut refused) = (0, Vec::new());
            for (caller, wait, end) in steps {
                // Half of the time several happen at once.
                clock += wait.saturating_sub(35);
                let now = began + Duration::from_secs(clock);
                let name = ["a", "b", "container c"][caller];
                match end {
                    Some((says, counts)) => {
                        calm.note(name, &says, now);
                        match counts {
                            Some(true) => refused.push((caller, clock)),
                            Some(false) => refused.retain(|(other, _)| *other != caller),
                            None => {}
                        }
                    }
                    None => {
                        let recent = refused.iter().filter(|(other, at)| *other == caller && clock - at < 60);
                        let heard = limit == 0 || recent.count() < limit;
                        prop_assert_eq!(calm.admit(name, now).is_ok(), heard, "{} at {}: {:?}", name, clock, refused);
                    }
                }
            }
        }
    }

    #[test]
    fn after_a_question_that_was_taken_back_the_next_one_waits() {
        let (calm, now) = (Calm::new(2), Instant::now());
        assert_eq!(calm.pause(now), Duration::ZERO);
        calm.took_back(now);
        assert_eq!(calm.pause(now + PAUSE / 4), PAUSE * 3 / 4);
        assert_eq!(calm.pause(now + PAUSE), Duration::ZERO);
    }

    #[test]
    fn silence_lasts_as_long_as_it_was_asked_for() {
        let (calm, now) = (Calm::new(0), Instant::now());
        calm.silence(Some(Duration::from_secs(60)), now);
        assert_eq!(calm.admit("x", now), Err(NoAnswer::Muted { seconds: 61 }));
        assert!(calm.admit("x", now + Duration::from_secs(60)).is_ok());
        calm.silence(None, now);
        assert!(calm.admit("x", now).is_ok() && calm.left(now).is_none());
    }

    #[test]
    fn many_callers_leave_little_behind() {
        let (calm, now) = (Calm::new(2), Instant::now());
        for number in 0..10_000 {
            calm.note(&number.to_string(), &no(), now + Duration::from_secs(number));
        }
        assert!(calm.inner().refused.len() <= MOST + 1);
    }
}
