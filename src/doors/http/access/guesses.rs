//! Delays responses after many wrong tokens. A valid token is never delayed, so an attacker cannot lock the owner out.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// This many wrong tokens within a [`WINDOW`] get an immediate response.
const MOST: u32 = 10;
/// The period over which wrong tokens are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// The delay of every further response.
pub(in crate::doors::http) const WAIT: Duration = Duration::from_secs(1);

/// The recent wrong tokens.
#[derive(Debug, Default)]
pub struct Guesses {
    /// When the current window began, and how many wrong tokens it has seen.
    window: Mutex<Option<(Instant, u32)>>,
}

impl Guesses {
    /// Counts a wrong token. Returns true if there were too many.
    pub(in crate::doors::http) fn too_many(&self, now: Instant) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let (begun, count) =
            window.filter(|(begun, _)| now.duration_since(*begun) < WINDOW).unwrap_or((now, 0));
        *window = Some((begun, count.saturating_add(1)));
        if count == MOST {
            tracing::warn!("more than {MOST} wrong tokens within a minute: somebody may be guessing");
        }
        count >= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_within_a_minute_is_too_many() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let tenth = (0..10).any(|_| guesses.too_many(now));
        assert!(!tenth);
        assert!(guesses.too_many(now + Duration::from_secs(59)));
        assert!(!guesses.too_many(now + WINDOW), "a new minute begins");
    }
}
