//! The registry's store: its queries and updates, over the [`Driver`] of a database.

use serde::de::DeserializeOwned;
use serde_json::Value;

use guarda_core::policy::Hindrance;
use guarda_core::policy::history::{Learned, Override, OverrideKind};

use super::counted::Counted;
use super::driver::{Driver, StoreError};
use super::evolve::{self, PolicyChange, Thresholds};
use super::identity::Identity;
use super::lookups::Lookups;
use super::rows::{COLUMNS, Here, KnownCommand, Row, RowQuery, Totals};
use super::run::{EndedRun, RunEnd};

/// Rows that [`Store::each`] reads at a time. This bounds the memory and time of one answer, even with a
/// million rows.
const PIECE: u16 = 2000;

/// A store of commands and their runs. Its methods block; all calls come from one thread.
pub struct Store {
    driver: Box<dyn Driver>,
    lookups: Lookups,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Store").finish_non_exhaustive()
    }
}

/// A row of `look.sql`. Only the row of the command itself has a policy.
#[derive(serde::Deserialize)]
struct Looked {
    kind: Option<String>,
    reason: Option<String>,
    by: Option<String>,
    policy: Option<String>,
    runs: Option<u64>,
    successes: Option<u64>,
    last_ms: Option<i64>,
    duplicate_ms: Option<u64>,
    duplicates_count: Option<i64>,
}

impl Store {
    pub(super) fn new(driver: impl Driver + 'static) -> Self {
        Self { driver: Box::new(driver), lookups: Lookups::default() }
    }

