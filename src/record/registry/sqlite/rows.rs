//! Rows and sums for people.

use rusqlite::{Connection, ToSql};

use super::super::store::{COLUMNS, Row, StoreError, TOTALS, Totals, Wanted};

pub(super) fn list(connection: &mut Connection, wanted: &Wanted) -> Result<Vec<Row>, StoreError> {
    let (condition, value, order) = wanted.which.sql();
    let most = if wanted.most == 0 { -1 } else { i64::try_from(wanted.most).unwrap_or(-1) };
    let text =
        format!("SELECT {COLUMNS} FROM commands_registry WHERE {condition} ORDER BY {order} LIMIT {most}");
    let values: Vec<&dyn ToSql> = value.iter().map(|value| value as &dyn ToSql).collect();
    let mut select = connection.prepare(&text)?;
    let rows = select.query_map(values.as_slice(), row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn each(connection: &mut Connection, take: &mut dyn FnMut(Row) -> bool) -> Result<(), StoreError> {
    let mut select =
        connection.prepare(&format!("SELECT {COLUMNS} FROM commands_registry ORDER BY command_hash"))?;
    for row in select.query_map([], row)? {
        if !take(row?) {
            break;
        }
    }
    Ok(())
}

pub(super) fn totals(connection: &mut Connection) -> Result<Totals, StoreError> {
    Ok(connection.query_row(TOTALS, [], |row| {
        Ok(Totals {
            commands: row.get(0)?,
            runs: row.get(1)?,
            successes: row.get(2)?,
            auto_approve: row.get(3)?,
            ask: row.get(4)?,
            ask_warning: row.get(5)?,
            always_allow: row.get(6)?,
            always_ask: row.get(7)?,
            never: row.get(8)?,
            high_risk: row.get(9)?,
        })
    })?)
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        command_hash: row.get("command_hash")?,
        command_text: row.get("command_text")?,
        folder: row.get("folder")?,
        profile: row.get("profile")?,
        program_digest: row.get("program_digest")?,
        argv_hash: row.get("argv_hash")?,
        first_seen: row.get("first_seen")?,
        last_executed: row.get("last_executed")?,
        execution_count: row.get("execution_count")?,
        success_count: row.get("success_count")?,
        failure_count: row.get("failure_count")?,
        timeout_count: row.get("timeout_count")?,
        signal_count: row.get("signal_count")?,
        avg_duration_ms: row.get("avg_duration_ms")?,
        min_duration_ms: row.get("min_duration_ms")?,
        max_duration_ms: row.get("max_duration_ms")?,
        current_policy: row.get("current_policy")?,
        policy_reason: row.get("policy_reason")?,
        policy_last_updated: row.get("policy_last_updated")?,
        promoted_at: row.get("promoted_at")?,
        user_override: row.get("user_override")?,
        user_override_reason: row.get("user_override_reason")?,
        user_override_at: row.get("user_override_at")?,
        user_override_by: row.get("user_override_by")?,
        duplicate_threshold_ms: row.get("duplicate_threshold_ms")?,
        duplicate_check_enabled: row.get("duplicate_check_enabled")?,
        tags: row.get("tags")?,
        risk_score: row.get("risk_score")?,
        last_100_timestamps: row.get("last_100_timestamps")?,
        typical_exit_codes: row.get("typical_exit_codes")?,
        common_errors: row.get("common_errors")?,
        earned_runs: row.get("earned_runs")?,
        earned_successes: row.get("earned_successes")?,
        held_back: row.get("held_back")?,
    })
}
