//! A PostgreSQL server that several hosts share (`registry.url`).
//!
//! A run is counted under its row's lock, so that no host overwrites another's count. A run whose
//! acknowledgement was lost is counted again: there may be too many runs, never too few.

use std::str::FromStr;
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Column as _, Connection, Row as _, TypeInfo as _};

use super::driver::{Driver, STEPS, StoreError};

/// The version of the schema, in `schema_metadata` under `guarda`. The first one already had both of the [`STEPS`].
const VERSION: i64 = 1;

/// An open connection to a server.
pub(super) struct Postgres {
    runtime: tokio::runtime::Runtime,
    connection: PgConnection,
    patience: Duration,
    /// The deadline of the current transaction.
    until: Option<Instant>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Postgres")
    }
}

/// How a server is reached.
#[derive(Clone)]
pub struct PostgresOptions {
    connect: Box<PgConnectOptions>,
    /// The time limit for connecting, for a transaction, and for a statement outside of one.
    pub patience: Duration,
}

impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        write!(out, "PostgresOptions({})", self.place())
    }
}

impl PostgresOptions {
    /// The server of an address such as `postgres://user@host/database`. Missing parts come from the environment
    /// (`PGPASSWORD`, `~/.pgpass` …).
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn of(url: &str) -> Result<Self, StoreError> {
        let connect = PgConnectOptions::from_str(url)
            .map_err(|_| StoreError::Other("registry.url is no address of a PostgreSQL".to_owned()))?
            .application_name("guarda")
            .options([("lock_timeout", "1500ms"), ("statement_timeout", "2000ms")]);
        Ok(Self { connect: Box::new(connect), patience: Duration::from_millis(2500) })
    }

    /// The server's location without the password.
    #[must_use]
    pub fn place(&self) -> String {
        let host = self.connect.get_socket().map_or_else(
            || format!("{}:{}", self.connect.get_host(), self.connect.get_port()),
            |socket| socket.display().to_string(),
        );
        let database = self.connect.get_database().unwrap_or_default();
        format!("PostgreSQL {}@{host}/{database}", self.connect.get_username())
    }
}

impl Postgres {
    /// Connects, and creates missing tables.
    ///
    /// # Errors
    /// [`StoreError`]: the server cannot be reached, refuses, or has a newer schema.
    pub fn open(options: &PostgresOptions) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| StoreError::Other(error.to_string()))?;
        let connecting = async {
            tokio::time::timeout(options.patience, PgConnection::connect_with(&options.connect)).await
        };
        let connection = runtime.block_on(connecting).map_err(|_| late())??;
        let mut driver = Self { runtime, connection, patience: options.patience, until: None };
        driver.migrate()?;
        Ok(driver)
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let found = self.wait(async |connection| {
            let mut change = connection.begin().await?;
            // One host creates the tables while the others wait.
            sqlx::query("SELECT pg_advisory_xact_lock(6775617264610001)").execute(&mut *change).await?;
            let there: bool = sqlx::query_scalar("SELECT to_regclass('schema_metadata') IS NOT NULL")
                .fetch_one(&mut *change)
                .await?;
            let found: Option<String> = if there {
                sqlx::query_scalar("SELECT value FROM schema_metadata WHERE key = 'guarda'")
                    .fetch_optional(&mut *change)
                    .await?
            } else {
                None
            };
            if let Some(found) = found {
                return Ok(found);
            }
            let [table, rest @ ..] = STEPS;
            // Hashes are sorted by bytes, independently of the server's locale.
            let sorted = "ALTER TABLE commands_registry ALTER command_hash TYPE TEXT COLLATE \"C\"";
            for step in [table, sorted].iter().chain(&rest) {
                sqlx::raw_sql(AssertSqlSafe(wide(step))).execute(&mut *change).await?;
            }
            sqlx::query("INSERT INTO schema_metadata (key, value) VALUES ('guarda', $1)")
                .bind(VERSION.to_string())
                .execute(&mut *change)
                .await?;
            change.commit().await?;
            Ok(VERSION.to_string())
        })?;
        match found.parse() {
            Ok(found) if found > VERSION => Err(StoreError::Newer { found, known: VERSION }),
            Ok(_) => Ok(()),
            Err(_) => Err(StoreError::Other(format!("its schema has the version {found:?}, which is none"))),
        }
    }

    /// Waits for the server until the deadline. A connection that missed it is not used again.
    fn wait<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        let Self { runtime, connection, patience, until } = self;
        let left = until.map_or(*patience, |until| until.saturating_duration_since(Instant::now()));
        let done = runtime.block_on(async { tokio::time::timeout(left, work(connection)).await });
        Ok(done.map_err(|_| late())??)
    }

    fn end(&mut self, statement: &'static str) -> Result<(), StoreError> {
        let ended = self.run(statement, &[]).map(drop);
        self.until = None;
        ended
    }
}

