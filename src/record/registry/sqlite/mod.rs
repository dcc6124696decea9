//! The registry in a file of SQLite: `command_security.db` in the guard's folder, as feature B1 has it.

mod lately;
mod place;
mod rows;
mod salvage;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, named_params, params};

use super::evolve::{self, Change, Thresholds};
use super::identity::Identity;
use super::run::{End, Run};
use super::store::{
    Here, Known, Row, Store, StoreError, TokenRow, Totals, Wanted, anchor_key, stricter, word,
};
use guarda_core::policy::history::{Learned, Override};

pub use place::{FILE, quarantine};
pub use salvage::salvage;

/// The steps from one version of the schema to the next; `user_version` counts those that were made. The first makes
/// the seed's own table, or finds it there.
const STEPS: [&str; 2] = [include_str!("seed.sql"), include_str!("own.sql")];

/// How long to wait before a file that is being made is opened again.
const BREATH: Duration = Duration::from_millis(5);

/// The registry in a file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
    file: place::File,
    lately: lately::Lately,
}

/// How a file is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteOptions {
    /// The file; its folder is made where it is missing.
    pub path: PathBuf,
    /// How long to wait for another program that writes.
    pub patience: Duration,
}

impl SqliteOptions {
    /// `command_security.db` in this folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join(FILE), patience: Duration::from_secs(2) }
    }
}

impl Sqlite {
    /// Opens the file, or makes it, and brings its schema up to date.
    ///
    /// # Errors
    /// [`StoreError`]: it is no database of ours, another user's, damaged, locked, or of a newer version.
    pub fn open(options: &SqliteOptions) -> Result<Self, StoreError> {
        let until = Instant::now() + options.patience;
        loop {
            match Self::try_to_open(options) {
                // Two that make the file at the same time stand in each other's way, and SQLite waits for neither.
                Err(StoreError::Locked) if Instant::now() < until => std::thread::sleep(BREATH),
                opened => return opened,
            }
        }
    }

    fn try_to_open(options: &SqliteOptions) -> Result<Self, StoreError> {
        let (path, file) = place::make(&options.path)?;
        let connection = Connection::open_with_flags(
            &path,
            rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        connection.busy_timeout(options.patience)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
        // FULL: what was acknowledged is on disk, also after a power cut. The seed's NORMAL may lose the last runs.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "cache_size", -4096)?;
        connection.set_prepared_statement_cache_capacity(64);
        // Otherwise a query is planned again for every value that it is asked with, which takes longer than the answer.
        connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let mut store = Self { connection, path, file, lately: lately::Lately::default() };
        store.migrate()?;
        Ok(store)
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
        if version(&self.connection)? == known {
            return Ok(());
        }
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again: another program may have migrated it meanwhile.
        let found = version(&change)?;
        if found > known {
            return Err(StoreError::Newer { found, known });
        }
        for step in STEPS.iter().skip(usize::try_from(found).unwrap_or_default()) {
            change.execute_batch(step)?;
        }
        change.pragma_update(None, "user_version", known)?;
        change.commit()?;
        Ok(())
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn change(&mut self) -> Result<Transaction<'_>, StoreError> {
        self.lately.clear();
        self.begin()
    }

    /// The same where one command alone will change.
    fn change_of(&mut self, command_hash: &str) -> Result<Transaction<'_>, StoreError> {
        self.lately.forget(command_hash);
        self.begin()
    }

    fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        self.file.still(&self.path)?;
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    fn reading(&mut self) -> Result<&mut Connection, StoreError> {
        self.file.still(&self.path)?;
        Ok(&mut self.connection)
    }
}

impl Store for Sqlite {
    fn look(&mut self, identity: &Identity) -> Result<Known, StoreError> {
        let reading = self.reading()?;
        let version = reading.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if let Some(known) = self.lately.get(version, identity) {
            return Ok(known);
        }
        let known = known(&self.connection, identity)?;
        self.lately.put(identity, &known);
        Ok(known)
    }

    fn note(&mut self, run: &Run, thresholds: &Thresholds) -> Result<Change, StoreError> {
        let change = self.change_of(&run.identity.command_hash)?;
        let before = last_run(&change, &run.identity.command_hash)?;
        count(&change, run, thresholds)?;
        let outcome = evolve::evolve(&record(&change, run, before)?, thresholds);
        write_policy(&change, run, &outcome)?;
        change.commit()?;
        Ok(outcome)
    }

    fn say(
        &mut self,
        identity: &Identity,
        said: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<(), StoreError> {
        let change = self.change()?;
        change
            .prepare_cached(
                "INSERT INTO commands_registry (command_hash, command_text, argv_hash, folder, profile,
                     program_digest, first_seen, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7)
                 ON CONFLICT (command_hash) DO NOTHING",
            )?
            .execute(params![
                identity.command_hash,
                identity.text,
                identity.argv_hash,
                identity.folder,
                identity.profile,
                identity.program_digest,
                at.as_second(),
            ])?;
        set_word(&change, &identity.command_hash, said, at)?;
        Ok(change.commit()?)
    }

