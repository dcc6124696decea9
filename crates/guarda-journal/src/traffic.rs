//! The network traffic of each run, from the record.

use std::path::Path;

use serde::{Deserialize, Serialize};

use guarda_core::output::traffic::HostTraffic;

use super::line::RecordEvent;
use super::read::{Filter, each};
use super::trouble::RecordError;

/// The network traffic of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTraffic {
    /// Its number in the record; empty if its intent is not recorded.
    pub audit_id: String,
    /// The session.
    pub session: String,
    /// The command, secrets hidden.
    pub command: String,
    /// The caller as the door knows it.
    pub caller: String,
    /// When the run ended; for one that is running, when its network began. RFC 3339, UTC.
    pub at: String,
    /// Whether it is still running.
    pub running: bool,
    /// The hosts.
    pub hosts: Vec<HostTraffic>,
    /// The programs that had the whole network. Their traffic is not counted.
    pub whole_network: Vec<String>,
}

impl RunTraffic {
    /// Keeps the hosts whose names contain this text; `None` if none is left.
    #[must_use]
    pub fn about(mut self, host: &str) -> Option<Self> {
        self.hosts.retain(|traffic| traffic.host.to_string().contains(host));
        (!self.hosts.is_empty()).then_some(self)
    }
}

/// The last `count` runs with network traffic that the filter selects, newest first. With `host`, only hosts whose
/// names contain this text.
///
/// # Errors
/// If the record cannot be read.
pub fn traffic(
    folder: &Path,
    filter: &Filter,
    host: Option<&str>,
    count: usize,
) -> Result<Vec<RunTraffic>, RecordError> {
    let filter = Filter { events: vec![RecordEvent::Outcome], ..filter.clone() };
    let mut runs: Vec<RunTraffic> = Vec::new();
    each(folder, &filter, |line| {
        let facts = line.facts;
        let run = RunTraffic {
            audit_id: line.place.audit_id,
            session: line.place.session_id,
            command: facts.modified_command.unwrap_or(facts.command),
            caller: facts.caller,
            at: line.place.timestamp,
            running: false,
            hosts: facts.traffic,
            whole_network: facts.whole_network,
        };
        let run = match host {
            Some(host) => run.about(host),
            None => Some(run).filter(|run| !run.hosts.is_empty() || !run.whole_network.is_empty()),
        };
        runs.extend(run);
        // Sessions are read one after the other, so outdated runs are dropped from time to time.
        if runs.len() > count.saturating_mul(2) {
            newest(&mut runs, count);
        }
        Ok(())
    })?;
    newest(&mut runs, count);
    Ok(runs)
}

fn newest(runs: &mut Vec<RunTraffic>, count: usize) {
    runs.sort_by(|a, b| b.at.cmp(&a.at));
    runs.truncate(count);
}