fn late() -> StoreError {
    StoreError::Unreachable("the server does not answer in time".to_owned())
}

/// A migration with types as wide as those of SQLite.
fn wide(step: &str) -> String {
    step.replace(" INTEGER", " BIGINT").replace(" REAL", " DOUBLE PRECISION")
}

impl Driver for Postgres {
    fn begin(&mut self) -> Result<(), StoreError> {
        self.until = Some(Instant::now() + self.patience);
        self.run("BEGIN", &[]).map(drop)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.end("COMMIT")
    }

    fn roll_back(&mut self) -> Result<(), StoreError> {
        self.end("ROLLBACK")
    }

    fn run(&mut self, statement: &str, values: &[Value]) -> Result<u64, StoreError> {
        let query = query(statement, values);
        self.wait(async |connection| Ok(query.execute(connection).await?.rows_affected()))
    }

    fn rows(&mut self, statement: &str, values: &[Value]) -> Result<Vec<Value>, StoreError> {
        let query = query(statement, values);
        self.wait(async |connection| query.fetch_all(connection).await?.iter().map(row).collect())
    }

    fn version(&mut self) -> Result<Option<i64>, StoreError> {
        Ok(None)
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        // The server does that itself.
        Ok(())
    }
}

fn query(statement: &str, values: &[Value]) -> Query<'static, sqlx::Postgres, PgArguments> {
    // The statements are constants of this program; values from people are bound.
    let query = sqlx::query(AssertSqlSafe(statement.replace('?', "$")));
    values.iter().fold(query, |query, value| match value {
        Value::Number(number) => match number.as_i64() {
            Some(whole) => query.bind(whole),
            None => query.bind(number.as_f64()),
        },
        other => query.bind(other.as_str().map(ToOwned::to_owned)),
    })
}

fn row(row: &PgRow) -> Result<Value, sqlx::Error> {
    let values = row.columns().iter().map(|column| {
        let at = column.ordinal();
        Ok(match column.type_info().name() {
            "INT8" => row.try_get::<Option<i64>, _>(at)?.into(),
            "FLOAT8" => row.try_get::<Option<f64>, _>(at)?.into(),
            _ => row.try_get::<Option<String>, _>(at)?.into(),
        })
    });
    values.collect::<Result<_, sqlx::Error>>().map(Value::Array)
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let text = error.to_string();
        let Some(refused) = error.as_database_error() else {
            return Self::Unreachable(text);
        };
        match refused.code().as_deref() {
            // Lock not available, cancelled for its time, serialization failure, deadlock.
            Some("55P03" | "57014" | "40001" | "40P01") => Self::Locked,
            // Read-only transaction, no rights, disk full.
            Some("25006" | "42501" | "53100") => Self::ReadOnly(text),
            // Shutting down, crashed, starting, too many connections.
            Some("57P01" | "57P02" | "57P03" | "53300") => Self::Unreachable(text),
            _ => Self::Other(text),
        }
    }
}

#[cfg(test)]
mod tests;
