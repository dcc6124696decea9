INSERT INTO commands_registry AS r (
    command_hash, command_text, argv_hash, folder, profile, program_digest,
    first_seen, last_executed, last_executed_ms, execution_count, success_count, failure_count,
    timeout_count, signal_count, avg_duration_ms, min_duration_ms, max_duration_ms, total_duration_ms,
    risk_score, tags, last_100_timestamps, typical_exit_codes, common_errors,
    earned_runs, earned_successes, held_back, duplicate_threshold_ms, created_at, updated_at)
VALUES (
    $1, $2, $3, $4, $5, $6,
    $7::bigint, $7, $8, 1, $9::bigint, 1 - $9,
    $10::bigint, $11::bigint, $12::bigint, $12, $12, $12,
    $13, $14, $7::text, jsonb_build_object($15::text, 1)::text,
    CASE WHEN $9 = 1 THEN '[]' ELSE jsonb_build_array($15)::text END,
    $16::bigint, $17::bigint, $18, $19, $7, $7)
ON CONFLICT (command_hash) DO UPDATE SET
    command_text = EXCLUDED.command_text,
    last_executed = EXCLUDED.last_executed,
    last_executed_ms = EXCLUDED.last_executed_ms,
    execution_count = r.execution_count + 1,
    success_count = r.success_count + $9,
    failure_count = r.failure_count + 1 - $9,
    timeout_count = r.timeout_count + $10,
    signal_count = r.signal_count + $11,
    total_duration_ms = r.total_duration_ms + $12,
    avg_duration_ms = (r.total_duration_ms + $12)::double precision / (r.execution_count + 1),
    min_duration_ms = LEAST(r.min_duration_ms, $12),
    max_duration_ms = GREATEST(r.max_duration_ms, $12),
    risk_score = EXCLUDED.risk_score,
    tags = EXCLUDED.tags,
    -- A hundred times have ninety-nine ';' between them: then the oldest goes.
    last_100_timestamps = CASE
        WHEN COALESCE(r.last_100_timestamps, '') = '' THEN $7::text
        WHEN LENGTH(r.last_100_timestamps) - LENGTH(REPLACE(r.last_100_timestamps, ';', '')) >= 99
            THEN SUBSTR(r.last_100_timestamps, STRPOS(r.last_100_timestamps, ';') + 1) || ';' || $7::text
        ELSE r.last_100_timestamps || ';' || $7::text END,
    typical_exit_codes = jsonb_set(r.typical_exit_codes::jsonb, ARRAY[$15],
        to_jsonb(COALESCE((r.typical_exit_codes::jsonb ->> $15)::bigint, 0) + 1))::text,
    common_errors = CASE
        WHEN $9 = 1 OR jsonb_exists(r.common_errors::jsonb, $15) THEN r.common_errors
        ELSE (r.common_errors::jsonb || jsonb_build_array($15))::text END,
    earned_runs = r.earned_runs + $16,
    earned_successes = r.earned_successes + $17,
    held_back = EXCLUDED.held_back,
    updated_at = EXCLUDED.updated_at
