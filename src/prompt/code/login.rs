//! The code that lets a browser into the console. It is shown and spoken when a link is requested.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::prompt::code::{Admission, Code, NoProof, TRIES, Wrongs};

/// How long a code is valid.
const LIFE: Duration = Duration::from_secs(120);
/// The shortest interval between two displays of the same code.
const AGAIN: Duration = Duration::from_secs(10);

/// At most one code at a time.
#[derive(Debug, Default)]
pub(in crate::prompt) struct Logins(Mutex<Option<Login>>);

#[derive(Debug)]
struct Login {
    code: Arc<Code>,
    wrong: u8,
    begun: Instant,
    told: Instant,
}

/// The result of a request to open the console.
#[derive(Debug)]
pub(in crate::prompt) enum Step {
    /// It may be opened.
    In(Admission),
    /// The code must be shown or spoken first, and then entered.
    Tell(Arc<Code>),
    /// It is not opened.
    Out {
        why: NoProof,
        /// True after the last attempt.
        ended: bool,
    },
}

impl Logins {
    /// Checks the given code, or announces a code if none is given.
    pub(in crate::prompt) fn step(
        &self,
        given: Option<&str>,
        wrongs: &Wrongs,
        now: Instant,
    ) -> std::io::Result<Step> {
        let mut login = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let out = |why| Ok(Step::Out { why, ended: false });
        if wrongs.too_many(now) {
            return out(NoProof::Guessing);
        }
        let alive = login.as_mut().filter(|login| now.duration_since(login.begun) < LIFE);
        let Some(standing) = alive else {
            let code = Arc::new(Code::draw()?);
            *login = Some(Login { code: Arc::clone(&code), wrong: 0, begun: now, told: now });
            return Ok(Step::Tell(code));
        };
        let left = TRIES.saturating_sub(standing.wrong);
        match given {
            // After the last attempt, the next browser needs a new code.
            _ if left == 0 => out(NoProof::Wrong { left }),
            None if now.duration_since(standing.told) < AGAIN => out(NoProof::Required { left }),
            None => {
                standing.told = now;
                Ok(Step::Tell(Arc::clone(&standing.code)))
            }
            Some(given) if standing.code.is(given) => {
                *login = None;
                Ok(Step::In(Admission::new(true)))
            }
            Some(_) => {
                standing.wrong += 1;
                wrongs.note(now, "console");
                let left = left.saturating_sub(1);
                Ok(Step::Out { why: NoProof::Wrong { left }, ended: left == 0 })
            }
        }
    }

    /// How many attempts are left.
    pub(in crate::prompt) fn left(&self) -> u8 {
        let login = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        TRIES.saturating_sub(login.as_ref().map_or(0, |login| login.wrong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_opens_with_the_code_once_and_after_three_wrong_ones_not() {
        let (logins, wrongs, now) = (Logins::default(), Wrongs::default(), Instant::now());
        let step = |given: Option<&str>, seconds: u64| {
            logins.step(given, &wrongs, now + Duration::from_secs(seconds)).unwrap()
        };
        let Step::Tell(code) = step(None, 0) else { panic!("it is told") };
        assert!(
            matches!(step(None, 1), Step::Out { why: NoProof::Required { left: 3 }, .. }),
            "not again so soon"
        );
        assert!(matches!(step(None, 11), Step::Tell(again) if again.shown() == code.shown()));
        assert!(matches!(step(Some(&code.shown()), 12), Step::In(admission) if admission.coded()));
        let Step::Tell(other) = step(Some(&code.shown()), 13) else { panic!("it counts once") };
        let wrong = if other.is("0000") { "1111" } else { "0000" };
        for left in [2, 1, 0] {
            let said = step(Some(wrong), 14);
            assert!(
                matches!(said, Step::Out { why: NoProof::Wrong { left: l }, ended } if l == left && ended == (left == 0)),
                "{said:?}"
            );
        }
        assert!(matches!(step(Some(&other.shown()), 15), Step::Out { .. }), "the right one is too late");
        assert!(matches!(step(None, 16), Step::Out { .. }), "and no new one is drawn yet");
        assert!(matches!(step(None, 200), Step::Tell(_)));
    }
}
