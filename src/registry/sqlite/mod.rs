//! An SQLite file: `command_security.db` in the guard's folder, as in feature B1.

mod place;
mod salvage;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, TransactionBehavior};
use serde_json::Value;

use super::driver::{Driver, STEPS, StoreError};

pub use place::{FILE, quarantine};
pub use salvage::salvage;

/// The pause before a file that another process is creating is opened again.
const BREATH: Duration = Duration::from_millis(5);

/// An open file.
#[derive(Debug)]
pub(super) struct Sqlite {
    connection: Connection,
    path: PathBuf,
    file: place::File,
}

/// How a file is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteOptions {
    /// The file. A missing folder is created.
    pub path: PathBuf,
    /// How long to wait for another writer.
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
    /// Opens or creates the file, and migrates its schema.
    ///
    /// # Errors
    /// [`StoreError`]: it is not our database, belongs to another user, is damaged, locked, or of a newer version.
    pub fn open(options: &SqliteOptions) -> Result<Self, StoreError> {
        let until = Instant::now() + options.patience;
        loop {
            match Self::try_to_open(options) {
                // Two processes that create the file at once block each other, and SQLite waits for neither.
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
        // FULL: an acknowledged write is on disk, even after a power cut. NORMAL could lose the last runs.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "cache_size", -4096)?;
        connection.set_prepared_statement_cache_capacity(64);
        // Otherwise each query is planned again for every new value, which takes longer than running it.
        connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let mut driver = Self { connection, path, file };
        driver.migrate()?;
        Ok(driver)
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
        if version(&self.connection)? == known {
            return Ok(());
        }
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Read again: another program may have migrated it in the meantime.
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

    /// Fails if a write to the open file would be lost with the file.
    fn check(&self) -> Result<(), StoreError> {
        if self.connection.is_autocommit() { self.file.still(&self.path) } else { Ok(()) }
    }

    fn prepare(
        &self,
        statement: &str,
        values: &[Value],
    ) -> Result<rusqlite::CachedStatement<'_>, StoreError> {
        self.check()?;
        let mut prepared = self.connection.prepare_cached(statement)?;
        for (at, value) in (1..).zip(values) {
            match value {
                Value::Null => prepared.raw_bind_parameter(at, rusqlite::types::Null)?,
                Value::String(text) => prepared.raw_bind_parameter(at, text)?,
                number => match number.as_i64() {
                    Some(whole) => prepared.raw_bind_parameter(at, whole)?,
                    None => prepared.raw_bind_parameter(at, number.as_f64())?,
                },
            }
        }
        Ok(prepared)
    }
}

impl Driver for Sqlite {
    fn begin(&mut self) -> Result<(), StoreError> {
        // A transaction that begins with a read could fail later because another one wrote first.
        self.run("BEGIN IMMEDIATE", &[]).map(drop)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.run("COMMIT", &[]).map(drop)
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        // After some errors SQLite has already rolled back.
        if self.connection.is_autocommit() { Ok(()) } else { self.run("ROLLBACK", &[]).map(drop) }
    }

    fn run(&mut self, statement: &str, values: &[Value]) -> Result<u64, StoreError> {
        let changed = self.prepare(statement, values)?.raw_execute()?;
        Ok(u64::try_from(changed).unwrap_or(u64::MAX))
    }

    fn rows(&mut self, statement: &str, values: &[Value]) -> Result<Vec<Value>, StoreError> {
        let mut prepared = self.prepare(statement, values)?;
        let columns = prepared.column_count();
        let mut rows = prepared.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (0..columns).map(|at| Ok(value(row.get_ref(at)?)));
            found.push(Value::Array(values.collect::<rusqlite::Result<_>>()?));
        }
        Ok(found)
    }

    fn version(&mut self) -> Result<Option<i64>, StoreError> {
        self.check()?;
        let mut prepared = self.connection.prepare_cached("PRAGMA data_version")?;
        Ok(Some(prepared.query_row([], |row| row.get(0))?))
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?)
    }
}

fn value(column: ValueRef<'_>) -> Value {
    match column {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(whole) => whole.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
    }
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
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
