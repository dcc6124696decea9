//! A circuit breaker: a model that fails is not used for a while, so that commands do not wait for it one after the
//! other. Until then a person is asked.

use std::time::{Duration, Instant};

use super::unusable::Unusable;

/// The recent results of a model.
#[derive(Debug)]
pub(super) struct Circuit {
    most: u64,
    pause: Duration,
    failures: u64,
    until: Option<Instant>,
    last: Option<Unusable>,
}

impl Circuit {
    /// Opens after `most` failures in a row, for `pause`.
    pub(super) fn new(most: u64, pause: Duration) -> Self {
        Self { most, pause, failures: 0, until: None, last: None }
    }

    /// Whether the model may be asked.
    ///
    /// # Errors
    /// [`Unusable::Paused`]: the rest of the pause, and its cause.
    pub(super) fn admits(&self, now: Instant) -> Result<(), Unusable> {
        let left = self.until.and_then(|until| until.checked_duration_since(now));
        match (left.filter(|left| !left.is_zero()), &self.last) {
            (Some(left), Some(why)) => {
                Err(Unusable::Paused { seconds: left.as_secs().max(1), why: Box::new(why.clone()) })
            }
            _ => Ok(()),
        }
    }

    /// Notes a usable answer.
    pub(super) fn good(&mut self) {
        (self.failures, self.until, self.last) = (0, None, None);
    }

    /// Notes a failure or an unusable answer. After a pause, one failure begins the next pause.
    pub(super) fn bad(&mut self, why: &Unusable, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.last = Some(why.clone());
        if self.failures >= self.most {
            self.until = now.checked_add(self.pause);
        }
    }

    /// The cause of the last failure; `None` if the last attempt succeeded, or there was none.
    pub(super) fn trouble(&self) -> Option<&Unusable> {
        self.last.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_breaks_and_heals() {
        let mut circuit = Circuit::new(2, Duration::from_secs(60));
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        circuit.bad(&Unusable::NoText, at(0));
        assert!(circuit.admits(at(0)).is_ok(), "one is no series");
        circuit.good();
        circuit.bad(&Unusable::NoText, at(0));
        assert!(circuit.admits(at(0)).is_ok(), "an answer in between begins anew");
        circuit.bad(&Unusable::NoScore, at(1));
        assert!(
            circuit
                .admits(at(1))
                .unwrap_err()
                .to_string()
                .contains("60 s more, since its answer is no score")
        );
        assert!(circuit.admits(at(60)).is_err() && circuit.admits(at(61)).is_ok());
        circuit.bad(&Unusable::CutOff, at(61));
        assert!(circuit.admits(at(100)).is_err(), "still broken: left alone at once");
        circuit.good();
        assert!(circuit.admits(at(100)).is_ok() && circuit.trouble().is_none());
    }
}