    fn say_of(
        &mut self,
        hash: &str,
        said: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<bool, StoreError> {
        let change = self.change()?;
        let found = set_word(&change, hash, said, at)?;
        change.commit()?;
        Ok(found)
    }

    fn forget(&mut self, hash: &str) -> Result<bool, StoreError> {
        let change = self.change()?;
        let found = change.execute("DELETE FROM commands_registry WHERE command_hash = ?1", [hash])?;
        change.commit()?;
        Ok(found > 0)
    }

    fn list(&mut self, wanted: &Wanted) -> Result<Vec<Row>, StoreError> {
        rows::list(self.reading()?, wanted)
    }

    fn each(&mut self, take: &mut dyn FnMut(Row) -> bool) -> Result<(), StoreError> {
        rows::each(self.reading()?, take)
    }

    fn totals(&mut self) -> Result<Totals, StoreError> {
        rows::totals(self.reading()?)
    }

    fn keep_token(&mut self, token: &TokenRow, now: jiff::Timestamp) -> Result<(), StoreError> {
        let change = self.change()?;
        change.execute("DELETE FROM force_tokens WHERE expires_ms <= ?1", [now.as_millisecond()])?;
        change.execute(
            "INSERT INTO force_tokens (token_hash, command_hash, issued_by, issued_ms, expires_ms)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                token.token_hash,
                token.command_hash,
                token.by,
                token.at.as_millisecond(),
                token.until.as_millisecond(),
            ],
        )?;
        Ok(change.commit()?)
    }

    fn spend_token(
        &mut self,
        token_hash: &str,
        command_hash: &str,
        now: jiff::Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let change = self.change()?;
        let by = change
            .query_row(
                "UPDATE force_tokens SET spent_ms = ?3
                 WHERE token_hash = ?1 AND command_hash = ?2 AND spent_ms IS NULL
                       AND issued_ms <= ?3 AND expires_ms > ?3
                 RETURNING issued_by",
                params![token_hash, command_hash, now.as_millisecond()],
                |row| row.get(0),
            )
            .optional()?;
        change.commit()?;
        Ok(by)
    }

    fn tidy(&mut self, now: jiff::Timestamp, thresholds: &Thresholds) -> Result<u64, StoreError> {
        let oldest = super::oldest_use(now, thresholds);
        let change = self.change()?;
        let fallen = change.execute(
            "UPDATE commands_registry
             SET current_policy = 'ask', policy_reason = ?3, policy_last_updated = ?2, updated_at = ?2,
                 promoted_at = NULL, earned_runs = 0, earned_successes = 0
             WHERE current_policy = 'auto_approve' AND COALESCE(last_executed, 0) < ?1",
            params![oldest, now.as_second(), evolve::Reason::Unused.text()],
        )?;
        change.execute("DELETE FROM force_tokens WHERE expires_ms <= ?1", [now.as_millisecond()])?;
        change.commit()?;
        Ok(u64::try_from(fallen).unwrap_or_default())
    }

    fn anchor(&mut self, key: &str) -> Result<Option<String>, StoreError> {
        let reading = self.reading()?;
        let mut select = reading.prepare_cached("SELECT value FROM schema_metadata WHERE key = ?1")?;
        Ok(select.query_row([anchor_key(key)], |row| row.get(0)).optional()?)
    }

    fn keep_anchor(&mut self, key: &str, anchor: &str) -> Result<(), StoreError> {
        let change = self.begin()?;
        change
            .prepare_cached(
                "INSERT INTO schema_metadata (key, value) VALUES (?1, ?2)
                 ON CONFLICT (key) DO UPDATE SET value = ?2",
            )?
            .execute([&anchor_key(key), anchor])?;
        Ok(change.commit()?)
    }

    fn clear(&mut self) -> Result<u64, StoreError> {
        let change = self.change()?;
        let commands = change.query_row("SELECT COUNT(*) FROM commands_registry", [], |row| row.get(0))?;
        change.execute("DELETE FROM commands_registry", [])?;
        change.execute("DELETE FROM force_tokens", [])?;
        change.commit()?;
        // Gives the pages back, so that nothing of the commands stays in the file.
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
        Ok(commands)
    }
}

