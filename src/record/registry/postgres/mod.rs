//! The registry in a PostgreSQL that several hosts share (`registry.url`).
//!
//! Counters move in the database, under the lock of their row, so that no host overwrites what another one counted. A
//! run whose acknowledgement was lost on the way is counted once more: too many runs, never too few.

mod rows;

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Row as _};

use super::evolve::{self, Change, Thresholds};
use super::identity::Identity;
use super::run::{End, Run};
use super::store::{Here, Known, Row, Store, StoreError, TokenRow, Totals, Wanted, word};
use guarda_core::policy::history::{Learned, Override};

/// The version of the schema, in `schema_metadata` under `guarda`.
const VERSION: i64 = 1;

/// The registry on a server.
pub struct Postgres {
    runtime: tokio::runtime::Runtime,
    connection: PgConnection,
    patience: Duration,
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
    /// How long anything may take.
    pub patience: Duration,
}

impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may hold a password.
        write!(out, "PostgresOptions({})", self.place())
    }
}

impl PostgresOptions {
    /// The server of an address like `postgres://user@host/database`; what it does not say comes from the environment
    /// (`PGPASSWORD`, `~/.pgpass` …).
    ///
    /// # Errors
    /// If it is no such address.
    pub fn of(url: &str) -> Result<Self, StoreError> {
        let connect = PgConnectOptions::from_str(url)
            .map_err(|_| StoreError::Other("registry.url is no address of a PostgreSQL".to_owned()))?
            .application_name("guarda")
            .options([("lock_timeout", "1500ms"), ("statement_timeout", "2000ms")]);
        Ok(Self { connect: Box::new(connect), patience: Duration::from_millis(2500) })
    }

