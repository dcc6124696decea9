-- What is known of a command (?1), and every restriction on its words (?2), here and elsewhere. Both in one statement,
-- since each would take the locks of the file.
SELECT user_override, user_override_reason, user_override_by, current_policy, execution_count, success_count,
       last_executed_ms, duplicate_threshold_ms, duplicate_check_enabled
FROM commands_registry WHERE command_hash = ?1
UNION ALL
SELECT user_override, user_override_reason, user_override_by, NULL, NULL, NULL, NULL, NULL, NULL
FROM commands_registry
WHERE argv_hash = ?2 AND user_override IS NOT NULL AND user_override <> 'always_allow'
