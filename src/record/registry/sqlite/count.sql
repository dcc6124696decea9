INSERT INTO commands_registry (
    command_hash, command_text, argv_hash, folder, profile, program_digest,
    first_seen, last_executed, last_executed_ms, execution_count, success_count, failure_count,
    timeout_count, signal_count, avg_duration_ms, min_duration_ms, max_duration_ms, total_duration_ms,
    risk_score, tags, last_100_timestamps, typical_exit_codes, common_errors,
    earned_runs, earned_successes, held_back, duplicate_threshold_ms, created_at, updated_at)
VALUES (
    :hash, :text, :argv, :folder, :profile, :digest,
    :now, :now, :now_ms, 1, :well, 1 - :well,
    :timeout, :signal, :duration, :duration, :duration, :duration,
    :risk, :tags, CAST(:now AS TEXT), json_set('{}', :key, 1), CASE WHEN :well THEN '[]' ELSE json_array(:label) END,
    :earns, :earns_well, :held, :threshold, :now, :now)
ON CONFLICT (command_hash) DO UPDATE SET
    command_text = :text,
    last_executed = :now,
    last_executed_ms = :now_ms,
    execution_count = execution_count + 1,
    success_count = success_count + :well,
    failure_count = failure_count + 1 - :well,
    timeout_count = timeout_count + :timeout,
    signal_count = signal_count + :signal,
    total_duration_ms = total_duration_ms + :duration,
    avg_duration_ms = 1.0 * (total_duration_ms + :duration) / (execution_count + 1),
    min_duration_ms = MIN(COALESCE(min_duration_ms, :duration), :duration),
    max_duration_ms = MAX(COALESCE(max_duration_ms, :duration), :duration),
    risk_score = :risk,
    tags = :tags,
    -- A hundred times have ninety-nine ';' between them: then the oldest goes.
    last_100_timestamps = CASE
        WHEN COALESCE(last_100_timestamps, '') = '' THEN CAST(:now AS TEXT)
        WHEN LENGTH(last_100_timestamps) - LENGTH(REPLACE(last_100_timestamps, ';', '')) >= 99
            THEN SUBSTR(last_100_timestamps, INSTR(last_100_timestamps, ';') + 1) || ';' || :now
        ELSE last_100_timestamps || ';' || :now END,
    typical_exit_codes = json_set(typical_exit_codes, :key, COALESCE(json_extract(typical_exit_codes, :key), 0) + 1),
    common_errors = CASE
        WHEN :well OR EXISTS (SELECT 1 FROM json_each(common_errors) WHERE value = :label) THEN common_errors
        ELSE json_insert(common_errors, '$[#]', :label) END,
    earned_runs = earned_runs + :earns,
    earned_successes = earned_successes + :earns_well,
    held_back = :held,
    updated_at = :now
