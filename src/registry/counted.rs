//! A command's counters in the registry, before and after a run.

use serde_json::{Map, Value};

use guarda_core::policy::history::Learned;

use super::evolve;
use super::run::EndedRun;

/// Most times in `last_100_timestamps`.
const MOST_TIMES: usize = 100;

/// A command's row as `enter.sql` returns it.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Counted {
    policy: String,
    user_override: Option<String>,
    last_ms: Option<i64>,
    runs: u64,
    successes: u64,
    earned_runs: u64,
    earned_successes: u64,
    /// The times of the last runs, in Unix seconds, separated by `;`.
    stamps: Option<String>,
    /// A JSON map from exit status to count.
    exit_codes: String,
    /// The errors that occurred, as a JSON array.
    errors: String,
}

/// The counters after one more run.
pub(super) struct After {
    /// The input of the learned policy.
    pub record: evolve::CommandRecord,
    pub stamps: String,
    pub exit_codes: String,
    pub errors: String,
}

impl Counted {
    /// Counts this run.
    pub fn after(self, run: &EndedRun) -> After {
        let well = run.end.is_success();
        let earns = run.held_back.is_none() && !run.tainted;
        let mut times = evolve::stamps(self.stamps.as_deref().unwrap_or_default());
        times.push(run.at.as_second());
        times.drain(..times.len().saturating_sub(MOST_TIMES));

        let label = run.end.label();
        // Text that is not JSON was written by another program and is replaced.
        let mut exit_codes: Map<String, Value> = serde_json::from_str(&self.exit_codes).unwrap_or_default();
        let times_before = exit_codes.get(&label).and_then(Value::as_u64).unwrap_or_default();
        exit_codes.insert(label.clone(), times_before.saturating_add(1).into());
        let mut errors: Vec<String> = serde_json::from_str(&self.errors).unwrap_or_default();
        if !well && !errors.contains(&label) {
            errors.push(label);
        }

        #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 stay far below 2^52")]
        let gap_seconds =
            self.last_ms.map(|last| run.at.as_millisecond().saturating_sub(last).max(0) as f64 / 1000.0);
        After {
            record: evolve::CommandRecord {
                learned: Learned::named(&self.policy),
                runs: self.runs.saturating_add(1),
                successes: self.successes.saturating_add(well.into()),
                earned_runs: self.earned_runs.saturating_add(earns.into()),
                earned_successes: self.earned_successes.saturating_add((earns && well).into()),
                risk: run.risk,
                gap_seconds,
                mean_interval: evolve::mean_interval(&times),
                ended_well: well,
                may_earn: run.held_back.is_none(),
                tainted: run.tainted,
                allowed: run.allowed,
                word: self.user_override.is_some(),
            },
            stamps: times.iter().map(i64::to_string).collect::<Vec<_>>().join(";"),
            exit_codes: Value::from(exit_codes).to_string(),
            errors: Value::from(errors).to_string(),
        }
    }
}
