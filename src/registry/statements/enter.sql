-- Enters a command, or finds it and locks its row; what was counted until now.
INSERT INTO commands_registry (
    command_hash, command_text, argv_hash, folder, profile, program_digest, first_seen, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?7)
ON CONFLICT (command_hash) DO UPDATE SET command_text = EXCLUDED.command_text
RETURNING current_policy, user_override, last_executed_ms, execution_count, success_count, earned_runs,
    earned_successes, last_100_timestamps, typical_exit_codes, common_errors
