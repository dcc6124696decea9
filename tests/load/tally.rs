//! The results of the requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

/// How a request ended for its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// As it has to.
    Good,
    /// A stated limit: no room for another connection, or too many running actions.
    Limit,
}

#[derive(Debug, Default)]
pub struct Tally {
    /// By kind.
    ends: Mutex<BTreeMap<(&'static str, End), u64>>,
    /// Responses that their kind does not permit.
    pub wrong: Mutex<Vec<String>>,
    /// Microseconds, by phase and kind.
    times: Mutex<BTreeMap<(&'static str, &'static str), Vec<u64>>>,
    /// Audit ids of the responses in the session in which no caller disconnects.
    pub answered: Mutex<BTreeSet<String>>,
    /// Requests of that session without a response.
    pub unheard: Mutex<u64>,
}

impl Tally {
    pub fn end(&self, kind: &'static str, end: End) {
        *self.ends.lock().unwrap().entry((kind, end)).or_default() += 1;
    }

    pub fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }

    pub fn time(&self, phase: &'static str, kind: &'static str, time: Duration) {
        self.times.lock().unwrap().entry((phase, kind)).or_default().push(time.as_micros() as u64);
    }

    /// How many of this kind succeeded in this phase.
    pub fn count(&self, phase: &'static str, kind: &'static str) -> usize {
        self.times.lock().unwrap().get(&(phase, kind)).map_or(0, Vec::len)
    }

    /// How many of this kind ended as required.
    pub fn good(&self, kind: &'static str) -> u64 {
        self.ends.lock().unwrap().get(&(kind, End::Good)).copied().unwrap_or(0)
    }

    /// How many ended at a stated limit.
    pub fn limits(&self) -> u64 {
        self.ends
            .lock()
            .unwrap()
            .iter()
            .filter(|((_, end), _)| *end == End::Limit)
            .map(|(_, count)| count)
            .sum()
    }

    pub fn print(&self) {
        println!("requests by kind (as they have to end / at a stated limit)");
        let ends = self.ends.lock().unwrap();
        let kinds: BTreeSet<&str> = ends.keys().map(|(kind, _)| *kind).collect();
        for kind in kinds {
            let count =
                |end| ends.iter().find(|((k, e), _)| *k == kind && *e == end).map_or(0, |(_, count)| *count);
            println!("  {kind:<24} {:>8} / {}", count(End::Good), count(End::Limit));
        }
        println!("milliseconds: count, p50, p90, p99, most");
        for ((phase, kind), times) in &mut *self.times.lock().unwrap() {
            times.sort_unstable();
            let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize] as f64 / 1000.0;
            println!(
                "  {phase:<10} {kind:<16} {:>7} {:>9.2} {:>9.2} {:>9.2} {:>9.2}",
                times.len(),
                at(0.5),
                at(0.9),
                at(0.99),
                at(1.0)
            );
        }
    }
}
