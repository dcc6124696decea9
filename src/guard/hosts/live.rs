//! The running commands that have a network of their own, and their traffic.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use guarda_sandbox::relay::LiveTraffic;

use guarda_journal::RunLines;
use guarda_journal::traffic::RunTraffic;

/// The running commands that have a network of their own.
#[derive(Debug, Default)]
pub(in crate::guard) struct LiveRuns(Mutex<(u64, BTreeMap<u64, Live>)>);

#[derive(Debug)]
struct Live {
    lines: RunLines,
    since: jiff::Timestamp,
    traffic: Vec<LiveTraffic>,
}

/// A run that counts as live until this is dropped.
#[derive(Debug)]
pub(in crate::guard) struct Entered {
    all: Arc<LiveRuns>,
    number: u64,
    lines: RunLines,
}

impl LiveRuns {
    fn inner(&self) -> std::sync::MutexGuard<'_, (u64, BTreeMap<u64, Live>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a run that may get a network.
    pub(in crate::guard) fn enter(all: &Arc<Self>, lines: &RunLines) -> Entered {
        let (next, _) = &mut *all.inner();
        *next = next.wrapping_add(1);
        Entered { all: Arc::clone(all), number: *next, lines: lines.clone() }
    }

    /// The runs, oldest first.
    pub(in crate::guard) fn now(&self) -> Vec<RunTraffic> {
        let run = |live: &Live| RunTraffic {
            audit_id: live.lines.audit_id(),
            session: live.lines.session().to_owned(),
            command: live.lines.command().to_owned(),
            caller: live.lines.caller().to_owned(),
            at: live.since.to_string(),
            running: true,
            hosts: live.traffic.iter().flat_map(LiveTraffic::now).collect(),
            whole_network: Vec::new(),
        };
        self.inner().1.values().map(run).collect()
    }
}

impl Entered {
    /// Adds a network of the run.
    pub(in crate::guard) fn begun(&self, traffic: LiveTraffic) {
        let (_, runs) = &mut *self.all.inner();
        let new = || Live { lines: self.lines.clone(), since: jiff::Timestamp::now(), traffic: Vec::new() };
        runs.entry(self.number).or_insert_with(new).traffic.push(traffic);
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.all.inner().1.remove(&self.number);
    }
}