    /// The entry of a command.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn look(&mut self, identity: &Identity) -> Result<KnownCommand, StoreError> {
        let Some(version) = self.driver.version()? else { return self.look_up(identity) };
        if let Some(known) = self.lookups.get(version, identity) {
            return Ok(known);
        }
        let known = self.look_up(identity)?;
        self.lookups.put(identity, &known);
        Ok(known)
    }

    pub(super) fn look_up(&mut self, identity: &Identity) -> Result<KnownCommand, StoreError> {
        let values = [identity.command_hash.as_str().into(), identity.argv_hash.as_str().into()];
        let mut known = KnownCommand::default();
        for found in rows::<Looked>(&mut *self.driver, include_str!("statements/look.sql"), &values)? {
            let (reason, by) = (found.reason, found.by);
            let user_override =
                found.kind.map(|kind| Override { kind: OverrideKind::named(&kind), reason, by });
            match found.policy {
                None => known.anywhere = stricter(known.anywhere, user_override),
                Some(policy) => {
                    known.here = Some(Here {
                        learned: Learned::named(&policy),
                        user_override,
                        runs: found.runs.unwrap_or_default(),
                        successes: found.successes.unwrap_or_default(),
                        last_ms: found.last_ms,
                        duplicate_ms: found.duplicate_ms.filter(|_| found.duplicates_count != Some(0)),
                    });
                }
            }
        }
        Ok(known)
    }

    /// Counts a run and updates the policy, in one transaction. The returned change is on disk.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was counted.
    pub fn note(&mut self, run: &EndedRun, thresholds: &Thresholds) -> Result<PolicyChange, StoreError> {
        self.lookups.forget(&run.identity.command_hash);
        self.change(|driver| {
            let counted = enter(driver, &run.identity, run.at)?.after(run);
            let outcome = evolve::evolve(&counted.record, thresholds);
            driver.run(include_str!("statements/count.sql"), &count(run, &counted, &outcome))?;
            Ok(outcome)
        })
    }

    /// Sets or removes a person's override; the command need not have run.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was stored.
    pub fn say(
        &mut self,
        identity: &Identity,
        said: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<(), StoreError> {
        self.lookups.clear();
        self.change(|driver| {
            enter(driver, identity, at)?;
            set_override(driver, &identity.command_hash, said, at).map(drop)
        })
    }

    /// Sets or removes the override of a registered command by its hash. False if there is no such command.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was stored.
    pub fn say_of(
        &mut self,
        hash: &str,
        said: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<bool, StoreError> {
        self.lookups.clear();
        set_override(&mut *self.driver, hash, said, at)
    }

    /// Forgets a command's override and learned policy. False if there is no such command.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was forgotten.
    pub fn forget(&mut self, hash: &str) -> Result<bool, StoreError> {
        self.lookups.clear();
        Ok(self.driver.run("DELETE FROM commands_registry WHERE command_hash = ?1", &[hash.into()])? > 0)
    }

    /// Rows for display, in the requested order and number.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn list(&mut self, wanted: &RowQuery) -> Result<Vec<Row>, StoreError> {
        let (condition, value, order) = wanted.which.sql();
        let most = if wanted.most == 0 { String::new() } else { format!("LIMIT {}", wanted.most) };
        let statement =
            format!("SELECT {COLUMNS} FROM commands_registry WHERE {condition} ORDER BY {order} {most}");
        let value = value.map(Value::from);
        rows(&mut *self.driver, &statement, value.as_slice())
    }

    /// Passes every row to `take`, in the order of the hashes. `take` returns whether to continue.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn each(&mut self, take: &mut dyn FnMut(Row) -> bool) -> Result<(), StoreError> {
        let statement = format!(
            "SELECT {COLUMNS} FROM commands_registry WHERE command_hash > ?1 ORDER BY command_hash LIMIT {PIECE}"
        );
        let mut after = String::new();
        loop {
            let piece = rows::<Row>(&mut *self.driver, &statement, &[after.as_str().into()])?;
            let Some(last) = piece.last() else { return Ok(()) };
            after.clone_from(&last.command_hash);
            for row in piece {
                if !take(row) {
                    return Ok(());
                }
            }
        }
    }

    /// Totals over everything.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn totals(&mut self) -> Result<Totals, StoreError> {
        Ok(first(&mut *self.driver, include_str!("statements/totals.sql"), &[])?.unwrap_or_default())
    }

    /// Revokes promotions that were not used for too long. Returns how many.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn tidy(&mut self, now: jiff::Timestamp, thresholds: &Thresholds) -> Result<u64, StoreError> {
        self.lookups.clear();
        let oldest = oldest_use(now, thresholds);
        self.change(|driver| {
            driver.run(
                "UPDATE commands_registry
                 SET current_policy = 'ask', policy_reason = ?3, policy_last_updated = ?2, updated_at = ?2,
                     promoted_at = NULL, earned_runs = 0, earned_successes = 0
                 WHERE current_policy = 'auto_approve' AND COALESCE(last_executed, 0) < ?1",
                &[oldest.into(), now.as_second().into(), evolve::ChangeReason::Unused.text().into()],
            )
        })
    }

    /// The anchor of the record signed with this key, if there is one.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn anchor(&mut self, key: &str) -> Result<Option<String>, StoreError> {
        let statement = "SELECT value FROM schema_metadata WHERE key = ?1";
        let anchor = first::<(String,)>(&mut *self.driver, statement, &[anchor_key(key)])?;
        Ok(anchor.map(|(anchor,)| anchor))
    }

    /// Stores the anchor of the record signed with this key.
    ///
    /// # Errors
    /// [`StoreError`]: the previous anchor remains.
    pub fn keep_anchor(&mut self, key: &str, anchor: &str) -> Result<(), StoreError> {
        let statement = "INSERT INTO schema_metadata (key, value) VALUES (?1, ?2)
                         ON CONFLICT (key) DO UPDATE SET value = ?2";
        self.driver.run(statement, &[anchor_key(key), anchor.into()]).map(drop)
    }

    /// Removes every command and override; the record's anchor stays. Returns how many commands there
    /// were.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn clear(&mut self) -> Result<u64, StoreError> {
        self.lookups.clear();
        let commands = self.change(|driver| driver.run("DELETE FROM commands_registry", &[]))?;
        self.driver.compact()?;
        Ok(commands)
    }

    /// One transaction: all of the work, or none.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Driver) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.driver.begin()?;
        let done = work(&mut *self.driver).and_then(|done| self.driver.commit().map(|()| done));
        match done {
            // A lost connection takes its transaction with it.
            Err(error) if !matches!(error, StoreError::Unreachable(_)) => {
                self.driver.roll_back()?;
                Err(error)
            }
            done => done,
        }
    }
}