/// What the file knows of a command.
fn known(connection: &Connection, identity: &Identity) -> Result<Known, StoreError> {
    // Both in one query: each would have its own locks on the file to take.
    let mut select = connection.prepare_cached(include_str!("look.sql"))?;
    let mut rows = select.query([&identity.command_hash, &identity.argv_hash])?;
    let mut known = Known::default();
    while let Some(row) = rows.next()? {
        let word = word(row.get(1)?, row.get(2)?, row.get(3)?);
        if !row.get::<_, bool>(0)? {
            known.anywhere = stricter(known.anywhere, word);
            continue;
        }
        let watched: bool = row.get(9)?;
        known.here = Some(Here {
            learned: Learned::named(&row.get::<_, String>(4)?),
            user_override: word,
            runs: row.get(5)?,
            successes: row.get(6)?,
            last_ms: row.get(7)?,
            duplicate_ms: if watched { row.get(8)? } else { None },
        });
    }
    Ok(known)
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn last_run(change: &Transaction<'_>, hash: &str) -> Result<Option<i64>, StoreError> {
    let last = change
        .prepare_cached("SELECT last_executed_ms FROM commands_registry WHERE command_hash = ?1")?
        .query_row([hash], |row| row.get(0))
        .optional()?;
    Ok(last.flatten())
}

/// Counts a run. Every counter moves in the database.
fn count(change: &Transaction<'_>, run: &Run, thresholds: &Thresholds) -> Result<(), StoreError> {
    let flag = |holds: bool| i64::from(holds);
    let well = run.end.is_success();
    let earns = run.held_back.is_none() && !run.tainted;
    let label = run.end.label();
    let key = format!("$.\"{label}\"");
    let duration = i64::try_from(run.duration.as_millis()).unwrap_or(i64::MAX);
    change.prepare_cached(include_str!("count.sql"))?.execute(named_params! {
        ":hash": run.identity.command_hash,
        ":text": run.identity.text,
        ":argv": run.identity.argv_hash,
        ":folder": run.identity.folder,
        ":profile": run.identity.profile,
        ":digest": run.identity.program_digest,
        ":now": run.at.as_second(),
        ":now_ms": run.at.as_millisecond(),
        ":well": flag(well),
        ":timeout": flag(run.end == End::TimedOut),
        ":signal": flag(matches!(run.end, End::Signal(_))),
        ":duration": duration,
        ":risk": run.risk.clamp(0.0, 1.0),
        ":tags": serde_json::to_string(&run.tags).unwrap_or_else(|_| "[]".to_owned()),
        ":key": key,
        ":label": label,
        ":earns": flag(earns),
        ":earns_well": flag(earns && well),
        ":held": run.held_back.as_deref().or(run.tainted.then_some(super::TAINTED)),
        ":threshold": i64::try_from(thresholds.duplicate_threshold_ms).unwrap_or(i64::MAX),
    })?;
    Ok(())
}

fn record(change: &Transaction<'_>, run: &Run, before: Option<i64>) -> Result<evolve::Record, StoreError> {
    let mut select = change.prepare_cached(
        "SELECT current_policy, execution_count, success_count, earned_runs, earned_successes, last_100_timestamps,
                user_override IS NOT NULL
         FROM commands_registry WHERE command_hash = ?1",
    )?;
    let record = select.query_row([&run.identity.command_hash], |row| {
        let counted = super::Counted {
            learned: Learned::named(&row.get::<_, String>(0)?),
            runs: row.get(1)?,
            successes: row.get(2)?,
            earned_runs: row.get(3)?,
            earned_successes: row.get(4)?,
            stamps: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
            word: row.get(6)?,
        };
        Ok(counted.record(run, before))
    })?;
    Ok(record)
}

fn write_policy(change: &Transaction<'_>, run: &Run, outcome: &Change) -> Result<(), StoreError> {
    change
        .prepare_cached(
            "UPDATE commands_registry
             SET current_policy = ?2,
                 policy_reason = COALESCE(?3, policy_reason),
                 policy_last_updated = CASE WHEN ?3 IS NULL THEN policy_last_updated ELSE ?4 END,
                 promoted_at = CASE WHEN ?2 <> 'auto_approve' THEN NULL ELSE COALESCE(promoted_at, ?4) END,
                 earned_runs = CASE WHEN ?5 THEN 0 ELSE earned_runs END,
                 earned_successes = CASE WHEN ?5 THEN 0 ELSE earned_successes END,
                 duplicate_check_enabled = ?6,
                 duplicate_threshold_ms = ?7
             WHERE command_hash = ?1",
        )?
        .execute(params![
            run.identity.command_hash,
            outcome.learned.name(),
            outcome.reason.map(evolve::Reason::text),
            run.at.as_second(),
            outcome.starts_over,
            outcome.duplicate_ms.is_some(),
            super::threshold(outcome),
        ])?;
    Ok(())
}

fn set_word(
    change: &Transaction<'_>,
    hash: &str,
    said: Option<&Override>,
    at: jiff::Timestamp,
) -> Result<bool, StoreError> {
    let found = change
        .prepare_cached(
            "UPDATE commands_registry
             SET user_override = ?2, user_override_reason = ?3, user_override_by = ?4,
                 user_override_at = CASE WHEN ?2 IS NULL THEN NULL ELSE ?5 END, updated_at = ?5
             WHERE command_hash = ?1",
        )?
        .execute(params![
            hash,
            said.map(|word| word.kind.name()),
            said.and_then(|word| word.reason.as_deref()),
            said.and_then(|word| word.by.as_deref()),
            at.as_second(),
        ])?;
    Ok(found > 0)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::DiskFull) => {
                Self::ReadOnly(text)
            }
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => Self::Unreachable(text),
            _ => Self::Other(text),
        }
    }
}

#[cfg(test)]
mod tests;
