//! Rows and sums for people.

use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Row as _};

use super::super::store::{COLUMNS, Row, TOTALS, Totals, Wanted};

/// Rows that are fetched at a time where all are wanted.
const PIECE: u16 = 2000;

pub(super) async fn list(connection: &mut PgConnection, wanted: &Wanted) -> Result<Vec<Row>, sqlx::Error> {
    let (condition, value, order) = wanted.which.sql();
    let most = if wanted.most == 0 { "ALL".to_owned() } else { wanted.most.to_string() };
    let text =
        format!("SELECT {COLUMNS} FROM commands_registry WHERE {condition} ORDER BY {order} LIMIT {most}");
    // The parts are this program's own; what a person gave is bound.
    let mut query = sqlx::query(AssertSqlSafe(text));
    if let Some(value) = value {
        query = query.bind(value);
    }
    query.fetch_all(connection).await?.iter().map(row).collect()
}

pub(super) async fn after(connection: &mut PgConnection, hash: &str) -> Result<Vec<Row>, sqlx::Error> {
    let text = format!(
        "SELECT {COLUMNS} FROM commands_registry WHERE command_hash > $1 ORDER BY command_hash LIMIT {PIECE}"
    );
    let rows = sqlx::query(AssertSqlSafe(text)).bind(hash.to_owned()).fetch_all(connection).await?;
    rows.iter().map(row).collect()
}

pub(super) async fn totals(connection: &mut PgConnection) -> Result<Totals, sqlx::Error> {
    let row = sqlx::query(TOTALS).fetch_one(connection).await?;
    Ok(Totals {
        commands: count(&row, 0)?,
        runs: count(&row, 1)?,
        successes: count(&row, 2)?,
        auto_approve: count(&row, 3)?,
        ask: count(&row, 4)?,
        ask_warning: count(&row, 5)?,
        always_allow: count(&row, 6)?,
        always_ask: count(&row, 7)?,
        never: count(&row, 8)?,
        high_risk: count(&row, 9)?,
    })
}

/// A column that counts something.
pub(super) fn count(row: &PgRow, at: impl sqlx::ColumnIndex<PgRow>) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<i64, _>(at)?).unwrap_or_default())
}

fn row(row: &PgRow) -> Result<Row, sqlx::Error> {
    Ok(Row {
        command_hash: row.try_get("command_hash")?,
        command_text: row.try_get("command_text")?,
        folder: row.try_get("folder")?,
        profile: row.try_get("profile")?,
        program_digest: row.try_get("program_digest")?,
        argv_hash: row.try_get("argv_hash")?,
        first_seen: row.try_get("first_seen")?,
        last_executed: row.try_get("last_executed")?,
        execution_count: count(row, "execution_count")?,
        success_count: count(row, "success_count")?,
        failure_count: count(row, "failure_count")?,
        timeout_count: count(row, "timeout_count")?,
        signal_count: count(row, "signal_count")?,
        avg_duration_ms: row.try_get("avg_duration_ms")?,
        min_duration_ms: row.try_get("min_duration_ms")?,
        max_duration_ms: row.try_get("max_duration_ms")?,
        current_policy: row.try_get("current_policy")?,
        policy_reason: row.try_get("policy_reason")?,
        policy_last_updated: row.try_get("policy_last_updated")?,
        promoted_at: row.try_get("promoted_at")?,
        user_override: row.try_get("user_override")?,
        user_override_reason: row.try_get("user_override_reason")?,
        user_override_at: row.try_get("user_override_at")?,
        user_override_by: row.try_get("user_override_by")?,
        duplicate_threshold_ms: row.try_get("duplicate_threshold_ms")?,
        duplicate_check_enabled: row.try_get::<i64, _>("duplicate_check_enabled")? != 0,
        tags: row.try_get("tags")?,
        risk_score: row.try_get("risk_score")?,
        last_100_timestamps: row.try_get("last_100_timestamps")?,
        typical_exit_codes: row.try_get("typical_exit_codes")?,
        common_errors: row.try_get("common_errors")?,
        earned_runs: count(row, "earned_runs")?,
        earned_successes: count(row, "earned_successes")?,
        held_back: row.try_get("held_back")?,
    })
}