/// The rows of a statement, each read in the order of its columns.
fn rows<T: DeserializeOwned>(
    driver: &mut dyn Driver,
    statement: &str,
    values: &[Value],
) -> Result<Vec<T>, StoreError> {
    let rows = driver.rows(statement, values)?.into_iter().map(serde_json::from_value);
    rows.collect::<Result<_, _>>().map_err(|error| StoreError::Other(error.to_string()))
}

fn first<T: DeserializeOwned>(
    driver: &mut dyn Driver,
    statement: &str,
    values: &[Value],
) -> Result<Option<T>, StoreError> {
    Ok(rows(driver, statement, values)?.into_iter().next())
}

/// A command's counters. Its row exists afterwards, and is locked until the transaction ends.
fn enter(driver: &mut dyn Driver, identity: &Identity, at: jiff::Timestamp) -> Result<Counted, StoreError> {
    let values = [
        identity.command_hash.as_str().into(),
        identity.text.as_str().into(),
        identity.argv_hash.as_str().into(),
        identity.folder.as_str().into(),
        identity.profile.as_str().into(),
        identity.program_digest.as_str().into(),
        at.as_second().into(),
    ];
    let counted = first(driver, include_str!("statements/enter.sql"), &values)?;
    counted.ok_or_else(|| StoreError::Other("the command was not entered".to_owned()))
}

/// The values of `count.sql`.
fn count(run: &EndedRun, counted: &super::counted::After, outcome: &PolicyChange) -> [Value; 19] {
    let flag = |holds: bool| Value::from(i64::from(holds));
    let earned = |count: u64| Value::from(if outcome.starts_over { 0 } else { count });
    [
        run.identity.command_hash.as_str().into(),
        run.at.as_second().into(),
        run.at.as_millisecond().into(),
        flag(run.end.is_success()),
        flag(run.end == RunEnd::TimedOut),
        flag(matches!(run.end, RunEnd::Signal(_))),
        i64::try_from(run.duration.as_millis()).unwrap_or(i64::MAX).into(),
        run.risk.clamp(0.0, 1.0).into(),
        Value::from(run.tags.as_slice()).to_string().into(),
        counted.stamps.as_str().into(),
        counted.exit_codes.as_str().into(),
        counted.errors.as_str().into(),
        earned(counted.record.earned_runs),
        earned(counted.record.earned_successes),
        run.held_back.or(run.tainted.then_some(Hindrance::Tainted)).map(|why| why.to_string()).into(),
        outcome.learned.name().into(),
        outcome.reason.map(evolve::ChangeReason::text).into(),
        flag(outcome.duplicate_ms.is_some()),
        threshold(outcome).into(),
    ]
}

fn set_override(
    driver: &mut dyn Driver,
    hash: &str,
    said: Option<&Override>,
    at: jiff::Timestamp,
) -> Result<bool, StoreError> {
    let values = [
        hash.into(),
        said.map(|said| said.kind.name()).into(),
        said.and_then(|said| said.reason.as_deref()).into(),
        said.and_then(|said| said.by.as_deref()).into(),
        at.as_second().into(),
    ];
    Ok(driver.run(include_str!("statements/override.sql"), &values)? > 0)
}

/// An anchor's key in the table `schema_metadata`.
fn anchor_key(key: &str) -> Value {
    format!("anchor:{key}").into()
}

/// The stricter of two overrides.
#[must_use]
pub fn stricter(one: Option<Override>, other: Option<Override>) -> Option<Override> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.kind > one.kind { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// The Unix second before which a last run was too long ago to keep a promotion.
fn oldest_use(now: jiff::Timestamp, thresholds: &Thresholds) -> i64 {
    let most = i64::try_from(thresholds.unused_days.saturating_mul(86_400)).unwrap_or(i64::MAX);
    now.as_second().saturating_sub(most)
}

/// The stored milliseconds: zero if duplicates are ignored (feature B7).
fn threshold(change: &PolicyChange) -> i64 {
    change.duplicate_ms.map_or(0, |ms| i64::try_from(ms).unwrap_or(i64::MAX))
}