    /// Where it is, without the password.
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
    /// Connects, and makes the tables where they are missing.
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
        let mut store = Self { runtime, connection, patience: options.patience };
        store.migrate()?;
        Ok(store)
    }

    fn migrate(&mut self) -> Result<(), StoreError> {
        let found = self.wait(async |connection| {
            let mut change = connection.begin().await?;
            // One host makes the tables, the others wait for it.
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
            sqlx::raw_sql(include_str!("schema.sql")).execute(&mut *change).await?;
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

    /// Does something within the time that anything may take. A connection that was late is not used again.
    fn wait<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        let Self { runtime, connection, patience } = self;
        let done = runtime.block_on(async { tokio::time::timeout(*patience, work(connection)).await });
        Ok(done.map_err(|_| late())??)
    }
}

fn late() -> StoreError {
    StoreError::Unreachable("the server does not answer in time".to_owned())
}

impl Store for Postgres {
    fn look(&mut self, identity: &Identity) -> Result<Known, StoreError> {
        self.wait(async |connection| {
            let here = sqlx::query(
                "SELECT current_policy, user_override, user_override_reason, user_override_by, execution_count,
                        success_count, last_executed_ms, duplicate_threshold_ms, duplicate_check_enabled
                 FROM commands_registry WHERE command_hash = $1",
            )
            .bind(&identity.command_hash)
            .fetch_optional(&mut *connection)
            .await?;
            let here = here
                .map(|row| {
                    let watched: i64 = row.try_get(8)?;
                    Ok::<_, sqlx::Error>(Here {
                        learned: Learned::named(row.try_get(0)?),
                        user_override: word(row.try_get(1)?, row.try_get(2)?, row.try_get(3)?),
                        runs: rows::count(&row, 4)?,
                        successes: rows::count(&row, 5)?,
                        last_ms: row.try_get(6)?,
                        duplicate_ms: if watched == 0 { None } else { Some(rows::count(&row, 7)?) },
                    })
                })
                .transpose()?;
            let anywhere = sqlx::query(
                "SELECT user_override, user_override_reason, user_override_by FROM commands_registry
                 WHERE argv_hash = $1 AND user_override IS NOT NULL AND user_override <> 'always_allow'
                 ORDER BY user_override = 'never' DESC LIMIT 1",
            )
            .bind(&identity.argv_hash)
            .fetch_optional(connection)
            .await?;
            let anywhere = match anywhere {
                Some(row) => word(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?),
                None => None,
            };
            Ok(Known { here, anywhere })
        })
    }

    fn note(&mut self, run: &Run, thresholds: &Thresholds) -> Result<Change, StoreError> {
        self.wait(async |connection| {
            let mut change = connection.begin().await?;
            // Locks the row, so that what is read here is still so when it is counted.
            let before: Option<Option<i64>> = sqlx::query_scalar(
                "SELECT last_executed_ms FROM commands_registry WHERE command_hash = $1 FOR UPDATE",
            )
            .bind(&run.identity.command_hash)
            .fetch_optional(&mut *change)
            .await?;
            count(&mut change, run, thresholds).await?;
            let row = sqlx::query(
                "SELECT current_policy, execution_count, success_count, earned_runs, earned_successes,
                        COALESCE(last_100_timestamps, ''), user_override IS NOT NULL
                 FROM commands_registry WHERE command_hash = $1",
            )
            .bind(&run.identity.command_hash)
            .fetch_one(&mut *change)
            .await?;
            let counted = super::Counted {
                learned: Learned::named(row.try_get(0)?),
                runs: rows::count(&row, 1)?,
                successes: rows::count(&row, 2)?,
                earned_runs: rows::count(&row, 3)?,
                earned_successes: rows::count(&row, 4)?,
                stamps: row.try_get(5)?,
                word: row.try_get(6)?,
            };
            let outcome = evolve::evolve(&counted.record(run, before.flatten()), thresholds);
            sqlx::query(
                "UPDATE commands_registry
                 SET current_policy = $2,
                     policy_reason = COALESCE($3, policy_reason),
                     policy_last_updated = CASE WHEN $3::text IS NULL THEN policy_last_updated ELSE $4 END,
                     promoted_at = CASE WHEN $2 <> 'auto_approve' THEN NULL ELSE COALESCE(promoted_at, $4) END,
                     earned_runs = CASE WHEN $5 THEN 0 ELSE earned_runs END,
                     earned_successes = CASE WHEN $5 THEN 0 ELSE earned_successes END,
                     duplicate_check_enabled = $6,
                     duplicate_threshold_ms = $7
                 WHERE command_hash = $1",
            )
            .bind(&run.identity.command_hash)
            .bind(outcome.learned.name())
            .bind(outcome.reason.map(evolve::Reason::text))
            .bind(run.at.as_second())
            .bind(outcome.starts_over)
            .bind(i64::from(outcome.duplicate_ms.is_some()))
            .bind(super::threshold(&outcome))
            .execute(&mut *change)
            .await?;
            change.commit().await?;
            Ok(outcome)
        })
    }

    fn say(
        &mut self,
        identity: &Identity,
        said: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<(), StoreError> {
        self.wait(async |connection| {
            let mut change = connection.begin().await?;
            sqlx::query(
                "INSERT INTO commands_registry (command_hash, command_text, argv_hash, folder, profile,
                     program_digest, first_seen, created_at, updated_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7)
                 ON CONFLICT (command_hash) DO NOTHING",
            )
            .bind(&identity.command_hash)
            .bind(&identity.text)
            .bind(&identity.argv_hash)
            .bind(&identity.folder)
            .bind(&identity.profile)
            .bind(&identity.program_digest)
            .bind(at.as_second())
            .execute(&mut *change)
            .await?;
            set_word(&mut change, &identity.command_hash, said, at).await?;
            change.commit().await
        })
    }

    fn say_of(
        &mut self,
        hash: &str,
        said: Option<&Override>,
        at: jiff::Timestamp,
    ) -> Result<bool, StoreError> {
        self.wait(async |connection| set_word(connection, hash, said, at).await)
    }

    fn forget(&mut self, hash: &str) -> Result<bool, StoreError> {
        self.wait(async |connection| {
            let gone = sqlx::query("DELETE FROM commands_registry WHERE command_hash = $1").bind(hash);
            Ok(gone.execute(connection).await?.rows_affected() > 0)
        })
    }

    fn list(&mut self, wanted: &Wanted) -> Result<Vec<Row>, StoreError> {
        self.wait(async |connection| rows::list(connection, wanted).await)
    }

    fn each(&mut self, take: &mut dyn FnMut(Row) -> bool) -> Result<(), StoreError> {
        let mut after = String::new();
        loop {
            // Piece by piece, so that a million rows need neither the memory nor the time of one answer.
            let piece = self.wait(async |connection| rows::after(connection, &after).await)?;
            let Some(last) = piece.last() else { return Ok(()) };
            after.clone_from(&last.command_hash);
            for row in piece {
                if !take(row) {
                    return Ok(());
                }
            }
        }
    }

    fn totals(&mut self) -> Result<Totals, StoreError> {
        self.wait(async |connection| rows::totals(connection).await)
    }

    fn keep_token(&mut self, token: &TokenRow, now: jiff::Timestamp) -> Result<(), StoreError> {
        self.wait(async |connection| {
            let mut change = connection.begin().await?;
            sqlx::query("DELETE FROM force_tokens WHERE expires_ms <= $1")
                .bind(now.as_millisecond())
                .execute(&mut *change)
                .await?;
            sqlx::query(
                "INSERT INTO force_tokens (token_hash, command_hash, issued_by, issued_ms, expires_ms)
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(&token.token_hash)
            .bind(&token.command_hash)
            .bind(&token.by)
            .bind(token.at.as_millisecond())
            .bind(token.until.as_millisecond())
            .execute(&mut *change)
            .await?;
            change.commit().await
        })
    }

    fn spend_token(
        &mut self,
        token_hash: &str,
        command_hash: &str,
        now: jiff::Timestamp,
    ) -> Result<Option<String>, StoreError> {
        self.wait(async |connection| {
            sqlx::query_scalar(
                "UPDATE force_tokens SET spent_ms = $3
                 WHERE token_hash = $1 AND command_hash = $2 AND spent_ms IS NULL
                       AND issued_ms <= $3 AND expires_ms > $3
                 RETURNING issued_by",
            )
            .bind(token_hash)
            .bind(command_hash)
            .bind(now.as_millisecond())
            .fetch_optional(connection)
            .await
        })
    }

    fn tidy(&mut self, now: jiff::Timestamp, thresholds: &Thresholds) -> Result<u64, StoreError> {
        self.wait(async |connection| {
            let mut change = connection.begin().await?;
            let fallen = sqlx::query(
                "UPDATE commands_registry
                 SET current_policy = 'ask', policy_reason = $3, policy_last_updated = $2, updated_at = $2,
                     promoted_at = NULL, earned_runs = 0, earned_successes = 0
                 WHERE current_policy = 'auto_approve' AND COALESCE(last_executed, 0) < $1",
            )
            .bind(super::oldest_use(now, thresholds))
            .bind(now.as_second())
            .bind(evolve::Reason::Unused.text())
            .execute(&mut *change)
            .await?;
            sqlx::query("DELETE FROM force_tokens WHERE expires_ms <= $1")
                .bind(now.as_millisecond())
                .execute(&mut *change)
                .await?;
            change.commit().await?;
            Ok(fallen.rows_affected())
        })
    }

    fn anchor(&mut self, key: &str) -> Result<Option<String>, StoreError> {
        self.wait(async |connection| {
            sqlx::query_scalar("SELECT value FROM schema_metadata WHERE key = $1")
                .bind(super::store::anchor_key(key))
                .fetch_optional(connection)
                .await
        })
    }

    fn keep_anchor(&mut self, key: &str, anchor: &str) -> Result<(), StoreError> {
        self.wait(async |connection| {
            sqlx::query(
                "INSERT INTO schema_metadata (key, value) VALUES ($1, $2)
                 ON CONFLICT (key) DO UPDATE SET value = $2",
            )
            .bind(super::store::anchor_key(key))
            .bind(anchor)
            .execute(connection)
            .await
            .map(|_| ())
        })
    }

    fn clear(&mut self) -> Result<u64, StoreError> {
        self.wait(async |connection| {
            let mut change = connection.begin().await?;
            let gone = sqlx::query("DELETE FROM commands_registry").execute(&mut *change).await?;
            sqlx::query("DELETE FROM force_tokens").execute(&mut *change).await?;
            change.commit().await?;
            Ok(gone.rows_affected())
        })
    }
}

/// Counts a run. Every counter moves in the database.
async fn count(change: &mut PgConnection, run: &Run, thresholds: &Thresholds) -> Result<(), sqlx::Error> {
    let well = run.end.is_success();
    let earns = run.held_back.is_none() && !run.tainted;
    sqlx::query(include_str!("count.sql"))
        .bind(&run.identity.command_hash)
        .bind(&run.identity.text)
        .bind(&run.identity.argv_hash)
        .bind(&run.identity.folder)
        .bind(&run.identity.profile)
        .bind(&run.identity.program_digest)
        .bind(run.at.as_second())
        .bind(run.at.as_millisecond())
        .bind(i64::from(well))
        .bind(i64::from(run.end == End::TimedOut))
        .bind(i64::from(matches!(run.end, End::Signal(_))))
        .bind(i64::try_from(run.duration.as_millis()).unwrap_or(i64::MAX))
        .bind(run.risk.clamp(0.0, 1.0))
        .bind(serde_json::to_string(&run.tags).unwrap_or_else(|_| "[]".to_owned()))
        .bind(run.end.label())
        .bind(i64::from(earns))
        .bind(i64::from(earns && well))
        .bind(run.held_back.as_deref().or(run.tainted.then_some(super::TAINTED)))
        .bind(i64::try_from(thresholds.duplicate_threshold_ms).unwrap_or(i64::MAX))
        .execute(change)
        .await?;
    Ok(())
}

async fn set_word(
    change: &mut PgConnection,
    hash: &str,
    said: Option<&Override>,
    at: jiff::Timestamp,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(
        "UPDATE commands_registry
         SET user_override = $2, user_override_reason = $3, user_override_by = $4,
             user_override_at = CASE WHEN $2::text IS NULL THEN NULL ELSE $5 END, updated_at = $5
         WHERE command_hash = $1",
    )
    .bind(hash)
    .bind(said.map(|word| word.kind.name()))
    .bind(said.and_then(|word| word.reason.as_deref()))
    .bind(said.and_then(|word| word.by.as_deref()))
    .bind(at.as_second())
    .execute(change)
    .await?;
    Ok(done.rows_affected() > 0)
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
